//! Which programs a folder of public code holds: build systems aside, from the files alone.
//!
//! A *unit* is a source file that no other source file includes. A *program* is a unit with a
//! `main`, together with the units without one that lie in the same tree: each of those belongs to
//! the programs of the nearest folder above it that has any. Only programs with a `.cu` unit
//! count. CUDA units that find no `main` (libraries, kernels compiled at run time) form a program
//! of their own per folder. Of the C and C++ units only those count that share a local header with
//! the others, or implement one: the rest is another tool's.
//!
//! The scan is textual on purpose: it decides what to hand to the tool, and must not depend on
//! the parser that is under test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

/// One program of the corpus; all paths are relative to the corpus folder.
#[derive(Debug)]
pub struct Candidate {
    /// The folder, and the file of `main` where the folder has several programs.
    pub name: String,
    /// The files for the command line, sorted.
    pub files: Vec<PathBuf>,
    /// Folders for `-I`, so that local headers are found.
    pub include_dirs: Vec<PathBuf>,
    /// Whether it has a `main`.
    pub has_main: bool,
}

/// What the scan knows of one file.
#[derive(Debug, Default)]
struct Scanned {
    /// The files it includes that exist in the corpus, as resolved.
    includes: Vec<PathBuf>,
    /// The folders that had to be searched for them.
    searched: BTreeSet<PathBuf>,
    has_main: bool,
}

/// All programs below `root`, sorted by name.
///
/// # Errors
/// When a folder cannot be read. Files that are not text have no includes and no `main`.
pub fn programs(root: &Path) -> Result<Vec<Candidate>> {
    let files = Files::below(root)?;
    let scanned: BTreeMap<&Path, Scanned> =
        files.all.iter().map(|file| (file.as_path(), files.scan(root, file))).collect();
    let included: BTreeSet<&Path> = scanned
        .iter()
        .flat_map(|(file, seen)| {
            seen.includes.iter().map(PathBuf::as_path).filter(move |i| i != file)
        })
        .collect();
    let units: Vec<&Path> =
        scanned.keys().copied().filter(|file| is_unit(file) && !included.contains(file)).collect();
    let mains: Vec<&Path> = units.iter().copied().filter(|unit| scanned[unit].has_main).collect();

    let cuda_mains: Vec<&Path> = mains
        .iter()
        .copied()
        .filter(|main| units.iter().any(|unit| is_cuda(unit) && unit.starts_with(folder(main))))
        .collect();

    let mut members: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    let mut orphans: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for unit in units.iter().copied().filter(|unit| !scanned[unit].has_main) {
        let homes = homes(unit, &mains, &cuda_mains);
        for home in &homes {
            members.entry(home).or_default().push(unit);
        }
        if homes.is_empty() && is_cuda(unit) {
            orphans.entry(folder(unit)).or_default().push(unit);
        }
    }
    let mut programs = Vec::new();
    for main in mains.iter().copied() {
        let mut units = vec![main];
        units.extend(members.get(main).into_iter().flatten());
        let rivals: Vec<&Path> = mains
            .iter()
            .copied()
            .filter(|other| *other != main && folder(other) == folder(main))
            .collect();
        if !units.iter().any(|unit| is_cuda(unit))
            || is_another_tool(main, &units, &rivals, &scanned)
        {
            continue;
        }
        let several = rivals.iter().any(|rival| !is_another_tool(rival, &units, &[main], &scanned));
        let name = if several { main } else { folder(main) };
        programs.push(candidate(name, &units, &scanned, true));
    }
    for (folder, units) in &orphans {
        programs.push(candidate(folder, units, &scanned, false));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The `main` units that a unit belongs to: those below the nearest folder above it with any.
///
/// None when they lie in several folders, unless one is that nearest folder: it only collects
/// programs then, and the unit is part of none of them. None either beside a `main` without CUDA
/// units (`cuda` are those with): the unit is part of that other tool.
fn homes<'f>(unit: &Path, mains: &[&Path], cuda: &[&'f Path]) -> Vec<&'f Path> {
    for above in folder(unit).ancestors() {
        // The corpus folder itself joins unrelated programs.
        if above.as_os_str().is_empty() {
            break;
        }
        let beside = |main: &&Path| folder(main) == above;
        if mains.iter().any(beside) && !cuda.iter().any(beside) {
            return Vec::new();
        }
        let mut here: Vec<&Path> =
            cuda.iter().copied().filter(|main| main.starts_with(above)).collect();
        if here.iter().any(beside) {
            here.retain(beside);
        }
        if let Some(first) = here.first() {
            let one_folder = here.iter().all(|main| folder(main) == folder(first));
            return if one_folder { here } else { Vec::new() };
        }
    }
    Vec::new()
}

/// Whether a `main` in C or C++ is that of a generator or a reference beside the CUDA program: its
/// folder has another `main` that is CUDA, or that knows the CUDA units' headers while this one
/// does not.
fn is_another_tool(
    main: &Path,
    units: &[&Path],
    rivals: &[&Path],
    scanned: &BTreeMap<&Path, Scanned>,
) -> bool {
    let shares = |main: &Path| {
        let own = reachable(main, scanned);
        let cuda = units.iter().filter(|unit| is_cuda(unit) && **unit != main);
        cuda.flat_map(|unit| reachable(unit, scanned)).any(|header| own.contains(header))
    };
    !is_cuda(main) && rivals.iter().any(|rival| is_cuda(rival) || (shares(rival) && !shares(main)))
}

fn candidate(
    name: &Path,
    units: &[&Path],
    scanned: &BTreeMap<&Path, Scanned>,
    has_main: bool,
) -> Candidate {
    let reach = |unit: &Path| reachable(unit, scanned);
    let (mut needed, mut rest): (Vec<&Path>, Vec<&Path>) =
        units.iter().copied().partition(|unit| is_cuda(unit) || scanned[unit].has_main);
    let mut headers: BTreeSet<&Path> = needed.iter().flat_map(|unit| reach(unit)).collect();
    loop {
        // A unit implements the header of its name beside it, whether it includes it or not.
        let shares = |unit: &&Path| {
            let implements = |header: &&Path| header.with_extension("") == unit.with_extension("");
            headers.iter().any(implements) || reach(unit).iter().any(|h| headers.contains(h))
        };
        let (found, others): (Vec<&Path>, Vec<&Path>) = rest.into_iter().partition(shares);
        rest = others;
        if found.is_empty() {
            break;
        }
        headers.extend(found.iter().flat_map(|unit| reach(unit)));
        needed.extend(found);
    }
    let mut files: Vec<PathBuf> = needed.into_iter().map(Path::to_path_buf).collect();
    files.sort();
    let mut include_dirs = BTreeSet::new();
    for file in &files {
        for seen in reach(file).into_iter().chain([file.as_path()]).filter_map(|f| scanned.get(f)) {
            include_dirs.extend(seen.searched.iter().cloned());
        }
    }
    Candidate {
        name: name.display().to_string(),
        files,
        include_dirs: include_dirs.into_iter().collect(),
        has_main,
    }
}

/// Everything that a file includes, directly or not.
fn reachable<'f>(file: &Path, scanned: &'f BTreeMap<&Path, Scanned>) -> BTreeSet<&'f Path> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Path> =
        scanned.get(file).into_iter().flat_map(|s| &s.includes).map(PathBuf::as_path).collect();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(
                scanned.get(next).into_iter().flat_map(|s| &s.includes).map(PathBuf::as_path),
            );
        }
    }
    seen
}

fn is_cuda(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "cu")
}

fn is_unit(file: &Path) -> bool {
    file.extension().is_some_and(|e| ["cu", "c", "cpp", "cc", "cxx"].iter().any(|unit| e == *unit))
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// The source files below the corpus folder, and where headers of each name lie.
struct Files {
    all: BTreeSet<PathBuf>,
    by_name: BTreeMap<String, Vec<PathBuf>>,
    /// The folders of the corpus that hold CUDA units.
    cuda_tops: BTreeSet<PathBuf>,
}

/// The first folder of a path in the corpus.
fn top(file: &Path) -> &Path {
    file.components().next().map_or(file, |first| Path::new(first.as_os_str()))
}

impl Files {
    fn below(root: &Path) -> Result<Files> {
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
        let cuda = all.iter().filter(|file| is_cuda(file));
        let cuda_tops = cuda.map(|file| top(file).to_path_buf()).collect();
        Ok(Files { all, by_name, cuda_tops })
    }

    fn scan(&self, root: &Path, file: &Path) -> Scanned {
        let mut scanned = Scanned::default();
        let Ok(bytes) = fs::read(root.join(file)) else {
            return scanned;
        };
        let text = String::from_utf8_lossy(&bytes);
        for line in without_comments(&text).lines() {
            if let Some(name) = included_name(line) {
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
        }
        scanned
    }

    /// The header of this name that lies nearest, and the folder to search for it.
    ///
    /// It must lie in the same folder of the corpus or in one without programs: a program's own
    /// `cuda.h` is not what another one means.
    fn search(&self, from: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
        let wanted = Path::new(name);
        let candidates = self.by_name.get(wanted.file_name()?.to_str()?)?;
        let common = |file: &Path| {
            file.components().zip(from.components()).take_while(|(a, b)| a == b).count()
        };
        let fitting = candidates.iter().filter(|file| {
            file.ends_with(wanted)
                && (top(file) == top(from) || !self.cuda_tops.contains(top(file)))
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

/// A definition of `main` at the start of a line, its type before it or on the line above, or of
/// `WinMain`.
fn defines_main(line: &str) -> bool {
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
fn without_comments(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Result<Vec<(String, Vec<String>)>> {
        let folder = tempfile::tempdir()?;
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(folder_of(&file))?;
            fs::write(file, text)?;
        }
        let shown = |files: &[PathBuf]| files.iter().map(|f| f.display().to_string()).collect();
        Ok(programs(folder.path())?.into_iter().map(|p| (p.name, shown(&p.files))).collect())
    }

    fn folder_of(file: &Path) -> &Path {
        super::folder(file)
    }

    #[test]
    fn included_sources_are_no_units() -> Result<()> {
        let files = [
            ("a/main.cu", "#include \"k.cu\"\nint main() {\n"),
            ("a/k.cu", "__global__ void k() {}"),
        ];
        assert_eq!(found(&files)?, [("a".to_owned(), vec!["a/main.cu".to_owned()])]);
        Ok(())
    }

    #[test]
    fn a_folder_with_two_mains_is_two_programs() -> Result<()> {
        let files =
            [("a/x.cu", "int main(int argc, char **argv)\n{"), ("a/y.cu", "int\nmain()\n{")];
        let names: Vec<String> = found(&files)?.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a/x.cu", "a/y.cu"]);
        Ok(())
    }

    #[test]
    fn host_files_count_when_they_share_a_header() -> Result<()> {
        let files = [
            ("a/main.c", "#include \"t.h\"\nint main() {"),
            ("a/kernel/k.cu", "#include \"../t.h\"\n"),
            ("a/t.h", ""),
            ("a/io.c", "#include \"t.h\"\n#include \"time.h\"\n"),
            ("a/time.c", ""),
            ("a/time.h", ""),
            ("a/png.c", "#include \"png.h\"\n"),
            ("a/png.h", ""),
            ("b/gen.c", "int main() {"),
        ];
        let expected =
            ["a/io.c", "a/kernel/k.cu", "a/main.c", "a/time.c"].map(str::to_owned).to_vec();
        assert_eq!(found(&files)?, [("a".to_owned(), expected)]);
        Ok(())
    }

    #[test]
    fn mains_in_comments_and_calls_do_not_count() {
        assert!(!defines_main("  return main(argc);"));
        assert!(!defines_main("int main(int, char **);"));
        assert!(!defines_main("int domain(int x) {"));
        assert!(defines_main("int main( int argc, char** argv) "));
        assert!(without_comments("a /* int\nmain() */ \"//\" // x\nb").ends_with("\"//\" \nb"));
    }
}
