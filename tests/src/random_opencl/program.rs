//! A random OpenCL program: a tree of which one part is the host and the other one the kernels.

use std::fmt::Write as _;

use crate::random::RandomProgram;

/// Where the kernels stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KernelForm {
    /// A file that the host reads.
    File,
    /// Literals, one for each line, put together by the compiler.
    Lines,
    /// A raw string of C++.
    Raw,
}

/// A line of the host that the text of the kernels takes the place of.
pub const PLACE: &str = "@kernels@";

/// A generated program. The first node of the tree is the kernels, the second one the host.
#[derive(Clone, Debug)]
pub struct OpenClProgram {
    /// Its text, with the structs that kernels have arrays of as targets.
    pub tree: RandomProgram,
    /// Where the kernels stand.
    pub form: KernelForm,
    /// Whether the host is C++.
    pub is_cpp: bool,
}

impl OpenClProgram {
    /// The same program with another tree, as the reducer makes them.
    #[must_use]
    pub fn with(&self, tree: &RandomProgram) -> Self {
        OpenClProgram { tree: tree.clone(), ..*self }
    }

    /// The files, host first: names and texts.
    #[must_use]
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let (kernels, host) = (self.part(0), self.part(1));
        let name = if self.is_cpp { "host.cpp" } else { "host.c" };
        match self.form {
            KernelForm::File => vec![(name, host), ("kernels.cl", kernels)],
            KernelForm::Lines => vec![(name, host.replace(PLACE, &literal(&kernels)))],
            KernelForm::Raw => vec![(name, host.replace(PLACE, &raw(&kernels)))],
        }
    }

    /// All files in one text, for messages.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, text) in self.files() {
            let _ = write!(out, "//---- {name}\n{text}");
        }
        out
    }

    fn part(&self, at: usize) -> String {
        let nodes = self.tree.nodes.get(at).into_iter().cloned().collect();
        RandomProgram { nodes, ..self.tree.clone() }.text()
    }
}

fn literal(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = line.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(out, "\n    \"{line}\\n\"");
    }
    out
}

fn raw(text: &str) -> String {
    format!("R\"CLC(\n{text})CLC\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_escaped() {
        assert_eq!(literal("a \"b\\\n"), "\n    \"a \\\"b\\\\\\n\"");
    }
}
