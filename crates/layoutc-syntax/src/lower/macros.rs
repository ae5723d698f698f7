//! Macros as the model sees them: what their bodies mention, and the types and constants they name.

use super::Lowering;
use super::macro_arguments::MacroArguments;
use super::pasted::{Words, identifiers, pasted_names};
use super::types::{number_of_both, scalar_of_words, words_of_number};
use crate::preprocess::{MacroOrigin, Preprocessed, Token, TokenKind, tokens};
use crate::program::{Macro, ParameterUse};
use crate::types::{QualType, Scalar};

/// How deep object-like macros may name each other before the front end gives up.
pub(super) const MACRO_DEPTH: usize = 16;

impl<'t> Lowering<'t> {
    pub(crate) fn collect_macros(&mut self) {
        let mut words: Option<(Words, MacroArguments)> = None;
        for (id, def) in self.preprocessed.macros.iter() {
            if def.origin == MacroOrigin::Predefined {
                continue;
            }
            // Its name is taken, and no text means it.
            if !def.is_needed {
                self.program.identifiers.insert(def.name.clone());
                continue;
            }
            let parameters = def.params.clone();
            let tokens = tokens(&def.text);
            let word = |at: usize| tokens.get(at).map(|token| token.text(&def.text));
            let mut uses = vec![ParameterUse::default(); parameters.as_ref().map_or(0, Vec::len)];
            for (at, token) in tokens.iter().enumerate() {
                let name = token.text(&def.text);
                let Some(index) = parameters
                    .as_ref()
                    .and_then(|all| all.iter().position(|parameter| parameter == name))
                else {
                    continue;
                };
                let before = at.checked_sub(1).and_then(word);
                let after = word(at + 1);
                if before == Some("##") || after == Some("##") {
                    uses[index].pasted += 1;
                } else if before == Some("#") {
                    // The spelling only: nothing is evaluated.
                    uses[index].stringized += 1;
                } else {
                    uses[index].plain += 1;
                    if matches!(after, Some("." | "->" | "["))
                        || matches!(before, Some("." | "->" | "*" | "&"))
                    {
                        uses[index].member += 1;
                    }
                }
            }
            // `#__VA_ARGS__`, and `#args` of GNU's `args...`.
            let rest = parameters.as_ref().and_then(|all| all.last()).map(String::as_str);
            let stringizes_rest = def.variadic
                && tokens.windows(2).any(|pair| {
                    let name = pair[1].text(&def.text);
                    matches!(pair[0].text(&def.text), "#" | "%:")
                        && (name == "__VA_ARGS__" || Some(name) == rest)
                });
            self.program.identifiers.insert(def.name.clone());
            // `#define N 10 + 2` is no value where an operator stands beside it.
            if let Some(value) =
                self.constant_of_macro(&def.name, 0).filter(|_| is_atomic(&def.text))
            {
                self.program.macro_constants.insert(def.name.clone(), value);
            }
            let mut body_identifiers: Vec<String> =
                identifiers(&def.text).map(str::to_owned).collect();
            if tokens.iter().any(|token| matches!(token.text(&def.text), "##" | "%:%:")) {
                let (words, arguments) =
                    words.get_or_insert_with(|| what_pastes_form(self.preprocessed));
                body_identifiers.extend(pasted_names(def, words, arguments));
            }
            self.program.macros.push(Macro {
                name: def.name.clone(),
                parameters,
                span: def.body,
                body_identifiers,
                parameter_uses: uses,
                stringizes_rest,
                is_atomic: is_atomic(&def.text),
                size_of: size_of(&def.text),
                is_redefined: self.preprocessed.macros.lookup(&def.name).count() > 1,
                obstacle: self.bodies.obstacle(id, def),
                is_used: self.bodies.is_used(id),
            });
        }
    }

    pub(crate) fn is_macro(&self, name: &str) -> bool {
        self.preprocessed.macros.lookup(name).any(|def| def.origin != MacroOrigin::Predefined)
    }

    /// Whether the name is a function-like macro of the program.
    pub(crate) fn is_function_macro(&self, name: &str) -> bool {
        self.preprocessed
            .macros
            .lookup(name)
            .any(|def| def.is_function_like() && def.origin != MacroOrigin::Predefined)
    }

    /// The type an object-like macro stands for, such as `#define real float`.
    pub(crate) fn type_of_macro_name(&mut self, name: &str) -> Option<QualType> {
        let mut text = self.only_definition(name).or_else(|| self.number_of_definitions(name))?;
        for _ in 0..MACRO_DEPTH {
            let words: Vec<&str> = identifiers(&text).collect();
            if tokens(&text).len() != words.len() || words.is_empty() {
                return None;
            }
            if let Some(scalar) = scalar_of_words(&words) {
                return Some(self.program.types.scalar(scalar));
            }
            if words.len() == 2 && words[0] == "struct" {
                let name = words[1].to_owned();
                return Some(self.type_of_name(&name, &[]));
            }
            if words.len() != 1 {
                return None;
            }
            let next = words[0].to_owned();
            match self.only_definition(&next) {
                Some(further) => text = further,
                None => return (next != name).then(|| self.type_of_name(&next, &[])),
            }
        }
        None
    }

    /// The scalar type of words of which some are macros for words: `unsigned MACRO`.
    pub(crate) fn scalar_of_macros(&self, words: &[&str]) -> Option<Scalar> {
        let mut text = words.join(" ");
        for _ in 0..MACRO_DEPTH {
            let words: Vec<&str> = identifiers(&text).collect();
            if tokens(&text).len() != words.len() {
                return None;
            }
            if let Some(scalar) = scalar_of_words(&words) {
                return Some(scalar);
            }
            let written = |word: &&str| self.only_definition(word);
            let further: Vec<String> =
                words.iter().map(|word| written(word).unwrap_or((*word).to_owned())).collect();
            text = further.join(" ");
        }
        None
    }

    fn only_definition(&self, name: &str) -> Option<String> {
        let mut found = self.preprocessed.macros.lookup(name);
        let first = found.next()?;
        let text = first.text.clone();
        (!first.is_function_like() && found.all(|other| other.text == text)).then_some(text)
    }

    /// The type of numbers that all definitions of a macro are, for host and for kernels.
    fn number_of_definitions(&self, name: &str) -> Option<String> {
        let all: Vec<_> = self.preprocessed.macros.lookup(name).collect();
        let first = all.first()?;
        let number = number_of_both(&first.text)?;
        let is_vector = number.ends_with(|letter: char| letter.is_ascii_digit());
        let is_same = all.iter().all(|def| {
            !def.is_function_like() && number_of_both(&def.text).as_deref() == Some(&number)
        });
        (is_same && !is_vector).then(|| words_of_number(&first.text))
    }

    /// The type of the value that an object-like macro stands for: known for literals only, and where all definitions of
    /// that name have one type (`#define N 200` in one file, `#define N 210` in another).
    pub(crate) fn type_of_macro(&mut self, name: &str) -> QualType {
        let texts: Vec<Option<String>> = self
            .preprocessed
            .macros
            .lookup(name)
            .map(|def| (!def.is_function_like()).then(|| def.text.clone()))
            .collect();
        let mut scalars = texts.iter().map(|text| self.scalar_of_value(text.as_deref()?));
        match scalars.next().flatten() {
            Some(first) if scalars.all(|other| other == Some(first)) => {
                self.program.types.scalar(first)
            }
            Some(_) | None => self.program.types.unknown(),
        }
    }

    /// The type of a literal, or of an expression of integer literals and macros for such.
    fn scalar_of_value(&self, text: &str) -> Option<Scalar> {
        let tokens = tokens(text);
        let literal = match tokens.as_slice() {
            [one] if one.kind == TokenKind::Number => Some(one.text(text)),
            [open, one, close]
                if one.kind == TokenKind::Number
                    && open.text(text) == "("
                    && close.text(text) == ")" =>
            {
                Some(one.text(text))
            }
            _ => None,
        };
        match literal {
            Some(literal) => Some(super::expressions::scalar_of_number(literal)),
            None => {
                let mut value = |name: &str| self.constant_of_macro(name, 1);
                crate::evaluate::constant_tokens(text, &mut value).map(|_| Scalar::Int)
            }
        }
    }

    /// The value of an object-like macro, if its body is a constant integer expression.
    pub(crate) fn constant_of_macro(&self, name: &str, depth: usize) -> Option<i64> {
        if depth > MACRO_DEPTH {
            return None;
        }
        let text = self.only_definition(name)?;
        if depth > 0 && !is_atomic(&text) {
            return None;
        }
        crate::evaluate::constant_tokens(&text, &mut |name| self.constant_of_macro(name, depth + 1))
    }
}

/// The words that pastes can form, and what macros are given, when it is known which macros pastes form.
pub(super) fn what_pastes_form(preprocessed: &Preprocessed) -> (Words, MacroArguments<'_>) {
    let mut words = all_words(preprocessed);
    let mut arguments = MacroArguments::new(preprocessed);
    let pasting = || {
        preprocessed.macros.iter().map(|(_, def)| def).filter(|def| {
            let pastes = |token: &Token| matches!(token.text(&def.text), "##" | "%:%:");
            def.is_needed
                && def.origin != MacroOrigin::Predefined
                && tokens(&def.text).iter().any(pastes)
        })
    };
    loop {
        let mut is_new = false;
        for def in pasting() {
            for name in pasted_names(def, &mut words, &arguments) {
                is_new |= arguments.forms(&def.name, &name);
            }
        }
        if !is_new {
            return (words, arguments);
        }
    }
}

/// The words that pastes are made of and that they may form: of foreign files, what is kept.
fn all_words(preprocessed: &Preprocessed) -> Words {
    let mut words = Words::default();
    for (file, (_, source)) in preprocessed.files.iter().zip(preprocessed.sources.iter()) {
        words.add(source.text(), file.foreign.is_none());
        if file.foreign.is_some() {
            words.add(&file.masked, true);
        }
    }
    for (_, def) in preprocessed.macros.iter().filter(|(_, def)| def.is_needed) {
        words.add(&def.name, true);
        words.add(&def.text, true);
    }
    words
}

/// The type of a body that is `sizeof(T)`.
fn size_of(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let mut words: Vec<&str> = tokens.iter().map(|token| token.text(text)).collect();
    while words.len() > 2 && words[0] == "(" && words[words.len() - 1] == ")" {
        words = words[1..words.len() - 1].to_vec();
    }
    match words[..] {
        ["sizeof", "(", name, ")"] | ["sizeof", "(", "struct", name, ")"] => Some(name.to_owned()),
        _ => None,
    }
}

/// Whether a body is one token, or one parenthesis from its first to its last token.
pub(super) fn is_atomic(text: &str) -> bool {
    let tokens = tokens(text);
    let words: Vec<&str> = tokens.iter().map(|token| token.text(text)).collect();
    if words.len() == 1 || (words.len() == 2 && words[0] == "-") {
        return true;
    }
    if words.first() != Some(&"(") || words.last() != Some(&")") {
        return false;
    }
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate() {
        match *word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at + 1 < words.len() {
            return false;
        }
    }
    true
}
