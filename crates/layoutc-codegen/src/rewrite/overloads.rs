//! Overloads whose parameters change.
//!
//! A parameter that gets a companion moves those behind it, and two pointers that differ in a
//! qualifier become one type of handle: a call could then choose another function, or two functions
//! would have the same parameters. *Claim:* of two functions of one name and class, where one has a
//! parameter that changes, either both have their companions at the same places, or no call suits both.

use super::Rewriter;
use layoutc_dataflow::classes::{ClassId, Slot};
use layoutc_diagnostics::Code;
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{FunctionId, Program, RecordId, Scalar, TypeId, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter in the new program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A pointer to a generated struct, or a handle: the storage, and whether it says `const`.
    Changed(usize, bool),
    /// A companion.
    Index,
    /// As it was.
    Plain(TypeId),
}

/// A function as callers will see it.
struct Signature {
    function: FunctionId,
    /// A class of arrays that changes its parameters.
    class: Option<ClassId>,
    kinds: Vec<Kind>,
    /// How many arguments a call must have.
    required: usize,
    is_variadic: bool,
}

/// The words between the parentheses of `decltype(…)`, and in the heads of templates, in the program's files.
fn words_that_ask(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !["decltype", "template"].iter().any(|word| program.identifiers.contains(*word)) {
        return found;
    }
    for file in program.files.iter().filter(|file| file.foreign.is_none()) {
        let text = program.sources.file(file.id).text();
        // Behind which word the next bracket opens, and how deep brackets are open.
        let (mut before, mut depth) = ("", 0usize);
        let (mut opens, mut closes) = ("", "");
        for token in tokens(text) {
            let word = token.text(text);
            let begins = match (before, word) {
                ("decltype", "(") => Some(("(", ")")),
                ("template", "<") => Some(("<", ">")),
                _ => None,
            };
            match begins {
                Some(brackets) if depth == 0 => {
                    (opens, closes) = brackets;
                    depth = 1;
                }
                _ if depth == 0 => {}
                _ if word == opens => depth += 1,
                _ if word == closes => depth -= 1,
                _ if closes == ">" && word == ">>" => depth = depth.saturating_sub(2),
                _ if token.kind == TokenKind::Identifier => {
                    found.insert(word.to_owned());
                }
                _ => {}
            }
            before = word;
        }
    }
    found
}

impl Rewriter<'_> {
    /// Keeps arrays for which a call could choose another overload.
    pub(super) fn check_overloads(&mut self) {
        let program = self.program;
        let mut named: BTreeMap<(&str, Option<RecordId>), Vec<Signature>> = BTreeMap::new();
        for id in program.function_ids() {
            let function = program.function(id);
            let name = match (&function.copy_of, self.versions.changed.get(&id)) {
                (None, _) => function.name.as_str(),
                (Some(_), Some(name)) if function.this_parameter.is_none() => name.as_str(),
                (Some(_), _) => continue,
            };
            named.entry((name, function.record)).or_default().push(self.signature(id));
        }
        let mut found = Vec::new();
        for signatures in named.values() {
            for (at, one) in signatures.iter().enumerate() {
                for other in &signatures[at + 1..] {
                    let class = one.class.or(other.class);
                    if self.are_in_separate_files(one.function, other.function) {
                        continue;
                    }
                    if let Some(class) = class.filter(|_| self.may_be_mixed_up(one, other)) {
                        let sites = &program.function(other.function).sites;
                        found.extend(sites.first().map(|site| (class, site.name)));
                    }
                }
            }
        }
        let asked = words_that_ask(program);
        let mut named_there = Vec::new();
        for signature in named.values().flatten() {
            let function = program.function(signature.function);
            if let (Some(class), Some(site)) = (signature.class, function.sites.first())
                && asked.contains(&function.name)
            {
                named_there.push((class, site.name));
            }
        }
        for (class, span) in found {
            let message = "this function is overloaded, and with the new parameters a call could choose another one";
            self.refuse(class, Code::FUNCTION_VERSION, span, message);
        }
        for (class, span) in named_there {
            let message = "`decltype` or the head of a template names this function, whose parameters change: a call there may choose another one, or none";
            self.refuse(class, Code::FUNCTION_VERSION, span, message);
        }
    }

    /// Whether two functions are `static` in files that are compiled on their own, so that no call sees both.
    fn are_in_separate_files(&self, one: FunctionId, other: FunctionId) -> bool {
        let files = &self.program.files;
        let own_file = |id: FunctionId| {
            let function = self.program.function(id);
            let file = function.sites.first()?.span.file;
            let is_alone = function.is_static
                && function.copy_of.is_none()
                && function.sites.iter().all(|site| site.span.file == file)
                && files[file.index()].is_root
                && !files.iter().any(|own| own.includes.contains(&file));
            is_alone.then_some(file)
        };
        match (own_file(one), own_file(other)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    fn signature(&self, id: FunctionId) -> Signature {
        let program = self.program;
        let function = program.function(id);
        let (mut class, mut kinds, mut required) = (None, Vec::new(), 0);
        for (at, parameter) in function.parameters.iter().enumerate() {
            let ty = program.variable(*parameter).ty;
            let before = kinds.len();
            match self.changed_slot(Slot::Variable(*parameter)) {
                Some(own) => {
                    class = class.or(Some(own));
                    let storage = self.storage_of[&own];
                    let to = match *program.types.kind(ty.id) {
                        TypeKind::Pointer(to) | TypeKind::Reference(to, _) => Some(to),
                        _ => None,
                    };
                    let is_const = to.is_some_and(|to| to.is_const);
                    let is_handle = self.storages[storage].1.is_handle;
                    kinds.push(Kind::Changed(storage, is_const && !is_handle));
                    if self.indices.contains_key(parameter) {
                        kinds.push(Kind::Index);
                    }
                }
                None => kinds.push(Kind::Plain(ty.id)),
            }
            if at < function.required_parameters {
                required += kinds.len() - before;
            }
        }
        Signature { function: id, class, kinds, required, is_variadic: function.is_variadic }
    }

    /// Whether a call could suit both functions, and could not before.
    fn may_be_mixed_up(&self, one: &Signature, other: &Signature) -> bool {
        let companions = |signature: &Signature| -> Vec<usize> {
            let kinds = signature.kinds.iter().enumerate();
            kinds.filter(|(_, kind)| **kind == Kind::Index).map(|(at, _)| at).collect()
        };
        let originals = |signature: &Signature| {
            let function = self.program.function(signature.function);
            function.copy_of.as_ref().map_or(signature.function, |copy| copy.original)
        };
        if companions(one) == companions(other) {
            // Versions of one function that are alike are one.
            return one.kinds == other.kinds && originals(one) != originals(other);
        }
        let fits = |few: &Signature, many: &Signature| {
            many.is_variadic || few.required <= many.kinds.len()
        };
        fits(one, other)
            && fits(other, one)
            && !one.kinds.iter().zip(&other.kinds).any(|(a, b)| self.are_apart(*a, *b))
    }

    /// Whether no argument suits both parameters.
    fn are_apart(&self, one: Kind, other: Kind) -> bool {
        match (one, other) {
            (Kind::Changed(a, _), Kind::Changed(b, _)) => a != b,
            (Kind::Changed(..), Kind::Index) | (Kind::Index, Kind::Changed(..)) => true,
            (Kind::Changed(..), Kind::Plain(ty)) | (Kind::Plain(ty), Kind::Changed(..)) => {
                match *self.program.types.kind(ty) {
                    TypeKind::Scalar(scalar) => scalar != Scalar::Bool,
                    TypeKind::Enum(..) => true,
                    TypeKind::Pointer(to) => !matches!(
                        self.program.types.kind(to.id),
                        TypeKind::Void | TypeKind::Unknown | TypeKind::TemplateParameter(_)
                    ),
                    TypeKind::Void
                    | TypeKind::Vector(_)
                    | TypeKind::Record(_)
                    | TypeKind::Reference(..)
                    | TypeKind::Array(..)
                    | TypeKind::Function
                    | TypeKind::TemplateParameter(_)
                    | TypeKind::Named(..)
                    | TypeKind::Opaque(_)
                    | TypeKind::Unknown => false,
                }
            }
            (Kind::Index | Kind::Plain(_), Kind::Index | Kind::Plain(_)) => false,
        }
    }
}
