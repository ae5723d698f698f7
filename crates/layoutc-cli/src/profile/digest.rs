//! What texts a profile is of.

use crate::compile::Success;
use layoutc_analysis::profile::Source;
use layoutc_diagnostics::FileId;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The program's texts with the digests of their bytes on the disk.
pub fn digests(success: &Success) -> BTreeMap<FileId, Source> {
    let files = success.sources().iter().filter(|(_, file)| file.view().is_none());
    let source = files.map(|(id, file)| {
        let mut sha256 = String::new();
        for byte in Sha256::digest(success.bytes(id, file.text())) {
            let _ = write!(sha256, "{byte:02x}");
        }
        (id, Source { path: file.path().display().to_string(), sha256 })
    });
    source.collect()
}
