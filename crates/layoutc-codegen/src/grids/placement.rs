//! Where the generated functions of grids stand.
//!
//! In front of everything that uses them, at file scope and under no condition: once, if one place
//! comes before all uses in every compilation, otherwise in each file, and the first that a
//! compiler meets counts.

use super::Rewriter;
use crate::edit::Edit;
use crate::hygiene::{Surroundings, macro_names, settle};
use crate::marker::Marker;
use crate::rewrite::FileOrder;
use layoutc_analysis::grid_plan::slot_span;
use layoutc_dataflow::classes::{ClassId, array_names};
use layoutc_diagnostics::{FileId, Span, ViewKind};
use layoutc_syntax::Program;
use layoutc_syntax::preprocess::{TokenKind, tokens_and_lines};
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
        let macros = macro_names(self.program);
        for (id, plan) in plans {
            // What shares its layout with another class shares the functions, too.
            let Some(own) = self.functions.get(id) else { continue };
            let Some(text) = own.text(plan) else { continue };
            let uses: Vec<(FileId, Span)> = own.files.iter().copied().collect();
            let around = Surroundings {
                wished: own.renamed.clone(),
                ..Surroundings::of(self.program, &macros, &self.names, None)
            };
            let text = match settle(text.trim_matches('\n'), &around) {
                Ok(text) => text,
                Err(clash) => {
                    let first = self.classes.class(*id).slots.first().copied();
                    let pin = clash.pin(self.program, slot_span(self.program, first));
                    self.refusals.push((*id, pin));
                    continue;
                }
            };
            let marker = self.marker(*id);
            match place_text(self.program, &order, (&uses, false), (&own.guard, &marker), &text) {
                Ok(edits) => self.edits.extend(edits),
                Err((span, message)) => self.refuse(*id, span, message),
            }
        }
    }

    /// The marker of a class and of all that share its functions.
    pub(super) fn marker(&self, leader: ClassId) -> Marker {
        let sharing = self.plans.keys().filter(|id| self.leader(**id) == leader);
        let names = sharing.flat_map(|id| array_names(self.program, self.classes, *id));
        let layout = self.plans.get(&leader).map_or_else(String::new, |plan| plan.notation());
        Marker::of_arrays(names, layout)
    }
}

/// The edits that put generated declarations in front of their uses, which may stand in text that host
/// compilers read if these take the declarations; `guard` is a macro that says that they are there.
///
/// # Errors
/// The use that no place comes before, and why.
pub(crate) fn place_text(
    program: &Program,
    order: &FileOrder,
    (in_files, is_for_host): (&[(FileId, Span)], bool),
    (guard, marker): (&str, &Marker),
    text: &str,
) -> Result<Vec<Edit>, (Span, &'static str)> {
    let mut uses: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
    for (file, span) in in_files {
        uses.entry(*file).or_default().push(*span);
    }
    let mut places = Vec::new();
    for (file, uses) in &uses {
        let own = &program.files[file.index()];
        let in_host_text = uses.iter().find(|span| program.is_host_text(**span));
        let is_of_host = own.is_root && !own.is_cuda && !own.is_opencl;
        let in_host_text = in_host_text.or(uses.first().filter(|_| is_of_host));
        if let Some(span) = in_host_text.filter(|_| !is_for_host) {
            return Err((*span, "the array is used in a file that is not compiled as CUDA"));
        }
        let Some(place) = place_in(program, *file, uses) else {
            return Err((uses[0], "there is no place at file scope for what is generated"));
        };
        places.push(place);
    }
    let single = places.iter().position(|place| {
        places
            .iter()
            .all(|other| other.at == place.at || order.obstacle(other.use_at, place.at).is_none())
    });
    let guarded;
    // The preprocessor makes a string of the argument of a macro: it holds no lines.
    let is_argument = |place: &Place| {
        let view = program.sources.file(place.at.file).view();
        view.is_some_and(|view| view.kind == ViewKind::Argument)
    };
    if single.is_none()
        && let Some(place) = places.iter().find(|place| is_argument(place))
    {
        return Err((place.use_at, "there is no place for what is generated in this text alone"));
    }
    let text = match single {
        Some(only) => {
            places = vec![places.swap_remove(only)];
            text
        }
        None => {
            guarded = format!("#ifndef {guard}\n#define {guard}\n{text}\n#endif");
            &guarded
        }
    };
    let edits = places.into_iter().map(|place| {
        let source = program.sources.file(place.at.file);
        // A blank line on both sides, if there is none.
        let (before, behind) = source.text().split_at(place.at.start as usize);
        let is_blank = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
        let is_start = before.is_empty() || before.ends_with('\n');
        let head = match is_start {
            true if is_blank(before.lines().last()) => "",
            true => "\n",
            false => "\n\n",
        };
        let mut lines = behind.lines();
        let tail = match is_start {
            true if is_blank(lines.next()) => "\n",
            true => "\n\n",
            // What follows the place on its line is not to be a part of the comment that ends the region.
            false if !is_blank(lines.next()) => "\n",
            false if is_blank(lines.next()) => "",
            false => "\n",
        };
        // Text in front, of another file or string of the same program, may end without a line break, and
        // a directive needs a line of its own.
        let is_opencl = program.files[place.at.file.index()].is_opencl;
        let head = match source.view() {
            _ if is_opencl && text.starts_with('#') => "\n",
            Some(_) => "",
            None => head,
        };
        let tail = if source.view().is_some() { "\n\n" } else { tail };
        let text = format!("{head}{}{tail}", marker.around(text));
        let text = if source.text().contains("\r\n") { text.replace('\n', "\r\n") } else { text };
        Edit { is_generated: true, ..Edit::replace(place.at, text) }
    });
    Ok(edits.collect())
}

/// The place in a file: behind its `#include`s, or in front of the first declaration that needs it.
fn place_in(program: &Program, file: FileId, uses: &[Span]) -> Option<Place> {
    let source = program.sources.file(file);
    let functions = program.functions.iter().flat_map(|function| &function.sites);
    let functions = functions.map(|site| site.template.unwrap_or(site.span));
    let records = program.records.iter().filter_map(|record| record.declaration.or(record.body));
    let around: Vec<Span> = functions.chain(records).filter(|site| site.file == file).collect();
    // A macro's body needs the functions where the macro is used.
    let is_in_macro = |place: &Span| {
        program.macros.iter().any(|def| def.span.is_some_and(|span| span.contains(*place)))
    };
    let outermost = |place: &Span| {
        let around = around.iter().filter(|site| site.contains(*place));
        around.map(|site| site.start).min().unwrap_or(place.start) as usize
    };
    let first = uses.iter().filter(|place| !is_in_macro(place)).map(outermost).min();
    let first = first
        .unwrap_or_else(|| uses.iter().map(|span| span.start as usize).min().unwrap_or_default());
    let line = source.line_range(first).start;
    // Text in string literals has lines of its own.
    let places = match source.view() {
        Some(_) => [declaration_start(source.text(), first); 2],
        // The heads of kernels may begin with macros on other lines.
        None if program.files[file.index()].is_opencl => {
            [program.files[file.index()].after_includes, 0]
        }
        None => [program.files[file.index()].after_includes, line],
    };
    let line = if source.view().is_some() { line.max(places[1]) } else { line };
    let at = places.into_iter().find(|at| *at <= line && is_open_scope(&source.text()[..*at]))?;
    let span = |at: usize| Span { file, start: at as u32, end: at as u32 };
    Some(Place { at: span(at), use_at: span(first) })
}

/// The first token of the declaration at file scope that holds a place.
fn declaration_start(text: &str, place: usize) -> usize {
    let (mut depth, mut start) = (0usize, None);
    for line in tokens_and_lines(text).split(|token| token.kind == TokenKind::Newline) {
        if line.first().is_some_and(|token| token.text(text) == "#") {
            continue;
        }
        for token in line {
            let at = token.range().start;
            if at >= place {
                return start.unwrap_or(at);
            }
            start = start.or(Some(at));
            match token.text(text) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && matches!(token.text(text), ";" | "}") {
                start = None;
            }
        }
    }
    start.unwrap_or(place)
}

/// Whether declarations behind a text are at file scope, and belong to no condition but the file's
/// include guard.
pub(crate) fn is_open_scope(before: &str) -> bool {
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
