//! The command `layoutc.explain`: the page of a diagnostic code, in the editor.

use layoutc_diagnostics::Code;
use lsp_types::{LspAny, Uri};
use std::fs;
use std::io;
use tempfile::TempDir;

/// The command. Its argument is a code, such as `LC0011`; its result is the page.
pub const EXPLAIN: &str = "layoutc.explain";

/// The code that the arguments of the command name.
///
/// # Errors
/// What is wrong with them.
pub fn code_of(arguments: Option<&[LspAny]>) -> Result<Code, String> {
    let Some(text) = arguments.unwrap_or_default().first().and_then(LspAny::as_str) else {
        return Err(format!("`{EXPLAIN}` takes a code, such as `LC0011`"));
    };
    Code::parse(text.trim()).ok_or_else(|| format!("there is no code `{text}`"))
}

/// Pages as files, because editors show files. They are gone when the server ends.
#[derive(Debug, Default)]
pub struct Pages {
    folder: Option<TempDir>,
}

impl Pages {
    /// The page as a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(&mut self, code: Code) -> io::Result<Uri> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("layoutc-explain-").tempdir()?,
        };
        let path = folder.path().join(format!("{code}.md"));
        self.folder = Some(folder);
        fs::write(&path, code.info().explanation)?;
        Uri::from_file_path(&path).map_err(|()| io::ErrorKind::InvalidFilename.into())
    }
}
