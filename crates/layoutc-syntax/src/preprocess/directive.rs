//! Splitting a file into directives and the text between them.

use layoutc_diagnostics::{FileId, Span};

use super::lexer::{Token, TokenKind, tokens, tokens_and_lines};
use super::macros::{Activity, MacroDef, MacroOrigin};

/// What a directive does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectiveKind {
    /// `#include` (also `#include_next` and `#import`).
    Include,
    /// `#define`.
    Define,
    /// `#undef`.
    Undef,
    /// `#if`.
    If,
    /// `#ifdef`.
    Ifdef,
    /// `#ifndef`.
    Ifndef,
    /// `#elif`.
    Elif,
    /// `#elifdef`.
    Elifdef,
    /// `#elifndef`.
    Elifndef,
    /// `#else`.
    Else,
    /// `#endif`.
    Endif,
    /// `#pragma once`.
    PragmaOnce,
    /// Any other `#pragma`.
    Pragma,
    /// `#error`, `#warning`, `#line`, the empty directive, and what is none.
    Other,
}

/// What a directive is to the groups of conditions around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nesting {
    /// It begins a group.
    Opens,
    /// It begins another branch of its group, which has a condition or not.
    Divides {
        /// Not `#else`.
        has_condition: bool,
    },
    /// It ends a group.
    Closes,
    /// Nothing.
    Inside,
}

impl DirectiveKind {
    pub(crate) fn nesting(self) -> Nesting {
        match self {
            Self::If | Self::Ifdef | Self::Ifndef => Nesting::Opens,
            Self::Elif | Self::Elifdef | Self::Elifndef => Nesting::Divides { has_condition: true },
            Self::Else => Nesting::Divides { has_condition: false },
            Self::Endif => Nesting::Closes,
            Self::Include
            | Self::Define
            | Self::Undef
            | Self::PragmaOnce
            | Self::Pragma
            | Self::Other => Nesting::Inside,
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "include" | "include_next" | "import" => Self::Include,
            "define" => Self::Define,
            "undef" => Self::Undef,
            "if" => Self::If,
            "ifdef" => Self::Ifdef,
            "ifndef" => Self::Ifndef,
            "elif" => Self::Elif,
            "elifdef" => Self::Elifdef,
            "elifndef" => Self::Elifndef,
            "else" => Self::Else,
            "endif" => Self::Endif,
            "pragma" => Self::Pragma,
            _ => Self::Other,
        }
    }
}

/// One directive of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// What it does.
    pub kind: DirectiveKind,
    /// From `#` to the end of its logical line, without the line break.
    pub span: Span,
    /// Whether it takes part in the program.
    pub activity: Activity,
}

/// A directive with its tokens and its place among the file's tokens.
#[derive(Debug)]
pub(crate) struct RawDirective {
    pub kind: DirectiveKind,
    /// Bytes from `#` to the end of the logical line.
    pub start: u32,
    pub end: u32,
    /// Tokens behind the directive's name.
    pub operands: Vec<Token>,
    /// Number of text tokens of the file that stand before it.
    pub text_before: usize,
}

/// A file's text, split.
#[derive(Debug, Default)]
pub(crate) struct SplitFile {
    /// Tokens that belong to no directive.
    pub text: Vec<Token>,
    pub directives: Vec<RawDirective>,
}

/// Splits a text into directives and other tokens.
pub(crate) fn split(source: &str) -> SplitFile {
    let mut split = SplitFile::default();
    let all = tokens_and_lines(source);
    for line in all.split(|token| token.kind == TokenKind::Newline) {
        let Some(first) = line.first() else { continue };
        let is_hash = matches!(first.text(source), "#" | "##") && first.kind == TokenKind::Punct;
        if !is_hash {
            split.text.extend_from_slice(line);
            continue;
        }
        let name = line.get(1).filter(|token| token.kind == TokenKind::Identifier);
        let mut kind =
            name.map_or(DirectiveKind::Other, |name| DirectiveKind::of(name.text(source)));
        let operands = line.get(2..).unwrap_or_default().to_vec();
        if kind == DirectiveKind::Pragma
            && operands.first().is_some_and(|token| token.text(source) == "once")
        {
            kind = DirectiveKind::PragmaOnce;
        }
        let end = logical_line_end(source, line[line.len() - 1].end as usize);
        split.directives.push(RawDirective {
            kind,
            start: first.start,
            end: end as u32,
            operands,
            text_before: split.text.len(),
        });
    }
    split
}

/// The end of the logical line whose last token ends at `from`: behind trailing comments.
fn logical_line_end(source: &str, from: usize) -> usize {
    let bytes = source.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => break,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => break,
            b'\\' if bytes[at + 1..].starts_with(b"\n") => at += 2,
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'/' if bytes[at + 1..].starts_with(b"*") => {
                at = source[at + 2..].find("*/").map_or(bytes.len(), |length| at + 2 + length + 2);
            }
            b'/' if bytes[at + 1..].starts_with(b"/") => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    let splice = if bytes[at] != b'\\' {
                        0
                    } else if bytes[at + 1..].starts_with(b"\n") {
                        2
                    } else if bytes[at + 1..].starts_with(b"\r\n") {
                        3
                    } else {
                        0
                    };
                    at += splice.max(1);
                }
                // The carriage return of a CRLF belongs to the line break.
                if at > from && bytes[at - 1] == b'\r' {
                    at -= 1;
                }
                break;
            }
            _ => at += 1,
        }
    }
    at
}

/// The definition that a `#define` with these operands makes, if it is well formed.
pub(crate) fn parse_define(
    source: &str,
    file: FileId,
    operands: &[Token],
    activity: Activity,
) -> Option<MacroDef> {
    let name = *operands.first().filter(|token| token.kind == TokenKind::Identifier)?;
    let mut rest = &operands[1..];
    let mut params = None;
    let mut variadic = false;
    let mut head_end = name.end as usize;
    let opens = |token: &Token| token.start == name.end && token.text(source) == "(";
    if rest.first().is_some_and(opens) {
        let close = rest.iter().position(|token| token.text(source) == ")")?;
        let mut names = Vec::new();
        for token in &rest[1..close] {
            match token.kind {
                TokenKind::Identifier => names.push(token.text(source).to_owned()),
                _ if token.text(source) == "..." => variadic = true,
                _ => {}
            }
        }
        params = Some(names);
        head_end = rest[close].end as usize;
        rest = &rest[close + 1..];
    }
    let body = match (rest.first(), rest.last()) {
        (Some(first), Some(last)) => Span::new(file, first.start as usize, last.end as usize),
        _ => Span::new(file, head_end, head_end),
    };
    Some(MacroDef {
        name: name.text(source).to_owned(),
        name_span: Some(Span::new(file, name.start as usize, name.end as usize)),
        params,
        variadic,
        body: Some(body),
        text: source[body.range()].to_owned(),
        file: Some(file),
        origin: MacroOrigin::Source,
        activity,
        order: 0,
        is_needed: true,
    })
}

/// The definition that `-D NAME=TEXT` makes; `NAME` may have a parameter list.
pub(crate) fn command_line_define(name: &str, text: &str) -> MacroDef {
    let mut def = MacroDef::synthetic(name, text, MacroOrigin::CommandLine);
    let found = tokens(name);
    if let [first, open, params @ ..] = &found[..]
        && first.kind == TokenKind::Identifier
        && open.text(name) == "("
    {
        def.name = first.text(name).to_owned();
        def.variadic = params.iter().any(|token| token.text(name) == "...");
        let names = params.iter().filter(|token| token.kind == TokenKind::Identifier);
        def.params = Some(names.map(|token| token.text(name).to_owned()).collect());
    }
    def
}
