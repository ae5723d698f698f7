//! Profiles that a program is compiled with.

use super::digest::digests_of;
use crate::arguments::{ProgramArguments, SelectorName};
use layoutc_analysis::profile::{MOST_BYTES, Profile};
use layoutc_diagnostics::{Code, Diagnostic, SourceSet};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The profiles that are given, as one; none if none is.
///
/// # Errors
/// A profile that cannot be read, several that are not of one program, or a selector that needs one.
pub fn read(arguments: &ProgramArguments) -> Result<Option<Arc<Profile>>, Diagnostic> {
    let wants = match arguments.selector {
        Some(SelectorName::Trace) => Some("trace"),
        Some(SelectorName::Auto) => Some("auto"),
        Some(SelectorName::Cost | SelectorName::Kdlg) | None => None,
    };
    if arguments.profiles.is_empty() {
        return match wants {
            None => Ok(None),
            Some(name) => Err(Diagnostic::error(
                Code::PROFILE,
                format!(
                    "`--selector {name}` chooses from recorded runs, and there is no --profile"
                ),
            )
            .help("record one with `layoutc profile`")),
        };
    }
    let mut profiles = Vec::new();
    for path in &arguments.profiles {
        profiles.push(read_one(path)?);
    }
    let merged = Profile::merge(profiles).map_err(|error| {
        let names: Vec<String> =
            arguments.profiles.iter().map(|path| path.display().to_string()).collect();
        Diagnostic::error(Code::PROFILE, format!("{}: {error}", names.join(", ")))
    })?;
    Ok(Some(Arc::new(merged)))
}

fn read_one(path: &Path) -> Result<Profile, Diagnostic> {
    let failed =
        |why: String| Diagnostic::error(Code::PROFILE, format!("{}: {why}", path.display()));
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    // One byte more says that it is too large, whatever it is: a device never ends.
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(error.to_string()))?;
    Profile::read(&bytes).map_err(|error| failed(error.to_string()))
}

/// The profile of this program, with the paths by which the command line names its files.
///
/// # Errors
/// The profile is of another version of the program.
pub fn placed(
    mut profile: Arc<Profile>,
    sources: &SourceSet,
    replaced: &BTreeMap<PathBuf, Vec<u8>>,
) -> Result<Arc<Profile>, Diagnostic> {
    let own = digests_of(sources, replaced);
    let texts: Vec<(&str, &str)> =
        own.values().map(|source| (source.path.as_str(), source.sha256.as_str())).collect();
    Arc::make_mut(&mut profile).rename(&texts);
    match profile.is_of(texts) {
        Ok(()) => Ok(profile),
        Err(error) => Err(Diagnostic::error(Code::PROFILE, error.to_string())
            .help("record it again with `layoutc profile`")),
    }
}
