//! Which text the instructions of a module come from.

use std::collections::BTreeMap;

/// A place in the text of kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Frame {
    /// The file as the compiler was told of it.
    pub(in super::super) file: String,
    /// Its line, from 1.
    pub(in super::super) line: u32,
    /// Its column, from 1.
    pub(in super::super) column: u32,
}

/// The debug information of a module, by the numbers of its nodes.
pub(super) struct DebugInfo<'t> {
    nodes: BTreeMap<u32, &'t str>,
}

impl<'t> DebugInfo<'t> {
    pub(super) fn new(module: &'t str) -> Self {
        let node = |line: &'t str| {
            let (number, node) = line.strip_prefix('!')?.split_once(" = ")?;
            let node = node.strip_prefix("distinct ").unwrap_or(node);
            node.starts_with("!DI").then_some((number.parse().ok()?, node))
        };
        DebugInfo { nodes: module.lines().filter_map(node).collect() }
    }

    /// Where an instruction comes from, from the innermost function that was inlined to the outermost.
    pub(super) fn frames(&self, instruction: &str) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut next = instruction.split_once("!dbg ").and_then(|(_, rest)| reference(rest));
        while let Some(location) = next.and_then(|number| self.nodes.get(&number)) {
            if !location.starts_with("!DILocation(") || frames.len() > 64 {
                break;
            }
            let number = |name| self.number(location, name);
            // What stands for several places is in line 0.
            let line = number("line").filter(|line| *line > 0);
            if let (Some(line), Some(file)) = (line, self.file(location)) {
                frames.push(Frame { file, line, column: number("column").unwrap_or(0) });
            }
            next = field(location, "inlinedAt").and_then(reference);
        }
        frames
    }

    fn number(&self, node: &str, name: &str) -> Option<u32> {
        let digits = field(node, name)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    }

    /// The file of the innermost scope that has one.
    fn file(&self, node: &str) -> Option<String> {
        let mut scope = self.nodes.get(&reference(field(node, "scope")?)?)?;
        for _ in 0..64 {
            if let Some(file) = field(scope, "file").and_then(reference) {
                return self.path(file);
            }
            scope = self.nodes.get(&reference(field(scope, "scope")?)?)?;
        }
        None
    }

    fn path(&self, file: u32) -> Option<String> {
        let node = self.nodes.get(&file)?;
        let text = |name| Some(field(node, name)?.strip_prefix('"')?.split('"').next()?.to_owned());
        let name: String = text("filename")?;
        match text("directory") {
            Some(folder) if !name.starts_with('/') && !folder.is_empty() => {
                Some(format!("{folder}/{name}"))
            }
            _ => Some(name),
        }
    }
}

/// What follows `name: ` in a node.
fn field<'t>(node: &'t str, name: &str) -> Option<&'t str> {
    let is_start = |at: usize| node[..at].ends_with(['(', ' ']);
    let mut found = node.match_indices(name);
    found.find_map(|(at, _)| {
        let rest = node[at + name.len()..].strip_prefix(": ")?;
        is_start(at).then_some(rest)
    })
}

/// `!17`
fn reference(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('!')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}
