//! What a compiled program says to its lock file, and what that asks of the next one.

use crate::arguments::ProgramArguments;
use crate::compile::Success;
use layoutc_build::lock::{Lock, LockedArray, LockedProgram, SOURCE, short};
use layoutc_diagnostics::Code;
use layoutc_driver::{ClassOutcome, Status};
use layoutc_syntax::Program;
use std::path::Path;

/// The layouts of a program's arrays.
pub fn locked(name: &str, success: &Success) -> LockedProgram {
    let program = &success.compiled.program;
    let classes: Vec<&ClassOutcome> =
        success.compiled.classes.iter().filter(|class| is_told(class)).collect();
    let array = |class: &&ClassOutcome| {
        let is_changed = class.status == Status::Changed;
        let reason = class.reasons.first().map(|pin| format!("{}: {}", pin.code, pin.message));
        LockedArray {
            element: class.type_name.clone(),
            target: target(class, &classes),
            layout: if is_changed { class.layout.clone() } else { SOURCE.to_owned() },
            names: class.names.clone(),
            because: one_line(&match is_changed {
                true => class.because.clone(),
                false => reason.unwrap_or_default(),
            }),
            members: members(program, class),
        }
    };
    LockedProgram::new(name, classes.iter().map(array).collect())
}

/// Whether a class is worth a line: it changes, or somebody would ask why it does not.
pub fn is_told(class: &ClassOutcome) -> bool {
    let gains_nothing = class.reasons.first().is_some_and(|reason| reason.code == Code::NO_GAIN);
    !class.is_generated
        && (class.status == Status::Changed || !(class.is_automatic && gains_nothing))
}

/// The name by which a request means this class and no other: the type if all of its arrays have this layout,
/// otherwise an array.
fn target(class: &ClassOutcome, classes: &[&ClassOutcome]) -> String {
    let of_type = |other: &&&ClassOutcome| other.type_name == class.type_name;
    let is_same =
        |other: &&ClassOutcome| other.status == class.status && other.layout == class.layout;
    if !class.elements.is_empty() && classes.iter().filter(of_type).all(is_same) {
        return class.type_name.clone();
    }
    let others = || classes.iter().filter(|other| !std::ptr::eq(**other, class));
    let is_free = |name: &&String| !others().any(|other| other.targets.contains(name));
    let own = class.names.iter().chain(&class.targets).find(is_free);
    own.or(class.names.first()).unwrap_or(&class.type_name).clone()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A hash of the members of the elements: their names and types.
fn members(program: &Program, class: &ClassOutcome) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(class.type_name.as_bytes());
    for record in &class.elements {
        for field in &program.record(*record).fields {
            let field = program.field(*field);
            let ty = program.spelling(field.ty).unwrap_or_default();
            hash.update(format!("{ty} {}\0", field.name).as_bytes());
        }
    }
    short(&hash.finalize())
}

/// What a lock file says of its program, or of one of its programs: `FILE:PROGRAM`.
///
/// # Errors
/// The file cannot be read, or it is not clear which program is meant.
pub fn locked_in(file: &str) -> Result<LockedProgram, String> {
    let (path, name) = match file.rsplit_once(':') {
        Some((path, name)) if !Path::new(file).exists() => (path, Some(name)),
        _ => (file, None),
    };
    let lock = Lock::read(Path::new(path))?.ok_or_else(|| format!("there is no file {path}"))?;
    let names: Vec<&str> = lock.programs.iter().map(|program| &*program.name).collect();
    let found = match (name, names.as_slice()) {
        (Some(name), _) => lock.program(name),
        (None, [only]) => lock.program(only),
        (None, _) => None,
    };
    found.ok_or_else(|| {
        format!("{path} has the programs {}; name one: {path}:PROGRAM", names.join(", "))
    })
}

/// The same options, with the layouts that the lock file says, which must be carried out.
pub fn asked(arguments: &ProgramArguments, locked: &LockedProgram) -> ProgramArguments {
    let spec = |array: &LockedArray| format!("{} = {}", array.target, array.layout);
    let mut layouts: Vec<String> = locked.changed().map(spec).collect();
    layouts.dedup();
    if layouts.is_empty() {
        layouts.push("* = aos".to_owned());
    }
    let mut require = arguments.require.clone();
    require.extend(locked.changed().map(|array| array.target.clone()));
    ProgramArguments { layouts, require, ..arguments.clone() }
}

/// Whether an array was kept because it could not change: it may when the reason is gone.
pub fn is_refused(array: &LockedArray) -> bool {
    let no_gain = Code::NO_GAIN.to_string();
    array.layout == SOURCE && !array.because.starts_with(&format!("{no_gain}:"))
}

/// The layouts that a program had, as requests; arrays that could have none then get one chosen.
pub fn reconsidered(locked: &LockedProgram) -> Vec<String> {
    let known = locked.arrays.iter().filter(|array| !is_refused(array));
    let spec = |array: &LockedArray| {
        let layout = if array.layout == SOURCE { "aos" } else { &array.layout };
        format!("{} = {layout}", array.target)
    };
    let mut layouts: Vec<String> = known.map(spec).collect();
    layouts.dedup();
    layouts.push("* = auto".to_owned());
    layouts
}

/// What the lock file says of a program whose layouts it gave: names, reasons and members are those of now, and why
/// a layout was chosen is what was said then.
pub fn refreshed(known: &LockedProgram, success: &Success) -> LockedProgram {
    let mut arrays = locked(&known.name, success).arrays;
    for array in &mut arrays {
        let same =
            |other: &&LockedArray| other.target == array.target && other.layout == array.layout;
        let is_kept = |other: &&LockedArray| same(other) && !is_refused(array);
        if let Some(before) = known.arrays.iter().find(is_kept) {
            array.because.clone_from(&before.because);
        }
    }
    LockedProgram::new(&known.name, arrays)
}

/// The arrays that the lock file keeps because they could not change, and that can now.
pub fn freed(known: &LockedProgram, success: &Success) -> Vec<String> {
    let now = locked(&known.name, success).arrays;
    let is_free = |before: &&LockedArray| {
        let same = |own: &&LockedArray| own.target == before.target && own.layout == SOURCE;
        is_refused(before) && now.iter().find(same).is_some_and(|own| !is_refused(own))
    };
    known.arrays.iter().filter(is_free).map(|array| array.target.clone()).collect()
}
