//! The texts of one program.

use crate::lowering::{self, SiteId, lower};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// One file of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// Where the file lies. The text need not be what is on disk: a rewritten program keeps its paths.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
    /// Byte ranges of generated functions and kernels: allocation calls in them are not numbered.
    pub generated: Vec<Range<usize>>,
    /// Whether the file is compiled by itself, and not only included by others.
    pub is_root: bool,
}

/// A numbered allocation call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationSite {
    /// Its number, the same before and after a rewrite.
    pub id: SiteId,
    /// The file that holds the call.
    pub path: PathBuf,
    /// Byte offset of the call's name in that file.
    pub offset: usize,
}

/// Reads `files` and the local headers they reach: by `#include "…"` from the including file's folder, and by
/// either form from `include_dirs`. Given files that another one includes are not roots.
///
/// The order is that of `files`, then of discovery. Bytes that are no UTF-8 are replaced.
///
/// # Errors
/// A given file that cannot be read; an include that is not found is left to the compiler.
pub fn read_program(files: &[PathBuf], include_dirs: &[PathBuf]) -> io::Result<Vec<SourceText>> {
    let mut sources = Vec::new();
    let mut seen = BTreeMap::new();
    for path in files {
        let text = read_lossy(path)?;
        let key = absolute(path);
        if seen.insert(key, sources.len()).is_none() {
            sources.push(SourceText {
                path: path.clone(),
                text,
                generated: Vec::new(),
                is_root: true,
            });
        }
    }
    let mut included = BTreeSet::new();
    let mut next = 0;
    while next < sources.len() {
        let folder = sources[next].path.parent().unwrap_or(Path::new("")).to_path_buf();
        let own = absolute(&sources[next].path);
        for (name, quoted) in includes(&sources[next].text) {
            let local = quoted.then(|| folder.join(&name));
            let mut places = local.into_iter().chain(include_dirs.iter().map(|d| d.join(&name)));
            let Some(path) = places.find(|p| p.is_file()) else {
                continue;
            };
            let key = absolute(&path);
            if key != own {
                included.insert(key.clone());
            }
            if seen.contains_key(&key) {
                continue;
            }
            let Ok(text) = read_lossy(&path) else {
                continue;
            };
            seen.insert(key, sources.len());
            sources.push(SourceText { path, text, generated: Vec::new(), is_root: false });
        }
        next += 1;
    }
    for source in &mut sources {
        source.is_root &= !included.contains(&absolute(&source.path));
    }
    Ok(sources)
}

/// The numbered allocation calls of a program, in order. C files have none.
///
/// A build numbers the same calls the same way, so layouts can be stated before anything is built.
pub fn allocation_sites(sources: &[SourceText]) -> Vec<AllocationSite> {
    let mut sites = Vec::new();
    for source in sources {
        sites.extend(lower_source(source, sites.len()).1);
    }
    sites
}

/// The names of a program's `__device__` and `__managed__` variables.
pub fn device_variables(sources: &[SourceText]) -> BTreeSet<String> {
    sources.iter().flat_map(|source| lowering::device_variables(&source.text)).collect()
}

/// The text that is compiled for `source`, and its allocation calls numbered from `first`.
pub(crate) fn lower_source(source: &SourceText, first: usize) -> (String, Vec<AllocationSite>) {
    if source.path.extension().is_some_and(|e| e == "c") {
        return (source.text.clone(), Vec::new());
    }
    let first = u32::try_from(first).unwrap_or(u32::MAX);
    let lowered = lower(&source.text, &source.generated, SiteId(first));
    let site = |(&offset, id)| AllocationSite { id: SiteId(id), path: source.path.clone(), offset };
    (lowered.text, lowered.sites.iter().zip(first..).map(site).collect())
}

fn read_lossy(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// The names that `#include` lines give, and whether they stand in quotes.
fn includes(text: &str) -> Vec<(String, bool)> {
    let name_of = |line: &str| {
        let rest =
            line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let (close, quoted) = match rest.chars().next()? {
            '"' => ('"', true),
            '<' => ('>', false),
            _ => return None,
        };
        let rest = &rest[1..];
        Some((rest[..rest.find(close)?].to_owned(), quoted))
    };
    text.lines().filter_map(name_of).collect()
}

/// `path` from the root, with `.` and `..` resolved by name.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for part in full.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}
