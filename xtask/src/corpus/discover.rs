//! Which programs a folder of public code holds: build systems aside, from the files alone.
//!
//! A *unit* is a source file that no other source file includes. A *program* is a unit with a
//! `main`, together with the units without one that lie in the same tree: each of those belongs to
//! the programs of the nearest folder above it that has any. Only programs with kernels count: a `.cu`
//! or a `.cl` unit. Such units that find no `main` (libraries, kernels compiled at run time) form a program
//! of their own per folder. Of the C and C++ units only those count that share a local header with
//! the others, implement one, or use OpenCL: the rest is another tool's. Of the `.cl` files that a program
//! may have it has those that it names, if it names any.
//!
//! The scan is textual on purpose: it decides what to hand to the tool, and must not depend on
//! the parser that is under test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

mod scan;

use scan::{Files, Scanned, top};

/// One program of the corpus; all paths are relative to the corpus folder.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The folder, and the file of `main` where the folder has several programs.
    pub name: String,
    /// The files for the command line, sorted.
    pub files: Vec<PathBuf>,
    /// Folders for `-I`, so that local headers are found.
    pub include_dirs: Vec<PathBuf>,
    /// The folder of `main`, in which the program is run.
    pub folder: Option<PathBuf>,
    /// A compilation database that says what the files are; `files` are its CUDA files then.
    pub database: Option<PathBuf>,
    /// More arguments for the command line.
    pub flags: Vec<String>,
}

impl Candidate {
    /// Whether its kernels are OpenCL's.
    pub fn is_opencl(&self) -> bool {
        self.files.iter().any(|file| is_opencl(file))
    }
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

    let has_kernels = |main: &Path| {
        units.iter().any(|unit| {
            is_device(unit)
                && (unit.starts_with(folder(main)) || names_kernels(main, unit, &scanned))
        })
    };
    let device_mains: Vec<&Path> = mains.iter().copied().filter(|main| has_kernels(main)).collect();

    let mut members: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    let mut orphans: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for unit in units.iter().copied().filter(|unit| !scanned[unit].has_main) {
        let naming = mains.iter().copied().filter(|main| names_kernels(main, unit, &scanned));
        let mut homes: Vec<&Path> = naming.collect();
        if homes.is_empty() {
            homes = self::homes(unit, &mains, &device_mains);
        }
        for home in &homes {
            members.entry(home).or_default().push(unit);
        }
        if homes.is_empty() && is_device(unit) {
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
        keep_named_kernels(main, &mut units, &scanned);
        if !units.iter().any(|unit| is_device(unit))
            || is_another_tool(main, &units, &rivals, &scanned)
        {
            continue;
        }
        let several = rivals.iter().any(|rival| !is_another_tool(rival, &units, &[main], &scanned));
        let name = if several { main } else { folder(main) };
        programs.push(candidate(name, &units, &scanned, Some(folder(main))));
    }
    for (folder, units) in &orphans {
        programs.push(candidate(folder, units, &scanned, None));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The `main` units that a unit belongs to: those below the nearest folder above it with any.
///
/// None when they lie in several folders, unless one is that nearest folder: it only collects
/// programs then, and the unit is part of none of them. None either beside a `main` without kernels
/// (`device` are those with): the unit is part of that other tool.
fn homes<'f>(unit: &Path, mains: &[&Path], device: &[&'f Path]) -> Vec<&'f Path> {
    for above in folder(unit).ancestors() {
        // The corpus folder itself joins unrelated programs.
        if above.as_os_str().is_empty() {
            break;
        }
        let beside = |main: &&Path| folder(main) == above;
        if mains.iter().any(beside) && !device.iter().any(beside) {
            return Vec::new();
        }
        let mut here: Vec<&Path> =
            device.iter().copied().filter(|main| main.starts_with(above)).collect();
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

/// Whether a file or what it includes names this kernel file, in the same folder of the corpus.
fn names_kernels(main: &Path, unit: &Path, scanned: &BTreeMap<&Path, Scanned>) -> bool {
    let Some(name) = unit.file_name().filter(|_| is_opencl(unit)) else { return false };
    let mut read = reachable(main, scanned).into_iter().chain([main]);
    top(unit) == top(main)
        && read.any(|file| {
            scanned
                .get(file)
                .is_some_and(|seen| seen.kernel_files.iter().any(|named| name == named.as_str()))
        })
}

/// Leaves of the kernel files those that the program's host files name, of each name the one that lies nearest to
/// `main`; all where they name none of them.
fn keep_named_kernels(main: &Path, units: &mut Vec<&Path>, scanned: &BTreeMap<&Path, Scanned>) {
    let name = |unit: &Path| unit.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let hosts = units.iter().filter(|unit| !is_opencl(unit));
    let read = hosts.flat_map(|unit| reachable(unit, scanned).into_iter().chain([*unit]));
    let named: BTreeSet<String> = read
        .filter_map(|file| scanned.get(file))
        .flat_map(|seen| seen.kernel_files.iter().cloned())
        .collect();
    let kernels: Vec<&Path> = units.iter().copied().filter(|unit| is_opencl(unit)).collect();
    if !kernels.iter().any(|kernel| named.contains(&name(kernel))) {
        return;
    }
    let common =
        |file: &Path| file.components().zip(main.components()).take_while(|(a, b)| a == b).count();
    units.retain(|unit| {
        let rivals = kernels.iter().filter(|other| name(other) == name(unit));
        let nearest = rivals.map(|other| common(other)).max().unwrap_or_default();
        !is_opencl(unit) || (named.contains(&name(unit)) && common(unit) == nearest)
    });
}

/// Whether a `main` in C or C++ is that of a generator or a reference beside the program with kernels: its
/// folder has another `main` that is CUDA or uses OpenCL, or that knows the headers of the units that do while this one
/// does not.
fn is_another_tool(
    main: &Path,
    units: &[&Path],
    rivals: &[&Path],
    scanned: &BTreeMap<&Path, Scanned>,
) -> bool {
    let shares = |main: &Path| {
        let own = reachable(main, scanned);
        let others = units.iter().filter(|unit| uses_device(unit, scanned) && **unit != main);
        others.flat_map(|unit| reachable(unit, scanned)).any(|header| own.contains(header))
    };
    !uses_device(main, scanned)
        && rivals
            .iter()
            .any(|rival| uses_device(rival, scanned) || (shares(rival) && !shares(main)))
}

fn candidate(
    name: &Path,
    units: &[&Path],
    scanned: &BTreeMap<&Path, Scanned>,
    folder: Option<&Path>,
) -> Candidate {
    let reach = |unit: &Path| reachable(unit, scanned);
    let (mut needed, mut rest): (Vec<&Path>, Vec<&Path>) = units
        .iter()
        .copied()
        .partition(|unit| uses_device(unit, scanned) || scanned[unit].has_main);
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
        folder: folder.map(Path::to_path_buf),
        database: None,
        flags: Vec::new(),
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

/// Whether a unit holds kernels or includes OpenCL's headers, itself or through others.
fn uses_device(unit: &Path, scanned: &BTreeMap<&Path, Scanned>) -> bool {
    let mut read = reachable(unit, scanned).into_iter().chain([unit]);
    is_device(unit) || read.any(|file| scanned.get(file).is_some_and(|seen| seen.uses_opencl))
}

/// Whether files of this name hold kernels.
fn is_device(file: &Path) -> bool {
    is_opencl(file) || file.extension().is_some_and(|extension| extension == "cu")
}

fn is_opencl(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "cl")
}

fn is_unit(file: &Path) -> bool {
    file.extension()
        .is_some_and(|e| ["cu", "cl", "c", "cpp", "cc", "cxx"].iter().any(|unit| e == *unit))
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::scan::{defines_main, without_comments};
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
    fn kernel_files_are_those_that_the_program_names() -> Result<()> {
        let files = [
            ("a/one.cpp", "#include <CL/cl.h>\nint main() {\n load(\"./one.cl\");"),
            ("a/two.cpp", "#include \"load.h\"\nint main() {\n load(NAME);"),
            ("a/load.h", "#include <CL/cl.h>\n#define NAME \"kernels/two.cl\"\n"),
            ("a/gen.c", "int main() {"),
            ("a/one.cl", ""),
            ("a/kernels/two.cl", ""),
            ("a/kernels/other.cl", ""),
            ("c/ocl/c.c", "#include <CL/cl.h>\nint main() {\n load(\"c.cl\");"),
            ("c/base/base.c", "int main() {"),
            ("c/c.cl", ""),
            ("b/all.c", "int main() {\n read(argv[1]);"),
            ("b/x.cl", "#include \"y.cl\"\n"),
            ("b/y.cl", ""),
            ("b/z.cl", ""),
        ];
        let names = |files: &[&str]| files.iter().map(|&f| f.to_owned()).collect::<Vec<_>>();
        let expected = [
            ("a/one.cpp".to_owned(), names(&["a/one.cl", "a/one.cpp"])),
            ("a/two.cpp".to_owned(), names(&["a/kernels/two.cl", "a/two.cpp"])),
            ("b".to_owned(), names(&["b/all.c", "b/x.cl", "b/z.cl"])),
            ("c/ocl".to_owned(), names(&["c/c.cl", "c/ocl/c.c"])),
        ];
        assert_eq!(found(&files)?, expected);
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
