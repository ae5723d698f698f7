//! Random layouts for the records of a program.

use super::program::{LayoutTarget, RandomProgram};
use super::rng::Random;
use super::text::Symbol;

/// What every record is asked to become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layouts {
    /// The name of the kind: `soa`, `tiled`, `groups`, `mixed`.
    pub kind: &'static str,
    /// One for each record that is to change.
    pub entries: Vec<Entry>,
}

/// The layout of one record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The record.
    pub record: Symbol,
    /// One array of it, as function and variable; otherwise all.
    pub array: Option<(Symbol, Symbol)>,
    /// Its layout.
    pub form: Form,
}

/// A layout in the notation of `--layout`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// `soa`, `tiled(8)`, `aos align(16)`.
    Whole(String),
    /// Groups of fields, each with what stands behind it; `{*}` follows.
    Groups(Vec<(Vec<Symbol>, String)>),
}

/// The kinds of layouts that every program is tried in.
pub const KINDS: [&str; 5] = ["soa", "tiled", "groups", "mixed", "arrays"];

impl Layouts {
    /// A layout of this kind for each record of a program.
    #[must_use]
    pub fn random(program: &RandomProgram, kind: &'static str, random: &mut Random) -> Self {
        let form = |target: &LayoutTarget, random: &mut Random| match kind {
            "soa" => Form::Whole("soa".to_owned()),
            "tiled" => tiled(random),
            "groups" => groups(target, random),
            _ => match random.below(5) {
                0 => Form::Whole("soa".to_owned()),
                1 => tiled(random),
                2 => Form::Whole(format!("aos align({})", alignment(target, random))),
                _ => groups(target, random),
            },
        };
        let mut entries = Vec::new();
        for target in &program.targets {
            if kind == "arrays" && !target.arrays.is_empty() {
                for array in &target.arrays {
                    // What no layout names stays as it is.
                    if random.chance(70) {
                        let form = form(target, random);
                        entries.push(Entry { record: target.record, array: Some(*array), form });
                    }
                }
            } else {
                let form = form(target, random);
                entries.push(Entry { record: target.record, array: None, form });
            }
        }
        Layouts { kind, entries }
    }

    /// The source's own layout for each record.
    #[must_use]
    pub fn identity(program: &RandomProgram) -> Self {
        let targets = program.targets.iter();
        let entry = |target: &LayoutTarget| Entry {
            record: target.record,
            array: None,
            form: Form::Whole("aos".to_owned()),
        };
        Layouts { kind: "identity", entries: targets.map(entry).collect() }
    }

    /// What follows `--layout`, for the records that the program has, as it spells them.
    #[must_use]
    pub fn specs(&self, program: &RandomProgram) -> Vec<String> {
        let spec = |entry: &Entry| {
            let target = program.targets.iter().find(|target| target.record == entry.record)?;
            let name = match entry.array {
                None => program.name(entry.record).to_owned(),
                Some((run, variable)) => {
                    if !target.arrays.contains(&(run, variable)) {
                        return None;
                    }
                    format!("{}::{}", program.name(run), program.name(variable))
                }
            };
            let form = match &entry.form {
                Form::Whole(text) => text.clone(),
                Form::Groups(groups) => spelled(groups, target, program),
            };
            Some(format!("{name} = {form}"))
        };
        self.entries.iter().filter_map(spec).collect()
    }
}

fn spelled(
    groups: &[(Vec<Symbol>, String)],
    target: &LayoutTarget,
    program: &RandomProgram,
) -> String {
    let mut parts = Vec::new();
    for (fields, form) in groups {
        let names: Vec<&str> = fields
            .iter()
            .filter(|field| target.fields.contains(field))
            .map(|field| program.name(*field))
            .collect();
        if !names.is_empty() {
            parts.push(format!("{{{}}}{form}", names.join(" ")));
        }
    }
    parts.push("{*}".to_owned());
    parts.join(", ")
}

fn tiled(random: &mut Random) -> Form {
    let tile = *random.pick(&[1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64]);
    Form::Whole(format!("tiled({tile})"))
}

fn alignment(target: &LayoutTarget, random: &mut Random) -> usize {
    let allowed: Vec<usize> = [8, 16, 32].into_iter().filter(|a| *a >= target.alignment).collect();
    *random.pick(&allowed)
}

fn groups(target: &LayoutTarget, random: &mut Random) -> Form {
    let mut fields = target.fields.clone();
    random.shuffle(&mut fields);
    let mut groups = Vec::new();
    while !fields.is_empty() && groups.len() < 4 {
        let count = random.between(1, fields.len().min(5));
        let group: Vec<Symbol> = fields.drain(..count).collect();
        let form = match random.below(5) {
            0 => format!(" align({})", alignment(target, random)),
            1 => format!(" tiled({})", random.pick(&[2, 3, 4, 8, 32])),
            2 => " aos".to_owned(),
            _ => String::new(),
        };
        groups.push((group, form));
        if random.chance(15) {
            break;
        }
    }
    Form::Groups(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generate::{Size, generate};

    #[test]
    fn every_record_gets_a_layout_and_lost_fields_vanish() {
        let mut program = generate(3, Size { units: 3, kernels: 2 });
        let mut random = Random::new(1);
        for kind in KINDS {
            let specs = Layouts::random(&program, kind, &mut random).specs(&program);
            assert!(kind == "arrays" || specs.len() == program.targets.len());
            assert!(specs.iter().all(|spec| !spec.contains('$')), "{specs:?}");
        }
        let layouts = Layouts::random(&program, "groups", &mut random);
        program.targets[0].fields.clear();
        assert!(layouts.specs(&program)[0].ends_with("= {*}"));
        program.targets.remove(0);
        assert_eq!(layouts.specs(&program).len(), program.targets.len());
    }
}
