//! Names: global entries with their file and namespace, and the scopes inside functions.

use super::Lowering;
use super::enclosing::{Meant, visible_part};
use crate::program::{
    FunctionId, NameRef, Program, ProgramFile, RecordId, RecordTrait, TemplateArgument, VarId,
};
use crate::types::QualType;
use foldhash::fast::RandomState;
use layoutc_diagnostics::FileId;
use std::collections::HashMap;

/// What a declared name stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Variable(VarId),
    Function(FunctionId),
    Type(QualType),
    Constant(Option<i64>),
    /// A class template.
    ClassTemplate(RecordId),
    /// An alias template.
    AliasTemplate(usize),
    /// A template of types that is not modelled.
    TemplateType,
}

impl Symbol {
    /// Whether it is a type or a template of types.
    pub(crate) fn is_type(&self) -> bool {
        match self {
            Symbol::Type(_)
            | Symbol::ClassTemplate(_)
            | Symbol::AliasTemplate(_)
            | Symbol::TemplateType => true,
            Symbol::Variable(_) | Symbol::Function(_) | Symbol::Constant(_) => false,
        }
    }
}

#[derive(Clone, Debug)]
struct GlobalEntry {
    file: FileId,
    /// Other files that declare it again.
    again: Vec<FileId>,
    namespaces: Vec<String>,
    /// The class that declares it for itself, if one does.
    record: Option<RecordId>,
    symbol: Symbol,
}

impl GlobalEntry {
    /// The files that declare it.
    fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        std::iter::once(self.file).chain(self.again.iter().copied())
    }
}

/// Names at namespace scope.
pub(crate) struct GlobalNames {
    entries: HashMap<String, Vec<GlobalEntry>, RandomState>,
    /// `visible[f]`: files that share a translation unit with `f`.
    visible: Vec<Vec<bool>>,
}

impl GlobalNames {
    pub(crate) fn new(files: &[ProgramFile]) -> Self {
        let mut visible = vec![vec![false; files.len()]; files.len()];
        for root in files.iter().filter(|file| file.is_root) {
            let mut unit = Vec::new();
            let mut stack = vec![root.id];
            while let Some(id) = stack.pop() {
                if !unit.contains(&id) {
                    unit.push(id);
                    stack.extend(&files[id.index()].includes);
                }
            }
            for from in &unit {
                for to in &unit {
                    visible[from.index()][to.index()] = true;
                }
            }
        }
        GlobalNames { entries: HashMap::default(), visible }
    }

    /// Two files that `from` is compiled with, but that are not compiled with each other, if both
    /// declare the name and `from` does not: what it means there depends on which of them it is.
    /// A class and a declaration without a body of one in its namespace are one class.
    pub(crate) fn rivals(
        &self,
        program: &Program,
        name: &str,
        from: FileId,
    ) -> Option<(FileId, FileId)> {
        let entries = self.entries.get(name)?;
        if entries.len() < 2 || entries.iter().any(|entry| entry.files().any(|file| file == from)) {
            return None;
        }
        let mut seen: Vec<(FileId, &GlobalEntry)> = Vec::new();
        for entry in entries {
            // One file is enough: all that declare it again mean the same.
            let file = entry.files().find(|file| self.can_see(from, *file));
            seen.extend(file.map(|file| (file, entry)));
        }
        seen.dedup_by_key(|(file, _)| *file);
        seen.iter().enumerate().find_map(|(at, (one, entry))| {
            let is_rival = |(file, other): &&(FileId, &GlobalEntry)| {
                !self.can_see(*one, *file) && !are_one_class(program, entry, other)
            };
            let (other, _) = seen[at + 1..].iter().find(is_rival)?;
            Some((*one, *other))
        })
    }

    /// Whether a file is compiled with a declaration of it.
    fn is_seen(&self, entry: &GlobalEntry, from: FileId) -> bool {
        entry.files().any(|file| self.can_see(from, file))
    }

    fn can_see(&self, from: FileId, to: FileId) -> bool {
        self.visible[from.index()][to.index()] || from == to
    }
}

/// Whether two entries are a class of a namespace and a declaration of it, by which text that is compiled with either of them
/// means the same.
fn are_one_class(program: &Program, one: &GlobalEntry, other: &GlobalEntry) -> bool {
    let record = |entry: &GlobalEntry| match entry.symbol {
        Symbol::Type(ty) if entry.record.is_none() => program.types.as_record(ty.id),
        _ => None,
    };
    let (Some(first), Some(second)) = (record(one), record(other)) else { return false };
    visible_part(&one.namespaces).len() == one.namespaces.len()
        && one.namespaces == other.namespaces
        && [first, second].into_iter().any(|id| {
            let record = program.record(id);
            record.body.is_none() && record.instance.is_none() && record.traits.is_empty()
        })
}

/// Names inside functions, innermost scope last.
#[derive(Default)]
pub(crate) struct LocalScopes {
    scopes: Vec<HashMap<String, Symbol, RandomState>>,
    /// Types that `struct NAME` or `enum NAME` means, also where a variable hides the plain name.
    tags: Vec<HashMap<String, Symbol, RandomState>>,
}

impl LocalScopes {
    pub(crate) fn push(&mut self) {
        self.scopes.push(HashMap::default());
        self.tags.push(HashMap::default());
    }

    pub(crate) fn pop(&mut self) {
        self.scopes.pop();
        self.tags.pop();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    pub(crate) fn declare(&mut self, name: &str, symbol: Symbol) {
        let (Some(scope), Some(tags)) = (self.scopes.last_mut(), self.tags.last_mut()) else {
            return;
        };
        if symbol.is_type() {
            tags.insert(name.to_owned(), symbol.clone());
            // A variable of the same scope hides the type, in any order.
            if scope.get(name).is_some_and(|known| !known.is_type()) {
                return;
            }
        }
        scope.insert(name.to_owned(), symbol);
    }

    fn find_tag(&self, name: &str) -> Option<&Symbol> {
        self.tags.iter().rev().find_map(|scope| scope.get(name))
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Whether a scope declares the name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Leaves all scopes, for the body of a local class or another function.
    pub(crate) fn take(&mut self) -> LocalScopes {
        std::mem::take(self)
    }
}

impl Lowering<'_> {
    /// Declares a name in the innermost scope, or at namespace scope outside functions.
    pub(crate) fn declare(&mut self, name: &str, symbol: Symbol) {
        if name.is_empty() {
            return;
        }
        self.program.identifiers.insert(name.to_owned());
        if self.locals.is_empty() {
            if let Some(record) = self.record.filter(|record| self.is_instance(*record)) {
                // What the name stands for depends on the instance.
                let scope = self.templates.classes.scopes.entry(record).or_default();
                scope.insert(name.to_owned(), symbol.clone());
            }
            if let Some(record) = self.record {
                let variable = match symbol {
                    Symbol::Variable(id) => Some(id),
                    _ => None,
                };
                let scope = &mut self.program.records[record.index()].scope;
                if scope.insert(name.to_owned(), variable).is_none() {
                    self.new_members.push((record, name.to_owned()));
                }
                if self.is_instance(record) {
                    return;
                }
            }
            self.declare_in(name, symbol, self.record);
        } else {
            self.locals.declare(name, symbol);
        }
    }

    /// Declares a name at namespace scope.
    pub(crate) fn declare_global(&mut self, name: &str, symbol: Symbol) {
        self.declare_in(name, symbol, None);
    }

    fn declare_in(&mut self, name: &str, symbol: Symbol, record: Option<RecordId>) {
        let namespaces = self.namespaces.clone();
        let entry =
            GlobalEntry { file: self.current, again: Vec::new(), namespaces, record, symbol };
        self.globals.entries.entry(name.to_owned()).or_default().push(entry);
    }

    /// Declares a class of a namespace once more: who sees the current file knows it.
    pub(crate) fn declare_again(&mut self, name: &str, id: RecordId) {
        if !self.locals.is_empty() || self.record.is_some() {
            return;
        }
        let is_meant = |symbol: &Symbol| match symbol {
            Symbol::Type(ty) => self.program.types.as_record(ty.id) == Some(id),
            Symbol::ClassTemplate(own) => *own == id,
            _ => false,
        };
        for entry in self.globals.entries.get_mut(name).into_iter().flatten() {
            if entry.record.is_none()
                && entry.namespaces == self.namespaces
                && is_meant(&entry.symbol)
                && !entry.files().any(|file| file == self.current)
            {
                entry.again.push(self.current);
            }
        }
    }

    /// Global symbols of that name which the current place can see, best first.
    ///
    /// `scope` holds the qualifiers as written: `a::b::name` has `["a", "b"]`.
    pub(crate) fn global_symbols(&self, name: &str, scope: &[&str]) -> Vec<&Symbol> {
        let Some(entries) = self.globals.entries.get(name) else { return Vec::new() };
        // Outside of a class, what it declares for itself hides nothing of the file.
        let function = self.function.and_then(|id| self.program.function(id).record);
        let is_around = |record: RecordId| {
            let around = self.record.into_iter().chain(function);
            around.into_iter().any(|own| {
                own == record
                    || self.program.record(own).is_local
                    || !self.program.record(own).bases.is_empty()
            })
        };
        let can_see = |entry: &&GlobalEntry| self.globals.is_seen(entry, self.viewer());
        // What the innermost class around declares hides all else of that name.
        if let Some(own) = self.record.or(function).filter(|_| scope.is_empty()) {
            let depth = |record: RecordId| match self.program.record(own).body {
                // `using Base::name;` adds to what the class declares.
                _ if self.program.record(record).unmodelled_members.contains(name) => None,
                _ if record == own => Some(0),
                Some(inner) => {
                    let outer = self.program.record(record).body?;
                    outer.contains(inner).then_some(outer.end - outer.start)
                }
                None => None,
            };
            let of_classes = entries.iter().filter(can_see).filter_map(|entry| {
                let depth = depth(entry.record?)?;
                Some((depth, &entry.symbol))
            });
            let of_classes: Vec<(u32, &Symbol)> = of_classes.collect();
            if let Some(least) = of_classes.iter().map(|(depth, _)| *depth).min() {
                let innermost = of_classes.into_iter().filter(|(depth, _)| *depth == least);
                return innermost.map(|(_, symbol)| symbol).collect();
            }
        }
        let of_file = entries.iter().filter(can_see).any(|entry| entry.record.is_none());
        let meant = if scope.is_empty() { self.meant(name) } else { Meant::All };
        let may_be_meant = |entry: &&GlobalEntry| {
            let is_function = matches!(entry.symbol, Symbol::Function(_));
            is_function
                || entry.record.is_some()
                || match &meant {
                    Meant::All | Meant::Unclear => true,
                    Meant::Around(here) => here
                        .iter()
                        .map(String::as_str)
                        .take(visible_part(&entry.namespaces).len())
                        .eq(visible_part(&entry.namespaces)),
                    Meant::Only(namespaces) => entry.namespaces == *namespaces,
                }
        };
        let mut found: Vec<(usize, bool, &Symbol)> = entries
            .iter()
            .filter(can_see)
            .filter(may_be_meant)
            .filter(|entry| !scope.is_empty() || !of_file || entry.record.is_none_or(is_around))
            .filter(|entry| {
                scope.is_empty()
                    || (entry.namespaces.len() >= scope.len()
                        && entry.namespaces[entry.namespaces.len() - scope.len()..]
                            .iter()
                            .zip(scope)
                            .all(|(have, want)| have == want))
            })
            .map(|entry| {
                // An entry of the enclosing namespace hides one of an outer or unrelated one.
                let shared = entry
                    .namespaces
                    .iter()
                    .zip(&self.namespaces)
                    .take_while(|(have, here)| have == here)
                    .count();
                (shared, entry.namespaces.len() > shared, &entry.symbol)
            })
            .collect();
        found.sort_by_key(|(shared, is_unrelated, _)| (std::cmp::Reverse(*shared), *is_unrelated));
        found.into_iter().map(|(_, _, symbol)| symbol).collect()
    }

    /// The namespaces of which an unqualified name that is no function's may be, at namespace scope.
    fn meant(&self, name: &str) -> Meant {
        let Some(entries) = self.globals.entries.get(name).filter(|all| all.len() > 1) else {
            return Meant::All;
        };
        let viewer = self.viewer();
        let declared = entries.iter().filter(|entry| {
            entry.record.is_none()
                && !matches!(entry.symbol, Symbol::Function(_))
                && self.globals.is_seen(entry, viewer)
        });
        self.meant_namespaces(name, &declared.map(|entry| entry.namespaces.as_slice()).collect())
    }

    /// Whether it is not clear of which namespace an unqualified name is. Functions do not count: all are candidates.
    pub(crate) fn is_of_unclear_namespace(&self, name: &str) -> bool {
        !self.locals.declares(name)
            && !self.is_of_class_around(name)
            && self.meant(name) == Meant::Unclear
    }

    /// Whether a class around declares the name.
    fn is_of_class_around(&self, name: &str) -> bool {
        let function = self.function.and_then(|id| self.program.function(id).record);
        self.record.into_iter().chain(function).any(|own| {
            let entries = self.globals.entries.get(name).into_iter().flatten();
            let scopes = self.templates.classes.scopes.get(&own);
            scopes.is_some_and(|scope| scope.contains_key(name))
                || entries.into_iter().any(|entry| entry.record == Some(own))
        })
    }

    /// What that name stands for in the files that the current place can see: the namespaces around each, and whether a class
    /// declares it for itself.
    pub(crate) fn visible_symbols(
        &self,
        name: &str,
    ) -> impl Iterator<Item = (&[String], bool, &Symbol)> {
        let viewer = self.viewer();
        let entries = self.globals.entries.get(name).into_iter().flatten();
        entries
            .filter(move |entry| self.globals.is_seen(entry, viewer))
            .map(|entry| (entry.namespaces.as_slice(), entry.record.is_some(), &entry.symbol))
    }

    /// The type that a class, or the nearest of its bases, declares: `Scene::Node`.
    pub(crate) fn type_of_class(&mut self, name: &str, scope: &[&str]) -> Option<QualType> {
        let (class, outer) = scope.split_last()?;
        if !matches!(self.symbols(class, outer).first(), Some(Symbol::Type(_))) {
            return None;
        }
        let class = self.type_of_name(class, outer);
        let record = self.program.types.as_record(class.id)?;
        let mut classes = self.program.with_bases(record).into_iter();
        classes.find_map(|class| self.member_type(class, name))
    }

    /// The type of that name which a class declares for itself, if it is one alone.
    pub(crate) fn member_type(&self, class: RecordId, name: &str) -> Option<QualType> {
        let entries = self.globals.entries.get(name)?.iter();
        let mut found =
            entries.filter(|entry| entry.record == Some(class)).map(|entry| match entry.symbol {
                Symbol::Type(ty) => Some(ty),
                _ => None,
            });
        let first = found.next()??;
        found.all(|other| other == Some(first)).then_some(first)
    }

    /// The class around the current place.
    fn class_around(&self) -> Option<RecordId> {
        self.record.or_else(|| self.function.and_then(|id| self.program.function(id).record))
    }

    /// The type that the class around inherits under a name which it does not declare itself: it hides those of namespaces.
    pub(super) fn inherited_type(&self, name: &str) -> Option<QualType> {
        let class = self.class_around()?;
        let classes = self.program.with_bases(class);
        if classes.len() == 1
            || self.ambiguous.contains(name)
            || self.declares_for_itself(class, name)
        {
            return None;
        }
        classes[1..].iter().find_map(|base| self.member_type(*base, name))
    }

    /// Whether a name may be that of a member of a base that is not modelled: such a base has the class around, and some class
    /// declares the name.
    pub(super) fn may_be_inherited(&self, name: &str) -> bool {
        let Some(class) = self.class_around() else { return false };
        let traits = &self.program.record(class).traits;
        if !traits.iter().any(|(which, _)| *which == RecordTrait::Bases)
            || self.declares_for_itself(class, name)
        {
            return false;
        }
        let entries = self.globals.entries.get(name).into_iter().flatten();
        entries.into_iter().any(|entry| entry.record.is_some_and(|own| own != class))
    }

    fn declares_for_itself(&self, class: RecordId, name: &str) -> bool {
        let entries = self.globals.entries.get(name).into_iter().flatten();
        entries.into_iter().any(|entry| entry.record == Some(class))
    }

    /// The variables of that name which a class declares for itself.
    pub(super) fn variables_of_class(
        &self,
        class: RecordId,
        name: &str,
    ) -> impl Iterator<Item = VarId> {
        let entries = self.globals.entries.get(name).into_iter().flatten();
        entries.filter(move |entry| entry.record == Some(class)).filter_map(|entry| {
            match entry.symbol {
                Symbol::Variable(id) => Some(id),
                _ => None,
            }
        })
    }

    /// Whether something at namespace scope has a name that a class declares for itself, too.
    pub(crate) fn is_declared_outside_classes(&self, name: &str) -> bool {
        let found = self.globals.entries.get(name).into_iter().flatten();
        self.is_macro(name) || found.into_iter().any(|entry| entry.record.is_none())
    }

    /// Types of that name as `struct NAME` finds them: variables and functions hide none.
    pub(crate) fn tags(&self, name: &str) -> Vec<&Symbol> {
        match self.locals.find_tag(name) {
            Some(symbol) => vec![symbol],
            None if self.locals.declares(name) => self.global_symbols(name, &[]),
            None => self.symbols(name, &[]),
        }
    }

    /// Symbols of that name at the current place, innermost scope first.
    pub(crate) fn symbols(&self, name: &str, scope: &[&str]) -> Vec<&Symbol> {
        if scope.is_empty()
            && let Some(symbol) = self.locals.find(name)
        {
            return vec![symbol];
        }
        if scope.is_empty()
            && let Some(record) = self.record
            && let Some(own) = self.templates.classes.scopes.get(&record)
            && let Some(symbol) = own.get(name)
        {
            return vec![symbol];
        }
        let mut found = self.global_symbols(name, scope);
        if self.ambiguous.contains(name) {
            // A record is pinned by what mentions it; all else is not what it seems.
            found.retain(|symbol| match symbol {
                Symbol::Type(ty) => self
                    .program
                    .types
                    .as_record(ty.id)
                    .is_some_and(|record| self.program.record(record).name == name),
                Symbol::ClassTemplate(_) => true,
                Symbol::Variable(_)
                | Symbol::Function(_)
                | Symbol::Constant(_)
                | Symbol::AliasTemplate(_)
                | Symbol::TemplateType => false,
            });
        }
        found
    }

    /// Whether the current place is inside of a function.
    pub(crate) fn has_locals(&self) -> bool {
        !self.locals.is_empty()
    }

    /// Whether the name is declared in a scope inside a function.
    pub(crate) fn has_local(&self, name: &str) -> bool {
        self.locals.declares(name)
    }

    /// What an identifier in an expression refers to.
    pub(crate) fn resolve_name(&mut self, name: &str, scope: &[&str]) -> NameRef {
        if scope.is_empty()
            && let Some(TemplateArgument::Value(value, _)) = self.bound(name)
        {
            return NameRef::Constant(Some(value));
        }
        let is_parameter = self.template_parameters.iter().flatten().any(|own| own == name);
        if scope.is_empty() && is_parameter && !self.has_local(name) {
            return NameRef::Unknown(name.to_owned());
        }
        let is_unclear = scope.is_empty()
            && (self.is_of_unclear_namespace(name)
                || (!self.has_local(name) && self.may_be_inherited(name)));
        let symbols = self.symbols(name, scope);
        let functions: Vec<FunctionId> = symbols
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Function(id) => Some(*id),
                _ => None,
            })
            .collect();
        let first = symbols.first().map(|symbol| (*symbol).clone());
        let distinct_variables = symbols
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Variable(id) => Some(*id),
                _ => None,
            })
            .collect::<std::collections::BTreeSet<_>>()
            .len();
        match first {
            Some(Symbol::Variable(_) | Symbol::Constant(_)) if is_unclear => {
                NameRef::Unknown(name.to_owned())
            }
            // Two globals of one name in two translation units that share this header.
            Some(Symbol::Variable(_))
                if distinct_variables > 1 && self.locals.find(name).is_none() =>
            {
                NameRef::Unknown(name.to_owned())
            }
            Some(Symbol::Variable(id)) => NameRef::Variable(id),
            Some(Symbol::Function(_)) => NameRef::Functions(functions),
            Some(Symbol::Constant(value)) => NameRef::Constant(value),
            Some(
                Symbol::Type(_)
                | Symbol::ClassTemplate(_)
                | Symbol::AliasTemplate(_)
                | Symbol::TemplateType,
            ) => NameRef::Unknown(name.to_owned()),
            None if scope.is_empty() && self.is_macro(name) => NameRef::Macro(name.to_owned()),
            None => NameRef::Unknown(name.to_owned()),
        }
    }

    /// Whether the name is a type at the current place.
    pub(crate) fn names_type(&self, name: &str) -> bool {
        self.symbols(name, &[]).first().is_some_and(|symbol| symbol.is_type())
    }

    /// Whether the name is a variable, function or constant at the current place.
    pub(crate) fn names_value(&self, name: &str) -> bool {
        let is_member = !self.locals.is_empty()
            && self.record.is_some_and(|record| self.member_named(record, name).0.is_some());
        if is_member {
            return true;
        }
        // A parameter hides what has its name outside of the template.
        !self.is_type_parameter(name)
            && self.symbols(name, &[]).first().is_some_and(|symbol| {
                matches!(symbol, Symbol::Variable(_) | Symbol::Function(_) | Symbol::Constant(_))
            })
    }

    /// A global variable of that name declared before, in this namespace.
    pub(crate) fn global_variable(&self, name: &str) -> Option<VarId> {
        let entries = self.globals.entries.get(name)?;
        entries.iter().find_map(|entry| match entry.symbol {
            Symbol::Variable(id)
                if entry.namespaces == self.namespaces && entry.record.is_none() =>
            {
                Some(id)
            }
            _ => None,
        })
    }

    /// All functions of that name in the program, in any file, of this namespace.
    pub(crate) fn functions_anywhere(&self, name: &str) -> Vec<FunctionId> {
        self.globals
            .entries
            .get(name)
            .into_iter()
            .flatten()
            .filter(|entry| entry.namespaces == self.namespaces)
            .filter_map(|entry| match entry.symbol {
                Symbol::Function(id) => Some(id),
                _ => None,
            })
            .collect()
    }
}

/// The name of an operator without blanks: `operator +=` is `operator+=`.
pub(crate) fn operator_name(name: &str) -> String {
    name.split_ascii_whitespace().collect()
}
