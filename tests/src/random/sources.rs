//! The source files of a program.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Its name in the program's folder.
    pub name: &'static str,
    /// What it holds.
    pub text: String,
}

impl SourceFile {
    /// Whether it is compiled by itself; a header is not.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.name.ends_with(".cu")
    }
}

/// All files of a program: headers in front of the files that include them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources(pub Vec<SourceFile>);

impl Sources {
    /// The names of the files that are compiled.
    pub fn roots(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(|file| file.is_root()).map(|file| file.name)
    }

    /// The files with other texts.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Sources {
        let changed = |file: &SourceFile| SourceFile { name: file.name, text: change(&file.text) };
        Sources(self.0.iter().map(changed).collect())
    }

    /// Writes the files to a folder, which is made if there is none.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        for file in &self.0 {
            let path = folder.join(file.name);
            fs::write(&path, &file.text).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The files of the same names in another folder.
    ///
    /// # Errors
    /// When one is missing.
    pub fn read_again(&self, folder: &Path) -> Result<Sources> {
        let read = |file: &SourceFile| {
            let path = folder.join(file.name);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            Ok(SourceFile { name: file.name, text })
        };
        self.0.iter().map(read).collect::<Result<_>>().map(Sources)
    }

    /// All of it as one text for people to read.
    #[must_use]
    pub fn listing(&self) -> String {
        match self.0.as_slice() {
            [only] => only.text.clone(),
            files => {
                let parts =
                    files.iter().map(|file| format!("// ==== {}\n{}", file.name, file.text));
                parts.collect()
            }
        }
    }
}
