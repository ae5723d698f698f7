//! Names for generated declarations that collide with nothing in the program.

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
    "Pack",
    "Unpack",
    "Move",
    "MallocAsync",
    "MallocManaged",
    "Prefetch",
    "Advise",
    "PackRows",
    "UnpackRows",
    "Memcpy2D",
    "Memcpy2DAsync",
    "MemcpyPeer",
    "MemcpyToSymbol",
    "MemcpyFromSymbol",
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
}

impl Names {
    /// Starts with the identifiers of a program.
    #[must_use]
    pub fn new(taken: BTreeSet<String>) -> Self {
        Names { taken }
    }

    /// `wish`, or `wish2`, `wish3`, …
    pub fn fresh(&mut self, wish: &str) -> String {
        let name = (1..)
            .map(|n| if n == 1 { wish.to_owned() } else { format!("{wish}{n}") })
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A prefix with which all generated function names are free.
    pub fn fresh_prefix(&mut self, wish: &str) -> String {
        let ends: Vec<String> = FUNCTIONS.iter().map(|suffix| (*suffix).to_owned()).collect();
        self.fresh_with(wish, &ends)
    }

    /// A prefix with which all names with these ends are free, also with a capital letter.
    pub fn fresh_with(&mut self, wish: &str, ends: &[String]) -> String {
        let names = |prefix: &str| -> Vec<String> {
            let upper = crate::storage::upper_first(prefix);
            ends.iter()
                .flat_map(|end| [format!("{prefix}{end}"), format!("{upper}{end}")])
                .collect()
        };
        let prefix = (1..)
            .map(|n| if n == 1 { wish.to_owned() } else { format!("{wish}{n}") })
            .find(|prefix| names(prefix).iter().all(|name| !self.taken.contains(name)))
            .unwrap_or_default();
        self.taken.extend(names(&prefix));
        prefix
    }
}
