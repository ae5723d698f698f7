//! What a program's image says: where variables lie, and which text a place of the code comes from.

use super::{Place, TraceError, io_error};
use crate::toolchain::Built;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// `OFFSET:BYTES,…` of the variables of these names, from the start of the image.
pub(super) fn ranges(executable: &Path, names: &BTreeSet<String>) -> Result<String, TraceError> {
    let mut text = String::new();
    if names.is_empty() {
        return Ok(text);
    }
    let bytes = std::fs::read(executable).map_err(io_error(executable))?;
    let image = object::File::parse(&*bytes).map_err(unreadable(executable))?;
    let start = image_start(&image);
    for symbol in image.symbols() {
        if symbol.kind() != SymbolKind::Data || symbol.size() == 0 {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        if names.iter().any(|own| is_name_of(own, name)) {
            let comma = if text.is_empty() { "" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(text, "{comma}{}:{}", symbol.address() - start, symbol.size());
        }
    }
    Ok(text)
}

/// Whether `symbol` is a variable called `name`, by itself, as a static one or within namespaces.
fn is_name_of(name: &str, symbol: &str) -> bool {
    if symbol == name {
        return true;
    }
    let own = format!("{}{name}", name.len());
    let rest = symbol.strip_prefix("_Z").and_then(|rest| {
        rest.strip_suffix(own.as_str())
            .or_else(|| rest.strip_suffix('E').and_then(|rest| rest.strip_suffix(own.as_str())))
    });
    rest.is_some_and(|rest| rest.is_empty() || rest == "L" || rest.starts_with('N'))
}

fn image_start<'data>(image: &impl Object<'data>) -> u64 {
    image.segments().map(|segment| segment.address()).min().unwrap_or(0)
}

fn unreadable<E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
) -> impl Fn(E) -> TraceError {
    let path = path.to_path_buf();
    move |error| TraceError::Io {
        path: path.clone(),
        source: std::io::Error::other(error.to_string()),
    }
}

/// A place in the program's text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file, by its path from the root.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in the text that was compiled, from 1; lowering moves columns only in lines with launches,
    /// allocations or `__shared__`.
    pub column: u32,
}

/// Where the places of a program's code stand in its text.
pub struct Locations {
    loader: addr2line::Loader,
    start: u64,
    mirror: PathBuf,
}

impl Locations {
    /// Reads the debug information of a traced program.
    ///
    /// # Errors
    /// The image cannot be read.
    pub fn new(built: &Built) -> Result<Locations, TraceError> {
        let path = &built.executable;
        let bytes = std::fs::read(path).map_err(io_error(path))?;
        let image = object::File::parse(&*bytes).map_err(unreadable(path))?;
        let failed = |error: Box<dyn std::error::Error>| TraceError::Io {
            path: path.clone(),
            source: std::io::Error::other(error.to_string()),
        };
        let loader = addr2line::Loader::new(path).map_err(failed)?;
        Ok(Locations { loader, start: image_start(&image), mirror: built.mirror.clone() })
    }

    /// The texts that a place comes from, from the innermost function that was inlined to the outermost; the
    /// runtime's own files are left out.
    #[must_use]
    pub fn of(&self, place: &Place) -> Vec<Location> {
        let mut found = Vec::new();
        // The address is that behind the call.
        let address = self.start + u64::from(place.offset) - 1;
        let Ok(mut frames) = self.loader.find_frames(address) else { return found };
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let file =
                location.file.map(Path::new).and_then(|file| file.strip_prefix(&self.mirror).ok());
            let (Some(file), Some(line)) = (file, location.line) else { continue };
            found.push(Location {
                path: crate::program::absolute(&Path::new("/").join(file)),
                line,
                column: location.column.unwrap_or(0),
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::is_name_of;

    #[test]
    fn names_of_symbols() {
        for symbol in ["count", "_ZL5count", "_ZN2ns5countE", "_ZN12_GLOBAL__N_15countE"] {
            assert!(is_name_of("count", symbol), "{symbol}");
        }
        for symbol in ["counts", "_ZL6recount", "_ZZ4mainE5count", "_Z5countv"] {
            assert!(!is_name_of("count", symbol), "{symbol}");
        }
    }
}
