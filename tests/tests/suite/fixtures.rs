//! Small programs: what must be kept and why, and what must change and how.
//!
//! `testdata/refusals`: no class of the program may change, and each `//~` marker must be answered
//! by a reason or a diagnostic on its line, and each of these has its marker. `testdata/rewrites`: the difference between input and
//! output, without the generated block, is compared with `<case>.diff`;
//! `UPDATE_FIXTURES=1 cargo test -p layoutc-tests --test suite fixtures::` writes it anew. Line numbers are
//! those of the input.
//!
//! A case with `known_bug` must fail. If it is a rewrite, its `.diff` says what the output should be;
//! it is written by hand and never updated.

use anyhow::Context;
use layoutc_codegen::EditSet;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::{Diagnostic, Severity};
use layoutc_driver::{Compiled, HostLayout, Request, Status, compile};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use layoutc_tests::fixture::{self, Fixture};
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::repository_root;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The headers of a fixture.
struct Headers<'a>(&'a [(String, String)]);

impl SourceLoader for Headers<'_> {
    fn load(&mut self, path: &Path) -> LoadResult {
        match self.0.iter().find(|(name, _)| Path::new(name) == path) {
            Some((_, text)) => LoadResult::Text(text.clone()),
            None => LoadResult::Missing,
        }
    }
}

/// A file with a message, or what is told without a place.
type Found = (Option<(String, usize)>, String, String);

fn run(files: &[(String, String)], request: &Request) -> Compiled {
    let is_root = |name: &str| {
        Path::new(name).extension().is_some_and(|extension| extension != "h" && extension != "cuh")
    };
    let roots = files
        .iter()
        .filter(|(name, _)| is_root(name))
        .map(|(name, text)| (name.into(), text.clone()))
        .collect();
    compile(preprocess_program(roots, &mut Headers(files), &PreprocessOptions::default()), request)
}

fn request(layouts: &[String], host: fixture::HostLayout) -> Result<Request, Found> {
    let host = match host {
        fixture::HostLayout::Convert => HostLayout::Convert,
        fixture::HostLayout::Native => HostLayout::Native,
    };
    let mut request = Request { host, ..Request::default() };
    for layout in layouts {
        match LayoutSpec::parse(layout) {
            Ok(spec) => request.layouts.push(spec),
            Err(error) => {
                let diagnostic = error.diagnostic(layout);
                return Err((None, diagnostic.code.to_string(), diagnostic.message));
            }
        }
    }
    Ok(request)
}

/// The files after the rewrite, by name.
fn outputs(compiled: &Compiled) -> Vec<(String, String)> {
    compiled
        .program
        .sources
        .iter()
        // Parts of files are in those, and texts of layoutc in none.
        .filter(|(_, file)| file.is_whole_file())
        .map(|(id, file)| {
            let text = compiled
                .edits
                .get(&id)
                .map_or_else(|| file.text().to_owned(), |edits| edits.apply(file.text()));
            (file.path().display().to_string(), text)
        })
        .collect()
}

/// Everything that was said: reasons of classes, and diagnostics by all of their labels.
fn found(compiled: &Compiled) -> Vec<Found> {
    let sources = &compiled.program.sources;
    let mut all = Vec::new();
    for pin in compiled.classes.iter().flat_map(|class| &class.reasons) {
        let file = sources.file(pin.span.file);
        let line = file.line_column(pin.span.start as usize).line as usize;
        let place = (file.path().display().to_string(), line);
        all.push((Some(place), pin.code.to_string(), pin.message.clone()));
    }
    for diagnostic in &compiled.diagnostics {
        let place = diagnostic.primary.as_ref().map(|label| {
            let file = sources.file(label.span.file);
            let line = file.line_column(label.span.start as usize).line as usize;
            (file.path().display().to_string(), line)
        });
        all.push((place, diagnostic.code.to_string(), diagnostic.message.clone()));
    }
    all
}

/// Runs `check` on every fixture without a known bug and tells all failures at once.
fn check_all(fixtures: &[Fixture], check: impl Fn(&Fixture) -> Result<(), String>) {
    let mut failures = String::new();
    for fixture in fixtures.iter().filter(|fixture| fixture.options.known_bug.is_none()) {
        if let Err(message) = guarded(fixture, &check) {
            let _ = writeln!(failures, "== {}\n{message}", fixture.path.display());
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A panic is a failure of the one case.
fn guarded(
    fixture: &Fixture,
    check: impl Fn(&Fixture) -> Result<(), String>,
) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(fixture))).unwrap_or_else(|_| Err("panicked".to_owned()))
}

fn refusals() -> Vec<Fixture> {
    Fixture::read_all(&repository_root().join("testdata/refusals")).expect("readable fixtures")
}

fn rewrites() -> Vec<Fixture> {
    Fixture::read_all(&repository_root().join("testdata/rewrites")).expect("readable fixtures")
}

fn check_refusal(fixture: &Fixture) -> Result<(), String> {
    let mut request = match request(&fixture.layouts(), fixture.options.host) {
        Ok(request) => request,
        Err((_, code, message)) => {
            return if fixture.options.errors.contains(&code) {
                Ok(())
            } else {
                Err(format!("the layout gives {code} {message}"))
            };
        }
    };
    request.require.clone_from(&fixture.options.require);
    let compiled = run(&fixture.files, &request);
    let found = found(&compiled);
    let mut failures = String::new();
    if !compiled.edits.is_empty() {
        failures.push_str("the program is changed\n");
    }
    let listing: String = found
        .iter()
        .map(|(place, code, message)| match place {
            Some((file, line)) => format!("  {file}:{line}: {code} {message}\n"),
            None => format!("  {code} {message}\n"),
        })
        .collect();
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let told = told(&found).filter_map(|(place, code, message)| {
            let (file, line) = place.clone()?;
            Some((file, line, code.clone(), message.clone()))
        });
        let text = fixture.with_markers(&told.collect()).map_err(|error| error.to_string())?;
        std::fs::write(&fixture.path, text).map_err(|error| error.to_string())?;
        return if failures.is_empty() {
            Ok(())
        } else {
            Err(format!("{failures}found:\n{listing}"))
        };
    }
    failures.push_str(&unmet(fixture, &found));
    for expected in fixture.expectations.iter().filter(|expected| expected.words.is_empty()) {
        let _ = writeln!(failures, "{}:{}: no words", expected.file, expected.line);
    }
    for (place, code, message) in told(&found) {
        let is_expected = match place {
            Some((file, line)) => fixture.expectations.iter().any(|expected| {
                (&expected.file, expected.line, &expected.code) == (file, *line, code)
                    && message.contains(&expected.words)
            }),
            None => fixture.options.errors.contains(code),
        };
        if !is_expected {
            let _ = writeln!(failures, "not expected: {code} {message}");
        }
    }
    for code in &fixture.options.errors {
        if !found.iter().any(|(_, theirs, _)| theirs == code) {
            let _ = writeln!(failures, "no {code}");
        }
    }
    if fixture.expectations.is_empty() && fixture.options.errors.is_empty() {
        failures.push_str("the fixture expects nothing\n");
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{failures}found:\n{listing}")) }
}

/// What was said, without the lines that sum up the reasons of an array.
fn told(found: &[Found]) -> impl Iterator<Item = &Found> {
    let sums_up = |message: &str| {
        message.ends_with(" keep the layout") || message.ends_with(" keeps its layout")
    };
    found.iter().filter(move |(place, code, message)| {
        let has_reason =
            |(at, theirs, other): &Found| at == place && theirs == code && !sums_up(other);
        !(sums_up(message) && found.iter().any(has_reason))
    })
}

/// The expectations that nothing of what was said meets, as lines.
fn unmet(fixture: &Fixture, found: &[Found]) -> String {
    let mut failures = String::new();
    for expected in &fixture.expectations {
        let place = Some((expected.file.clone(), expected.line));
        let met = found.iter().any(|(at, code, message)| {
            *at == place && *code == expected.code && message.contains(&expected.words)
        });
        if !met {
            let _ = writeln!(
                failures,
                "{}:{}: no {} {}",
                expected.file, expected.line, expected.code, expected.words
            );
        }
    }
    failures
}

#[test]
fn what_must_stay_stays_for_the_marked_reasons() {
    check_all(&refusals(), check_refusal);
}

/// Codes without a fixture: who tests them.
const TESTED_ELSEWHERE: &[(&str, &str)] = &[
    ("LC0001", "unreadable files are met by the command line: bad_input.rs"),
    ("LC0003", "generated brackets and include chains: limits.rs and bad_input.rs"),
    ("LC0075", "profiles are given on the command line: profile.rs"),
    ("LC0076", "folders are given on the command line: scope.rs"),
    ("LC0047", "layout_pragmas.rs: pragmas above other things"),
    ("LC0060", "programs with pragmas: grid_bad.rs"),
    ("LC0061", "programs with pragmas: grid_bad.rs"),
    ("LC0062", "programs with pragmas: grid_bad.rs"),
    ("LC0063", "programs with pragmas: grid_bad.rs"),
    ("LC0064", "programs with pragmas: grid_bad.rs"),
    ("LC0065", "programs with pragmas: grid_bad.rs"),
    ("LC0066", "programs with pragmas: grid_bad.rs"),
    ("LC0068", "what is assumed: grid_bad.rs"),
    ("LC0051", "output files are the command line's: cli.rs"),
    ("LC0052", "output files are the command line's: cli.rs"),
    ("LC0088", "launch.rs: units without a launcher"),
    ("LC0089", "measure.rs: compilers that say nothing"),
    ("LC0090", "formats.rs: runs that differ"),
];

/// The constants of `codes!` and their spelling.
fn registry() -> BTreeMap<String, String> {
    let path = repository_root().join("crates/layoutc-diagnostics/src/code.rs");
    let text = std::fs::read_to_string(path).expect("the registry");
    let codes: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| {
            let (constant, rest) = line.trim().split_once(" = ")?;
            let code = rest.split('"').nth(1).filter(|code| code.starts_with("LC"))?;
            Some((constant.to_owned(), code.to_owned()))
        })
        .collect();
    assert!(codes.len() > 30, "the registry is written in another form now: {codes:?}");
    codes
}

/// Adds the spelling of each `Code::CONSTANT` below a folder.
fn raised_codes(folder: &Path, registry: &BTreeMap<String, String>, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            raised_codes(&path, registry, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            for rest in text.split("Code::").skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_');
                into.extend(registry.get(&rest[..end.unwrap_or(rest.len())]).cloned());
            }
        }
    }
}

#[test]
fn every_code_that_can_be_raised_has_a_fixture() {
    let registry = registry();
    let mut raised = BTreeSet::new();
    for name in ["syntax", "dataflow", "analysis", "codegen", "driver", "cli"] {
        let folder = repository_root().join(format!("crates/layoutc-{name}/src"));
        raised_codes(&folder, &registry, &mut raised);
    }
    let mut covered: BTreeSet<String> = BTreeSet::new();
    let all = refusals().into_iter().chain(rewrites());
    for fixture in all.filter(|fixture| fixture.options.known_bug.is_none()) {
        covered.extend(fixture.expectations.iter().map(|expected| expected.code.clone()));
        covered.extend(fixture.options.errors.iter().cloned());
    }
    let elsewhere: BTreeSet<String> =
        TESTED_ELSEWHERE.iter().map(|(code, _)| (*code).to_owned()).collect();
    let missing: Vec<&String> = raised
        .iter()
        .filter(|code| !covered.contains(*code) && !elsewhere.contains(*code))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
    let stale: Vec<&String> = elsewhere.iter().filter(|code| !raised.contains(*code)).collect();
    assert!(stale.is_empty(), "excused, but never raised: {stale:?}");
}

/// The start and end of some lines, and the replacements within: start, end and text.
type Hunk = (usize, usize, Vec<(usize, usize, String)>);

/// The changed lines with the lines of the input they replace. A generated block is one line.
fn difference(text: &str, edits: &EditSet) -> String {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
    // Edits by the lines that they touch; what shares a line is one hunk.
    let mut hunks: Vec<Hunk> = Vec::new();
    for edit in edits.edits() {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        let replacement = if edit.is_generated {
            // Blanks around the block show how it sits in the text.
            let body = edit.text.trim();
            edit.text.replacen(body, "// (generated)", 1)
        } else {
            edit.text.clone()
        };
        let (first, last) = (line_start(start), line_end(end));
        match hunks.last_mut() {
            Some((_, until, inside)) if first < *until => {
                *until = last.max(*until);
                inside.push((start, end, replacement));
            }
            _ => hunks.push((first, last, vec![(start, end, replacement)])),
        }
    }
    let mut out = String::new();
    for (first, last, inside) in hunks {
        let mut new = String::new();
        let mut at = first;
        for (start, end, replacement) in inside {
            new.push_str(&text[at..start]);
            new.push_str(&replacement);
            at = end;
        }
        new.push_str(&text[at..last]);
        let (old, new): (Vec<&str>, Vec<&str>) =
            (text[first..last].lines().collect(), new.lines().collect());
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let line = text[..first].matches('\n').count() + 1 + same;
        let tail = old[same..].iter().rev().zip(new[same..].iter().rev());
        let tail = tail.take_while(|(a, b)| a == b).count();
        let _ = writeln!(out, "@@ {line}");
        for removed in &old[same..old.len() - tail] {
            let _ = writeln!(out, "-{removed}");
        }
        for added in &new[same..new.len() - tail] {
            let _ = writeln!(out, "+{added}");
        }
    }
    out
}

fn compile_with(fixture: &Fixture, layout: &str) -> Result<Compiled, String> {
    let request = request(&[layout.to_owned()], fixture.options.host)
        .map_err(|(_, code, message)| format!("{layout}: {code} {message}"))?;
    let compiled = run(&fixture.files, &request);
    if compiled.edits.is_empty() {
        let why: String = found(&compiled)
            .iter()
            .map(|(place, code, message)| format!("  {place:?} {code} {message}\n"))
            .collect();
        return Err(format!("{layout}: nothing changes\n{why}"));
    }
    Ok(compiled)
}

fn check_rewrite(fixture: &Fixture) -> Result<(), String> {
    let mut actual = String::new();
    if fixture.layouts().is_empty() {
        return Err("the fixture names no layouts".to_owned());
    }
    for layout in fixture.layouts() {
        let compiled = compile_with(fixture, &layout)?;
        let failures = unmet(fixture, &found(&compiled));
        if !failures.is_empty() {
            return Err(format!("{layout}: {failures}"));
        }
        let _ = writeln!(actual, "==== {layout}");
        for (id, edits) in &compiled.edits {
            let file = compiled.program.sources.file(*id);
            let _ = writeln!(actual, "--- {}", file.path().display());
            actual.push_str(&difference(file.text(), edits));
        }
    }
    let path = fixture.path.with_extension("diff");
    let is_bug = fixture.options.known_bug.is_some();
    if std::env::var_os("UPDATE_FIXTURES").is_some() && !is_bug {
        return std::fs::write(&path, &actual).map_err(|error| error.to_string());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if actual == expected {
        Ok(())
    } else {
        Err(format!("{} expects\n{expected}\nbut it is\n{actual}", path.display()))
    }
}

#[test]
fn rewrites_are_as_recorded() {
    check_all(&rewrites(), check_rewrite);
}

/// Each case in one of its layouts; what nvcc does not accept as it is proves nothing.
#[test]
fn nvcc_warns_of_no_output() {
    let nvcc = Nvcc::find().expect("nvcc");
    let all = rewrites();
    let tried: Vec<Result<bool, String>> = all
        .par_iter()
        .enumerate()
        .filter(|(_, fixture)| fixture.options.known_bug.is_none())
        .map(|(at, fixture)| {
            let layouts = fixture.layouts();
            warnings(&nvcc, fixture, &layouts[at % layouts.len()])
        })
        .collect();
    let failures: String = tried.iter().filter_map(|own| own.as_ref().err()).cloned().collect();
    assert!(failures.is_empty(), "{failures}");
    let compared = tried.iter().filter(|own| **own == Ok(true)).count();
    assert!(compared > 250, "only {compared} of {} programs compile without warnings", all.len());
}

/// Whether nvcc takes a program without a warning, and then its output, too.
fn warnings(nvcc: &Nvcc, fixture: &Fixture, layout: &str) -> Result<bool, String> {
    let check = |files: &[(String, String)]| -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
            std::fs::write(path, text)?;
        }
        let units = files.iter().filter(|(name, _)| name.ends_with(".cu"));
        for (name, _) in units {
            nvcc.check_front_end(&folder.path().join(name))?;
        }
        Ok(())
    };
    let compiled = compile_with(fixture, layout)?;
    match check(&outputs(&compiled)) {
        Ok(()) => Ok(true),
        Err(_) if check(&fixture.files).is_err() => Ok(false),
        Err(message) => Err(format!("== {} in {layout}\n{message}\n", fixture.path.display())),
    }
}

#[test]
fn no_snapshot_is_orphaned() {
    let folder = repository_root().join("testdata/rewrites");
    for path in fixture::files_by_topic(&folder).expect("the folder") {
        let known = fixture::is_case(&path) || path.extension().is_some_and(|own| own == "diff");
        let has_case = ["cu", "c", "cpp"].iter().any(|e| path.with_extension(e).is_file());
        assert!(known && has_case, "{} has no case", path.display());
    }
}

/// What must hold for the compiled program of a case in one layout.
type Law = fn(&Fixture, &str, &Compiled) -> Result<(), String>;

/// Runs a law on a case in all of its layouts.
fn holds(fixture: &Fixture, law: Law) -> Result<(), String> {
    for layout in fixture.layouts() {
        let compiled = compile_with(fixture, &layout)?;
        law(fixture, &layout, &compiled).map_err(|message| format!("{layout}: {message}"))?;
    }
    Ok(())
}

const LAWS: &[Law] = &[
    output_parses,
    second_run_changes_nothing,
    source_layout_changes_nothing,
    two_runs_agree,
    line_ends_are_kept,
];

#[test]
fn the_output_parses() {
    check_all(&rewrites(), |fixture| holds(fixture, output_parses));
}

fn output_parses(_: &Fixture, _: &str, compiled: &Compiled) -> Result<(), String> {
    let regions = |compiled: &Compiled| -> usize {
        compiled.program.files.iter().map(|file| file.unparsed).sum()
    };
    let again = run(&outputs(compiled), &Request::default());
    if regions(&again) > regions(compiled) {
        return Err("regions of the output do not parse".to_owned());
    }
    Ok(())
}

#[test]
fn a_second_run_changes_nothing() {
    check_all(&rewrites(), |fixture| holds(fixture, second_run_changes_nothing));
}

/// Neither when nobody asks for anything, nor when the same layout is asked for again.
fn second_run_changes_nothing(
    fixture: &Fixture,
    layout: &str,
    compiled: &Compiled,
) -> Result<(), String> {
    let texts = outputs(compiled);
    // An array that was not asked for may change once somebody asks.
    let kept: BTreeSet<&String> = compiled
        .classes
        .iter()
        .filter(|class| class.status == Status::Kept)
        .flat_map(|class| &class.names)
        .collect();
    let same = request(&[layout.to_owned()], fixture.options.host)
        .map_err(|error| format!("{error:?}"))?;
    // Choosing takes longest, and looks at the same structs in each layout.
    let is_first = fixture.layouts().first().is_none_or(|first| first == layout);
    let chosen = is_first.then(|| ("without a request", Request::default()));
    for (which, request) in chosen.into_iter().chain([("again", same)]) {
        let again = run(&texts, &request);
        let changed: Vec<String> = again
            .classes
            .iter()
            .filter(|class| class.status == Status::Changed)
            .filter(|class| !class.names.iter().any(|name| kept.contains(name)))
            .map(|class| format!("{}: {}", class.type_name, class.layout))
            .collect();
        if !changed.is_empty() {
            return Err(format!("a second run {which} changes {changed:?}"));
        }
        // What was said of arrays that stayed is said again.
        if !compiled.diagnostics.is_empty() || !kept.is_empty() {
            continue;
        }
        if !again.edits.is_empty() {
            return Err(format!("a second run {which} makes edits"));
        }
        // A note is about an array that nobody asked for, and that was never changed.
        let is_told = |found: &&Diagnostic| found.severity != Severity::Note;
        if let Some(found) = again.diagnostics.iter().find(is_told) {
            let place = found.primary.as_ref().map(|label| {
                let file = again.program.sources.file(label.span.file);
                let line = file.line_range(label.span.start as usize);
                format!("{}: {}", file.path().display(), file.text()[line].trim())
            });
            return Err(format!("a second run {which} says {} at {place:?}", found.message));
        }
    }
    Ok(())
}

#[test]
fn the_layout_of_the_source_changes_nothing() {
    check_all(&rewrites(), |fixture| holds(fixture, source_layout_changes_nothing));
}

fn source_layout_changes_nothing(
    fixture: &Fixture,
    layout: &str,
    _: &Compiled,
) -> Result<(), String> {
    let target = layout.split('=').next().unwrap_or_default();
    // Arrays that are put together are not as in the source.
    if target.contains('+') {
        return Ok(());
    }
    let request = request(&[format!("{target}= aos")], fixture.options.host)
        .map_err(|error| format!("{error:?}"))?;
    let compiled = run(&fixture.files, &request);
    if compiled.edits.is_empty() { Ok(()) } else { Err("`aos` makes edits".to_owned()) }
}

#[test]
fn two_runs_give_the_same_bytes() {
    check_all(&rewrites(), |fixture| holds(fixture, two_runs_agree));
}

fn two_runs_agree(fixture: &Fixture, layout: &str, compiled: &Compiled) -> Result<(), String> {
    let again = compile_with(fixture, layout)?;
    if outputs(compiled) == outputs(&again) { Ok(()) } else { Err("outputs differ".to_owned()) }
}

#[test]
fn crlf_input_gives_the_crlf_output() {
    check_all(&rewrites(), |fixture| holds(fixture, line_ends_are_kept));
}

fn line_ends_are_kept(fixture: &Fixture, layout: &str, compiled: &Compiled) -> Result<(), String> {
    let mut windows = fixture.clone();
    for (_, text) in &mut windows.files {
        *text = text.replace('\n', "\r\n");
    }
    let theirs = outputs(&compile_with(&windows, layout)?);
    for ((name, ours), (_, theirs)) in outputs(compiled).iter().zip(&theirs) {
        let ours = ours.replace('\n', "\r\n");
        if let Some((a, b)) = ours.split('\n').zip(theirs.split('\n')).find(|(a, b)| a != b) {
            return Err(format!("{name}: `{a:?}` is `{b:?}` with CRLF"));
        }
        if ours != *theirs {
            return Err(format!("{name}: the CRLF output is longer or shorter"));
        }
    }
    Ok(())
}

#[test]
fn known_bugs_are_still_there() {
    let mut mended = Vec::new();
    let is_bug = |fixture: &Fixture| fixture.options.known_bug.is_some();
    for fixture in refusals().into_iter().filter(is_bug) {
        if guarded(&fixture, check_refusal).is_ok() {
            mended.push(fixture.path);
        }
    }
    for fixture in rewrites().into_iter().filter(is_bug) {
        let check = |fixture: &Fixture| {
            check_rewrite(fixture)?;
            LAWS.iter().try_for_each(|law| holds(fixture, *law))
        };
        if guarded(&fixture, check).is_ok() {
            mended.push(fixture.path);
        }
    }
    assert!(mended.is_empty(), "remove `known_bug` from {mended:?}");
}
