//! `layoutc review`: what would change, for people who review a change of the program.

pub mod arguments;
mod base;
mod changes;
mod page;
mod picture;

use crate::compile::{Failure, Purpose, Success, compile_for, compile_in};
use crate::cost::run::kernel_changes;
use crate::exit::{Exit, fail, print, say};
use crate::format::Format;
use crate::helpers::into_headers;
use crate::outputs::input_conflicts;
use crate::progress::phase;
use crate::verify::{Verified, verified};
use crate::write::{Target, parent, write_all};
use arguments::ReviewArguments;
use base::Base;
use page::{Before, Review};
use std::path::{Path, PathBuf};

/// Writes the review. Of the program nothing is written.
pub fn run(arguments: &ReviewArguments) -> Exit {
    let format = arguments.program.format;
    if format.is_output() && format != Format::Markdown {
        return fail(format_args!(
            "`layoutc review` writes Markdown; `layoutc transform --check --format {}` writes that",
            format.name()
        ));
    }
    if arguments.base.is_some() && !arguments.program.profiles.is_empty() {
        return fail(
            "`--base` and `--profile` exclude each other: a recorded run is one of the program as it is now",
        );
    }
    let mut success = match compile_for(&arguments.program, Purpose::Review) {
        Ok(success) => success,
        Err(failure) => return format.show_failure(&failure),
    };
    // As `transform` would write it.
    let kernels = kernel_changes(&success, &arguments.program);
    into_headers(&mut success, &arguments.program.device, &kernels.0);
    let base = match arguments.base.as_deref().map(|name| revision(arguments, name, &success)) {
        None => None,
        Some(Ok(found)) => Some(found),
        Some(Err(message)) => return fail(message),
    };
    let before = match &base {
        None => None,
        Some((_, Err(Failure::Internal(error)))) => return fail(error),
        Some((base, Ok(compiled))) => Some((base, Ok(compiled))),
        Some((base, Err(Failure::Reported(_, diagnostics)))) => {
            Some((base, Err(diagnostics.as_slice())))
        }
    };
    let verified = arguments.verification().map(|own| verification(&own));
    let name = arguments.base.as_deref().unwrap_or_default();
    let review = Review {
        success: &success,
        program: &arguments.program,
        kernels: &kernels,
        before: before.map(|(base, compiled)| Before { name, base, compiled }),
        verified: verified.as_ref(),
    };
    if let Err(exit) = write(arguments, &success, &review.text()) {
        return exit;
    }
    match &verified {
        None => Exit::Done,
        Some(Ok(verified)) => verified.exit,
        Some(Err(message)) => fail(message),
    }
}

/// The program as of a revision, compiled.
fn revision(
    arguments: &ReviewArguments,
    name: &str,
    success: &Success,
) -> Result<(Base, Result<Success, Failure>), String> {
    let program = &arguments.program;
    let near = match (&program.project, program.files.first()) {
        (_, Some(file)) => parent(file),
        (Some(project), None) if project.is_dir() => project,
        (Some(project), None) => parent(project),
        (None, None) => Path::new("."),
    };
    let _phase = phase(format!("review: the program as of {name}"));
    let files = success.sources().iter().map(|(_, file)| file.path().to_path_buf());
    let base = Base::read(name, &files.collect::<Vec<PathBuf>>(), near)?;
    base.check(name, &program.files)?;
    let before = base.copy.program(program);
    let compiled = compile_in(&before, Purpose::Review, &base.copy);
    Ok((base, compiled))
}

/// What `layoutc verify` says.
fn verification(arguments: &crate::arguments::VerifyArguments) -> Result<Verified, String> {
    let _phase = phase("review: verifying the result");
    match compile_for(&arguments.program, Purpose::Verify) {
        Ok(success) => verified(arguments, &success),
        // The same program was compiled a moment ago.
        Err(Failure::Reported(_, found)) => Err(found.first().map_or_else(
            || "the program cannot be compiled".to_owned(),
            |found| found.message.clone(),
        )),
        Err(Failure::Internal(error)) => Err(error.to_string()),
    }
}

/// Writes the Markdown where it was asked for.
fn write(arguments: &ReviewArguments, success: &Success, text: &str) -> Result<(), Exit> {
    let Some(path) = &arguments.output else {
        return print(text)
            .map_err(|error| fail(format_args!("cannot write to standard output: {error}")));
    };
    let format = arguments.program.format;
    let errors = input_conflicts([path.as_path()], success);
    if !errors.is_empty() {
        return Err(format.show_errors(success.sources(), &errors));
    }
    let target = Target {
        path: path.clone(),
        bytes: text.as_bytes().into(),
        creates_folders: false,
        keeps_unchanged: false,
    };
    write_all(&[target])
        .map_err(|error| format.show_errors(success.sources(), &[error.diagnostic()]))?;
    say(format_args!("wrote {}", path.display()));
    Ok(())
}
