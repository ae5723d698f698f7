//! Macros that build a name with `##`, and macros that hide a launch.
//!
//! A built name is never longer than the call that builds it unless the macro adds much to it, so
//! it can nearly always stand where the call stands.

use super::words::is_operator_word;
use super::{MaskReason, Masker};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::preprocess::macros::MacroDef;

/// Deepest chain of macros that pass arguments on to a `##`.
const DEPTH_LIMIT: usize = 4;
/// Longest replacement that is looked at, in bytes.
const REPLACEMENT_LIMIT: usize = 200;

impl Masker<'_> {
    /// Replaces calls of name-building macros by the name, and launch macros by white space.
    pub(super) fn mask_pasted_names(&mut self) {
        for at in 0..self.toks.len() {
            let Some(def) = self.def(at).filter(|def| def.is_function_like()) else {
                continue;
            };
            if def.text.len() > REPLACEMENT_LIMIT {
                continue;
            }
            let Some(close) = self.call_close(at) else {
                continue;
            };
            if def.text.starts_with("<<<") && def.text.ends_with(">>>") {
                self.replace(at, close, "", MaskReason::Launch);
                continue;
            }
            if self.wraps_parameters(def, at, close) {
                self.replace(at, at + 1, "", MaskReason::Other);
                self.replace(close, close, "", MaskReason::Other);
                continue;
            }
            if !def.text.contains("##") && !def.text.ends_with(')') {
                continue;
            }
            let mut args = Vec::new();
            let mut first = at + 2;
            for comma in self.top_level(at + 2, close, ",").into_iter().chain([close]) {
                args.push((first..comma).map(|index| self.text(index).to_owned()).collect());
                first = comma + 1;
            }
            if let Some(name) =
                self.pasted_name(def, &args, 0).filter(|name| self.fits(at, close, name))
            {
                self.replace(at, close, &name, MaskReason::Name { expansion: name.clone() });
            }
        }
    }

    /// Whether a macro wraps the parameters of a declaration, `int f P((int, char *));`.
    fn wraps_parameters(&self, def: &MacroDef, at: usize, close: usize) -> bool {
        let same = def.params.as_deref() == Some(std::slice::from_ref(&def.text));
        same && at > 0
            && self.is_identifier(at - 1)
            && !is_operator_word(self.text(at - 1))
            && self.text(at + 2) == "("
            && self.partner(at + 2) == Some(close - 1)
    }

    /// The identifier that a macro builds from arguments, if that is all it does.
    fn pasted_name(&self, def: &MacroDef, args: &[Vec<String>], depth: usize) -> Option<String> {
        if depth > DEPTH_LIMIT || def.text.len() > REPLACEMENT_LIMIT {
            return None;
        }
        let params = def.params.as_ref()?;
        let found = tokens(&def.text);
        let words: Vec<&str> = found.iter().map(|token| token.text(&def.text)).collect();
        let arg_of = |word: &str| {
            params
                .iter()
                .position(|param| param == word)
                .map(|index| args.get(index).map_or(&[][..], Vec::as_slice))
        };
        if let [name, "(", inner @ .., ")"] = &words[..] {
            let callee =
                self.table.lookup(name).last().filter(|callee| callee.is_function_like())?;
            let mut passed = Vec::new();
            for group in inner.split(|word| *word == ",") {
                let mut arg = Vec::new();
                for word in group {
                    match arg_of(word) {
                        // An argument that is passed on is expanded first.
                        Some(words) => arg.extend(words.iter().map(|word| self.object_value(word))),
                        None => arg.push(self.object_value(word)),
                    }
                }
                passed.push(arg);
            }
            return self.pasted_name(callee, &passed, depth + 1);
        }
        if words.len() < 3 || words.len().is_multiple_of(2) {
            return None;
        }
        let mut name = String::new();
        for (at, word) in words.iter().enumerate() {
            match (at % 2, arg_of(word)) {
                (1, _) if *word == "##" => {}
                (1, _) => return None,
                (_, Some([])) => {}
                (_, Some([word])) => name.push_str(word),
                (_, Some(_)) => return None,
                (_, None) => name.push_str(word),
            }
        }
        let built = tokens(&name);
        let whole = built.len() == 1 && built[0].range() == (0..name.len());
        (whole && built[0].kind == TokenKind::Identifier).then_some(name)
    }

    /// What an object-like macro with a one-word replacement stands for, else the word itself.
    fn object_value(&self, word: &str) -> String {
        let def = self.table.lookup(word).last().filter(|def| !def.is_function_like());
        match def {
            Some(def) if tokens(&def.text).len() == 1 => def.text.clone(),
            _ => word.to_owned(),
        }
    }
}
