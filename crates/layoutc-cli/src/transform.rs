//! `layoutc transform`: a program goes in, the same program with another data layout comes out.

use crate::arguments::{Helpers, OutputMode, ProgramArguments, STANDARD, TransformArguments};
use crate::check;
use crate::compile::{Failure, Success, compile_over, compile_program};
use crate::cost::run::{KernelChange, kernel_changes};
use crate::diff::{created, unified};
use crate::exit::{Exit, fail, print, say};
use crate::format::Findings;
use crate::helpers::{beside, into_headers};
use crate::load::{Overlay, real_path};
use crate::outputs::{input_conflicts, is_same_file, plan, single_file};
use crate::report::report;
use crate::style::is_verbose;
use crate::summary;
use crate::write::{Target, write_all};
use layoutc_build::depfile::{self, Rule};
use layoutc_diagnostics::{Code, Diagnostic};
use layoutc_driver::{ClassOutcome, Status};
use serde_json::{Map, Value};
use std::io::Read;
use std::path::{Path, PathBuf};

/// So many kernels are named; more have a line that counts them.
const KERNELS: usize = 6;
/// The name of a program on standard input, for messages and patches.
const INPUT: &str = "stdin.cu";

const SEVERAL_FILES: &str = "`-o` is for a program of one file; use `--out-dir DIR` for several";

/// Rewrites the program. Nothing is written unless everything can be.
pub fn run(arguments: &TransformArguments) -> Exit {
    let mode = match arguments.output.mode() {
        Ok(mode) => mode,
        Err(message) => return fail(message),
    };
    let is_one_file = matches!(mode, OutputMode::File(_) | OutputMode::Standard);
    if is_one_file && arguments.program.files.len() > 1 {
        return fail(SEVERAL_FILES);
    }
    let is_input = arguments.program.files.iter().any(|file| file == Path::new(STANDARD));
    if let Some(message) = is_input.then(|| wrong_input(arguments, &mode)).flatten() {
        return fail(message);
    }
    let target = match &mode {
        OutputMode::File(path) | OutputMode::Folder(path) => Some(path.clone()),
        OutputMode::Standard | OutputMode::InPlace | OutputMode::Diff | OutputMode::Check => None,
    };
    if target.is_none() && arguments.depfile.is_some() {
        return fail("`--depfile` says what an output depends on; use it with `-o` or `--out-dir`");
    }
    if is_one_file && arguments.helpers == Helpers::Header {
        return fail(
            "`--helpers header` writes a header, too; use `--out-dir DIR` or `--in-place`",
        );
    }
    let format = arguments.program.format;
    if mode == OutputMode::Diff && format.is_output() {
        let name = format.name();
        return fail(format_args!(
            "`--diff` and `--format {name}` both write to standard output; use `--check --format {name}`"
        ));
    }
    if mode == OutputMode::Standard && format.is_output() {
        let name = format.name();
        return fail(format_args!("`-o -` and `--format {name}` both write to standard output"));
    }
    let compiled = match is_input {
        false => compile_program(&arguments.program),
        true => match standard_input() {
            Ok(text) => compile_input(arguments, &text),
            Err(message) => return fail(message),
        },
    };
    let mut success = match compiled {
        Ok(success) => success,
        Err(failure) => {
            let exit = format.show_failure(&failure);
            return if mode == OutputMode::Check { check::failed(&failure) } else { exit };
        }
    };
    if is_one_file && success.roots.len() > 1 {
        return fail(SEVERAL_FILES);
    }
    let has_headers = match arguments.helpers {
        Helpers::Auto => !is_one_file,
        Helpers::Header => true,
        Helpers::Inline => false,
    };
    let (kernels, _) = kernel_changes(&success, &arguments.program);
    if has_headers {
        into_headers(&mut success, &arguments.program.device, &kernels);
    }
    let own = own_findings(&kernels);
    let findings = Findings { own: Some(&own), ..Findings::of(&success) };
    // What is for people comes first, and what is for programs only if the outputs are written.
    if !format.is_output() {
        format.show_diagnostics(success.sources(), &success.compiled.diagnostics);
    }
    let text = report(&findings);
    let rule = target.map(|target| rule(&target, &success)).unwrap_or_default();
    let more = [(arguments.report.as_deref(), &text), (arguments.depfile.as_deref(), &rule)];
    if let Err(errors) = write(&mode, &more, &success) {
        let exit = format.show_errors(success.sources(), &errors);
        return if mode == OutputMode::Check { Exit::Failed } else { exit };
    }
    let printed = match mode {
        OutputMode::Diff => print(diff(&success)).map_err(|error| error.to_string()),
        OutputMode::Standard => match single_file(Path::new(STANDARD), &success) {
            Ok(target) => print(target.bytes).map_err(|error| error.to_string()),
            Err(errors) => return format.show_errors(success.sources(), &errors),
        },
        _ if format.is_output() => format.show(&findings),
        _ => Ok(()),
    };
    if let Err(message) = printed {
        return fail(message);
    }
    summarize(&mode, &success, &kernels);
    match mode {
        OutputMode::Check => check::answer(&success),
        OutputMode::File(_)
        | OutputMode::Folder(_)
        | OutputMode::Standard
        | OutputMode::InPlace
        | OutputMode::Diff => Exit::Done,
    }
}

/// What cannot be done with a program on standard input.
fn wrong_input(arguments: &TransformArguments, mode: &OutputMode) -> Option<&'static str> {
    if arguments.program.files.len() > 1 || arguments.program.project.is_some() {
        return Some("`-` is a program on standard input; name no other file beside it");
    }
    if arguments.depfile.is_some() {
        return Some("`--depfile` names files, and `-` is none");
    }
    match mode {
        OutputMode::InPlace | OutputMode::Folder(_) => Some(
            "a program on standard input has no file; use `-o -`, `-o FILE`, `--diff` or `--check`",
        ),
        OutputMode::File(_) | OutputMode::Standard | OutputMode::Diff | OutputMode::Check => None,
    }
}

/// The text on standard input.
fn standard_input() -> Result<String, String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read standard input: {error}"))?;
    let wrong = "standard input is not UTF-8; files of other encodings can be named";
    String::from_utf8(bytes).map_err(|_| wrong.to_owned())
}

/// Compiles a text in the place of a file of the current folder, whose headers it finds.
fn compile_input(arguments: &TransformArguments, text: &str) -> Result<Success, Failure> {
    let files = vec![PathBuf::from(INPUT)];
    let program = ProgramArguments { files, ..arguments.program.clone() };
    compile_over(&program, Overlay::from([(real_path(Path::new(INPUT)), text.into())]))
}

/// What an output depends on, as Make and Ninja read it.
fn rule(target: &Path, success: &Success) -> String {
    let files = success.sources().iter().filter(|(_, file)| file.is_whole_file());
    let files = files.map(|(_, file)| file.path().to_path_buf()).collect();
    depfile::write(&[Rule { target: target.display().to_string(), files }])
}

/// Writes the outputs, and the report and other files where they are asked for, all or none.
fn write(
    mode: &OutputMode,
    more: &[(Option<&Path>, &String)],
    success: &Success,
) -> Result<(), Vec<Diagnostic>> {
    let mut targets = plan(mode, success)?;
    for (path, text) in more.iter().filter_map(|(path, text)| Some(((*path)?, *text))) {
        let mut errors = input_conflicts([path], success);
        if targets.iter().any(|target| is_same_file(&target.path, path)) {
            let message = format!("`{}` is an output too", path.display());
            errors.push(Diagnostic::error(Code::OUTPUT_CONFLICT, message));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        targets.push(Target {
            path: path.to_path_buf(),
            bytes: text.as_bytes().into(),
            creates_folders: false,
            keeps_unchanged: false,
        });
    }
    write_all(&targets).map_err(|error| vec![error.diagnostic()])
}

/// The edits of the program as a patch.
pub fn diff(success: &Success) -> Vec<u8> {
    let one = |(id, after): (_, &str)| {
        let file = success.sources().file(id);
        unified(file.path(), &success.bytes(id, file.text()), &success.bytes(id, after))
    };
    let header = |header: &crate::helpers::Header| {
        created(&beside(success.sources().file(header.of).path(), header), header.text.as_bytes())
    };
    success.changed().flat_map(one).chain(success.headers.iter().flat_map(header)).collect()
}

/// What the command adds to its report.
fn own_findings(kernels: &[KernelChange]) -> Map<String, Value> {
    // Strings and finite numbers cannot fail to be written.
    let kernels = serde_json::to_value(kernels).unwrap_or_default();
    Map::from_iter([("kernels".to_owned(), kernels)])
}

/// What a kernel gains.
fn gain_line(kernel: &KernelChange) -> Option<String> {
    let gain = kernel.gain.as_ref().map(|gain| format!("; {gain}")).unwrap_or_default();
    Some(format!("  {}: {}{gain}", kernel.name, kernel.request()?))
}

/// One line per class that changed, per class that stayed without a warning, and per layout of an
/// earlier run; the last line counts.
fn summarize(mode: &OutputMode, success: &Success, kernels: &[KernelChange]) {
    let program = &success.compiled.program;
    let classes: Vec<&ClassOutcome> =
        success.compiled.classes.iter().filter(|class| !class.is_generated).collect();
    let would = if *mode == OutputMode::Check { "would change" } else { "changed" };
    for class in &classes {
        let names = class.names.join(", ");
        if is_verbose() && class.status == Status::Kept {
            say(format_args!("kept: {} ({names})", class.type_name));
            for reason in &class.reasons {
                let place = success.sources().locate(reason.span);
                say(format_args!("  {} at {place}: {}", reason.code, reason.message));
            }
            continue;
        }
        match (class.status, class.reasons.first()) {
            (Status::Changed, _) => {
                say(format_args!("{would}: {} ({names}) to {}", class.type_name, class.layout))
            }
            (Status::Kept, Some(reason)) if reason.code == Code::NO_GAIN && !class.is_automatic => {
                say(format_args!("kept: {} ({names}): {}", class.type_name, reason.message));
            }
            // Nothing else tells of reasons in text that an earlier run generated.
            (Status::Kept, Some(reason)) if program.generated_at(reason.span).is_some() => {
                say(format_args!("kept: {} ({names}): {}", class.type_name, reason.message));
            }
            // Its warning says why.
            (Status::Kept, _) => {}
        }
    }
    for kernel in kernels.iter().take(KERNELS) {
        if let Some(line) = gain_line(kernel) {
            say(line);
        }
    }
    if kernels.len() > KERNELS {
        let more = kernels.len() - KERNELS;
        say(format_args!("  and {more} more kernels: `layoutc cost` shows them all"));
    }
    let mut done: Vec<(&str, &str)> = Vec::new();
    for region in &program.generated {
        let own = (region.target.as_str(), region.layout.as_str());
        if !done.contains(&own) {
            say(format_args!("up to date: {} has the layout {}", own.0, own.1));
            done.push(own);
        }
    }
    if let Some(missing) = summary::missing_headers(success) {
        say(missing);
    }
    // What an earlier run did has been said.
    if done.is_empty() || !classes.is_empty() {
        say(summary::counts(success, *mode == OutputMode::Check));
    }
}
