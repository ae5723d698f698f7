//! Where a program mentions its arrays: names of types and variables, accesses and pointers.

use layoutc_dataflow::classes::Slot;
use layoutc_diagnostics::{FileId, SourceSet, Span};
use layoutc_driver::{ClassOutcome, Compiled};
use layoutc_syntax::{ExprKind, NameRef, Program, RecordId, TypeKind, Variable};
use std::collections::BTreeMap;

/// A class of arrays, by its position in [`Compiled::classes`].
pub type ClassAt = usize;

/// All mentions, in the files around kernel text that stands in a host program.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// In order, each once.
    all: Vec<(Span, ClassAt)>,
}

impl Mentions {
    /// The mentions of a compiled program.
    pub fn find(compiled: &Compiled) -> Mentions {
        let mut all = Vec::new();
        of_types(compiled, &mut all);
        of_allocations(compiled, &mut all);
        of_slots(compiled, &mut all);
        of_expressions(compiled, &mut all);
        of_grids(compiled, &mut all);
        let sources = &compiled.program.sources;
        let mut all: Vec<(Span, ClassAt)> =
            all.into_iter().map(|(span, class)| (in_file(sources, span), class)).collect();
        all.sort();
        all.dedup();
        Mentions { all }
    }

    /// What the smallest mention around an offset means; several classes for the name of a type.
    pub fn at(&self, file: FileId, offset: usize) -> Option<(Span, Vec<ClassAt>)> {
        let offset = u32::try_from(offset).ok()?;
        let first = self.all.partition_point(|(span, _)| span.file < file);
        let own = self.all[first..].iter().take_while(|(span, _)| span.file == file);
        let around = own.filter(|(span, _)| span.start <= offset && offset <= span.end);
        // A place between two names belongs to the one that begins there.
        let size = |span: &Span| (span.end - span.start, span.end == offset);
        let found = around.clone().map(|(span, _)| *span).min_by_key(size)?;
        Some((found, around.filter(|(span, _)| *span == found).map(|(_, class)| *class).collect()))
    }

    /// Where a class is mentioned first.
    pub fn first_of(&self, class: ClassAt) -> Option<Span> {
        self.all.iter().find(|(_, own)| *own == class).map(|(span, _)| *span)
    }
}

/// The same bytes in the file around, for text that is a part of another file.
pub fn in_file(sources: &SourceSet, span: Span) -> Span {
    match sources.file(span.file).view() {
        Some(view) => Span { file: view.of, ..span },
        None => span,
    }
}

/// Calls that give the memory.
fn of_allocations(compiled: &Compiled, all: &mut Vec<(Span, ClassAt)>) {
    for (at, class) in compiled.classes.iter().enumerate() {
        all.extend(class.allocations.iter().map(|call| (*call, at)));
    }
}

/// Names of element types, where they are declared and where declarations name them.
fn of_types(compiled: &Compiled, all: &mut Vec<(Span, ClassAt)>) {
    let program = &compiled.program;
    let of_record = |record: RecordId| {
        let has = move |(_, class): &(usize, &ClassOutcome)| class.elements.contains(&record);
        compiled.classes.iter().enumerate().filter(has).map(|(at, _)| at)
    };
    for record in compiled.classes.iter().flat_map(|class| &class.elements) {
        all.extend(of_record(*record).map(|class| (program.record(*record).name_span, class)));
    }
    for declaration in &program.declarations {
        if let TypeKind::Record(record) = program.types.kind(declaration.specifier_type.id) {
            all.extend(of_record(*record).map(|class| (declaration.specifier, class)));
        }
    }
}

/// Declared names of pointers and arrays.
fn of_slots(compiled: &Compiled, all: &mut Vec<(Span, ClassAt)>) {
    let program = &compiled.program;
    for id in compiled.record_classes.ids() {
        for slot in &compiled.record_classes.class(id).slots {
            let names: Vec<Span> = match slot {
                Slot::Variable(variable) => {
                    let variable = program.variable(*variable);
                    let others = variable.redeclarations.iter();
                    std::iter::once(&variable.site).chain(others).map(|site| site.name).collect()
                }
                Slot::Field(field) => vec![program.field(*field).site.name],
                Slot::Result(function) => {
                    program.function(*function).sites.iter().map(|site| site.name).collect()
                }
            };
            let names = names.into_iter().filter(|name| name.start < name.end);
            all.extend(names.map(|name| (name, id.index())));
        }
    }
}

/// Expressions that are an array, an element, or a part of one.
fn of_expressions(compiled: &Compiled, all: &mut Vec<(Span, ClassAt)>) {
    let program = &compiled.program;
    for id in program.expr_ids() {
        if !is_mention(&program.expr(id).kind) {
            continue;
        }
        let place = compiled.record_classes.place(id).map(|(class, _)| class);
        let class = place.or_else(|| compiled.record_classes.value(id).map(|(class, _)| class));
        if let Some(class) = class {
            all.push((program.expr_site(id), class.index()));
        }
    }
}

/// Whether an expression means an array by itself, and not by what a part of it does.
fn is_mention(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Name(NameRef::Variable(_))
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Deref(_)
    )
}

/// Accesses and names of arrays of numbers, which are no classes of records.
fn of_grids(compiled: &Compiled, all: &mut Vec<(Span, ClassAt)>) {
    let records = compiled.record_classes.ids().count();
    let mut names: BTreeMap<&str, Vec<ClassAt>> = BTreeMap::new();
    for (at, class) in compiled.classes.iter().enumerate().skip(records) {
        all.extend(class.reasons.iter().map(|reason| (reason.span, at)));
        let reports = compiled.grids.iter().filter(|report| report.names == class.names);
        all.extend(reports.flat_map(|report| &report.places).map(|(span, _)| (*span, at)));
        for name in &class.names {
            names.entry(name).or_default().push(at);
        }
    }
    if !names.is_empty() {
        of_names(&compiled.program, &names, all);
    }
}

/// Declarations and uses of pointers to numbers with the names of classes.
///
/// The result of a run does not tell two variables of one name apart; all that are meant are shown.
fn of_names(
    program: &Program,
    names: &BTreeMap<&str, Vec<ClassAt>>,
    all: &mut Vec<(Span, ClassAt)>,
) {
    let meant = |variable: &Variable| {
        let is_pointer = program.types.pointee(variable.ty.id).is_some();
        let classes = names.get(variable.name.as_str()).filter(|_| is_pointer);
        classes.into_iter().flatten().copied()
    };
    for variable in &program.variables {
        all.extend(meant(variable).map(|class| (variable.site.name, class)));
    }
    for id in program.expr_ids() {
        if let ExprKind::Name(NameRef::Variable(variable)) = &program.expr(id).kind {
            let variable = program.variable(*variable);
            all.extend(meant(variable).map(|class| (program.expr_site(id), class)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_mention_is_meant() {
        let span = |start, end| Span::new(FileId(1), start, end);
        let all = vec![(span(0, 6), 0), (span(0, 1), 0), (span(2, 3), 1), (span(2, 3), 2)];
        let mut mentions = Mentions { all };
        mentions.all.sort();
        let at = |offset| mentions.at(FileId(1), offset).map(|(span, own)| (span.range(), own));
        assert_eq!(at(0), Some((0..1, vec![0])));
        assert_eq!(at(2), Some((2..3, vec![1, 2])));
        assert_eq!(at(5), Some((0..6, vec![0])));
        assert_eq!(at(7), None);
        assert_eq!(mentions.at(FileId(0), 0), None);
        assert_eq!(mentions.first_of(2), Some(span(2, 3)));
    }
}
