//! What texts a profile is of.

use crate::compile::Success;
use crate::encoding::encode;
use layoutc_analysis::profile::Source;
use layoutc_diagnostics::{FileId, SourceSet};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The program's texts with the digests of their bytes on the disk.
pub fn digests(success: &Success) -> BTreeMap<FileId, Source> {
    digests_of(success.sources(), &success.replaced)
}

/// The same of texts; `replaced` is what placeholders in them stand for.
pub fn digests_of(
    sources: &SourceSet,
    replaced: &BTreeMap<PathBuf, Vec<u8>>,
) -> BTreeMap<FileId, Source> {
    let files = sources.iter().filter(|(_, file)| file.is_whole_file());
    let source = files.map(|(id, file)| {
        let original = replaced.get(file.path()).and_then(|own| encode(file.text(), own));
        let mut sha256 = String::new();
        for byte in Sha256::digest(original.as_deref().unwrap_or(file.text().as_bytes())) {
            let _ = write!(sha256, "{byte:02x}");
        }
        (id, Source { path: file.path().display().to_string(), sha256 })
    });
    source.collect()
}
