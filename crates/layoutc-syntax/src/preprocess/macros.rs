//! Macro definitions and the environments that say which of them is in force.

use foldhash::fast::RandomState;
use std::collections::HashMap;

use layoutc_diagnostics::{FileId, Span};

/// A definition in a [`MacroTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MacroId(pub u32);

/// Where a definition comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacroOrigin {
    /// A `#define` in a file of the program.
    Source,
    /// The options ([`PreprocessOptions::defines`](super::PreprocessOptions::defines)).
    CommandLine,
    /// The compiler that is imitated, such as `__CUDACC__`.
    Predefined,
}

/// In which of the compilations of the program a piece of text takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// In the one that is parsed (device code where host and device differ).
    Active,
    /// Not in the parsed one, but in another compilation of the same program: the host side of a
    /// condition on `__CUDA_ARCH__`, or a header included again where other macros hold.
    Dual,
    /// In none of them.
    Inactive,
}

/// One `#define`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MacroDef {
    /// The macro's name.
    pub name: String,
    /// Where the name stands in its `#define`; `None` unless the origin is a source file.
    pub name_span: Option<Span>,
    /// Parameter names of a function-like macro, without `...`.
    pub params: Option<Vec<String>>,
    /// Whether the parameters end in `...` (or in GNU's `name...`, which is then in `params`).
    pub variadic: bool,
    /// The replacement's original text, line splices included, white space at the ends not.
    pub body: Option<Span>,
    /// The replacement's text, as `body` covers it.
    pub text: String,
    /// The file of the `#define`.
    pub file: Option<FileId>,
    /// Where it comes from.
    pub origin: MacroOrigin,
    /// Whether the `#define` takes part in the program.
    pub activity: Activity,
    /// Position in the order in which definitions were met; equal to the number of its id.
    pub order: u32,
    /// Whether text of the program can mean it; false for most macros of foreign headers.
    pub is_needed: bool,
}

impl MacroDef {
    /// Whether uses of the macro take arguments.
    #[must_use]
    pub fn is_function_like(&self) -> bool {
        self.params.is_some()
    }

    pub(crate) fn synthetic(name: &str, text: &str, origin: MacroOrigin) -> Self {
        MacroDef {
            name: name.to_owned(),
            name_span: None,
            params: None,
            variadic: false,
            body: None,
            text: text.to_owned(),
            file: None,
            origin,
            activity: Activity::Active,
            order: 0,
            is_needed: true,
        }
    }
}

/// All definitions of a program, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct MacroTable {
    defs: Vec<MacroDef>,
    by_name: HashMap<String, Vec<MacroId>, RandomState>,
}

impl MacroTable {
    /// The definition with this id.
    #[must_use]
    pub fn get(&self, id: MacroId) -> &MacroDef {
        &self.defs[id.0 as usize]
    }

    /// All definitions of a name in order, those in branches that are not compiled included.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &MacroDef> {
        self.by_name.get(name).into_iter().flatten().map(|id| self.get(*id))
    }

    /// The definitions of a name that take part in the program, in order ([`Activity::Dual`] ones
    /// included). Several when the macro is redefined.
    pub fn lookup(&self, name: &str) -> impl Iterator<Item = &MacroDef> {
        self.all(name).filter(|def| def.activity != Activity::Inactive)
    }

    /// Every definition with its id, in order.
    pub fn iter(&self) -> impl Iterator<Item = (MacroId, &MacroDef)> {
        self.defs.iter().enumerate().map(|(at, def)| (MacroId(at as u32), def))
    }

    pub(crate) fn add(&mut self, mut def: MacroDef) -> MacroId {
        let id = MacroId(self.defs.len() as u32);
        def.order = id.0;
        self.by_name.entry(def.name.clone()).or_default().push(id);
        self.defs.push(def);
        id
    }

    /// Records which definitions text of the program can mean.
    pub(crate) fn keep_needed(&mut self, is_needed: impl Fn(&MacroDef) -> bool) {
        for def in &mut self.defs {
            def.is_needed = is_needed(def);
        }
    }

    /// Records that an inactive definition is met by another compilation.
    pub(crate) fn mark_dual(&mut self, id: MacroId) {
        let def = &mut self.defs[id.0 as usize];
        if def.activity == Activity::Inactive {
            def.activity = Activity::Dual;
        }
    }
}

/// The definitions in force at one point of one compilation.
#[derive(Clone, Debug, Default)]
pub(crate) struct MacroEnv {
    /// `None` for a word of the toolkit: it is defined, and read as it is written.
    defined: HashMap<String, Option<MacroId>, RandomState>,
}

impl MacroEnv {
    /// The definition that a use of the name stands for.
    pub(crate) fn get(&self, name: &str) -> Option<MacroId> {
        self.defined.get(name).copied().flatten()
    }

    /// Whether `#ifdef` holds.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    pub(crate) fn define(&mut self, name: &str, id: MacroId) {
        self.defined.insert(name.to_owned(), Some(id));
    }

    /// Defines names as words of the toolkit, unless the program has defined them.
    pub(crate) fn define_words(&mut self, names: &[&str]) {
        for name in names {
            self.defined.entry((*name).to_owned()).or_insert(None);
        }
    }

    pub(crate) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }
}
