//! What cannot be seen: headers that were not found, foreign ones, and memory.
//!
//! A header that was not found pins what its code could use. It knows the records defined in front
//! of it and, by its own includes, those of any header of the program. Its functions may take
//! arrays of them from the program, or make some and give them to the program's functions. It
//! cannot know what the file that includes it defines behind it, nor what other files define for
//! themselves.
//!
//! A foreign header knows what comes before its end, and can use it only by a name: of the record, of
//! a variable, a member or a function that leads to its elements. What its templates are given, and
//! functions that it is given, are in the program's text. What it declares itself stays as it is.

use super::{Classes, Pin, Slot};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::preprocess::{Foreign, ForeignInclusion, UnseenHeader};
use layoutc_syntax::{Program, RecordId};

pub(super) fn pin_by_unseen_headers(program: &Program, classes: &mut Classes) {
    if program.unseen.is_empty() {
        return;
    }
    for class in &mut classes.classes {
        let own = class.element.record().map(|record| program.record(record));
        let definition = own.map(|own| own.declaration.or(own.body).unwrap_or(own.name_span));
        let may_see = |unseen: &&UnseenHeader| {
            unseen.foreign.is_none()
                && definition.is_none_or(|definition| is_before(program, definition, unseen))
        };
        if let Some(unseen) = program.unseen.iter().find(may_see) {
            class.pins.push(Pin {
                span: unseen.span,
                code: Code::MISSING_INCLUDE,
                message: format!(
                    "`{}` cannot be found and may use `{}`",
                    unseen.spelled,
                    class.element.name(program)
                ),
                related: own
                    .into_iter()
                    .map(|own| (own.name_span, "defined here".to_owned()))
                    .collect(),
            });
        }
        // What else keeps it says more than that a prototype is foreign.
        let slots = if class.pins.is_empty() { class.slots.as_slice() } else { &[] };
        // Members in a text of layoutc are written out with it, and are nobody's but its class's.
        let is_of_model = |slot: &&Slot| {
            let (_, places) = declarations_of(program, **slot);
            places.iter().all(|place| program.is_model_text(place.file))
        };
        let slots: Vec<Slot> = slots.iter().filter(|slot| !is_of_model(slot)).copied().collect();
        let record = class.element.record();
        let pin = declared_in_foreign(program, record, &slots)
            .or_else(|| named_by_foreign(program, record, &slots));
        class.pins.extend(pin);
    }
}

/// Whether a header that was not found may know what is defined here.
fn is_before(program: &Program, definition: Span, unseen: &UnseenHeader) -> bool {
    let file = &program.files[definition.file.index()];
    program.files.iter().any(|other| other.includes.contains(&file.id))
        || !file.is_root
        || (definition.file == unseen.root && definition.start < unseen.root_offset)
}

/// The reason why text of a foreign file stays as it is; `what` is what stands there.
///
/// The place is the program's `#include` that leads to the file.
#[must_use]
pub fn foreign_pin(program: &Program, file: FileId, what: &str) -> Pin {
    let leads_there = |inclusion: &ForeignInclusion| inclusion.files.contains(&file);
    let unseen =
        program.unseen.iter().find(|unseen| unseen.foreign.as_ref().is_some_and(leads_there));
    let path = program.sources.file(file).path().display();
    let why = match program.files[file.index()].foreign {
        Some(Foreign::Toolkit) => "in the folder of a CUDA toolkit",
        Some(Foreign::SystemFolder) => "in a folder of system headers",
        Some(Foreign::Library | Foreign::KnownLibrary) => {
            "a library's (name it, or its folder with `--root`)"
        }
        Some(Foreign::Model) => "a library's",
        Some(Foreign::OutsideRoot) | None => "outside of the program's root (see `--root`)",
    };
    Pin {
        span: unseen.map_or(Span::new(file, 0, 0), |unseen| unseen.span),
        code: Code::FOREIGN_HEADER,
        message: format!("{what} in `{path}`, which is {why}, so it cannot change"),
        related: Vec::new(),
    }
}

/// A record, or one of the places through which its arrays are reached, that a foreign file declares.
fn declared_in_foreign(program: &Program, record: Option<RecordId>, slots: &[Slot]) -> Option<Pin> {
    let definition = record.map(|record| {
        let own = program.record(record);
        (own, own.declaration.or(own.body).unwrap_or(own.name_span))
    });
    if let Some((own, definition)) = definition
        && program.is_foreign(definition.file)
    {
        let what = format!("`{}` is defined", own.name);
        let mut pin = foreign_pin(program, definition.file, &what);
        pin.related.push((own.name_span, "defined here".to_owned()));
        return Some(pin);
    }
    slots.iter().find_map(|slot| {
        let (name, places) = declarations_of(program, *slot);
        let place = places.into_iter().find(|place| program.is_foreign(place.file))?;
        let mut pin = foreign_pin(program, place.file, &format!("`{name}` is declared"));
        pin.related.push((place, "declared here".to_owned()));
        Some(pin)
    })
}

/// The name of a slot, and where it is declared.
fn declarations_of(program: &Program, slot: Slot) -> (&str, Vec<Span>) {
    match slot {
        Slot::Variable(id) => {
            let variable = program.variable(id);
            let others = variable.redeclarations.iter().map(|site| site.name);
            // A parameter is declared by each prototype of its function.
            let prototypes = variable
                .function
                .into_iter()
                .flat_map(|function| program.function(function).sites.iter().map(|site| site.name));
            let own = std::iter::once(variable.site.name);
            (&variable.name, own.chain(others).chain(prototypes).collect())
        }
        Slot::Field(id) => (&program.field(id).name, vec![program.field(id).site.name]),
        Slot::Result(id) => {
            let function = program.function(id);
            (&function.name, function.sites.iter().map(|site| site.name).collect())
        }
    }
}

/// A foreign file that comes behind a name that leads to elements of the class, and has that word.
fn named_by_foreign(program: &Program, record: Option<RecordId>, slots: &[Slot]) -> Option<Pin> {
    let mut names: Vec<(&str, Span)> = Vec::new();
    if let Some(record) = record {
        let own = program.record(record);
        names.push((&own.name, own.name_span));
        let aliases = program.aliases.iter();
        names.extend(
            aliases
                .filter(|(_, ty, _)| program.types.mentions(ty.id, record))
                .map(|(name, _, span)| (name.as_str(), *span)),
        );
        // Who calls a member function of the element itself has one, by another of these names.
        let gives = program.functions.iter().filter(|function| {
            function.record != Some(record) && program.types.mentions(function.result.id, record)
        });
        names.extend(gives.flat_map(|function| {
            function.sites.iter().map(|site| (function.name.as_str(), site.name))
        }));
    }
    for slot in slots {
        let is_reachable = match slot {
            Slot::Variable(id) => program.variable(*id).function.is_none(),
            Slot::Field(_) | Slot::Result(_) => true,
        };
        if is_reachable {
            let (name, places) = declarations_of(program, *slot);
            names.extend(places.into_iter().map(|place| (name, place)));
        }
    }
    program.unseen.iter().find_map(|unseen| {
        let inclusion = unseen.foreign.as_ref()?;
        let comes_before = |place: &Span| {
            (place.file == unseen.root && place.start < unseen.root_offset)
                || inclusion.headers_before.contains(&place.file)
        };
        names.iter().filter(|(_, place)| comes_before(place)).find_map(|(name, place)| {
            let has_word = |file: &&FileId| {
                program.foreign_words.get(file).is_some_and(|words| words.can_name(name))
            };
            let message = if inclusion.given.contains(*name) {
                format!("`{}` is a library's, and a macro for it mentions `{name}`", unseen.spelled)
            } else {
                let file = inclusion.files.iter().find(has_word)?;
                let path = program.sources.file(*file).path().display();
                format!("`{path}` is no file of the program, comes behind `{name}` and may use it")
            };
            Some(Pin {
                span: unseen.span,
                code: Code::FOREIGN_HEADER,
                message,
                related: vec![(*place, "declared here".to_owned())],
            })
        })
    })
}

/// Pins arrays that kernels are given and for which no allocation is seen, if nothing else says why.
pub(super) fn pin_without_memory(program: &Program, classes: &mut Classes) {
    for class in &mut classes.classes {
        let has_memory =
            !class.allocations.is_empty() || !class.symbols.is_empty() || class.is_of_buffers;
        let Some(slot) = class.slots.first().filter(|_| !has_memory && class.pins.is_empty())
        else {
            continue;
        };
        let span = match *slot {
            Slot::Variable(id) => program.variable(id).site.name,
            Slot::Field(id) => program.field(id).site.name,
            Slot::Result(id) => program.function(id).sites[0].name,
        };
        class.pins.push(Pin {
            span,
            code: Code::UNKNOWN_MEMORY,
            message: "no allocation of this array is seen".to_owned(),
            related: Vec::new(),
        });
    }
}
