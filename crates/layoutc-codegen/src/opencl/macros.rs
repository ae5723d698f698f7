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
            let outermost_of = |id: &ExpansionId| {
                let mut at = *id;
                while let Some(home) = program.expansion(at).home {
                    at = home;
                }
                at
            };
            let names: BTreeSet<&str> = inlined
                .iter()
                .filter(|inner| outermost_of(inner) == *id)
                .map(|inner| program.expansion(*inner).name.as_str())
                .collect();
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

/// The uses that make strings of arguments with edits, and of which a program may print them where no call has failed:
/// what they spell must stay. Messages of [failed calls](failures) may spell the new call.
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
                spells(program, &inside, ExpansionId(at as u32), index, &mut found);
            }
        }
    }
    found
}

fn words_of(program: &Program, span: Span) -> Vec<&str> {
    let text = program.text(span);
    tokens(text).iter().map(|token| token.text(text)).collect()
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
    let words = words_of(program, expansion.body);
    let messages = messages(program, id, name, &words);
    let mut is_spelled = words.windows(2).enumerate().any(|(at, pair)| {
        let is_message = messages.iter().any(|own| own.contains(&at));
        pair[0] == "#" && pair[1] == name.as_str() && !is_message
    });
    for inner in inside.get(&id).into_iter().flatten() {
        for (at, argument) in program.expansion(*inner).arguments.iter().enumerate() {
            let has_name = words_of(program, *argument).contains(&name.as_str());
            is_spelled |= has_name && spells(program, inside, *inner, at, found);
        }
    }
    if is_spelled {
        found.push(id);
    }
    is_spelled
}

/// Where, in the words of a use's body, a parameter that stands for a call, or for the function called, is spelled
/// after that call has failed only.
fn messages(program: &Program, id: ExpansionId, name: &str, words: &[&str]) -> Vec<Range<usize>> {
    match is_call_argument(program, id, name) {
        true => failures(words, &names_of(program, id)),
        false => Vec::new(),
    }
}

/// The names of all parameters.
fn names_of(program: &Program, id: ExpansionId) -> Vec<&str> {
    let expansion = program.expansion(id);
    expansion.parameters.iter().chain(&expansion.rest).map(String::as_str).collect()
}

/// Whether a parameter stands for one call of OpenCL, or for the name of its function, through all macros around.
fn is_call_argument(program: &Program, id: ExpansionId, name: &str) -> bool {
    let Some(Some((range, file))) = arguments_of(program, id, name) else { return false };
    let text = program.sources.file(file).text().get(range).unwrap_or_default();
    let found = tokens(text);
    let words: Vec<&str> = found.iter().map(|token| token.text(text)).collect();
    match program.expansion(id).home {
        None => is_call(&words),
        Some(outer) => {
            let names = names_of(program, outer);
            let mut handed_on = words.iter().filter(|word| names.contains(word));
            is_call(&words)
                || (is_made_of(&words, &names)
                    && handed_on.all(|name| is_call_argument(program, outer, name)))
        }
    }
}

/// Whether words are a function of OpenCL, or one call of it: a condition that tests it tests for an error.
fn is_call(words: &[&str]) -> bool {
    let [name, rest @ ..] = words else { return false };
    let is_of_opencl =
        name.strip_prefix("cl").is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()));
    is_of_opencl
        && (rest.is_empty() || (rest[0] == "(" && closed_by(rest, 0) == Some(rest.len() - 1)))
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The position of what closes the bracket at a position.
fn closed_by(words: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match *word {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether words hold nothing but arguments, in calls and conversions to numbers: `(cl_int)f(__VA_ARGS__)`.
fn is_made_of(words: &[&str], arguments: &[&str]) -> bool {
    let is_known = |word: &&str| {
        arguments.contains(word) || matches!(*word, "(" | ")" | "," | "cl_int" | "int")
    };
    words.iter().all(is_known) && words.iter().any(|word| arguments.contains(word))
}

/// Where the body of a macro is executed after a call has failed only: behind `if (f(__VA_ARGS__) != CL_SUCCESS)`, or
/// `if (error)` with a variable that the body gives the result of the call and nothing else.
fn failures(words: &[&str], arguments: &[&str]) -> Vec<Range<usize>> {
    let is_result = |own: &[&str]| {
        let inner = match own {
            ["(", inner @ .., ")"] if closed_by(own, 0) == Some(own.len() - 1) => inner,
            _ => own,
        };
        match inner {
            [variable] if !arguments.contains(variable) => is_set_once(words, variable, arguments),
            [variable, "=", value @ ..] => is_identifier(variable) && is_made_of(value, arguments),
            _ => is_made_of(own, arguments),
        }
    };
    let mut found = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "if") {
        let open = at + 1;
        let Some(close) = closed_by(words, open).filter(|_| words[open] == "(") else { continue };
        let is_failure = match &words[open + 1..close] {
            [result @ .., "!=" | "<", "0" | "CL_SUCCESS"] => is_result(result),
            ["0" | "CL_SUCCESS", "!=", result @ ..] => is_result(result),
            result => is_result(result),
        };
        let end = match words.get(close + 1) {
            Some(&"{") => closed_by(words, close + 1),
            _ => words[close..].iter().position(|word| *word == ";").map(|own| close + own),
        };
        if let Some(end) = end.filter(|_| is_failure) {
            found.push(close + 1..end);
        }
    }
    found
}

/// Whether a variable gets a value in one place of a body, which is what a call returns.
fn is_set_once(words: &[&str], variable: &str, arguments: &[&str]) -> bool {
    let mut is_set = false;
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == variable) {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let behind = words.get(at + 1).copied().unwrap_or_default();
        match behind {
            "=" if !is_set => {
                let value = &words[at + 2..];
                let end = value.iter().position(|word| *word == ";").unwrap_or(0);
                if !is_made_of(&value[..end], arguments) {
                    return false;
                }
                is_set = true;
            }
            "++" | "--" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>="
            | "=" => return false,
            _ if matches!(before, "&" | "++" | "--") => return false,
            _ => {}
        }
    }
    is_set
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
                    let words: Vec<&str> = found.iter().map(|own| own.text(text)).collect();
                    let messages = home.map(|id| messages(program, id, token.text(text), &words));
                    let is_message = messages.iter().flatten().any(|own| own.contains(&place));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a body that runs after a failure only.
    fn of_failure(body: &str) -> Vec<String> {
        let words: Vec<&str> = tokens(body).iter().map(|token| token.text(body)).collect();
        let own = failures(&words, &["x", "f", "__VA_ARGS__"]);
        own.into_iter().map(|range| words[range].join(" ")).collect()
    }

    #[test]
    fn what_runs_after_a_failure_is_told() {
        for body in [
            "if ((x) != CL_SUCCESS) say(#x);",
            "do { cl_int e = f(__VA_ARGS__); if (e) { say(#x); } } while (0)",
            "do { int e; if ((e = (x)) != 0) say(#x); else done(#x); } while (0)",
            "{ cl_int e = (x); if (e < 0) say(#x); puts(#x); }",
        ] {
            let found = of_failure(body);
            let [own] = &found[..] else { panic!("{body}: {found:?}") };
            assert!(own.contains("say ( # x )") && !own.contains("puts"), "{body}: {own}");
        }
        for body in [
            "if ((x) == CL_SUCCESS) say(#x);",
            "if (!(x)) say(#x);",
            "if (verbose) say(#x);",
            "if (ok(x)) say(#x);",
            "if ((x) != 1) say(#x);",
            "if (verbose || (x)) say(#x);",
            "{ cl_int e = (x); e = !e; if (e) say(#x); }",
            "{ cl_int e = (x) == CL_SUCCESS; if (e) say(#x); }",
            "{ cl_int e = (x); flip(&e); if (e) say(#x); }",
            "{ cl_int e = 1; x; if (e) say(#x); }",
        ] {
            assert!(of_failure(body).is_empty(), "{body}: {:?}", of_failure(body));
        }
    }

    #[test]
    fn calls_are_told_from_conditions() {
        let is_call = |text: &str| {
            is_call(&tokens(text).iter().map(|token| token.text(text)).collect::<Vec<_>>())
        };
        assert!(is_call("clFinish") && is_call("clFinish(f(q), 1)"));
        assert!(!is_call("!clFinish(q)") && !is_call("clFinish(q) == CL_SUCCESS"));
        assert!(!is_call("ok(q)") && !is_call("clear"));
        assert!(!is_call("clA(q), clB(q)") && !is_call("e = clFinish(q)") && !is_call(""));
    }
}
