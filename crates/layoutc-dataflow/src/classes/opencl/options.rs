//! Macros of kernel text that `-D` options of `clBuildProgram` may define otherwise.

use super::super::regions::macro_bodies;
use super::{Buffers, pin, record_of};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{Program, RecordId};
use std::collections::BTreeSet;

/// Macros whose definition depends on what is defined already, in the texts of kernels.
fn changeable(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (file, source) in program.files.iter().zip(program.sources.iter().map(|(_, file)| file)) {
        if !file.is_opencl {
            continue;
        }
        let mut open: Vec<&str> = Vec::new();
        for line in source.text().lines() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
                continue;
            };
            let mut words = directive.split_whitespace();
            match words.next() {
                Some("if" | "ifdef" | "ifndef") => open.push(directive),
                Some("endif") => {
                    open.pop();
                }
                Some("define") => {
                    let name = words.next().unwrap_or_default();
                    let name = name.split('(').next().unwrap_or_default();
                    // A guard against a second inclusion has one condition for the whole header.
                    let is_guard = |condition: &&str| {
                        let guard = condition.strip_prefix("ifndef").map(str::trim);
                        guard.is_some_and(|guard| {
                            guard != name && is_defined_as_nothing(source.text(), guard)
                        })
                    };
                    if open.iter().any(|condition| !is_guard(condition)) {
                        found.insert(name.to_owned());
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn is_defined_as_nothing(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let words: Vec<&str> = directive.into_iter().flat_map(str::split_whitespace).collect();
        matches!(words.as_slice(), ["define", own] if *own == name)
    })
}

/// Where the text of a record, or of one in it, uses such a macro.
fn use_in(
    program: &Program,
    record: RecordId,
    macros: &BTreeSet<String>,
    depth: usize,
) -> Option<Span> {
    let own = program.record(record);
    if let Some(body) = own.body {
        let mut words = program.text(body).split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| macros.contains(word)) {
            return Some(own.name_span);
        }
    }
    own.fields.iter().filter(|_| depth < 16).find_map(|field| {
        let mut ty = program.field(*field).ty;
        while let layoutc_syntax::TypeKind::Array(of, _) = *program.types.kind(ty.id) {
            ty = of;
        }
        use_in(program, program.as_record(ty.id)?, macros, depth + 1)
    })
}

impl Buffers {
    /// Keeps arrays whose elements may be others once the kernels are built.
    pub(super) fn pin_changeable(&mut self, program: &Program) {
        let direct = changeable(program);
        if direct.is_empty() {
            return;
        }
        let mut macros = direct.clone();
        for (name, words) in macro_bodies(program) {
            if words.iter().any(|word| direct.contains(word)) {
                macros.insert(name.to_owned());
            }
        }
        for id in self.parameters.clone() {
            let found =
                record_of(program, id).and_then(|record| use_in(program, record, &macros, 0));
            if let Some(span) = found {
                let message = "its members depend on a macro that an option of `clBuildProgram` may define otherwise";
                self.pins.entry(id).or_default().push(pin(span, Code::INACTIVE_BRANCH, message));
            }
        }
    }
}
