//! Recursive descent over the grammar of the notation; nothing nests, so neither does this.

use std::ops::Range;

use layoutc_diagnostics::Code;

use super::lexer::{Token, TokenKind, tokens};
use super::{
    Authority, EVERY_ARRAY, FieldPattern, FormSpec, GridDigit, GroupSpec, LayoutSpec, Located,
    Order, SpecBody, SpecError, nearest,
};
use crate::layout::digit::check_dimensions;
use crate::layout::{Bytes, Digit, DimensionId, LayoutError, MAX_ALIGNMENT, MAX_TILE};

/// What a number may be: its value (`None` above 64 bits) and its digits, to the value that it means.
type Check<T> = fn(Option<u64>, &str) -> Result<T, (Code, String)>;

const LAYOUT_WORDS: [&str; 4] = ["aos", "soa", "tiled", "align"];

pub(super) fn parse_spec(text: &str) -> Result<LayoutSpec, SpecError> {
    let mut parser = Parser::new(text)?;
    let (target, with) = parser.targets()?;
    let body = parser.body()?;
    parser.end()?;
    Ok(LayoutSpec { target, with, body, authority: Authority::default() })
}

pub(super) fn parse_body(text: &str) -> Result<SpecBody, SpecError> {
    let mut parser = Parser::new(text)?;
    let body = parser.body()?;
    parser.end()?;
    Ok(body)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, SpecError> {
        Ok(Parser { text, tokens: tokens(text)?, next: 0 })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    fn text_at(&self, at: &Range<usize>) -> &'a str {
        &self.text[at.clone()]
    }

    /// The next token, which stays the next one if it is the end.
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        (self.peek().kind == kind).then(|| self.advance())
    }

    fn accept_mark(&mut self, mark: char) -> Option<Token> {
        self.accept(TokenKind::Punctuation(mark))
    }

    fn expect_mark(&mut self, mark: char, place: &str) -> Result<Token, SpecError> {
        self.accept_mark(mark).ok_or_else(|| self.expected(&format!("`{mark}` {place}")))
    }

    fn expect_word(&mut self, what: &str) -> Result<Located<&'a str>, SpecError> {
        let token = self.accept(TokenKind::Word).ok_or_else(|| self.expected(what))?;
        Ok(Located { value: self.text_at(&token.at), at: token.at })
    }

    /// "expected …, found …" at the next token.
    fn expected(&self, what: &str) -> SpecError {
        let at = self.peek().at.clone();
        let found = match self.peek().kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", self.text_at(&at)),
        };
        SpecError::new(Code::UNKNOWN_LAYOUT, at, format!("expected {what}, found {found}"))
    }

    fn end(&self) -> Result<(), SpecError> {
        match self.peek().kind {
            TokenKind::End => Ok(()),
            _ => Err(self.expected("the end of the layout")),
        }
    }

    /// `target "="`
    /// What is to be laid out, and the arrays that are put together with it, up to and with the `=`.
    fn targets(&mut self) -> Result<(String, Vec<String>), SpecError> {
        if self.accept_mark('*').is_some() {
            self.expect_mark('=', "behind `*`")?;
            return Ok((EVERY_ARRAY.to_owned(), Vec::new()));
        }
        let target = self.name()?;
        let mut with = Vec::new();
        while self.accept_mark('+').is_some() {
            with.push(self.name()?);
        }
        if self.accept_mark('=').is_none() {
            let help = if LAYOUT_WORDS.contains(&target.as_str()) {
                format!("name what is to be laid out: `NAME = {}`", self.text.trim())
            } else {
                format!("write `{target} = ` and a layout, such as `soa` or `tiled(32)`")
            };
            let last = with.last().unwrap_or(&target);
            return Err(self.expected(&format!("`=` behind `{last}`")).help(help));
        }
        Ok((target, with))
    }

    /// The name of a record or an array.
    fn name(&mut self) -> Result<String, SpecError> {
        let mut name = String::new();
        loop {
            name.push_str(self.expect_word("the name of a record or an array")?.value);
            if self.peek().kind == TokenKind::Punctuation('<') {
                name.push_str(self.template_arguments()?);
            }
            if self.accept(TokenKind::Scope).is_none() {
                return Ok(name);
            }
            name.push_str("::");
        }
    }

    /// `<…>` as it is written, with nested angle brackets.
    fn template_arguments(&mut self) -> Result<&'a str, SpecError> {
        let start = self.peek().at.start;
        let mut depth = 0_usize;
        loop {
            let token = self.advance();
            match token.kind {
                TokenKind::Punctuation('<') => depth += 1,
                TokenKind::Punctuation('>') => depth -= 1,
                TokenKind::End => return Err(self.expected("`>`")),
                _ => {}
            }
            if depth == 0 {
                return Ok(&self.text[start..token.at.end]);
            }
        }
    }

    fn body(&mut self) -> Result<SpecBody, SpecError> {
        if self.peek().kind == TokenKind::Punctuation('{') {
            let mut groups = vec![self.group()?];
            while self.accept_mark(',').is_some() {
                groups.push(self.group()?);
            }
            return Ok(SpecBody::Groups(groups));
        }
        let start = self.peek().at.clone();
        if self.text_at(&start) == "soa" {
            let word = self.advance();
            if self.text_at(&self.peek().at) == "align" {
                let message = "`soa` has no structs to align";
                let at = self.peek().at.clone();
                return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message));
            }
            return Ok(SpecBody::Soa(Located { value: (), at: word.at }));
        }
        let mut form = self.form(start)?;
        if form.order.value == Order::Default {
            if form.align.is_none() {
                return Err(self.expected("a layout"));
            }
            form.order.value = Order::Aos;
        }
        Ok(SpecBody::Uniform(form))
    }

    fn group(&mut self) -> Result<GroupSpec, SpecError> {
        let open = self.expect_mark('{', "and the fields of a group")?;
        let mut fields = Vec::new();
        let close = loop {
            if let Some(close) = self.accept_mark('}') {
                break close;
            }
            if !fields.is_empty() {
                self.accept_mark(',');
            }
            fields.push(self.field()?);
        };
        if fields.is_empty() {
            let message = "a group has no fields";
            let at = open.at.start..close.at.end;
            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message));
        }
        let form = self.form(open.at.start..close.at.end)?;
        Ok(GroupSpec { fields, form })
    }

    fn field(&mut self) -> Result<Located<FieldPattern>, SpecError> {
        if let Some(star) = self.accept_mark('*') {
            return Ok(Located { value: FieldPattern::Rest, at: star.at });
        }
        let first = self.expect_word("a field, `*` or `}`")?;
        let (mut path, mut at) = (first.value.to_owned(), first.at);
        while self.accept_mark('.').is_some() {
            let next = self.expect_word("a field behind `.`")?;
            path.push('.');
            path.push_str(next.value);
            at.end = next.at.end;
        }
        Ok(Located { value: FieldPattern::Path(path), at })
    }

    /// The words behind a group, or a whole body; `place` is where nothing is written.
    fn form(&mut self, place: Range<usize>) -> Result<FormSpec, SpecError> {
        let mut form =
            FormSpec { order: Located { value: Order::Default, at: place }, align: None };
        loop {
            let token = self.peek().clone();
            let order = match token.kind {
                TokenKind::Punctuation('[') => Order::Digits(self.digits()?),
                TokenKind::Word => match self.text_at(&token.at) {
                    "aos" => {
                        self.advance();
                        Order::Aos
                    }
                    "tiled" => {
                        self.advance();
                        Order::Tiled(self.argument("a tile size", tile_size)?.value)
                    }
                    "align" => {
                        self.advance();
                        let align = self.argument("an alignment", alignment)?;
                        if form.align.replace(align).is_some() {
                            let message = "`align` is given twice";
                            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, token.at, message));
                        }
                        continue;
                    }
                    word => return Err(unknown_word(word, token.at)),
                },
                _ => return Ok(form),
            };
            let at = token.at.start..self.tokens[self.next - 1].at.end;
            if form.order.value != Order::Default {
                let earlier = self.text_at(&form.order.at);
                let message = format!("`{}` contradicts `{earlier}`", self.text_at(&at));
                return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message));
            }
            form.order = Located { value: order, at };
        }
    }

    /// `"(" N ")"`
    fn argument<T>(&mut self, what: &str, check: Check<T>) -> Result<Located<T>, SpecError> {
        self.expect_mark('(', &format!("and {what}"))?;
        let number = self.number(what, check)?;
        self.expect_mark(')', &format!("behind {what}"))?;
        Ok(number)
    }

    fn number<T>(&mut self, what: &str, check: Check<T>) -> Result<Located<T>, SpecError> {
        let TokenKind::Number(number) = self.peek().kind else { return Err(self.expected(what)) };
        let at = self.advance().at;
        match check(number, self.text_at(&at)) {
            Ok(value) => Ok(Located { value, at }),
            Err((code, message)) => Err(SpecError::new(code, at, message)),
        }
    }

    /// `"[" digit { "," digit } "]"`
    fn digits(&mut self) -> Result<Vec<GridDigit>, SpecError> {
        self.expect_mark('[', "and digits")?;
        let mut digits = vec![self.digit()?];
        while self.accept_mark(',').is_some() {
            digits.push(self.digit()?);
        }
        if self.accept_mark(']').is_none() {
            return Err(self.expected("`,` or `]`"));
        }
        check_names(&digits)?;
        Ok(digits)
    }

    fn digit(&mut self) -> Result<GridDigit, SpecError> {
        let bracket = self.accept_mark('(').is_some();
        let name = self.expect_word("the name of a dimension")?;
        let name = Located { value: name.value.to_owned(), at: name.at };
        let mut digit = GridDigit { name, divisor: 1, modulus: None };
        if self.accept_mark('/').is_some() {
            digit.divisor = self.number("a divisor", divisor)?.value;
        }
        if bracket {
            self.expect_mark(')', "behind the divisor")?;
        }
        if self.accept_mark('%').is_some() {
            digit.modulus = Some(self.number("a modulus", tile_size)?.value);
        }
        Ok(digit)
    }
}

fn unknown_word(word: &str, at: Range<usize>) -> SpecError {
    if word == "soa" {
        let message = "`soa` speaks of the whole record, not of a group";
        let help = "write one group per field, such as `{x}, {y}`";
        return SpecError::new(Code::UNKNOWN_LAYOUT, at, message).help(help);
    }
    let error = SpecError::new(Code::UNKNOWN_LAYOUT, at, format!("unknown layout word `{word}`"));
    match nearest(word, LAYOUT_WORDS) {
        Some(known) => error.help(format!("did you mean `{known}`?")),
        None => error.help("the layout words are `aos`, `soa`, `tiled(T)` and `align(A)`"),
    }
}

fn tile_size(number: Option<u64>, written: &str) -> Result<u64, (Code, String)> {
    match number {
        Some(0) => Err((Code::INVALID_TILE, LayoutError::Tile(0).to_string())),
        Some(tile) if tile <= MAX_TILE => Ok(tile),
        _ => Err((
            Code::INVALID_TILE,
            format!("a tile of {written} is above the limit of {MAX_TILE}"),
        )),
    }
}

fn divisor(number: Option<u64>, written: &str) -> Result<u64, (Code, String)> {
    match number {
        Some(0) => Err((Code::INVALID_TILE, LayoutError::Tile(0).to_string())),
        Some(divisor) => Ok(divisor),
        None => Err((Code::INVALID_TILE, format!("divisor {written} is too large"))),
    }
}

fn alignment(number: Option<u64>, written: &str) -> Result<Bytes, (Code, String)> {
    match number {
        Some(align) if align.is_power_of_two() && align <= MAX_ALIGNMENT.0 => Ok(Bytes(align)),
        Some(align) if align <= MAX_ALIGNMENT.0 => {
            Err((Code::UNKNOWN_LAYOUT, format!("alignment {align} is not a power of two")))
        }
        _ => Err((
            Code::UNKNOWN_LAYOUT,
            format!("alignment {written} is above the limit of {}", MAX_ALIGNMENT.0),
        )),
    }
}

/// Every name must be covered exactly once: whole, or by slices that fit together.
fn check_names(digits: &[GridDigit]) -> Result<(), SpecError> {
    let mut names: Vec<&str> = Vec::new();
    for digit in digits {
        if names.contains(&digit.name.value.as_str()) {
            continue;
        }
        names.push(&digit.name.value);
        let same: Vec<&GridDigit> =
            digits.iter().filter(|other| other.name == digit.name).collect();
        let slices: Vec<Digit> = same
            .iter()
            .map(|digit| Digit::Slice {
                dimension: DimensionId(0),
                divisor: digit.divisor,
                modulus: digit.modulus,
            })
            .collect();
        if check_dimensions(&slices, 1).is_err() {
            let name = &digit.name.value;
            let message = format!("the slices of `{name}` do not cover it exactly once");
            let at = same[0].name.at.start..same[same.len() - 1].name.at.end;
            return Err(SpecError::new(Code::UNKNOWN_LAYOUT, at, message).help(format!(
                "write `{name}`, or slices that fit together, such as `{name}/32` and `{name}%32`"
            )));
        }
    }
    Ok(())
}
