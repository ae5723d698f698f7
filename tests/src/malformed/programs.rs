//! The shipped programs that cases are made of.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::fixture::Fixture;
use crate::program::{self, Program};
use crate::repository_root;

/// One file of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its path, relative to the program.
    pub name: String,
    /// Whether it is named on the command line.
    pub is_root: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A program and what is asked of the compiler.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input {
    /// The files.
    pub files: Vec<File>,
    /// What follows `--layout`.
    pub layouts: Vec<String>,
    /// What follows `--require`.
    pub require: Vec<String>,
}

/// The name of the file that holds a saved input's request.
const REQUEST: &str = "request.toml";

/// The request of a saved input.
#[derive(Serialize, Deserialize)]
struct SavedRequest {
    roots: Vec<String>,
    headers: Vec<String>,
    layouts: Vec<String>,
    require: Vec<String>,
}

impl Input {
    /// Writes the files and the request into a folder.
    ///
    /// # Errors
    /// When that fails.
    pub fn save(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let names = |is_root: bool| {
            let files = self.files.iter().filter(|file| file.is_root == is_root);
            files.map(|file| file.name.clone()).collect()
        };
        let request = SavedRequest {
            roots: names(true),
            headers: names(false),
            layouts: self.layouts.clone(),
            require: self.require.clone(),
        };
        fs::write(folder.join(REQUEST), toml::to_string(&request)?)?;
        self.save_files(folder)
    }

    /// Writes the files alone.
    ///
    /// # Errors
    /// When that fails.
    pub fn save_files(&self, folder: &Path) -> Result<()> {
        for file in &self.files {
            let path = folder.join(&file.name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, &file.bytes)?;
        }
        Ok(())
    }

    /// Reads what [`Input::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing or the request has another form.
    pub fn load(folder: &Path) -> Result<Input> {
        let path = folder.join(REQUEST);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let request: SavedRequest = toml::from_str(&text)?;
        let read = |name: &String, is_root: bool| -> Result<File> {
            let path = folder.join(name);
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(File { name: name.clone(), is_root, bytes })
        };
        let roots = request.roots.iter().map(|name| read(name, true));
        let headers = request.headers.iter().map(|name| read(name, false));
        Ok(Input {
            files: roots.chain(headers).collect::<Result<_>>()?,
            layouts: request.layouts,
            require: request.require,
        })
    }

    /// The bytes of all files.
    #[must_use]
    pub fn size(&self) -> usize {
        self.files.iter().map(|file| file.bytes.len()).sum()
    }
}

/// All shipped programs, in a fixed order.
#[derive(Clone, Debug)]
pub struct Shipped {
    /// Fixtures, small and with every construct in one of them, that are rewritten.
    pub rewrites: Vec<Input>,
    /// Fixtures that are kept.
    pub refusals: Vec<Input>,
    /// Whole programs.
    pub programs: Vec<Input>,
}

impl Shipped {
    /// Reads `testdata/rewrites`, `testdata/refusals` and `testdata/programs`.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read() -> Result<Shipped> {
        let fixtures = |folder: &str| -> Result<Vec<Input>> {
            let fixtures = Fixture::read_all(&repository_root().join(folder))?;
            Ok(fixtures.iter().map(of_fixture).collect())
        };
        let rewrites = fixtures("testdata/rewrites")?;
        let refusals = fixtures("testdata/refusals")?;
        let names = program::names()?;
        let programs = names.iter().map(|name| of_program(&Program::load(name)?));
        Ok(Shipped { rewrites, refusals, programs: programs.collect::<Result<_>>()? })
    }
}

fn of_fixture(fixture: &Fixture) -> Input {
    let file = |(name, text): &(String, String)| File {
        name: name.clone(),
        is_root: !is_header(name),
        bytes: text.clone().into_bytes(),
    };
    Input {
        files: fixture.files.iter().map(file).collect(),
        layouts: fixture.layouts(),
        require: fixture.options.require.clone(),
    }
}

fn is_header(name: &str) -> bool {
    Path::new(name).extension().is_none_or(|extension| extension == "h" || extension == "cuh")
}

fn of_program(program: &Program) -> Result<Input> {
    let mut files = Vec::new();
    for path in &program.files {
        let bytes = fs::read(program.folder.join(path))?;
        files.push(File { name: path.display().to_string(), is_root: true, bytes });
    }
    let mut headers = Vec::new();
    find_headers(&program.folder, &program.folder, &mut headers)?;
    headers.sort_by(|a, b| a.name.cmp(&b.name));
    files.extend(headers);
    let layouts = program.layouts.values().flatten().cloned().collect();
    Ok(Input { files, layouts, require: program.records.clone() })
}

fn find_headers(root: &Path, folder: &Path, into: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_headers(root, &path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "h" || extension == "cuh") {
            let name = path.strip_prefix(root)?.display().to_string();
            into.push(File { name, is_root: false, bytes: fs::read(&path)? });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_input_comes_back() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str, is_root, bytes: &[u8]| File {
            name: name.to_owned(),
            is_root,
            bytes: bytes.to_vec(),
        };
        let input = Input {
            files: vec![file("a.cu", true, b"\xff\r\n"), file("gpu/b.h", false, b"")],
            layouts: vec!["P = \"{x\n".to_owned()],
            require: vec!["P".to_owned()],
        };
        input.save(folder.path())?;
        assert_eq!(Input::load(folder.path())?, input);
        Ok(())
    }

    #[test]
    fn the_shipped_programs_have_roots_and_headers() -> Result<()> {
        let shipped = Shipped::read()?;
        for input in shipped.rewrites.iter().chain(&shipped.refusals).chain(&shipped.programs) {
            assert!(input.files.iter().any(|file| file.is_root));
        }
        let headers = |inputs: &[Input]| {
            inputs.iter().flat_map(|input| &input.files).filter(|file| !file.is_root).count()
        };
        assert!(headers(&shipped.rewrites) > 0 && headers(&shipped.programs) > 0);
        Ok(())
    }
}
