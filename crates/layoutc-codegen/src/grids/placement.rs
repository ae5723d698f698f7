//! Where the generated functions of grids stand.
//!
//! In front of everything that uses them, at file scope and under no condition: once, if one place
//! comes before all uses in every compilation, otherwise in each file, and the first that a
//! compiler meets counts.

use super::Rewriter;
use crate::edit::Edit;
use crate::rewrite::FileOrder;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeMap;

/// A place in a file, and the first text behind it that uses what is put there.
struct Place {
    at: Span,
    use_at: Span,
}

impl Rewriter<'_> {
    /// Puts the generated functions of all grids into the program.
    pub(super) fn place(&mut self) {
        let plans = self.plans;
        let order = FileOrder::new(self.program);
        for (id, plan) in plans {
            // What shares its layout with another class shares the functions, too.
            let Some(text) = self.functions.get(id).and_then(|own| own.text(plan)) else {
                continue;
            };
            self.place_text(*id, &order, text.trim_matches('\n'));
        }
    }

    fn place_text(&mut self, class: ClassId, order: &FileOrder, text: &str) {
        let mut uses: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
        for (file, span) in &self.functions[&class].files {
            uses.entry(*file).or_default().push(*span);
        }
        let mut places = Vec::new();
        for (file, uses) in &uses {
            let own = &self.program.files[file.index()];
            let in_host_text = uses.iter().find(|span| self.program.is_host_text(**span));
            if let Some(span) =
                in_host_text.or(uses.first().filter(|_| own.is_root && !own.is_cuda))
            {
                let message = "the grid is used in a file that is not compiled as CUDA";
                self.refuse(class, *span, message);
                return;
            }
            let Some(place) = self.place_in(*file, uses) else {
                let message = "there is no place at file scope for the generated functions";
                self.refuse(class, uses[0], message);
                return;
            };
            places.push(place);
        }
        let single = places.iter().position(|place| {
            places.iter().all(|other| {
                other.at == place.at || order.obstacle(other.use_at, place.at).is_none()
            })
        });
        let guarded;
        let text = match single {
            Some(only) => {
                places = vec![places.swap_remove(only)];
                text
            }
            None => {
                let guard = &self.functions[&class].guard;
                guarded = format!("#ifndef {guard}\n#define {guard}\n{text}\n#endif");
                &guarded
            }
        };
        for place in places {
            let source = self.program.sources.file(place.at.file);
            let is_before =
                source.line_range(place.use_at.start as usize).start == place.at.start as usize;
            let text = format!("\n{text}\n{}", if is_before { "\n" } else { "" });
            let text =
                if source.text().contains("\r\n") { text.replace('\n', "\r\n") } else { text };
            self.edits.push(Edit { is_generated: true, ..Edit::replace(place.at, text) });
        }
    }

    /// The place in a file: behind its `#include`s, or in front of the first function that needs it.
    fn place_in(&self, file: FileId, uses: &[Span]) -> Option<Place> {
        let source = self.program.sources.file(file);
        let first = self
            .program
            .functions
            .iter()
            .flat_map(|function| &function.sites)
            .map(|site| site.template.unwrap_or(site.span))
            .filter(|site| site.file == file && uses.iter().any(|place| site.contains(*place)))
            .map(|site| site.start as usize)
            .min();
        // A macro's body needs the functions where the macro is used.
        let first = first.unwrap_or_else(|| {
            uses.iter().map(|span| span.start as usize).min().unwrap_or_default()
        });
        let line = source.line_range(first).start;
        let at = [self.program.files[file.index()].after_includes, line]
            .into_iter()
            .find(|at| *at <= line && is_open_scope(&source.text()[..*at]))?;
        let span = |at: usize| Span { file, start: at as u32, end: at as u32 };
        Some(Place { at: span(at), use_at: span(first) })
    }
}

/// Whether declarations behind a text are at file scope, and belong to no condition but the file's
/// include guard.
fn is_open_scope(before: &str) -> bool {
    let mut depth = 0i64;
    for token in layoutc_syntax::preprocess::tokens(before) {
        match token.text(before) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
    }
    let directives: Vec<&str> = before
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#').map(str::trim))
        .collect();
    let word = |directive: &str, name: &str| {
        directive
            .strip_prefix(name)
            .and_then(|rest| rest.split_whitespace().next())
            .map(str::to_owned)
    };
    let has_guard = match directives.as_slice() {
        [first, second, ..] => {
            let name = word(first, "ifndef");
            name.is_some() && name == word(second, "define")
        }
        _ => false,
    };
    let (mut open, mut is_closed) = (0i64, false);
    for directive in directives {
        if directive.starts_with("if") {
            open += 1;
        } else if directive.starts_with("endif") {
            open -= 1;
            is_closed |= open == 0;
        }
    }
    depth == 0 && open == i64::from(has_guard && !is_closed)
}
