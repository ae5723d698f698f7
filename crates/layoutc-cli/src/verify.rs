//! `layoutc verify`: the program before and after its rewrite, run on the CPU and compared.

mod numbering;
pub mod nvcc;
pub mod opencl;
mod site_layout;

use crate::arguments::VerifyArguments;
use crate::compile::{Purpose, Success, compile_for};
use crate::exit::{Exit, fail};
use crate::format::{Findings, Format};
use crate::jobs;
use crate::progress::phase;
use layoutc_codegen::CHECK;
use layoutc_dataflow::classes::record_of;
use layoutc_diagnostics::{Code, Diagnostic, FileId, SourceFile, Span};
use layoutc_driver::{ClassOutcome, Status};
use layoutc_runtime::layout_table::SiteLayout;
use layoutc_runtime::lowering::SiteId;
use layoutc_runtime::process::{RunRequest, RunStatus};
use layoutc_runtime::program::SourceText;
use layoutc_runtime::toolchain::{BuildRequest, CompileUnit};
use layoutc_runtime::verify::{Difference, Verdict, VerifyOutcome, VerifyRequest, verify};
use layoutc_syntax::preprocess::{Language, PreprocessOptions};
use layoutc_syntax::{CopyOf, ExprKind, FieldId, Function, FunctionId, NameRef, Record, RecordId};
pub use numbering::{HANDLE_SITES_HEADER, SiteNumbers};
use serde::Serialize;
use serde_json::Map;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Builds both programs, runs them, and says what was compared and what differs.
pub fn run(arguments: &VerifyArguments) -> Exit {
    let format = arguments.program.format;
    let success = match compile_for(&arguments.program, Purpose::Verify) {
        Ok(success) => success,
        Err(failure) => {
            format.show_failure(&failure);
            return Exit::Failed;
        }
    };
    if !format.is_output() {
        format.show_diagnostics(success.sources(), &success.compiled.diagnostics);
    }
    match verified(arguments, &success).and_then(|found| show(format, &success, found)) {
        Ok(exit) => exit,
        Err(message) => fail(message),
    }
}

/// What the two runs say.
pub struct Verified {
    /// For people.
    pub text: String,
    /// How a command ends that asks for nothing else.
    pub exit: Exit,
    /// For the report.
    pub numbers: Numbers,
    /// An error for each of the first differences.
    pub differences: Vec<Diagnostic>,
}

/// What was compared.
#[derive(Serialize)]
pub struct Numbers {
    /// `unchanged`, `same`, `different` or `inconclusive`.
    pub verdict: &'static str,
    /// Kernel launches.
    pub launches: usize,
    /// Allocation calls in a new layout, where these are known.
    allocations: Option<usize>,
    /// Bytes of output.
    output: usize,
    /// How the original program ended.
    ending: Option<String>,
    /// What nvcc says, where it was to be asked.
    nvcc: Option<String>,
}

/// Builds both programs and runs them.
///
/// # Errors
/// A sentence: the program cannot be built or run.
pub fn verified(arguments: &VerifyArguments, success: &Success) -> Result<Verified, String> {
    if success.changed().next().is_none() {
        let numbers = Numbers {
            verdict: "unchanged",
            launches: 0,
            allocations: None,
            output: 0,
            ending: None,
            nvcc: None,
        };
        return Ok(Verified {
            text: why_nothing_changes(success),
            exit: Exit::Done,
            numbers,
            differences: Vec::new(),
        });
    }
    let original = original_sources(success)?;
    if success.compiled.program.files.iter().any(|file| file.is_opencl) {
        let outcome = opencl::compare(arguments, success, original)?;
        if outcome.launches == 0 {
            return Err(opencl::nothing_ran(&outcome));
        }
        return Ok(report(success, &SiteNumbers::new(&[], &[]), &outcome, None, None));
    }
    let numbers = SiteNumbers::new(&original, &file_ids(success));
    let original = lowered_sources(success)?;
    let (outcome, layouts) = compare(arguments, success, original, &numbers)?;
    let answer = match arguments.no_nvcc || outcome.verdict != Verdict::Same {
        true => nvcc::Answer::NotAsked("it was not asked for"),
        false => nvcc::ask(success)?,
    };
    Ok(report(success, &numbers, &outcome, Some(layouts.len()), Some(&answer)))
}

/// Shows what the runs say, in the form that was asked for.
fn show(format: Format, success: &Success, found: Verified) -> Result<Exit, String> {
    let mut diagnostics = success.compiled.diagnostics.clone();
    diagnostics.extend(found.differences);
    // Strings and numbers cannot fail to be written.
    let numbers = serde_json::to_value(&found.numbers).unwrap_or_default();
    let own = Map::from_iter([("verify".to_owned(), numbers)]);
    let findings = Findings {
        diagnostics: &diagnostics,
        text: &found.text,
        own: Some(&own),
        ..Findings::of(success)
    };
    format.finish(&findings, || crate::report::report(&findings))?;
    Ok(found.exit)
}

/// The exit status of a program that leaves the bounds that were assumed.
const LEFT_BOUNDS: i32 = 93;

/// What checks the coordinates of grids that are assumed to stay inside their extents. It is
/// included in front of every file of the rewritten program, before the file's own headers.
fn bounds_header() -> String {
    format!(
        "\
#ifdef __cplusplus
extern \"C\" int dprintf(int, const char *, ...);
extern \"C\" void _exit(int);
template <class Layoutc_value, class Layoutc_extent>
inline Layoutc_value {CHECK}(Layoutc_value value, Layoutc_extent extent, const char *place, const char *name)
{{
    if ((long long)value >= 0 && (long long)value < (long long)extent)
        return value;
    dprintf(2, \"%s: the coordinate `%s` is %lld, and its extent is %lld\\n\", place, name, (long long)value,
            (long long)extent);
    _exit({LEFT_BOUNDS});
    return value;
}}
#endif
"
    )
}

/// Builds and runs.
fn compare(
    arguments: &VerifyArguments,
    success: &Success,
    original: Vec<SourceText>,
    numbers: &SiteNumbers,
) -> Result<(VerifyOutcome, Vec<SiteLayout>), String> {
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let header = folder.path().join("handle_sites.hpp");
    fs::write(&header, format!("{HANDLE_SITES_HEADER}{}", bounds_header()))
        .map_err(|error| format!("cannot write {}: {error}", header.display()))?;

    let mut before = build_request(success, folder.path(), "before", original);
    let after = rewritten_sources(success, numbers)?;
    let mut after = build_request(success, folder.path(), "after", after);
    after.flags.extend(["-include".to_owned(), header.display().to_string()]);
    // Without a folder of its own the second build shares the runtime of the first.
    let cache = cache_dir().unwrap_or_else(|| folder.path().join("runtime"));
    (before.cache_dir, after.cache_dir) = (Some(cache.clone()), Some(cache));

    let layouts = site_layouts(success, numbers);
    let ignored_sites = mixed_sites(success, numbers);
    let layouts: Vec<SiteLayout> =
        layouts.into_iter().filter(|layout| !ignored_sites.contains(&layout.site)).collect();
    let run = RunRequest {
        timeout: Duration::from_secs(arguments.timeout),
        ..RunRequest::new(arguments.args.clone())
    };
    let phase = phase("verify");
    let outcome = verify(&VerifyRequest {
        before: &before,
        after: &after,
        layouts: &layouts,
        ignored_sites: &ignored_sites,
        ignored_kernels: &success.compiled.generated_kernels,
        run: &run,
        on_step: &|step| phase.say(format!("verify: {step}")),
    })
    .map_err(|error| error.to_string())?;
    Ok((outcome, layouts))
}

type Text = (String, Vec<std::ops::Range<usize>>);

fn unchanged(file: &SourceFile) -> Text {
    (file.text().to_owned(), Vec::new())
}

/// The program's files with the texts that `text` gives. A file that another one includes is not
/// compiled by itself, though it was named.
pub fn sources(
    success: &Success,
    text: impl Fn(FileId, &SourceFile) -> Result<Text, String>,
) -> Result<Vec<SourceText>, String> {
    let files = &success.compiled.program.files;
    let included =
        |id: FileId| files.iter().any(|file| file.id != id && file.includes.contains(&id));
    let source = |(id, file): (FileId, &SourceFile)| {
        let (text, generated) = text(id, file)?;
        let is_root = success.roots.contains(&id) && !included(id);
        Ok(SourceText { path: file.path().to_path_buf(), text, generated, is_root })
    };
    // Kernel text in a host program is a part of its file.
    success.sources().iter().filter(|(_, file)| file.is_whole_file()).map(source).collect()
}

/// The ids of the files that [`sources`] gives, in its order.
pub fn file_ids(success: &Success) -> Vec<FileId> {
    let whole = success.sources().iter().filter(|(_, file)| file.is_whole_file());
    whole.map(|(id, _)| id).collect()
}

/// The program as it was read.
pub fn original_sources(success: &Success) -> Result<Vec<SourceText>, String> {
    sources(success, |_, file| Ok(unchanged(file)))
}

/// The program in the source's layout, as a compiler can take it: arrays of variable length are for CUDA
/// compilers only what they were lowered to.
pub fn lowered_sources(success: &Success) -> Result<Vec<SourceText>, String> {
    sources(success, |id, file| match success.compiled.lowering.get(&id) {
        None => Ok(unchanged(file)),
        Some(edits) => Ok((edits.apply(file.text()), Vec::new())),
    })
}

/// The rewritten program, with its allocations numbered as in the original one. It needs
/// [`HANDLE_SITES_HEADER`] in front of each file.
pub fn rewritten_sources(
    success: &Success,
    numbers: &SiteNumbers,
) -> Result<Vec<SourceText>, String> {
    sources(success, |id, file| match success.compiled.edits.get(&id) {
        None => Ok(unchanged(file)),
        Some(edits) => {
            let edits = numbers.keep_through(id, edits)?;
            Ok((edits.apply(file.text()), edits.generated_ranges()))
        }
    })
}

/// How a program of these texts is built in a folder below `folder`.
pub fn build_request(
    success: &Success,
    folder: &Path,
    name: &str,
    sources: Vec<SourceText>,
) -> BuildRequest {
    BuildRequest {
        units: success.units.iter().map(|(path, options)| unit(path, options)).collect(),
        compiler: env::var("CXX")
            .ok()
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "g++".to_owned()),
        most_workers: jobs::asked(),
        ..BuildRequest::new(sources, folder.join(name))
    }
}

/// How the host's compiler is told what the program's compiler was told.
pub fn unit(path: &Path, options: &PreprocessOptions) -> CompileUnit {
    let standard = options.standard.iter().filter(|name| name.contains("++"));
    let undefines = options.undefines.iter().map(|name| format!("-U{name}"));
    let defines = options.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    CompileUnit {
        path: path.to_path_buf(),
        include_dirs: options.include_dirs.clone(),
        quote_dirs: options.quote_dirs.clone(),
        system_dirs: options.system_dirs.clone(),
        forced_includes: options.forced_includes.clone(),
        flags: undefines
            .chain(defines)
            // The runtime needs C++17.
            .chain(standard.filter(|name| is_newer(name)).map(|name| format!("-std={name}")))
            .collect(),
        is_cuda: match options.language {
            Some(Language::Cuda) => Some(true),
            Some(Language::Cpp | Language::OpenCl) => Some(false),
            Some(Language::C | Language::Header) | None => None,
        },
    }
}

fn is_newer(standard: &str) -> bool {
    ["++20", "++2a", "++23", "++2b"].iter().any(|year| standard.ends_with(year))
}

/// Where compiled objects are kept between runs, if they can be.
pub fn cache_dir() -> Option<PathBuf> {
    let own = env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder =
        own.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?.join("layoutc");
    let is_writable = || -> io::Result<()> {
        fs::create_dir_all(&folder)?;
        tempfile::tempfile_in(&folder).map(|_| ())
    };
    is_writable().is_ok().then_some(folder)
}

/// Why nothing changes, array by array.
fn why_nothing_changes(success: &Success) -> String {
    let mut out = String::new();
    for class in success.compiled.classes.iter().filter(|class| !class.is_generated) {
        // Of other reasons a warning tells.
        let reason = class.reasons.first().filter(|reason| reason.code == Code::NO_GAIN);
        if let Some(reason) = reason.filter(|_| !class.is_automatic) {
            let names = class.names.join(", ");
            let _ = writeln!(out, "kept: {} ({names}): {}", class.type_name, reason.message);
        }
    }
    out.push_str("nothing changes, so there is nothing to compare\n");
    out
}

/// The classes that change.
pub fn changed(success: &Success) -> impl Iterator<Item = &ClassOutcome> {
    success.compiled.classes.iter().filter(|class| class.status == Status::Changed)
}

/// The layouts of all allocations of changed classes, by call site.
fn site_layouts(success: &Success, numbers: &SiteNumbers) -> Vec<SiteLayout> {
    let mut layouts = Vec::new();
    for class in changed(success) {
        let Some((shape, layout)) = &class.geometry else {
            continue;
        };
        for allocation in &class.allocations {
            let site = numbers.site_in(*allocation);
            layouts.extend(site.and_then(|site| site_layout::site_layout(site, shape, layout)));
        }
    }
    layouts.sort_by_key(|layout| layout.site);
    layouts.dedup_by_key(|layout| layout.site);
    layouts
}

/// Call sites in templates that allocate arrays of several classes, not all in one layout.
fn mixed_sites(success: &Success, numbers: &SiteNumbers) -> Vec<SiteId> {
    let mut layouts: BTreeMap<SiteId, BTreeSet<String>> = BTreeMap::new();
    for class in &success.compiled.classes {
        let how = match class.status {
            Status::Changed => format!("{} {}", class.type_name, class.layout),
            _ => String::new(),
        };
        for call in &class.allocations {
            let Some(site) = numbers.site_in(*call) else { continue };
            let known = layouts.entry(site).or_default();
            known.insert(how.clone());
            // Other instances may allocate what is no array of records.
            if instances_around(success, *call) > 1 || has_open_calls(success, *call) {
                known.insert(String::new());
            }
        }
    }
    let mut sites: BTreeSet<SiteId> =
        layouts.into_iter().filter(|(_, how)| how.len() > 1).map(|(site, _)| site).collect();
    // Where the values of a grid with several extents lie depends on the run.
    for class in changed(success).filter(|class| class.geometry.is_none()) {
        sites.extend(class.allocations.iter().filter_map(|call| numbers.site_in(*call)));
    }
    // Objects that hold pointers to arrays that changed are larger where these are several.
    let program = &success.compiled.program;
    let moved: BTreeSet<FieldId> =
        changed(success).flat_map(|class| &class.holders).copied().collect();
    let holds = |record: &RecordId| {
        let mut parts = vec![*record];
        let mut next = 0;
        while let Some(part) = parts.get(next).copied() {
            let fields = program.record(part).fields.iter();
            let types = fields.map(|field| program.field(*field).ty);
            let inner = types.filter_map(|ty| Some(record_of(program, ty)?.0));
            parts.extend(inner.filter(|inner| !parts.contains(inner)).collect::<BTreeSet<_>>());
            next += 1;
        }
        parts
            .iter()
            .flat_map(|part| &program.record(*part).fields)
            .any(|field| moved.contains(field))
    };
    for class in success.compiled.classes.iter().filter(|class| class.elements.iter().any(holds)) {
        sites.extend(class.allocations.iter().filter_map(|call| numbers.site_in(*call)));
    }
    sites.into_iter().collect()
}

/// Whether the text around a call is that of a function template which is called for types that are no records, too.
fn has_open_calls(success: &Success, call: Span) -> bool {
    let program = &success.compiled.program;
    let is_open = |function: &Function| {
        function.copy_of.is_none() && !function.template_parameters.is_empty()
    };
    let holds = |function: &Function, span: Span| {
        is_open(function) && function.sites.iter().any(|site| site.span.contains(span))
    };
    let is_around = |id: &FunctionId| holds(program.function(*id), call);
    program.expr_ids().any(|id| {
        let expr = program.expr(id);
        matches!(&expr.kind, ExprKind::Name(NameRef::Functions(named)) if named.iter().any(is_around))
            && !program.functions.iter().any(|function| holds(function, expr.span))
    })
}

/// How many instances have the text around a call.
fn instances_around(success: &Success, call: Span) -> usize {
    let program = &success.compiled.program;
    let holds = |record: &&Record| {
        let Some((_, text)) = record.instance.as_ref().and_then(|own| own.definition.as_ref())
        else {
            return false;
        };
        let mut sites = record.methods.iter().flat_map(|id| &program.function(*id).sites);
        text.contains(call) || sites.any(|site| site.span.contains(call))
    };
    let is_instance = |function: &&Function| {
        let is_copy = function.copy_of.as_ref().is_some_and(CopyOf::is_instance);
        is_copy
            && function.record.is_none()
            && function.sites.iter().any(|site| site.span.contains(call))
    };
    program.records.iter().filter(holds).count()
        + program.functions.iter().filter(is_instance).count()
}

/// Says what was compared, and the first differences. Buffers of OpenCL are not: there are no layouts.
fn report(
    success: &Success,
    numbers: &SiteNumbers,
    outcome: &VerifyOutcome,
    layout_count: Option<usize>,
    nvcc: Option<&nvcc::Answer>,
) -> Verified {
    let mut text = String::new();
    for class in changed(success) {
        let _ =
            writeln!(text, "{} ({}) as {}", class.type_name, class.names.join(", "), class.layout);
    }
    let layouts = layout_count
        .map(|layouts| format!("{} in a new layout, ", counted(layouts, "allocation call", "s")));
    let _ = writeln!(
        text,
        "compared: {}, {}{} of output, {}",
        counted(outcome.launches, "kernel launch", "es"),
        layouts.unwrap_or_default(),
        counted(outcome.before.stdout.len(), "byte", "s"),
        outcome.before.status,
    );
    for place in mixed_sites(success, numbers).into_iter().filter_map(|site| numbers.place(site)) {
        let _ = writeln!(
            text,
            "not compared: what {} allocates, in more than one layout, as a grid or together with another array",
            success.sources().locate(place)
        );
    }
    let exit = match outcome.verdict {
        Verdict::Same => {
            let on = if nvcc.is_some() { "the CPU runtime" } else { "the OpenCL device" };
            let more = nvcc.map_or_else(String::new, |answer| format!("; {}", answer.sentence()));
            let _ = writeln!(text, "identical on {on}{more}");
            match nvcc {
                Some(nvcc::Answer::Refused(messages)) => {
                    text.push_str(messages);
                    Exit::Reported
                }
                Some(nvcc::Answer::Compiles(_) | nvcc::Answer::NotAsked(_)) | None => Exit::Done,
            }
        }
        Verdict::Different => Exit::Reported,
        Verdict::Inconclusive => {
            let _ = writeln!(
                text,
                "nothing can be said: the original program ended with {}",
                outcome.before.status
            );
            if outcome.before.status == RunStatus::TimedOut {
                text.push_str(
                    "give it a smaller problem with arguments behind `--`, or more seconds with `--timeout`\n",
                );
            }
            text.push_str(&String::from_utf8_lossy(&outcome.before.stderr));
            Exit::Failed
        }
    };
    let mut differences = Vec::new();
    if outcome.verdict == Verdict::Different {
        for difference in &outcome.differences {
            let _ = writeln!(text, "different: {difference}");
            let mut error = Diagnostic::error(Code::DIFFERENT_RESULT, difference.to_string());
            if let Some(place) = site_of(difference).and_then(|site| numbers.place(site)) {
                let _ = writeln!(text, "  allocated at {}", success.sources().locate(place));
                error = error.at(place, "the array is allocated here");
            }
            differences.push(error);
        }
        if outcome.before.stderr != outcome.after.stderr && !outcome.after.stderr.is_empty() {
            let _ = writeln!(text, "the rewritten program says on standard error:");
            text.push_str(&String::from_utf8_lossy(&outcome.after.stderr));
        }
    }
    let numbers = Numbers {
        verdict: match outcome.verdict {
            Verdict::Same => "same",
            Verdict::Different => "different",
            Verdict::Inconclusive => "inconclusive",
        },
        launches: outcome.launches,
        allocations: layout_count,
        output: outcome.before.stdout.len(),
        ending: Some(outcome.before.status.to_string()),
        nvcc: nvcc.map(nvcc::Answer::sentence),
    };
    Verified { text, exit, numbers, differences }
}

/// `1 byte`, `2 bytes`.
fn counted(number: usize, what: &str, plural: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// The call that made the allocation in question.
fn site_of(difference: &Difference) -> Option<SiteId> {
    match difference {
        Difference::Memory { key, .. }
        | Difference::LayoutDoesNotFit { key, .. }
        | Difference::MissingAllocation { key, .. } => Some(key.site),
        _ => None,
    }
}
