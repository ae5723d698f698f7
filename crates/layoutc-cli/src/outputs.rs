//! Which file is written where.

use crate::arguments::{OutputMode, STANDARD};
use crate::compile::Success;
use crate::helpers::beside;
use crate::write::{Target, parent};
use layoutc_build::paths::{absolute_in, common_folder};
use layoutc_diagnostics::{Code, Diagnostic, FileId, SourceFile};
use std::fs;
use std::path::{Path, PathBuf};

/// The files that a mode writes.
///
/// # Errors
/// LC0051 if `-o` would lose the changes of another file, LC0052 if an output is an input.
pub fn plan<'a>(
    mode: &OutputMode,
    success: &'a Success,
) -> Result<Vec<Target<'a>>, Vec<Diagnostic>> {
    let targets = match mode {
        OutputMode::File(path) => vec![single_file(path, success)?],
        OutputMode::Folder(folder) => whole_program(folder, success),
        // What is wrong with it is said before anything else is written.
        OutputMode::Standard => {
            single_file(Path::new(STANDARD), success)?;
            Vec::new()
        }
        OutputMode::InPlace => {
            let path = |id| success.sources().file(id).path().to_path_buf();
            let target = |(id, text)| Target {
                path: path(id),
                bytes: success.bytes(id, text),
                creates_folders: false,
                keeps_unchanged: false,
            };
            let mut targets: Vec<Target<'_>> = success.changed().map(target).collect();
            targets.extend(headers(success, &|id| path(id)));
            return Ok(targets);
        }
        OutputMode::Diff | OutputMode::Check => Vec::new(),
    };
    let conflicts = input_conflicts(targets.iter().map(|target| target.path.as_path()), success);
    if conflicts.is_empty() { Ok(targets) } else { Err(conflicts) }
}

/// The one file of a program.
///
/// # Errors
/// LC0051 if others must change, too.
pub fn single_file<'a>(path: &Path, success: &'a Success) -> Result<Target<'a>, Vec<Diagnostic>> {
    let root = success.roots[0];
    let lost: Vec<Diagnostic> = success
        .changed()
        .filter(|(id, _)| *id != root)
        .map(|(id, _)| {
            let name = success.sources().file(id).path().display();
            let message = format!("`{name}` must change too, but `-o` writes one file");
            let error = Diagnostic::error(Code::HEADER_MUST_CHANGE, message)
                .help("use `--out-dir DIR`, which writes all files of the program");
            match success.compiled.edits.get(&id).and_then(|edits| edits.edits().first()) {
                Some(edit) => error.at(edit.span, "the first change"),
                None => error,
            }
        })
        .collect();
    if !lost.is_empty() {
        return Err(lost);
    }
    let text = success.rewritten[root.index()].as_deref();
    let text = text.unwrap_or_else(|| success.sources().file(root).text());
    let bytes = success.bytes(root, text);
    Ok(Target { path: path.to_path_buf(), bytes, creates_folders: false, keeps_unchanged: false })
}

/// Every file of the program, at its path relative to the current folder, or to the folder that holds them all.
fn whole_program<'a>(folder: &Path, success: &'a Success) -> Vec<Target<'a>> {
    // Kernel text in a host program is no file.
    let files: Vec<(FileId, &SourceFile)> = success
        .sources()
        .iter()
        .filter(|(id, file)| file.is_whole_file() && success.is_ours(*id))
        .collect();
    let paths: Vec<PathBuf> = files.iter().map(|(_, file)| absolute(file.path())).collect();
    // Files below the current folder keep their paths from there, so that the same command builds
    // them; the common folder is for files elsewhere.
    let here = absolute(Path::new("."));
    let common = if paths.iter().all(|path| path.starts_with(&here))
        && files.iter().all(|(_, file)| file.path().is_relative())
    {
        here
    } else {
        common_folder(&paths)
    };
    let target = |((id, file), path): ((FileId, &'a SourceFile), &PathBuf)| {
        let rewritten = success.rewritten[id.index()].as_deref();
        Target {
            path: folder.join(path.strip_prefix(&common).unwrap_or(path)),
            bytes: success.bytes(id, rewritten.unwrap_or_else(|| file.text())),
            creates_folders: true,
            keeps_unchanged: true,
        }
    };
    let place = |id: FileId| {
        let path = absolute(success.sources().file(id).path());
        folder.join(path.strip_prefix(&common).unwrap_or(&path))
    };
    let mut targets: Vec<Target<'a>> = files.into_iter().zip(&paths).map(target).collect();
    targets.extend(headers(success, &place));
    targets
}

/// The headers that the result has besides, where `place` puts the files that include them.
fn headers<'a>(
    success: &'a Success,
    place: &dyn Fn(FileId) -> PathBuf,
) -> impl Iterator<Item = Target<'a>> {
    success.headers.iter().map(|header| Target {
        path: beside(&place(header.of), header),
        bytes: header.text.as_bytes().into(),
        creates_folders: true,
        keeps_unchanged: true,
    })
}

/// The path from the root of the file system, `.` and `..` resolved by name.
pub fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute_in(Path::new(""), &full)
}

/// An error for each output that is a file of the program, by whatever name.
pub fn input_conflicts<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    success: &Success,
) -> Vec<Diagnostic> {
    let inputs: Vec<(PathBuf, &Path)> = success
        .sources()
        .iter()
        .filter_map(|(_, file)| Some((fs::canonicalize(file.path()).ok()?, file.path())))
        .collect();
    let conflict = |output: &Path| {
        let real = fs::canonicalize(output).ok()?;
        let (_, input) = inputs.iter().find(|(input, _)| *input == real)?;
        let message =
            format!("the output `{}` is the input `{}`", output.display(), input.display());
        Some(
            Diagnostic::error(Code::OUTPUT_CONFLICT, message)
                .help("to overwrite the program, use `--in-place`"),
        )
    };
    outputs.into_iter().filter_map(conflict).collect()
}

/// Whether two outputs are one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let folder = fs::canonicalize(parent(path)).unwrap_or_else(|_| absolute(parent(path)));
        fs::canonicalize(path).unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()))
    };
    real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_under_two_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        assert!(is_same_file(&file, &folder.path().join("./a")));
        assert!(!is_same_file(&file, &folder.path().join("b")));
    }
}
