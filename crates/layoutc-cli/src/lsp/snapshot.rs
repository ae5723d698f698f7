//! A program as it was compiled, with what questions about it need.

use crate::arguments::ProgramArguments;
use crate::compile::{Failure, Success, compile_over, on_deep_stack};
use crate::load::{Overlay, real_path};
use crate::lsp::mentions::Mentions;
use crate::lsp::origin::{Origin, named_files};
use crate::lsp::prices::{PricedAccess, price_accesses};
use layoutc_diagnostics::{Code, Diagnostic, FileId, Severity, SourceSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A program at one time.
#[derive(Debug)]
pub struct Snapshot {
    /// What names its files.
    pub origin: Origin,
    /// The real paths of the files that the origin names.
    pub roots: Vec<PathBuf>,
    /// The number of the disk's state that was read.
    pub epoch: u64,
    result: Compilation,
    /// By real path.
    files: BTreeMap<PathBuf, FileId>,
}

/// What became of it.
enum Compilation {
    /// It was compiled.
    Done(Box<Analysed>),
    /// There are errors in it.
    Refused(SourceSet, Vec<Diagnostic>),
}

impl std::fmt::Debug for Compilation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Compilation::Done(_) => "Done",
            Compilation::Refused(..) => "Refused",
        })
    }
}

/// A program without errors.
pub struct Analysed {
    /// What the compiler made of it.
    pub success: Success,
    /// Where its arrays are mentioned.
    pub mentions: Mentions,
    /// What its accesses cost.
    pub prices: Vec<PricedAccess>,
    /// What is to be told if arrays stay that must change; otherwise nothing. Their layouts are not
    /// to be applied.
    pub refusals: Vec<Diagnostic>,
}

impl Snapshot {
    /// Compiles a program; beside it, what to tell the user of a bug of layoutc.
    pub fn compile(
        origin: Origin,
        arguments: &ProgramArguments,
        overlay: Overlay,
        epoch: u64,
    ) -> (Snapshot, Option<String>) {
        let roots = named_files(arguments);
        Snapshot::new(origin, roots, epoch, analysed(arguments, &overlay))
    }

    /// The snapshot of what the compiler gave.
    fn new(
        origin: Origin,
        roots: Vec<PathBuf>,
        epoch: u64,
        result: Result<Analysed, Failure>,
    ) -> (Snapshot, Option<String>) {
        let (result, bug) = match result {
            Ok(analysed) => (Compilation::Done(Box::new(analysed)), None),
            Err(Failure::Reported(sources, found)) => (Compilation::Refused(sources, found), None),
            Err(Failure::Internal(error)) => {
                (Compilation::Refused(SourceSet::new(), Vec::new()), Some(error.to_string()))
            }
        };
        let mut snapshot = Snapshot { origin, roots, epoch, result, files: BTreeMap::new() };
        let own = snapshot.sources().iter().filter(|(_, file)| file.is_whole_file());
        snapshot.files = own.map(|(id, file)| (real_path(file.path()), id)).collect();
        (snapshot, bug)
    }

    /// The texts that were compiled.
    pub fn sources(&self) -> &SourceSet {
        match &self.result {
            Compilation::Done(own) => own.success.sources(),
            Compilation::Refused(sources, _) => sources,
        }
    }

    /// Everything that is to be told.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.result {
            Compilation::Done(own) if own.refusals.is_empty() => &own.success.compiled.diagnostics,
            Compilation::Done(own) => &own.refusals,
            Compilation::Refused(_, found) => found,
        }
    }

    /// The program, if it has no errors.
    pub fn analysed(&self) -> Option<&Analysed> {
        match &self.result {
            Compilation::Done(own) => Some(own),
            Compilation::Refused(..) => None,
        }
    }

    /// A file of the program, by its real path.
    pub fn file(&self, path: &Path) -> Option<FileId> {
        self.files.get(path).copied()
    }

    /// Whether the file is one of the program.
    pub fn holds(&self, path: &Path) -> bool {
        self.files.contains_key(path) || self.roots.iter().any(|root| root == path)
    }

    /// Whether it is what compiling these texts would give.
    pub fn is_current(&self, origin: &Origin, overlay: &Overlay, epoch: u64) -> bool {
        let is_same = |(path, text): (&PathBuf, &std::sync::Arc<str>)| match self.file(path) {
            Some(id) => self.sources().file(id).text() == &**text,
            None => !self.holds(path),
        };
        self.origin == *origin && self.epoch == epoch && overlay.iter().all(is_same)
    }
}

/// Compiles, and looks for what questions need.
fn analysed(arguments: &ProgramArguments, overlay: &Overlay) -> Result<Analysed, Failure> {
    let compile = |arguments: &ProgramArguments| compile_over(arguments, overlay.clone());
    let (success, refusals) = match compile(arguments) {
        // Why they stay can be asked all the same.
        Err(Failure::Reported(_, found)) if is_about_required(&found) => {
            let lenient = ProgramArguments { require: Vec::new(), ..arguments.clone() };
            (compile(&lenient)?, found)
        }
        compiled => (compiled?, Vec::new()),
    };
    on_deep_stack(move || {
        let mentions = Mentions::find(&success.compiled);
        let prices = price_accesses(&success, arguments);
        Analysed { success, mentions, prices, refusals }
    })
    .map_err(Failure::Internal)
}

/// Whether all errors are about arrays that must change and stay.
fn is_about_required(found: &[Diagnostic]) -> bool {
    let mut errors = found.iter().filter(|found| found.severity == Severity::Error);
    errors.all(|error| error.code == Code::REQUIRED_CLASS_KEPT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::InternalError;

    const TEXT: &str = "struct P { float x, y; };\n";

    fn compile(file: &Path, overlay: &Overlay, epoch: u64) -> Snapshot {
        let origin = Origin::Alone(file.to_path_buf());
        let arguments = origin.arguments().expect("arguments");
        Snapshot::compile(origin, &arguments, overlay.clone(), epoch).0
    }

    #[test]
    fn it_is_current_until_a_text_of_its_own_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = real_path(folder.path());
        let (own, other) = (root.join("a.cu"), root.join("b.cu"));
        std::fs::write(&own, TEXT).expect("written");
        let overlay = |texts: &[(&PathBuf, &str)]| -> Overlay {
            texts.iter().map(|(path, text)| ((*path).clone(), (*text).into())).collect()
        };
        let snapshot = compile(&own, &overlay(&[]), 3);
        assert!(snapshot.holds(&own) && !snapshot.holds(&other));
        let origin = snapshot.origin.clone();
        let is_current = |texts: &[(&PathBuf, &str)], epoch| {
            snapshot.is_current(&origin, &overlay(texts), epoch)
        };
        assert!(is_current(&[(&own, TEXT), (&other, "anything")], 3));
        assert!(!is_current(&[(&own, "int i;\n")], 3));
        assert!(!is_current(&[], 4));
        assert!(!snapshot.is_current(&Origin::Config(own.clone()), &overlay(&[]), 3));
    }

    #[test]
    fn a_panic_is_a_message_and_the_file_has_its_program() {
        let root = PathBuf::from("/p/a.cu");
        let bug = Failure::Internal(InternalError::Panic("at x.rs:1".to_owned()));
        let origin = Origin::Alone(root.clone());
        let (snapshot, message) = Snapshot::new(origin, vec![root.clone()], 0, Err(bug));
        assert!(message.is_some_and(|text| text.contains("at x.rs:1")));
        assert!(snapshot.holds(&root) && snapshot.analysed().is_none());
        assert_eq!(snapshot.diagnostics(), []);
    }

    #[test]
    fn what_was_not_saved_is_compiled() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = real_path(folder.path()).join("new.cu");
        let unsaved: Overlay = [(file.clone(), TEXT.into())].into();
        let snapshot = compile(&file, &unsaved, 0);
        let id = snapshot.file(&file).expect("a file of the program");
        assert_eq!(snapshot.sources().file(id).text(), TEXT);
        assert!(snapshot.analysed().is_some());
    }
}
