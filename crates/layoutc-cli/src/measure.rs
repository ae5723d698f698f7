//! Asks a compiler how large members are whose types layoutc does not know.

use crate::nvcc;
use crate::profile::below;
use crate::verify::{cache_dir, unit};
use layoutc_diagnostics::{Code, Diagnostic, FileId};
use layoutc_runtime::program::SourceText;
use layoutc_runtime::toolchain::{self, BuildRequest};
use layoutc_syntax::measured::{UnknownMember, answers, question, unknown_members, values};
use layoutc_syntax::preprocess::{PreprocessOptions, Preprocessed};
use layoutc_syntax::{OpaqueType, Program, lower_program};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the device code of a question is compiled for, which nobody runs.
const ARCHITECTURE: &str = "arch=compute_80,code=compute_80";

/// The types of members that are not known, and whose bytes are their value, as the compiler says.
///
/// # Errors
/// LC0089, a warning: there is no such compiler, or it does not compile the program.
pub fn measured(
    compiler: &str,
    preprocessed: &Preprocessed,
    units: &[(PathBuf, PreprocessOptions)],
) -> Result<Vec<OpaqueType>, Diagnostic> {
    let (program, _) = lower_program(preprocessed.clone());
    let members = unknown_members(&program);
    let mut by_root: BTreeMap<FileId, Vec<&UnknownMember>> = BTreeMap::new();
    for member in &members {
        if let Some(root) = root_of(&program, member.file) {
            by_root.entry(root).or_default().push(member);
        }
    }
    let refused = |cause: String| {
        let message = format!("`{compiler}` does not say how large some members are: {cause}");
        Diagnostic::warning(Code::NOT_MEASURED, message)
    };
    let mut found = Vec::new();
    for (root, members) in by_root {
        let path = program.sources.file(root).path();
        // What is compiled several times must mean the same each time.
        for (_, options) in units.iter().filter(|(own, _)| own == path) {
            let asked = Asked { compiler, program: &program, root, options };
            let object = asked.object(&question(&members)).map_err(refused)?;
            let own = answers(&members, &object)
                .ok_or_else(|| refused("its object does not have the answers".to_owned()))?;
            found.extend(own);
        }
    }
    Ok(values(found))
}

/// The first root that includes a file, or is it.
fn root_of(program: &Program, file: FileId) -> Option<FileId> {
    let mut roots = program.files.iter().filter(|own| own.is_root && !own.is_opencl);
    let reaches = |root: FileId| {
        let (mut seen, mut left) = (BTreeSet::from([root]), vec![root]);
        while let Some(at) = left.pop() {
            let includes = program.files[at.index()].includes.iter().copied();
            left.extend(includes.filter(|include| seen.insert(*include)));
        }
        seen.contains(&file)
    };
    roots.find(|root| reaches(root.id)).map(|root| root.id)
}

/// A root of a program, and its compiler.
struct Asked<'a> {
    compiler: &'a str,
    program: &'a Program,
    root: FileId,
    options: &'a PreprocessOptions,
}

impl Asked<'_> {
    /// The object of the root with more text behind it; otherwise a phrase.
    fn object(&self, behind: &str) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir()
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let source = |(id, file): (FileId, &layoutc_diagnostics::SourceFile)| {
            let is_root = id == self.root;
            let text = format!("{}{}", file.text(), if is_root { behind } else { "" });
            SourceText { path: file.path().to_path_buf(), text, generated: Vec::new(), is_root }
        };
        let files = self.program.sources.iter().filter(|(_, file)| file.is_whole_file());
        let sources: Vec<SourceText> = files.map(source).collect();
        let is_nvcc = Path::new(self.compiler)
            .file_name()
            .is_some_and(|name| name.to_string_lossy().contains("nvcc"));
        let object = match is_nvcc {
            true => self.by_nvcc(folder.path(), &sources),
            false => self.by_host(folder.path(), sources),
        }?;
        fs::read(&object).map_err(|error| format!("cannot read what it wrote: {error}"))
    }

    /// For the CPU runtime, which stands for what belongs to CUDA.
    fn by_host(&self, folder: &Path, sources: Vec<SourceText>) -> Result<PathBuf, String> {
        let path = self.program.sources.file(self.root).path();
        let request = BuildRequest {
            units: vec![unit(path, self.options)],
            compiler: self.compiler.to_owned(),
            cache_dir: cache_dir(),
            ..BuildRequest::new(sources, folder.to_path_buf())
        };
        match toolchain::compile(&request) {
            Ok(objects) => objects.into_iter().next().ok_or_else(|| "it made nothing".to_owned()),
            Err(toolchain::BuildError::Compile { messages, .. }) => Err(first_error(&messages)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn by_nvcc(&self, folder: &Path, sources: &[SourceText]) -> Result<PathBuf, String> {
        nvcc::write_below(folder, sources)?;
        let path = self.program.sources.file(self.root).path();
        let object = folder.join("asked.o");
        let mut command = Command::new(self.compiler);
        command.args(["-c", "-rdc=true", "-w", "-gencode", ARCHITECTURE, "-o"]).arg(&object);
        command.args(nvcc::standard(self.options));
        nvcc::add_options(&mut command, folder, path, self.options);
        command.arg(below(folder, path));
        let output = command.output().map_err(|error| format!("it cannot be run: {error}"))?;
        if output.status.success() {
            return Ok(object);
        }
        let shown = folder.display().to_string();
        Err(first_error(&String::from_utf8_lossy(&output.stderr).replace(&shown, "")))
    }
}

/// The first line of a compiler's messages that has an error, with its place.
fn first_error(messages: &str) -> String {
    let mut lines = messages.lines();
    let first = lines.clone().next().unwrap_or_default();
    lines.find(|line| line.contains("error")).unwrap_or(first).trim().to_owned()
}
