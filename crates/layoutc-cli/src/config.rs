//! `layoutc.toml`: what a project always wants, so that a command line need not say it.
//!
//! Each key is an option of the command line, with the same values; an option that the command line gives
//! replaces the key. Paths are seen from the folder of the file. No key names a command or an output, and
//! the sources and roots that it names, those of its database too, lie in its folder: a file that one does
//! not trust runs nothing, and changes nothing elsewhere.

use crate::arguments::{Arguments, Command, ProgramArguments};
use crate::build::locked::{asked, locked_in};
use crate::exit::say;
use crate::folder::with_sources;
use crate::load::real_path as real;
use crate::outputs::absolute;
use crate::progress;
use crate::style;
use crate::write::parent;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use layoutc_build::database as compilations;
use layoutc_build::paths::relative_to;
use layoutc_dataflow::layout::notation::LayoutSpec;
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The name that is looked for.
pub const NAME: &str = "layoutc.toml";
/// The option of a layout.
const LAYOUT: &str = "--layout=";

type Text = Spanned<String>;

/// The file's keys.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Keys {
    files: Option<Vec<Text>>,
    project: Option<Text>,
    root: Vec<Text>,
    include: Vec<Text>,
    isystem: Vec<Text>,
    define: Vec<Text>,
    undefine: Vec<Text>,
    profile: Vec<Text>,
    missing_headers: Option<Text>,
    layout: Vec<Text>,
    require: Vec<Text>,
    keep: Vec<Text>,
    assume: Vec<Text>,
    host: Option<Text>,
    style: Option<Text>,
    device: Option<Text>,
    block: Option<Text>,
    blocks: Option<Spanned<u64>>,
    active_blocks: Option<Spanned<u64>>,
    model: Option<Text>,
    selector: Option<Text>,
    trace: Option<Text>,
    epsilon: Option<Spanned<u64>>,
    tiles: Option<Text>,
}

/// A file that was read.
struct Config {
    path: PathBuf,
    text: String,
    keys: Keys,
    /// As seen from the current folder.
    files: Vec<PathBuf>,
    project: Option<PathBuf>,
}

/// An option: its name in clap, its spelling, its value, and where the file says it.
struct Setting {
    id: &'static str,
    word: OsString,
    start: usize,
}

impl Config {
    /// Reads a file.
    fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text =
            fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let keys: Keys = toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            located(path, &text, at, error.message())
        })?;
        let mut config =
            Config { path: path.to_path_buf(), text, keys, files: Vec::new(), project: None };
        for file in config.keys.files.iter().flatten() {
            config.files.push(config.own_path(file)?);
        }
        config.project = config.keys.project.as_ref().map(|path| config.place(path.get_ref()));
        Ok(config)
    }

    fn error(&self, at: usize, cause: &str) -> String {
        located(&self.path, &self.text, at, cause)
    }

    /// A path of the file, as seen from the current folder.
    fn place(&self, path: &str) -> PathBuf {
        let full = absolute(&parent(&self.path).join(path));
        relative_to(&absolute(Path::new(".")), &full)
    }

    /// A path of the file that may be written to: it lies in the file's folder, links followed.
    fn own_path(&self, path: &Text) -> Result<PathBuf, String> {
        let placed = self.place(path.get_ref());
        if self.own_folders().iter().any(|folder| real(&placed).starts_with(folder)) {
            return Ok(placed);
        }
        let cause = format!("`{}` lies outside of the folder of this file", path.get_ref());
        Err(self.error(path.span().start, &cause))
    }

    /// The folder of the file, links followed; where the file is a link, that of what it leads to, too: build systems
    /// run commands in folders of links to the files of a source tree.
    fn own_folders(&self) -> [PathBuf; 2] {
        [real(parent(&self.path)), parent(&real(&self.path)).to_path_buf()]
    }

    /// Checks that the sources of the database lie in the file's folder, links followed.
    fn check_database(&self) -> Result<(), String> {
        let folders = self.own_folders();
        let is_outside = |source: &&PathBuf| folders.iter().all(|own| !source.starts_with(own));
        match self.sources()?.iter().find(is_outside) {
            Some(outside) => {
                let cause = format!(
                    "this database names {}, which lies outside of the folder of this file; give it as `--project` on the command line",
                    outside.display()
                );
                Err(self.error(self.project_start(), &cause))
            }
            None => Ok(()),
        }
    }

    /// The sources of the database, links followed.
    fn sources(&self) -> Result<Vec<PathBuf>, String> {
        let Some(project) = &self.project else { return Ok(Vec::new()) };
        let entries = compilations::read(project)
            .map_err(|error| self.error(self.project_start(), &error.message))?;
        Ok(entries.iter().map(|entry| real(&entry.file)).collect())
    }

    fn project_start(&self) -> usize {
        self.keys.project.as_ref().map_or(0, |text| text.span().start)
    }

    /// Whether it names all of these files, or this database.
    fn names(&self, program: &ProgramArguments) -> Result<bool, String> {
        if let Some(given) = &program.project {
            return Ok(self.project.as_ref().is_some_and(|own| database(own) == database(given)));
        }
        let mut known: Vec<PathBuf> = self.files.iter().map(|file| real(file)).collect();
        if self.keys.files.is_none() {
            known.extend(self.sources()?);
        }
        // Of a folder, some of the sources below it.
        Ok(program.files.iter().all(|file| {
            let file = real(file);
            known.iter().any(|known| known.starts_with(&file))
        }))
    }

    /// Everything but the files as options.
    fn settings(&self) -> Result<Vec<Setting>, String> {
        let keys = &self.keys;
        let mut out = Vec::new();
        let mut add = |id, option: &str, value: OsString, start| {
            let mut word = OsString::from(option);
            word.push(value);
            out.push(Setting { id, word, start });
        };
        for root in &keys.root {
            add("roots", "--root=", self.own_path(root)?.into(), root.span().start);
        }
        let paths =
            [("include_dirs", "-I", &keys.include), ("system_dirs", "--isystem=", &keys.isystem)];
        for (id, option, values) in
            paths.into_iter().chain([("profiles", "--profile=", &keys.profile)])
        {
            for value in values {
                add(id, option, self.place(value.get_ref()).into(), value.span().start);
            }
        }
        let lists = [
            ("defines", "-D", &keys.define),
            ("undefines", "-U", &keys.undefine),
            ("layouts", LAYOUT, &keys.layout),
            ("require", "--require=", &keys.require),
            ("keep", "--keep=", &keys.keep),
            ("assume", "--assume=", &keys.assume),
        ];
        for (id, option, values) in lists {
            for value in values {
                add(id, option, value.get_ref().into(), value.span().start);
            }
        }
        if let Some(device) = &keys.device {
            // A file is one with a folder or an ending, as on the command line.
            let value = match device.get_ref().contains(['/', '\\', '.']) {
                true => self.place(device.get_ref()).into(),
                false => device.get_ref().into(),
            };
            add("device", "--device=", value, device.span().start);
        }
        let single = [
            ("missing_headers", "--missing-headers=", &keys.missing_headers),
            ("host", "--host=", &keys.host),
            ("access_style", "--style=", &keys.style),
            ("block", "--block=", &keys.block),
            ("model", "--model=", &keys.model),
            ("selector", "--selector=", &keys.selector),
            ("trace", "--trace=", &keys.trace),
            ("tiles", "--tiles=", &keys.tiles),
        ];
        for (id, option, value) in single {
            if let Some(value) = value {
                add(id, option, value.get_ref().into(), value.span().start);
            }
        }
        let numbers = [
            ("blocks", "--blocks=", &keys.blocks),
            ("active_blocks", "--active-blocks=", &keys.active_blocks),
            ("epsilon", "--epsilon=", &keys.epsilon),
        ];
        for (id, option, value) in numbers {
            if let Some(value) = value {
                add(id, option, value.get_ref().to_string().into(), value.span().start);
            }
        }
        if let (Some(project), Some(path)) = (&keys.project, &self.project) {
            add("project", "--project=", path.into(), project.span().start);
        }
        Ok(out)
    }

    /// The error of a value that its option does not take.
    fn check(&self, setting: &Setting) -> Result<(), String> {
        let word = setting.word.to_str().and_then(|word| word.strip_prefix(LAYOUT));
        if let (Some(text), "layouts") = (word, setting.id)
            && let Err(error) = LayoutSpec::parse(text)
        {
            return Err(self.error(setting.start, &error.diagnostic(text).message));
        }
        let line = [OsString::from("layoutc"), "transform".into(), setting.word.clone()];
        let Err(error) = Arguments::try_parse_from(line) else { return Ok(()) };
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        Err(self.error(setting.start, first.strip_prefix("error: ").unwrap_or(first)))
    }
}

/// `FILE:LINE:COLUMN: CAUSE`, with columns in characters.
fn located(path: &Path, text: &str, at: usize, cause: &str) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{line}:{column}: {}", path.display(), cause.trim_end())
}

/// The file of a database that may be named by its folder.
fn database(path: &Path) -> PathBuf {
    match path.is_dir() {
        true => real(&path.join("compile_commands.json")),
        false => real(path),
    }
}

/// The nearest `layoutc.toml` in a folder or above it.
pub fn nearest(folder: &Path) -> Option<PathBuf> {
    let here = absolute(Path::new("."));
    let found =
        absolute(folder).ancestors().map(|above| above.join(NAME)).find(|path| path.is_file())?;
    Some(relative_to(&here, &found))
}

/// The command line, with what the project's file says and it does not.
///
/// # Errors
/// What is wrong with the file, with its place.
pub fn parse(words: Vec<OsString>) -> Result<Arguments, String> {
    let matches = Arguments::command().get_matches_from(&words);
    let mut arguments = parsed(&matches);
    // The programs of a build are the build's.
    let has_build = matches!(&arguments.command, Command::Plan(own) if own.build.is_some());
    let writes_json = match &arguments.command {
        Command::Analyze(own) => own.json,
        Command::Cost(own) => own.json,
        _ => false,
    };
    let Some(program) = arguments.command.program_mut() else { return Ok(arguments) };
    style::set(program.style);
    if !program.style.quiet && !program.format.is_output() && !writes_json {
        progress::allow();
    }
    if has_build {
        return Ok(arguments);
    }
    let Some(config) = find(program)? else {
        return match program.files.is_empty() && program.project.is_none() {
            true => Err(format!(
                "no program is given: name its files (<FILE>...), a compilation database (--project), or both in {NAME}"
            )),
            false => expanded(arguments),
        };
    };
    let given = matches.subcommand().map(|(_, own)| own);
    let is_given =
        |id: &str| given.and_then(|own| own.value_source(id)) == Some(ValueSource::CommandLine);
    let mut words = words;
    let mut own: Vec<Setting> =
        config.settings()?.into_iter().filter(|setting| !is_given(setting.id)).collect();
    // A lock file says what the layouts are.
    let is_locked = is_given("locked");
    own.retain(|setting| !(is_locked && setting.id == "layouts"));
    for setting in &own {
        config.check(setting)?;
    }
    if !is_given("project") {
        config.check_database()?;
    }
    // Behind the program's name and the command.
    words.splice(2..2, own.into_iter().map(|setting| setting.word));
    let mut arguments = parsed(&Arguments::command().get_matches_from(words));
    if let Some(program) = arguments.command.program_mut() {
        if program.config.is_none() {
            say(format_args!("using {}", config.path.display()));
        }
        if !is_given("files") && !is_given("project") {
            program.files = config.files;
        }
        if program.files.is_empty() && program.project.is_none() {
            return Err(format!(
                "{}: neither `files` nor `project` names a program",
                config.path.display()
            ));
        }
    }
    expanded(arguments)
}

/// The same with the sources below folders in their place, and the layouts of a lock file. With a database, folders choose
/// among its entries.
fn expanded(mut arguments: Arguments) -> Result<Arguments, String> {
    let is_plan = matches!(arguments.command, Command::Plan(_));
    let Some(program) = arguments.command.program_mut() else { return Ok(arguments) };
    if program.project.is_none() {
        program.files = with_sources(&program.files)?;
    }
    if let Some(file) = program.locked.take() {
        if is_plan {
            return Err(
                "`layoutc plan` reads the lock file of `--lock`; `--locked` is for other commands"
                    .to_owned(),
            );
        }
        *program = asked(program, &locked_in(&file)?);
        program.layouts_were_chosen = true;
    }
    Ok(arguments)
}

/// What the nearest `layoutc.toml` says, in the folder of a source or above it, and where that is.
///
/// # Errors
/// What is wrong with the file, with its place.
pub fn around(source: &Path) -> Result<(ProgramArguments, Option<PathBuf>), String> {
    let mut words: Vec<OsString> = vec!["layoutc".into(), "transform".into()];
    let Some(path) = nearest(parent(source)) else { return Ok((options(words)?, None)) };
    let config = Config::read(&path)?;
    let settings = config.settings()?;
    for setting in &settings {
        config.check(setting)?;
    }
    config.check_database()?;
    words.extend(settings.into_iter().map(|setting| setting.word));
    let mut arguments = options(words)?;
    arguments.files = config.files;
    Ok((arguments, Some(absolute(&path))))
}

/// The program's options among these words.
fn options(words: Vec<OsString>) -> Result<ProgramArguments, String> {
    match Arguments::try_parse_from(words).map_err(|error| error.to_string())?.command {
        Command::Transform(own) => Ok(own.program),
        _ => Err("it is no program".to_owned()),
    }
}

fn parsed(matches: &ArgMatches) -> Arguments {
    Arguments::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

/// The file that is named, or the nearest one if it names what is transformed.
fn find(program: &ProgramArguments) -> Result<Option<Config>, String> {
    if let Some(path) = &program.config {
        return Config::read(path).map(Some);
    }
    let start = match (&program.project, program.files.first()) {
        (Some(project), _) if project.is_dir() => project,
        (Some(project), _) => parent(project),
        (None, Some(file)) => parent(file),
        (None, None) => Path::new("."),
    };
    let Some(path) = nearest(start) else { return Ok(None) };
    let config = Config::read(&path)?;
    // Without a program on the command line, it is that of the file.
    let is_named = program.project.is_some() || !program.files.is_empty();
    Ok(if !is_named || config.names(program)? { Some(config) } else { None })
}

impl Command {
    /// The program of a command that has one.
    fn program_mut(&mut self) -> Option<&mut ProgramArguments> {
        match self {
            Command::Transform(own) => Some(&mut own.program),
            Command::Verify(own) => Some(&mut own.program),
            Command::Analyze(own) => Some(&mut own.program),
            Command::Cost(own) => Some(&mut own.program),
            Command::Profile(own) => Some(&mut own.program),
            Command::Review(own) => Some(&mut own.program),
            Command::Plan(own) => Some(&mut own.program),
            Command::Tune(own) => Some(&mut own.program),
            Command::Explain(_)
            | Command::Calibrate(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Launch(_)
            | Command::Integration(_)
            | Command::Lsp(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_schema_for_editors_has_all_keys() {
        let schema = include_str!("../../../docs/layoutc.schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
        let known: BTreeSet<&str> = schema["properties"]
            .as_object()
            .expect("properties")
            .keys()
            .map(String::as_str)
            .collect();
        let Err(error) = toml::from_str::<Keys>("no-such-key = 1") else { panic!("it is a key") };
        let message = error.message().to_owned();
        let (_, expected) = message.split_once("expected one of ").expect("a list of keys");
        let keys: BTreeSet<&str> = expected.split(", ").map(|key| key.trim_matches('`')).collect();
        assert_eq!(known, keys);
    }
}
