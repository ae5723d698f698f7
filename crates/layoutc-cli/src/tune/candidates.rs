//! The layouts that are tried.

use crate::arguments::{ProgramArguments, SelectorName};
use crate::build::locked::locked;
use crate::build::make::Stop;
use crate::compile::{Failure, Purpose, Success, compile_for};
use crate::exit::say;
use crate::progress::{Phase, phase};
use crate::verify::{lowered_sources, sources};
use layoutc_build::lock::{LockedArray, LockedProgram};
use layoutc_runtime::program::SourceText;
use layoutc_syntax::preprocess::PreprocessOptions;
use std::path::PathBuf;

/// The name of the program as it is.
pub const SOURCE: &str = "source";
/// The name of what `transform` does.
const CHOSEN: &str = "chosen";
/// Layouts that fit most structs.
const COMMON: [&str; 2] = ["soa", "tiled(32)"];

/// A program in some layouts.
pub struct Candidate {
    /// How it came up.
    pub name: String,
    /// What `--layout` says; empty where nothing changes.
    pub layouts: Vec<String>,
    /// What the lock file says.
    pub locked: LockedProgram,
    /// Its files.
    pub sources: Vec<SourceText>,
    /// How each of them is compiled.
    pub units: Vec<(PathBuf, PreprocessOptions)>,
}

impl Candidate {
    fn new(wish: &Wish, program: &str, success: &Success) -> Result<Candidate, String> {
        let locked = locked(program, success);
        let spec = |array: &LockedArray| format!("{} = {}", array.target, array.layout);
        let mut layouts: Vec<String> = locked.changed().map(spec).collect();
        layouts.dedup();
        let sources = match success.changed().next() {
            None => lowered_sources(success)?,
            Some(_) => sources(success, |id, file| {
                let edits = success.compiled.edits.get(&id);
                let text =
                    edits.map_or_else(|| file.text().to_owned(), |own| own.apply(file.text()));
                Ok((text, Vec::new()))
            })?,
        };
        Ok(Candidate {
            name: wish.name.clone(),
            layouts,
            locked,
            sources,
            units: success.units.clone(),
        })
    }

    /// Its layouts in one line.
    pub fn text(&self) -> String {
        if self.layouts.is_empty() { "as it is".to_owned() } else { self.layouts.join("; ") }
    }
}

/// What is wished for.
struct Wish {
    name: String,
    layouts: Vec<String>,
    selector: Option<SelectorName>,
    /// A user did; what is tried besides need not fit the program.
    is_asked: bool,
}

impl Wish {
    fn of(name: impl Into<String>, layouts: Vec<String>) -> Wish {
        Wish { name: name.into(), layouts, selector: None, is_asked: true }
    }
}

/// The candidates so far: no two have the same text.
struct Candidates<'a> {
    program: &'a ProgramArguments,
    /// In the lock file.
    name: &'a str,
    most: usize,
    phase: Phase,
    found: Vec<Candidate>,
}

impl Candidates<'_> {
    fn add(&mut self, wish: &Wish) -> Result<(), Stop> {
        if self.found.len() >= self.most {
            return Ok(());
        }
        self.phase.say(format!("tune: the layouts of `{}`", wish.name));
        let program = ProgramArguments {
            layouts: wish.layouts.clone(),
            selector: wish.selector.or(self.program.selector),
            ..self.program.clone()
        };
        let success = match compile_for(&program, Purpose::Transform) {
            Ok(success) => success,
            Err(Failure::Reported(..)) if !wish.is_asked => return Ok(()),
            Err(failure) => return Err(Stop::Reported(Box::new(failure))),
        };
        if wish.name == CHOSEN {
            let diagnostics = &success.compiled.diagnostics;
            program.format.show_diagnostics(success.sources(), diagnostics);
        }
        let own = Candidate::new(wish, self.name, &success)?;
        match self.found.iter().find(|known| known.sources == own.sources) {
            None => self.found.push(own),
            Some(known) if wish.is_asked => {
                say(format_args!("{}: the same as {}", own.name, known.name));
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// The candidates, the source first; at most `most`.
///
/// # Errors
/// The program, or a layout that is asked for, has errors.
pub fn candidates(
    program: &ProgramArguments,
    name: &str,
    tries: &[String],
    most: usize,
) -> Result<Vec<Candidate>, Stop> {
    let phase = phase("tune");
    let mut all = Candidates { program, name, most, phase, found: Vec::new() };
    all.add(&Wish::of(SOURCE, vec!["* = aos".to_owned()]))?;
    if !program.layouts.is_empty() {
        all.add(&Wish::of("asked", program.layouts.clone()))?;
    }
    all.add(&Wish::of(CHOSEN, Vec::new()))?;
    for text in tries {
        let layouts = text.split(';').map(str::trim).filter(|spec| !spec.is_empty());
        all.add(&Wish::of(text.trim(), layouts.map(str::to_owned).collect()))?;
    }
    let unasked = |wish| Wish { is_asked: false, ..wish };
    let kdlg = Wish { selector: Some(SelectorName::Kdlg), ..Wish::of("kdlg", Vec::new()) };
    all.add(&unasked(kdlg))?;
    for layout in COMMON {
        all.add(&unasked(Wish::of(layout, vec![format!("* = {layout}")])))?;
    }
    // Of several arrays, not all need pay for their conversions.
    let choice = all.found.iter().find(|own| own.name == CHOSEN);
    let changed = choice.map(|own| own.layouts.clone()).filter(|own| own.len() > 1);
    for (at, left) in changed.iter().flatten().enumerate() {
        let mut layouts = changed.clone().unwrap_or_default();
        layouts.remove(at);
        let target = left.split(" = ").next().unwrap_or(left);
        all.add(&unasked(Wish::of(format!("chosen without {target}"), layouts)))?;
    }
    Ok(all.found)
}
