//! What the files of a corpus say of each other: includes, `main`, OpenCL and kernel files by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use super::{folder, is_device, is_unit};

/// What the scan knows of one file.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The files it includes that exist in the corpus, as resolved.
    pub includes: Vec<PathBuf>,
    /// The folders that had to be searched for them.
    pub searched: BTreeSet<PathBuf>,
    /// Whether it defines `main`.
    pub has_main: bool,
    /// Whether it includes OpenCL's headers.
    pub uses_opencl: bool,
    /// The names of kernel files in its text, without folders: those that it may read at run time.
    pub kernel_files: BTreeSet<String>,
}

/// The source files below the corpus folder, and where headers of each name lie.
pub struct Files {
    /// All of them, relative to the corpus folder.
    pub all: BTreeSet<PathBuf>,
    by_name: BTreeMap<String, Vec<PathBuf>>,
    /// The folders of the corpus that hold units with kernels.
    device_tops: BTreeSet<PathBuf>,
}

/// The first folder of a path in the corpus.
pub(super) fn top(file: &Path) -> &Path {
    file.components().next().map_or(file, |first| Path::new(first.as_os_str()))
}

impl Files {
    /// Lists the files below `root`.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn below(root: &Path) -> Result<Files> {
        let mut all = BTreeSet::new();
        let mut open = vec![root.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file() && is_source(&path) {
                    all.insert(path.strip_prefix(root)?.to_path_buf());
                }
            }
        }
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for file in &all {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            by_name.entry(name).or_default().push(file.clone());
        }
        let device = all.iter().filter(|file| is_device(file));
        let device_tops = device.map(|file| top(file).to_path_buf()).collect();
        Ok(Files { all, by_name, device_tops })
    }

    /// Reads one file; one that is not text has no includes and no `main`.
    pub fn scan(&self, root: &Path, file: &Path) -> Scanned {
        let mut scanned = Scanned::default();
        let Ok(bytes) = fs::read(root.join(file)) else {
            return scanned;
        };
        let text = String::from_utf8_lossy(&bytes);
        for line in without_comments(&text).lines() {
            if let Some(name) = included_name(line) {
                scanned.uses_opencl |= name.starts_with("CL/") || name.starts_with("OpenCL/");
                let beside = normal(&folder(file).join(name));
                if self.all.contains(&beside) {
                    // `<x>` is not looked for beside the file.
                    if line.contains('<') {
                        scanned.searched.insert(folder(file).to_path_buf());
                    }
                    scanned.includes.push(beside);
                } else if let Some((found, searched)) = self.search(file, name) {
                    scanned.includes.push(found);
                    scanned.searched.insert(searched);
                }
            }
            scanned.has_main |= defines_main(line);
            scanned.kernel_files.extend(kernel_files(line));
        }
        scanned
    }

    /// The header of this name that lies nearest, and the folder to search for it.
    ///
    /// It must lie in the same folder of the corpus or in one without programs: a program's own
    /// `cuda.h` is not what another one means.
    fn search(&self, from: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
        let wanted = &normal(Path::new(name));
        let candidates = self.by_name.get(wanted.file_name()?.to_str()?)?;
        let common = |file: &Path| {
            file.components().zip(from.components()).take_while(|(a, b)| a == b).count()
        };
        let fitting = candidates.iter().filter(|file| {
            file.ends_with(wanted)
                && (top(file) == top(from) || !self.device_tops.contains(top(file)))
        });
        let found = fitting
            .max_by_key(|file| (common(file), std::cmp::Reverse(file.components().count())))?;
        let depth = wanted.components().count();
        Some((found.clone(), found.ancestors().nth(depth)?.to_path_buf()))
    }
}

fn is_source(file: &Path) -> bool {
    is_unit(file)
        || file
            .extension()
            .is_some_and(|e| ["h", "cuh", "hpp", "hxx", "inl"].iter().any(|header| e == *header))
}

/// `x` of `#include "x"` and `#include <x>`.
fn included_name(line: &str) -> Option<&str> {
    let rest =
        line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let close = if rest.starts_with('"') { '"' } else { '>' };
    rest.strip_prefix(['"', '<'])?.split_once(close).map(|(name, _)| name.trim())
}

/// The names of the kernel files in the string literals of a line: `x.cl` of `"./kernel/x.cl"`.
fn kernel_files(line: &str) -> impl Iterator<Item = String> {
    let literals = line.split('"').skip(1).step_by(2);
    let names = literals.filter_map(|literal| literal.rsplit(['/', '\\']).next());
    names.filter(|name| name.len() > 3 && name.ends_with(".cl")).map(str::to_owned)
}

/// A definition of `main` at the start of a line, its type before it or on the line above, or of
/// `WinMain`.
pub(super) fn defines_main(line: &str) -> bool {
    let Some((before, after)) = line.split_once("main") else {
        return false;
    };
    let known =
        ["", "int", "void", "extern \"C\" int", "static int", "auto", "unsigned", "CUTBoolean"];
    !line.starts_with([' ', '\t'])
        && known.contains(&before.trim())
        && (before.is_empty() || before.ends_with([' ', '\t']))
        && after.trim_start().starts_with('(')
        && !after.trim_end().ends_with(';')
}

/// The text with comments blanked, line by line as long as before.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            rest = &rest[end..];
            continue;
        } else if rest.starts_with("/*") {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            out.extend(rest[..end].chars().filter(|c| *c == '\n'));
            rest = &rest[end..];
            continue;
        } else if rest.starts_with('/') {
            1
        } else {
            literal_end(rest)
        };
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The length of the string or character literal at the start, at most to the end of its line.
fn literal_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == bytes[0] => return at + 1,
            _ => at += 1,
        }
    }
    // An escaped character may be longer than a byte.
    (at.min(bytes.len())..=bytes.len())
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(bytes.len())
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}
