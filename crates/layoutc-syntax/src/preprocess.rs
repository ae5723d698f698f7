//! A lexer-level preprocessor over a whole program.
//!
//! The parser sees the *source* text, not the preprocessed one, because edits must land in the
//! source. So this pass does not expand anything. It decides which text takes part in the program
//! and overwrites, byte for byte, what no C++ grammar can parse: directives, branches not taken,
//! macros that stand for specifiers, types given to macros. A masked text has the length of the
//! original, so a span of one is a span of the other. What was overwritten is recorded, because
//! text that cannot be seen by the parser must still be able to stop a transformation.
//!
//! A condition on `__CUDA_ARCH__` has two truths in one nvcc run. The device's is parsed, the
//! host's is recorded as [`InactiveRegion::dual`]; the same holds for a header whose other
//! branches come alive when a second file includes it.

use crate::opaque::OpaqueType;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use layoutc_diagnostics::{Diagnostic, FileId, SourceSet, Span};

mod closed;
mod condition;
mod directive;
mod embedded;
mod foreign;
mod include;
mod lexer;
mod libraries;
mod macros;
mod mask;
mod meaning;
mod models;
mod predefined;
mod walk;

pub use directive::{Directive, DirectiveKind};
pub use foreign::{Foreign, ForeignWords, Owner};
pub use lexer::{
    Token, TokenKind, each_token, has_directive, is_decltype, tokens, tokens_and_lines,
};
pub use libraries::is_vendor_folder;
pub use macros::{Activity, MacroDef, MacroId, MacroOrigin, MacroTable};
pub use mask::MaskReason;
pub(crate) use meaning::number_words;
pub use meaning::{Meaning, Occurrence};
pub use predefined::Language;

/// What a [`SourceLoader`] knows of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadResult {
    /// There is no such file.
    Missing,
    /// There is one, but its text cannot be had; the reason is a lowercase phrase.
    NotReadable(String),
    /// Its text.
    Text(String),
}

/// Gives the preprocessor the text of headers, so that it need not read files itself.
pub trait SourceLoader {
    /// The text of a header, by its path as resolved: relative to what the roots' paths and the
    /// include folders are relative to, without `.` components.
    fn load(&mut self, path: &Path) -> LoadResult;

    /// The path of the one file that has this path but for the case of letters. Programs are written where file names
    /// have none.
    fn in_other_case(&mut self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// Whose the header at a path is. A loader that does not know folders says that all are ours.
    fn owner(&mut self, _asked: &Asked<'_>) -> Owner {
        Owner::Ours
    }
}

/// A header that was found, and how it was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked<'a> {
    /// Its path, as [`SourceLoader::load`] has it.
    pub path: &'a Path,
    /// Whether a file of the program includes it with quotes.
    pub quoted_by_ours: bool,
    /// Whether its name is that of a header of the toolkit, the system or a well-known library, and
    /// of nobody else's: it needs no text.
    pub is_known: bool,
    /// The folder of the well-known library that the name belongs to, or the header itself if the
    /// library has none. Programs bring such libraries along.
    pub library: Option<&'a Path>,
    /// Whether it lies below one of [`PreprocessOptions::system_dirs`].
    pub in_system_dir: bool,
}

/// A loader that has no headers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _path: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

/// What the user says on the command line, or the build of one file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreprocessOptions {
    /// Folders searched for headers (`-I`), in order.
    pub include_dirs: Vec<PathBuf>,
    /// Folders searched before those for `"…"` headers (`-iquote`), in order.
    pub quote_dirs: Vec<PathBuf>,
    /// Folders of libraries (`-isystem`), searched last: what is found there is foreign.
    pub system_dirs: Vec<PathBuf>,
    /// Macros defined before each root (`-D`): name, perhaps with parameters, and replacement.
    pub defines: Vec<(String, String)>,
    /// Macros that are not defined though the compiler defines them (`-U`).
    pub undefines: Vec<String>,
    /// Headers included before the first line of each root (`-include`).
    pub forced_includes: Vec<PathBuf>,
    /// Whether local headers that are not found are [`UnseenHeader`]s instead of mistakes.
    pub missing_is_unseen: bool,
    /// The standard of C++ (`-std`), such as `c++20`.
    pub standard: Option<String>,
    /// The language of the roots, where their names do not say it (`-x`).
    pub language: Option<Language>,
}

/// One file that is compiled, and how.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The file's path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// How it is compiled.
    pub options: PreprocessOptions,
}

/// One `#include`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncludeDirective {
    /// The whole directive.
    pub span: Span,
    /// What stands between the quotes or angle brackets; empty if it is computed by a macro that
    /// is not understood.
    pub spelled: String,
    /// Whether angle brackets were used.
    pub system: bool,
    /// The file, if it is part of the program.
    pub target: Option<FileId>,
    /// Whether the directive takes part in the program.
    pub activity: Activity,
}

/// A header that may use the program's types and is not modelled: it was not found and may hold
/// anything, or it is foreign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnseenHeader {
    /// The `#include`.
    pub span: Span,
    /// What stands between the quotes or angle brackets.
    pub spelled: String,
    /// The root that is compiled with it.
    pub root: FileId,
    /// Where in the root it comes: the offset of the `#include` that leads to it.
    pub root_offset: u32,
    /// What is known of a foreign header; `None` for one that was not found.
    pub foreign: Option<ForeignInclusion>,
}

/// One time that a file of the program includes foreign ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForeignInclusion {
    /// The foreign files, those that they include among them.
    pub files: Vec<FileId>,
    /// The program's headers that come before the end of them in the root.
    pub headers_before: BTreeSet<FileId>,
    /// The words of the program's macros by which a well-known library is configured, if this is one
    /// whose text is not read: all that it can name.
    pub given: BTreeSet<String>,
}

/// Text of `#if` branches that are not parsed, nested directives included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InactiveRegion {
    /// The text.
    pub span: Span,
    /// Whether another compilation of the same program sees it: it is live text.
    pub dual: bool,
}

/// A use of a macro in active text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacroUse {
    /// The macro's name.
    pub name: Span,
    /// The arguments with their parentheses, for a function-like macro.
    pub args: Option<Span>,
    /// The definition in force.
    pub def: MacroId,
}

/// What became of one file.
#[derive(Clone, Debug)]
pub struct PreprocessedFile {
    /// The text to parse: as long as the original, with line breaks at the same places, except
    /// where a [`MaskReason::Semicolon`] took one.
    pub masked: String,
    /// Whether the user named the file.
    pub is_root: bool,
    /// The `#include`s, in order.
    pub includes: Vec<IncludeDirective>,
    /// Branches not parsed, in order and disjoint.
    pub inactive: Vec<InactiveRegion>,
    /// What was overwritten in active text, in order. Directives are not listed here.
    pub masked_spans: Vec<(Span, MaskReason)>,
    /// All directives, in order.
    pub directives: Vec<Directive>,
    /// Uses of macros that have a definition, in order.
    pub macro_uses: Vec<MacroUse>,
    /// What means something else when the file is compiled another time, in order.
    pub meanings: Vec<Meaning>,
    /// Text that a host compiler sees, because a C or C++ root includes the file or is it; in order
    /// and disjoint.
    pub host_text: Vec<Span>,
    /// Whether the file is a root that nvcc compiles as CUDA, each time that it is compiled.
    pub is_cuda: bool,
    /// Whether the file is parsed as OpenCL C: a root in that language, or a header that such a root
    /// includes before any other does.
    pub is_opencl: bool,
    /// Why the file is not part of the program, if it is not: it is never edited or written, and
    /// `masked` has no more of it than the declarations that the program uses.
    pub foreign: Option<Foreign>,
}

/// A preprocessed program.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The original texts; roots first, in the order given, then headers as they were met.
    pub sources: SourceSet,
    /// What became of each file, by [`FileId`].
    pub files: Vec<PreprocessedFile>,
    /// Headers that were not found and are no known library, and foreign ones, in the order in which
    /// they were met.
    pub unseen: Vec<UnseenHeader>,
    /// What each foreign file can name.
    pub foreign_words: BTreeMap<FileId, ForeignWords>,
    /// All macros.
    pub macros: MacroTable,
    /// Names that the options of every compilation leave undefined (`-U`).
    pub undefined: BTreeSet<String>,
    /// Types that a compiler was asked about, and whose objects may stay whole ([`crate::measured`]).
    pub measured: Vec<OpaqueType>,
    /// What the user should know.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses a program given by its roots (path and text).
///
/// Each root is one compilation. A `.cu` root is compiled by nvcc, a `.c`, `.cc`, `.cpp` or `.cxx`
/// root by the host compiler. A file is recorded in the macro environment of its first inclusion;
/// roots that other roots include come last, so that they are met there.
///
/// A missing local header is a warning (LC0004), unless it belongs to the CUDA toolkit, as are
/// headers that include themselves without end (LC0003) and unbalanced conditionals (LC0002).
pub fn preprocess_program(
    roots: Vec<(PathBuf, String)>,
    loader: &mut dyn SourceLoader,
    options: &PreprocessOptions,
) -> Preprocessed {
    let compilation = |(path, text)| Compilation { path, text, options: options.clone() };
    walk::preprocess(roots.into_iter().map(compilation).collect(), loader)
}

/// Preprocesses a program of which each file has options of its own, as [`preprocess_program`]
/// does.
///
/// A file that is given several times is compiled several times; its text is that of the first.
pub fn preprocess_compilations(
    compilations: Vec<Compilation>,
    loader: &mut dyn SourceLoader,
) -> Preprocessed {
    walk::preprocess(compilations, loader)
}
