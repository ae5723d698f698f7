//! The Makefiles that CMake writes, as far as commands and their files go.
//!
//! `CMakeFiles/TargetDirectories.txt` lists a folder for each target. There `build.make` has the commands,
//! `flags.make` their variables, and `link.txt` (beside it `dlink.txt`) what is linked.

use crate::command::expand;
use crate::description::{Description, Link, Unit, commands_of, is_linkable, read};
use crate::paths::absolute_in;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The list of targets in a build folder.
const TARGETS: &str = "CMakeFiles/TargetDirectories.txt";

/// The Makefiles in a build folder as a description; none if CMake wrote none there.
///
/// # Errors
/// A file that cannot be read.
pub fn in_folder(folder: &Path) -> Result<Option<Description>, String> {
    let list = folder.join(TARGETS);
    if !list.is_file() || !folder.join("Makefile").is_file() {
        return Ok(None);
    }
    let mut description = Description { files: vec![list.clone()], ..Description::default() };
    for target in read(&list)?.lines().map(PathBuf::from) {
        let rules = target.join("build.make");
        if rules.is_file() {
            describe(&target, &rules, &mut description)?;
        }
    }
    Ok(Some(description))
}

/// Adds the units and the link of a target.
fn describe(target: &Path, rules: &Path, description: &mut Description) -> Result<(), String> {
    // `…/sub/CMakeFiles/sim.dir` is a target of the folder `…/sub`, from which its commands are seen.
    let folder = target.ancestors().nth(2).unwrap_or(target);
    let flags = target.join("flags.make");
    let mut variables = BTreeMap::new();
    if flags.is_file() {
        description.files.push(flags.clone());
        for line in read(&flags)?.lines() {
            if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
                variables.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
    }
    description.files.push(rules.to_path_buf());
    // The root of the build is named once; commands of other folders begin with `cd`.
    let text = read(rules)?;
    let root = text
        .lines()
        .find_map(|line| line.strip_prefix("CMAKE_BINARY_DIR = "))
        .map_or(folder, Path::new);
    for line in text.lines().filter_map(|line| line.strip_prefix('\t')) {
        let line = replaced(line, &variables);
        for (folder, words) in commands_of(&line, root) {
            // What cannot be read as a command of a compiler is none.
            for unit in Unit::all_of(&words, &folder).unwrap_or_default() {
                if !is_scratch(&unit.object)
                    && !description.units.iter().any(|known| known.object == unit.object)
                {
                    description.units.push(unit);
                }
            }
        }
    }
    for name in ["dlink.txt", "link.txt"] {
        let path = target.join(name);
        if !path.is_file() {
            continue;
        }
        description.files.push(path.clone());
        for line in read(&path)?.lines() {
            for (_, words) in commands_of(line, folder) {
                let place = |path: &Path| absolute_in(folder, path);
                let words = expand(words, &place, 0)?;
                description.links.extend(link(&words, folder));
            }
        }
    }
    Ok(())
}

/// What a rule makes besides the object: preprocessed and assembled text, for people who ask for it.
fn is_scratch(object: &Path) -> bool {
    object.extension().is_some_and(|ending| ending == "i" || ending == "s")
}

/// What a command links: `ar qc LIBRARY OBJECTS…` or a compiler with `-o`.
fn link(words: &[String], folder: &Path) -> Option<Link> {
    let path = |word: &String| absolute_in(folder, Path::new(word));
    let named = words.iter().position(|word| word == "-o").map(|at| at + 1);
    // Without `-o` the first library is what is made.
    let output = named.or_else(|| {
        words.iter().position(|word| is_linkable(Path::new(word)) && !word.starts_with('-'))
    });
    let output = output.filter(|at| *at < words.len())?;
    let inputs = words.iter().enumerate().filter(|(at, word)| {
        *at != output && !word.starts_with('-') && is_linkable(Path::new(word))
    });
    let inputs: Vec<PathBuf> = inputs.map(|(_, word)| path(word)).collect();
    (!inputs.is_empty()).then(|| Link { output: path(&words[output]), inputs })
}

/// A command with the variables of `flags.make` replaced; make's own `$$` is a `$`.
fn replaced(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some((name, after)) = rest.strip_prefix('(').and_then(|inner| inner.split_once(')'))
        {
            out.push_str(variables.get(name).map_or("", String::as_str));
            rest = after;
        } else {
            out.push('$');
            rest = rest.strip_prefix('$').unwrap_or(rest);
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn targets_of_two_folders() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, text).expect("written");
        };
        let here = root.path().display();
        write("Makefile", "");
        write(
            TARGETS,
            &format!(
                "{here}/CMakeFiles/sim.dir\n{here}/lib/CMakeFiles/parts.dir\n{here}/CMakeFiles/edit_cache.dir\n"
            ),
        );
        write(
            "CMakeFiles/sim.dir/flags.make",
            "CUDA_FLAGS = -DN=1 \"-DS=a b\"\nCUDA_INCLUDES = --options-file CMakeFiles/sim.dir/includes_CUDA.rsp\n",
        );
        write("CMakeFiles/sim.dir/includes_CUDA.rsp", "-I/p/include");
        write(
            "CMakeFiles/sim.dir/build.make",
            &format!(
                "CMAKE_BINARY_DIR = {here}\nCMakeFiles/sim.dir/main.cu.o: /p/main.cu\n\t@$(CMAKE_COMMAND) -E echo x\n\t/x/layoutc launch -- nvcc $(CUDA_INCLUDES) $(CUDA_FLAGS) -x cu -c /p/main.cu -o CMakeFiles/sim.dir/main.cu.o\n\tnvcc -E /p/main.cu > CMakeFiles/sim.dir/main.cu.i\n"
            ),
        );
        write(
            "CMakeFiles/sim.dir/link.txt",
            "c++ CMakeFiles/sim.dir/main.cu.o -o sim lib/libparts.a -lcudart\n",
        );
        write(
            "lib/CMakeFiles/parts.dir/build.make",
            &format!(
                "CMAKE_BINARY_DIR = {here}\n\tcd {here}/lib && c++ -o CMakeFiles/parts.dir/p.cpp.o -c /p/p.cpp\n"
            ),
        );
        write(
            "lib/CMakeFiles/parts.dir/link.txt",
            "ar qc libparts.a CMakeFiles/parts.dir/p.cpp.o\nranlib libparts.a\n",
        );
        let found = in_folder(root.path()).expect("read").expect("there");
        let main = found.units.iter().find(|unit| unit.source.ends_with("main.cu")).expect("there");
        assert!(main.is_launched && main.words.contains(&"-DS=a b".to_owned()));
        let programs = found.programs(root.path());
        let program = programs.iter().find(|program| program.name == "sim").expect("there");
        assert_eq!(program.units.len(), 2);
        assert_eq!(program.owners, [root.path().join("CMakeFiles/sim.dir/main.cu.o")]);
    }
}
