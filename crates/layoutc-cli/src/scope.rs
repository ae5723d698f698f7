//! Which files are the program's, and which are foreign.
//!
//! The program's are the files that were named and those below its *roots*. All others are foreign:
//! never edited, never written, never the subject of a warning. So are, wherever they lie, headers
//! that are found in a folder of libraries (`-isystem`) or in the include folder of a CUDA toolkit,
//! which is a folder with a `cuda_runtime.h`.
//!
//! The roots are those of `--root`; otherwise the folder of the compilation database, or the common
//! folder of the files. What people include with quotes from `../include` is theirs, too: without
//! `--root`, so is a header outside of the roots that a file of the program includes with quotes, or
//! that lies in the project around the files, unless it is a well-known library's or lies in one of
//! [`SYSTEM_FOLDERS`]. A project is a working tree of git, or folders with a `CMakeLists.txt` in each.
//!
//! Programs bring libraries along. Without `--root`, a header among the program's files is foreign
//! if its path is that of a well-known library's header, or if it lies in a folder with a name such
//! as `external` in which no file was named. Its text is read: it keeps what it mentions. If both
//! hold, its own words mean nothing of the program.

use crate::outputs::absolute;
use crate::write::parent;
use layoutc_build::paths::common_folder;
use layoutc_syntax::preprocess::{Asked, Foreign, Owner, is_vendor_folder};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of installed software.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr", "/opt"];

/// How far above its database a project's folder is looked for: `build/release` is usual.
const ABOVE_DATABASE: usize = 3;

/// How far above the common folder of its files a project's folder is looked for.
const ABOVE_FILES: usize = 4;

/// The folders of a program.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Absolute, each as it was named and with links followed.
    roots: Vec<PathBuf>,
    /// Whether they were given.
    is_given: bool,
    /// The files that were named.
    files: Vec<PathBuf>,
    /// The project around them.
    project: Option<PathBuf>,
    /// Folders of well-known libraries among the program's files, and such headers.
    libraries: BTreeSet<PathBuf>,
    /// Which folders have a `cuda_runtime.h`, and whether they have the rest of a toolkit.
    toolkits: BTreeMap<PathBuf, Option<bool>>,
}

impl Scope {
    /// The scope of a program: the roots that were given, the folder of its database, and its files.
    pub fn new(given: &[PathBuf], database: Option<&Path>, files: &[PathBuf]) -> Self {
        let files: Vec<PathBuf> = files.iter().map(|file| absolute(file)).collect();
        let found = match (given, database) {
            ([], None) => folder_of(&files),
            ([], Some(database)) => project_folders(&absolute(database), &files),
            (given, _) => given.iter().map(|root| absolute(root)).collect(),
        };
        let mut roots = Vec::new();
        for root in found {
            let real = fs::canonicalize(&root).ok().filter(|real| *real != root);
            roots.push(root);
            roots.extend(real);
        }
        let project = given.is_empty().then(|| project_around(&common_folder(&files))).flatten();
        Scope { roots, is_given: !given.is_empty(), files, project, ..Scope::default() }
    }

    /// Whose a header is.
    pub fn owner(&mut self, asked: &Asked<'_>) -> Owner {
        let path = absolute(asked.path);
        let below_root = self.is_below_root(&path);
        // In a folder of libraries its name need not be more than a library's.
        let in_libraries = |why| match asked.is_known || asked.library.is_some() {
            true => Owner::Library,
            false => Owner::Foreign(why),
        };
        match self.toolkit_around(&path) {
            Some(true) => return Owner::Library,
            // A program may have a stand-in for the toolkit's header among its own.
            Some(false) if asked.is_known => return Owner::Library,
            Some(false) if !asked.quoted_by_ours => return Owner::Foreign(Foreign::Toolkit),
            Some(false) | None => {}
        }
        if asked.in_system_dir {
            return in_libraries(Foreign::SystemFolder);
        }
        let is_system = SYSTEM_FOLDERS.iter().any(|folder| {
            path.starts_with(folder) && !self.roots.iter().any(|root| root.starts_with(folder))
        });
        if is_system && !below_root {
            return in_libraries(Foreign::OutsideRoot);
        }
        let in_project = self.project.as_ref().is_some_and(|project| path.starts_with(project));
        let is_near = below_root || asked.quoted_by_ours || in_project;
        if !is_near && asked.is_known {
            return Owner::Library;
        }
        let brought_along = self.brought_along(&path, asked.library).filter(|why| match why {
            // The rest of what lies outside of the roots is foreign for that.
            Foreign::KnownLibrary => !self.is_given || !below_root,
            _ => !self.is_given && is_near,
        });
        if let Some(why) = brought_along {
            return Owner::Foreign(why);
        }
        let is_beside = asked.quoted_by_ours || in_project;
        if below_root || (!self.is_given && is_beside && !asked.is_known) {
            return Owner::Ours;
        }
        match asked.is_known {
            true => Owner::Library,
            false => Owner::Foreign(Foreign::OutsideRoot),
        }
    }

    /// Why a header among the program's files is a library's, if it is.
    fn brought_along(&mut self, path: &Path, library: Option<&Path>) -> Option<Foreign> {
        if let Some(library) = library {
            self.libraries.insert(absolute(library));
        }
        let is_known = path.ancestors().any(|folder| self.libraries.contains(folder));
        match (self.is_vendored(path), is_known) {
            // Its name and its place say the same.
            (true, true) => Some(Foreign::KnownLibrary),
            (true, false) | (false, true) => Some(Foreign::Library),
            (false, false) => None,
        }
    }

    /// Whether the file lies in a folder for libraries of others, and in no part of it that has a
    /// file of the program.
    fn is_vendored(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|folder| {
            let name = folder.file_name().and_then(|name| name.to_str());
            if !name.is_some_and(is_vendor_folder) {
                return false;
            }
            // Each folder in it is a library, and so are the files beside them.
            let part_of = |path: &Path| {
                let below = path.strip_prefix(folder).ok()?.parent()?;
                Some(below.iter().next().map(ToOwned::to_owned))
            };
            let own = part_of(path);
            !self.roots.iter().any(|root| root.starts_with(folder))
                && !self.files.iter().any(|file| file.starts_with(folder) && part_of(file) == own)
        })
    }

    fn is_below_root(&self, path: &Path) -> bool {
        let is_below = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        is_below(path) || fs::canonicalize(path).is_ok_and(|real| is_below(&real))
    }

    /// Whether a folder above the file is that of a toolkit, and whether all of a toolkit is there.
    fn toolkit_around(&mut self, path: &Path) -> Option<bool> {
        let toolkits = &mut self.toolkits;
        path.ancestors().skip(1).find_map(|folder| {
            *toolkits.entry(folder.to_path_buf()).or_insert_with(|| {
                let has = |name: &str| folder.join(name).is_file();
                has("cuda_runtime.h").then(|| has("driver_types.h") && has("vector_types.h"))
            })
        })
    }
}

/// The common folder of the files, or their folders if they have nothing in common.
fn folder_of(files: &[PathBuf]) -> Vec<PathBuf> {
    let common = common_folder(files);
    if common.parent().is_some() {
        return vec![common];
    }
    let mut folders: Vec<PathBuf> = files.iter().map(|file| parent(file).to_path_buf()).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The folder of the project that a folder belongs to, if it says that it is one.
fn project_around(folder: &Path) -> Option<PathBuf> {
    let above = || folder.ancestors().take(ABOVE_FILES + 1);
    let is_described = |folder: &&Path| folder.join("CMakeLists.txt").is_file();
    let tree = above().find(|folder| folder.join(".git").exists());
    let described = above().skip_while(|own| !is_described(own)).take_while(is_described).last();
    tree.or(described).map(Path::to_path_buf)
}

/// The folder of a project by that of its database: it, or one not far above, holds all files. A
/// project that is built elsewhere has two.
fn project_folders(database: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let holds_all = |folder: &&Path| {
        folder.parent().is_some() && files.iter().all(|file| file.starts_with(folder))
    };
    match database.ancestors().take(ABOVE_DATABASE).find(holds_all) {
        Some(folder) => vec![folder.to_path_buf()],
        None => std::iter::once(database.to_path_buf()).chain(folder_of(files)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &Path, quoted_by_ours: bool) -> Asked<'_> {
        Asked { path, quoted_by_ours, is_known: false, library: None, in_system_dir: false }
    }

    fn owner(scope: &mut Scope, path: &str, quoted_by_ours: bool) -> Owner {
        let path = Path::new(path);
        scope.owner(&asked(path, quoted_by_ours))
    }

    fn scope(given: &[&str], database: Option<&str>, files: &[&str]) -> Scope {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        Scope::new(&paths(given), database.map(Path::new), &paths(files))
    }

    #[test]
    fn headers_outside_of_the_common_folder() {
        let outside = Owner::Foreign(Foreign::OutsideRoot);
        let mut own = scope(&[], None, &["/p/src/a.cu", "/p/src/b/c.cu"]);
        assert_eq!(owner(&mut own, "/p/src/x/y.h", false), Owner::Ours);
        assert_eq!(owner(&mut own, "/p/include/y.h", false), outside);
        assert_eq!(owner(&mut own, "/p/include/y.h", true), Owner::Ours);
        assert_eq!(owner(&mut own, "/usr/include/y.h", true), outside);
        let mut given = scope(&["/p/src"], None, &["/p/src/a.cu"]);
        assert_eq!(owner(&mut given, "/p/include/y.h", true), outside);
    }

    #[test]
    fn headers_of_the_project() {
        for mark in [".git", "CMakeLists.txt"] {
            let folder = tempfile::tempdir().expect("a folder");
            let root = folder.path();
            fs::create_dir_all(root.join("p/src")).expect("created");
            fs::write(root.join("p").join(mark), "").expect("written");
            let mut own = Scope::new(&[], None, &[root.join("p/src/a.cu")]);
            let mut ask = |path: &str| own.owner(&asked(&root.join(path), false));
            assert_eq!(ask("p/include/y.h"), Owner::Ours);
            assert_eq!(ask("p/external/y/y.h"), Owner::Foreign(Foreign::Library));
            assert_eq!(ask("q/y.h"), Owner::Foreign(Foreign::OutsideRoot));
        }
    }

    #[test]
    fn projects_by_their_databases() {
        let roots = |database: &str, files: &[&str]| scope(&[], Some(database), files).roots;
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(roots("/p", &["/p/src/a.cu"]), paths(&["/p"]));
        assert_eq!(roots("/p/build", &["/p/src/a.cu", "/p/b.cu"]), paths(&["/p"]));
        assert_eq!(roots("/tmp/build", &["/p/src/a.cu"]), paths(&["/tmp/build", "/p/src"]));
        assert_eq!(roots("/b", &["/p/a.cu", "/q/b.cu"]), paths(&["/b", "/p", "/q"]));
    }

    #[test]
    fn toolkits_and_system_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("kit/sub")).expect("created");
        fs::write(root.join("kit/cuda_runtime.h"), "").expect("written");
        let file = root.join("a.cu");
        let mut own = Scope::new(&[], None, &[file]);
        let header = root.join("kit/sub/x.h");
        let mut ask = |quoted_by_ours, is_known, in_system_dir| {
            own.owner(&Asked { is_known, in_system_dir, ..asked(&header, quoted_by_ours) })
        };
        assert_eq!(ask(true, true, false), Owner::Library);
        assert_eq!(ask(false, false, false), Owner::Foreign(Foreign::Toolkit));
        assert_eq!(ask(true, false, false), Owner::Ours);
        assert_eq!(ask(true, false, true), Owner::Foreign(Foreign::SystemFolder));
        for name in ["driver_types.h", "vector_types.h"] {
            fs::write(root.join("kit").join(name), "").expect("written");
        }
        let mut own = Scope::new(&[], None, &[root.join("a.cu")]);
        assert_eq!(own.owner(&asked(&header, true)), Owner::Library);
    }

    #[test]
    fn libraries_among_the_programs_files() {
        let library = Owner::Foreign(Foreign::Library);
        let mut own = scope(&[], None, &["/p/src/a.cu", "/p/external/mine/b.cu"]);
        for path in ["/p/external/other/x.h", "/p/external/x.h", "/p/Third_Party/y/z/x.h"] {
            assert_eq!(owner(&mut own, path, true), library, "{path}");
        }
        for path in ["/p/external/mine/x.h", "/p/external/mine/y/x.h", "/p/src/external.h"] {
            assert_eq!(owner(&mut own, path, true), Owner::Ours, "{path}");
        }
        // Those of a well-known library's folder, and no others.
        let folder = Path::new("/p/src/glm");
        let glm = Asked { library: Some(folder), ..asked(Path::new("/p/src/glm/glm.hpp"), false) };
        assert_eq!(own.owner(&glm), library);
        assert_eq!(owner(&mut own, "/p/src/glm/detail/x.hpp", true), library);
        assert_eq!(owner(&mut own, "/p/src/glmx/x.hpp", true), Owner::Ours);
        let png = Path::new("/p/external/png.h");
        let png = own.owner(&Asked { library: Some(png), ..asked(png, true) });
        assert_eq!(png, Owner::Foreign(Foreign::KnownLibrary));
        let mut above = scope(&[], None, &["/p/src/a.cu"]);
        let png = Path::new("/p/external/png.h");
        let png = Asked { library: Some(png), ..asked(png, false) };
        assert_eq!(above.owner(&png), Owner::Foreign(Foreign::KnownLibrary));
        let glm = Asked { is_known: true, ..glm };
        assert_eq!(above.owner(&glm), library);
        assert_eq!(scope(&[], None, &["/q/a.cu"]).owner(&glm), Owner::Library);
        // A root says otherwise, and a program may lie in such a folder.
        let mut given = scope(&["/p"], None, &["/p/src/a.cu"]);
        assert_eq!(given.owner(&glm), Owner::Ours);
        assert_eq!(owner(&mut given, "/p/external/other/x.h", true), Owner::Ours);
        let mut inside = scope(&[], None, &["/p/vendor/mine/src/a.cu"]);
        assert_eq!(owner(&mut inside, "/p/vendor/mine/src/x.h", true), Owner::Ours);
        assert_eq!(owner(&mut inside, "/p/vendor/mine/src/deps/x.h", true), library);
        // One outside of the roots is read if its name alone says what it is.
        let outside = Path::new("/q/json.hpp");
        let json = Asked { library: Some(outside), ..asked(outside, false) };
        assert_eq!(inside.owner(&json), Owner::Foreign(Foreign::OutsideRoot));
        let installed = Path::new("/usr/include/json.hpp");
        let json = Asked { library: Some(installed), ..asked(installed, false) };
        assert_eq!(inside.owner(&json), Owner::Library);
    }
}
