//! Names for generated declarations that collide with nothing in the program.
//!
//! *Invariant:* a name that is given out is no identifier of the program (macros, options of the
//! kernels' compiler and names of other generated text included), no word of generated text, and was
//! not given out before. [`crate::hygiene`] decides the names inside of generated functions.

use crate::hygiene::is_reserved;
use std::collections::BTreeSet;

/// Functions that a class may need, by suffix of their names.
pub(crate) const FUNCTIONS: &[&str] = &[
    "Bytes",
    "Load",
    "Store",
    "Assign",
    "Malloc",
    "Memcpy",
    "MemcpyAsync",
    "Memset",
    "MemsetAsync",
    "Records",
    "Iterator",
    "MallocAsync",
    "MallocFromPoolAsync",
    "MallocManaged",
    "Prefetch",
    "Advise",
    "Memcpy2D",
    "Memcpy2DAsync",
    "MemcpyPeer",
    "MemcpyPeerAsync",
    "MemcpyToSymbol",
    "MemcpyToSymbolAsync",
    "MemcpyFromSymbol",
    "MemcpyFromSymbolAsync",
    "SymbolAddress",
    "Fill",
    "FillAsync",
    "FillKernel",
    "LoadVector",
    "StoreVector",
    "Alloc",
    "Calloc",
    "New",
    "NewZeroed",
    "Delete",
    "MallocHost",
    "HostAlloc",
    "Copy",
    "CopyAsync",
    "CopyHost",
    "SetHost",
];

/// All names that are taken.
#[derive(Clone, Debug)]
pub struct Names {
    taken: BTreeSet<String>,
    issued: BTreeSet<String>,
}

impl Names {
    /// Starts with the identifiers of a program.
    #[must_use]
    pub fn new(taken: BTreeSet<String>) -> Self {
        Names { taken, issued: BTreeSet::new() }
    }

    /// Whether the name was given out here.
    #[must_use]
    pub fn is_issued(&self, name: &str) -> bool {
        self.issued.contains(name)
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.contains(name) && !self.issued.contains(name) && !is_reserved(name)
    }

    /// Whether something has a name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// `wish`, or `wish2`, `wish3`, …
    pub fn fresh(&mut self, wish: &str) -> String {
        let wish = &in_ascii(wish);
        // A number behind a number would be another number.
        let joint = if wish.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { "" };
        let name = (1..)
            .map(|n| if n == 1 { wish.to_owned() } else { format!("{wish}{joint}{n}") })
            .find(|name| self.is_free(name))
            .unwrap_or_default();
        self.issued.insert(name.clone());
        name
    }

    /// As [`Names::fresh`], for a name inside of a function of the program: there it may be a word of
    /// generated text.
    pub fn fresh_local(&mut self, wish: &str) -> String {
        let is_free = |name: &String| !self.taken.contains(name) && !self.issued.contains(name);
        let name = (1..)
            .map(|n| if n == 1 { wish.to_owned() } else { format!("{wish}{n}") })
            .find(is_free)
            .unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// `wish`, made longer where the program has it: a name for several declarations, such as a namespace.
    pub fn beside(&self, wish: &str) -> String {
        let mut name = wish.to_owned();
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// A prefix with which all generated function names are free, and those with `more` ends.
    pub fn fresh_prefix(&mut self, wish: &str, more: &[String]) -> String {
        let ends = FUNCTIONS.iter().map(|suffix| (*suffix).to_owned());
        self.fresh_with(wish, &ends.chain(more.iter().cloned()).collect::<Vec<_>>())
    }

    /// A prefix with which all names with these ends are free, also with a capital letter.
    pub fn fresh_with(&mut self, wish: &str, ends: &[String]) -> String {
        let wish = &in_ascii(wish);
        let names = |prefix: &str| -> Vec<String> {
            let upper = crate::storage::upper_first(prefix);
            ends.iter()
                .flat_map(|end| [format!("{prefix}{end}"), format!("{upper}{end}")])
                .collect()
        };
        let prefix = (1..)
            .map(|n| if n == 1 { wish.to_owned() } else { format!("{wish}{n}") })
            .find(|prefix| names(prefix).iter().all(|name| self.is_free(name)))
            .unwrap_or_default();
        self.issued.extend(names(&prefix));
        prefix
    }
}

/// A name with the numbers of its letters beyond ASCII: nvcc refuses those in names of device functions.
pub(crate) fn in_ascii(name: &str) -> String {
    name.chars()
        .map(|letter| match letter {
            letter if letter.is_ascii() => letter.to_string(),
            letter => format!("u{:x}", u32::from(letter)),
        })
        .collect()
}
