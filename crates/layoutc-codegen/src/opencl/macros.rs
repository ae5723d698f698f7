//! Calls that macros make: of their arguments (`CL_CALL(clEnqueueReadBuffer, queue, …)`), or in their bodies.
//!
//! A body has many uses, of which each may go to buffers of another layout. So `#define`s stay, and a use with an edit in
//! its body is replaced by its expansion: the text that the preprocessor would put there, with the edits.

use crate::rewrite::string_of;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, MacroRole, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How long the expansion of one use may be, in bytes.
const LONGEST: usize = 16_384;

/// Edits of calls, by the text that they are in: the file's, or the body of a macro for one use.
#[derive(Default)]
pub(super) struct CallEdits(BTreeMap<Option<ExpansionId>, Vec<(Span, String)>>);

impl CallEdits {
    /// Replaces text of a home.
    pub(super) fn add(&mut self, home: Option<ExpansionId>, span: Span, text: String) {
        self.0.entry(home).or_default().push((span, text));
    }

    /// All as edits of files, in order.
    ///
    /// # Errors
    ///
    /// The place of a use that cannot be replaced by its expansion.
    pub(super) fn outside_of_macros(
        mut self,
        program: &Program,
    ) -> Result<Vec<(Span, String)>, Span> {
        let mut inlined: BTreeSet<ExpansionId> = BTreeSet::new();
        let spelling = spelling_uses(program, self.0.get(&None).map_or(&[], Vec::as_slice));
        for home in self.0.keys().copied().chain(spelling.into_iter().map(Some)) {
            let mut home = home;
            while let Some(id) = home.filter(|id| inlined.insert(*id)) {
                home = program.expansion(id).home;
            }
        }
        for edits in self.0.values_mut() {
            edits.sort();
            edits.dedup();
        }
        let mut out = self.0.get(&None).cloned().unwrap_or_default();
        let outermost: Vec<Span> = inlined
            .iter()
            .map(|id| program.expansion(*id))
            .filter(|expansion| expansion.home.is_none())
            .map(|expansion| expansion.span)
            .collect();
        for id in inlined.iter().filter(|id| program.expansion(**id).home.is_none()) {
            let own = program.expansion(*id).span;
            if outermost.iter().any(|outer| *outer != own && outer.contains(own)) {
                continue;
            }
            let use_span = program.expansion(*id).span;
            let mut writer =
                Writer { program, edits: &self.0, inlined: &inlined, out: String::new() };
            writer.body(*id).ok_or(use_span)?;
            // Joined lines would make a comment of what follows.
            if has_line_comment(&writer.out) {
                return Err(use_span);
            }
            let text = writer.out.replace("\\\r\n", " ").replace("\\\n", " ");
            // A macro's name in its own expansion is not expanded, but in other text it is.
            let names: BTreeSet<&str> =
                inlined.iter().map(|id| program.expansion(*id).name.as_str()).collect();
            if tokens(&text).into_iter().any(|token| names.contains(token.text(&text))) {
                return Err(use_span);
            }
            // Edits in the arguments are in the expansion already.
            out.retain(|(span, _)| !use_span.contains(*span));
            out.push((use_span, text));
        }
        out.sort();
        out.dedup();
        Ok(out)
    }
}

/// The uses that make strings of arguments with edits, and of which a program may print them whether or not a call fails:
/// what they spell must stay. Behind a condition stand messages, which may spell the new call.
fn spelling_uses(program: &Program, edits: &[(Span, String)]) -> Vec<ExpansionId> {
    let mut inside: BTreeMap<ExpansionId, Vec<ExpansionId>> = BTreeMap::new();
    for (at, expansion) in program.expansions.iter().enumerate() {
        if let Some(home) = expansion.home {
            inside.entry(home).or_default().push(ExpansionId(at as u32));
        }
    }
    let mut found = Vec::new();
    for (at, expansion) in program.expansions.iter().enumerate() {
        if expansion.home.is_some() {
            continue;
        }
        for (index, argument) in expansion.arguments.iter().enumerate() {
            if edits.iter().any(|(span, _)| argument.contains(*span)) {
                let id = ExpansionId(at as u32);
                spells(program, &inside, id, index, &mut found);
            }
        }
    }
    found
}

/// Whether a use makes a string of an argument, itself or by the uses in its body; adds those that do.
fn spells(
    program: &Program,
    inside: &BTreeMap<ExpansionId, Vec<ExpansionId>>,
    id: ExpansionId,
    index: usize,
    found: &mut Vec<ExpansionId>,
) -> bool {
    let expansion = program.expansion(id);
    let Some(name) = expansion.parameters.get(index).or(expansion.rest.as_ref()) else {
        return false;
    };
    let body = program.text(expansion.body);
    let words: Vec<&str> = tokens(body).iter().map(|token| token.text(body)).collect();
    let until = words.iter().position(|word| is_condition(word)).unwrap_or(words.len());
    let mut is_spelled =
        words[..until].windows(2).any(|pair| pair[0] == "#" && pair[1] == name.as_str());
    for inner in inside.get(&id).into_iter().flatten() {
        for (at, argument) in program.expansion(*inner).arguments.iter().enumerate() {
            let text = program.text(*argument);
            let has_name = tokens(text).iter().any(|token| token.text(text) == name.as_str());
            is_spelled |= has_name && spells(program, inside, *inner, at, found);
        }
    }
    if is_spelled {
        found.push(id);
    }
    is_spelled
}

/// Whether what stands behind a word depends on a condition.
fn is_condition(word: &str) -> bool {
    matches!(word, "if" | "?" | "&&" | "||")
}

/// Writes expansions.
struct Writer<'a> {
    program: &'a Program,
    edits: &'a BTreeMap<Option<ExpansionId>, Vec<(Span, String)>>,
    inlined: &'a BTreeSet<ExpansionId>,
    out: String,
}

impl Writer<'_> {
    /// The body of a use with its arguments.
    fn body(&mut self, id: ExpansionId) -> Option<()> {
        let body = self.program.expansion(id).body;
        self.text(Some(id), body.range(), body.file)
    }

    /// Text of a home: with the edits, with arguments for parameters, and with the bodies of uses that are replaced.
    fn text(&mut self, home: Option<ExpansionId>, range: Range<usize>, file: FileId) -> Option<()> {
        let program = self.program;
        let source = program.sources.file(file).text();
        let (start, end) = (range.start, range.end);
        let text = source.get(range)?;
        let edits = self.edits.get(&home).map_or(&[][..], Vec::as_slice);
        let inside = |span: Span| {
            span.file == file && span.start as usize >= start && span.end as usize <= end
        };
        let nested: Vec<ExpansionId> = (self.inlined.iter().copied())
            .filter(|id| program.expansion(*id).home == home)
            .filter(|id| inside(program.expansion(*id).span))
            .collect();
        let found = tokens(text);
        // The text up to `at` is written.
        let mut at = start;
        for (place, token) in found.iter().enumerate() {
            let (from, to) = (start + token.start as usize, start + token.end as usize);
            if from < at || self.out.len() > LONGEST {
                continue;
            }
            let use_here =
                nested.iter().find(|id| program.expansion(**id).span.start as usize == from);
            if let Some(id) = use_here {
                self.out.push_str(source.get(at..from)?);
                self.body(*id)?;
                at = program.expansion(*id).span.end as usize;
                continue;
            }
            for (span, new) in edits.iter().filter(|(span, _)| inside(*span)) {
                if span.start as usize == from {
                    self.out.push_str(source.get(at..from)?);
                    self.out.push_str(new);
                    at = span.end as usize;
                }
            }
            if from < at || token.kind != TokenKind::Identifier {
                continue;
            }
            let Some(arguments) = home.and_then(|id| arguments_of(program, id, token.text(text)))
            else {
                continue;
            };
            let before = |back: usize| {
                let token = found.get(place.checked_sub(back)?)?;
                Some((start + token.start as usize, token.text(text)))
            };
            let (copied, is_string, is_rest) = match (before(1), before(2)) {
                (Some((sign, "#")), _) => (sign, true, false),
                (Some((_, "##")), Some((comma, ","))) => (comma, false, true),
                (Some((_, "##")), _) => return None,
                _ => (from, false, false),
            };
            self.out.push_str(source.get(at..copied)?);
            let outer = home.and_then(|id| program.expansion(id).home);
            match arguments {
                None => {}
                Some((range, file)) if is_string => {
                    // What another macro hands on was expanded before, which is not known here.
                    let spelled = program.sources.file(file).text().get(range.clone())?;
                    let words = tokens(spelled);
                    let is_handed_on = outer.is_some_and(|id| {
                        words
                            .iter()
                            .any(|word| arguments_of(program, id, word.text(spelled)).is_some())
                    });
                    let is_message =
                        found[..place].iter().any(|token| is_condition(token.text(text)));
                    if is_handed_on && !is_message {
                        return None;
                    }
                    // What the argument was, in the text of the use.
                    let (edits, inlined) = (BTreeMap::new(), BTreeSet::new());
                    let out = String::new();
                    let mut spelling = Writer { program, edits: &edits, inlined: &inlined, out };
                    spelling.text(outer, range, file)?;
                    self.out.push_str(&string_of(&spelling.out));
                }
                Some((range, file)) => {
                    self.out.push_str(if is_rest { ", " } else { "" });
                    self.text(outer, range, file)?;
                }
            }
            at = to;
        }
        self.out.push_str(source.get(at..end)?);
        (self.out.len() <= LONGEST).then_some(())
    }
}

fn has_line_comment(text: &str) -> bool {
    let mut at = 0;
    let mut gaps = tokens(text).into_iter().map(|token| {
        let gap = &text[at..token.start as usize];
        at = token.end as usize;
        gap.contains("//")
    });
    gaps.any(|has| has) || text[at..].contains("//")
}

/// The arguments of a use that a word of its body stands for; none of them if there are none.
type Arguments = Option<(Range<usize>, FileId)>;

fn arguments_of(program: &Program, id: ExpansionId, word: &str) -> Option<Arguments> {
    let expansion = program.expansion(id);
    let fixed = expansion.parameters.len();
    let all = match expansion.parameters.iter().position(|name| name == word) {
        Some(at) => &expansion.arguments[at..=at],
        None if expansion.rest.as_deref() == Some(word) => &expansion.arguments[fixed..],
        None => return None,
    };
    Some(match (all.first(), all.last()) {
        (Some(first), Some(last)) => Some((first.start as usize..last.end as usize, first.file)),
        _ => None,
    })
}

/// Where another first argument of a call can be written, if a macro's body says `f(__VA_ARGS__)` for it.
///
/// *Claim:* the function and the arguments of the use go into this call and nowhere else, but for strings that spell
/// them.
pub(super) fn first_argument(program: &Program, call: ExprId) -> Option<Span> {
    let expansion = program.expansion(program.home(call)?);
    let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else { return None };
    let role = |id: ExprId| match program.macro_role(id)? {
        MacroRole::Parameter(of, at) => (Some(of) == program.home(call)).then_some(at),
        MacroRole::Use(_) => None,
    };
    let function = expansion.parameters.get(role(*callee)?)?;
    let rest = expansion.rest.as_deref()?;
    let first = *arguments.first()?;
    let is_first = role(first)? == expansion.parameters.len();
    let body = program.text(expansion.body);
    let found = tokens(body);
    let words: Vec<&str> = found.iter().map(|token| token.text(body)).collect();
    let plain = |name: &str| {
        let places = words.iter().enumerate().filter(|(_, word)| **word == name);
        let mut places = places.map(|(at, _)| at).filter(|at| *at == 0 || words[*at - 1] != "#");
        places.next().filter(|_| places.next().is_none())
    };
    let (function, rest) = (plain(function)?, plain(rest)?);
    let is_call = words.get(function + 1) == Some(&"(") && rest == function + 2;
    // The use stands in the text of a function.
    (is_first && is_call && expansion.home.is_none())
        .then(|| expansion.arguments[expansion.parameters.len()].at_start())
}
