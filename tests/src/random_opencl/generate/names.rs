//! Names, many of which are those that generated text likes to have.

use std::collections::BTreeSet;

use super::Generator;
use crate::random::text::Symbol;

/// Names that may not be declared again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(BTreeSet<String>);

/// Names of variables in kernels: those of generated text, and those that people choose.
const KERNEL_VARIABLES: [&str; 22] = [
    "i", "p", "e", "n", "a0", "a1", "units", "gid", "at", "value", "k", "q", "own", "index",
    "count", "cells", "bodies", "s", "t", "id", "size", "items",
];

/// Names of members.
const MEMBERS: [&str; 26] = [
    "x", "y", "z", "w", "e", "i", "n", "p", "id", "units", "mass", "kind", "pos", "vel", "a0",
    "at", "bytes", "size", "s0", "lo", "hi", "tile", "group", "section", "element", "count",
];

/// Names of structs.
const RECORDS: [&str; 10] =
    ["Particle", "body", "Cell", "packet", "Item", "node", "Array", "Layout", "Member", "Section"];

/// Names of functions in kernels.
const FUNCTIONS: [&str; 12] = [
    "bump",
    "mixed",
    "scaled",
    "touch",
    "energyOf",
    "arrayLoad",
    "particleLoad",
    "bodyStore",
    "cellX",
    "packetId",
    "itemAssign",
    "nodeAt",
];

/// Names of variables of the host.
const HOST_VARIABLES: [&str; 26] = [
    "buffer", "host", "queue", "data", "items", "cells", "status", "total", "memory", "mapped",
    "offset", "bytes", "layout", "structs", "first", "last", "length", "units", "section", "event",
    "waits", "done", "whole", "rest", "from", "to",
];

/// Names of functions and constants of the host's files.
const HOST_FUNCTIONS: [&str; 12] = [
    "put",
    "fetch",
    "arrayMove",
    "arrayTransfer",
    "arrayReadBuffer",
    "arrayLayout",
    "upload",
    "particleLayout",
    "bodyLayout",
    "cellLayoutSections",
    "itemLayoutMembers",
    "packetLayout",
];

/// Names of macros, of kernels and of the host.
///
/// None is a component of a vector.
pub(super) const MACROS: [&str; 19] = [
    "e", "i", "n", "p", "units", "a0", "a1", "STEP", "SCALE", "id", "size", "k", "at", "value",
    "group", "tile", "bytes", "SALT", "elements",
];

/// Macros of the host.
pub(super) const HOST_MACROS: [&str; 8] =
    ["SALT", "BLOCK", "COUNT", "offset", "structs", "whole", "elements", "TILE"];

impl Scope {
    /// What kernels may not use: keywords, types and functions of OpenCL C.
    pub(super) fn of_kernels() -> Self {
        Scope(["step", "length", "half", "min", "max", "mix", "sign"].map(str::to_owned).into())
    }

    /// What the host may not use: what its text in [`super::host`] declares.
    pub(super) fn of_hosts() -> Self {
        let own = [
            "main",
            "text",
            "context",
            "device",
            "program",
            "n",
            "error",
            "sum",
            "sums",
            "load_text",
            "index",
            "read",
            "write",
            "i",
            "h",
            "at",
            "CHECK",
            "argc",
            "argv",
            "salt",
            "a",
        ];
        Scope(own.map(str::to_owned).into())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The first of `wish`, `wish2`, … that is free.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        let numbered = (2..).map(|number| format!("{wish}{number}"));
        let mut all = std::iter::once(wish.to_owned()).chain(numbered);
        let name = all.find(|name| !self.has(name)).unwrap_or_default();
        self.0.insert(name.clone());
        name
    }
}

impl Generator {
    /// A name of a file of kernels.
    pub(super) fn kernel_function(&mut self) -> Symbol {
        let wish = *self.random.pick(&FUNCTIONS);
        let name = self.kernel_scope.fresh(wish);
        self.symbol(name)
    }

    pub(super) fn kernel_name(&mut self, wish: &str) -> Symbol {
        let name = self.kernel_scope.fresh(wish);
        self.symbol(name)
    }

    /// A struct's name in kernels, and on the host.
    pub(super) fn record_names(&mut self) -> (Symbol, Symbol) {
        let wish = *self.random.pick(&RECORDS);
        let kernel = self.kernel_scope.fresh(wish);
        let host = match self.random.below(5) {
            0 => self.host_scope.fresh(&format!("Host{wish}")),
            _ if self.host_scope.has(&kernel) => self.host_scope.fresh(wish),
            _ => self.host_scope.fresh(&kernel),
        };
        (self.symbol(kernel), self.symbol(host))
    }

    pub(super) fn member(&mut self, scope: &mut Scope) -> Symbol {
        let wish = *self.random.pick(&MEMBERS);
        let name = scope.fresh(wish);
        self.symbol(name)
    }

    /// A variable or parameter of a kernel.
    pub(super) fn kernel_variable(&mut self, scope: &mut Scope) -> Symbol {
        let wish = *self.random.pick(&KERNEL_VARIABLES);
        let name = scope.fresh(wish);
        self.symbol(name)
    }

    pub(super) fn host_variable(&mut self, scope: &mut Scope) -> Symbol {
        let wish = *self.random.pick(&HOST_VARIABLES);
        let name = scope.fresh(wish);
        self.symbol(name)
    }

    pub(super) fn host_local(&mut self, scope: &mut Scope, wish: &str) -> Symbol {
        let name = scope.fresh(wish);
        self.symbol(name)
    }

    pub(super) fn host_function(&mut self) -> Symbol {
        let wish = *self.random.pick(&HOST_FUNCTIONS);
        let name = self.host_scope.fresh(wish);
        self.symbol(name)
    }

    pub(super) fn host_name(&mut self, wish: &str) -> Symbol {
        let name = self.host_scope.fresh(wish);
        self.symbol(name)
    }
}
