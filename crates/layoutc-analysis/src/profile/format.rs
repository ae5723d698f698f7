//! Reading and writing profiles.

use super::{Profile, VERSION};
use serde::Deserialize;
use std::fmt;

/// Files larger than this are refused before they are parsed. The numbers of a profile do not grow with the
/// length of a run, so this is far more than programs of tens of thousands of accesses need.
pub const MOST_BYTES: usize = 64 << 20;

/// Why there is no profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProfileError {
    /// More bytes than [`MOST_BYTES`].
    TooLarge {
        /// How many.
        bytes: usize,
    },
    /// It ends in the middle.
    Truncated,
    /// It is no JSON, or JSON of something else.
    Foreign {
        /// What was met, and where.
        because: String,
    },
    /// A profile of another version of the format.
    Version {
        /// Which.
        found: u64,
    },
    /// A profile that no run can have made.
    Impossible {
        /// What cannot be, and where.
        because: String,
    },
    /// It is of another version of the program.
    Stale {
        /// The text that is not what was recorded.
        path: String,
        /// What is the matter with it, in a clause.
        because: &'static str,
    },
    /// Several profiles are not of one program.
    Different {
        /// In what they differ.
        what: &'static str,
        /// The first profile that differs, counted from 0.
        at: usize,
    },
    /// No profile, where one is needed.
    Missing,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileError::TooLarge { bytes } => write!(
                out,
                "the file has {bytes} bytes, and no profile is larger than {MOST_BYTES}"
            ),
            ProfileError::Truncated => write!(out, "the file ends in the middle of a profile"),
            ProfileError::Foreign { because } => {
                write!(out, "the file is no profile of `layoutc profile`: {because}")
            }
            ProfileError::Version { found } => write!(
                out,
                "the profile is of version {found} of the format, and this tool reads version {VERSION}; \
                 record it again"
            ),
            ProfileError::Impossible { because } => {
                write!(out, "the profile is damaged: {because}")
            }
            ProfileError::Stale { path, because } => write!(
                out,
                "the profile is of another version of the program: `{path}` {because}; record it again"
            ),
            ProfileError::Different { what, at } => write!(
                out,
                "the profiles are not of one program: number {} has other {what} than the first",
                at + 1
            ),
            ProfileError::Missing => write!(out, "there is no profile"),
        }
    }
}

impl std::error::Error for ProfileError {}

/// The one member that all versions have.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

impl Profile {
    /// The profile in a file, if it can be one.
    ///
    /// # Errors
    /// [`ProfileError`]: too many bytes, no JSON, JSON of something else or of another version, or numbers
    /// and positions that do not fit together.
    pub fn read(bytes: &[u8]) -> Result<Profile, ProfileError> {
        if bytes.len() > MOST_BYTES {
            return Err(ProfileError::TooLarge { bytes: bytes.len() });
        }
        let wrong = |error: serde_json::Error| match error.is_eof() {
            true => ProfileError::Truncated,
            false => ProfileError::Foreign { because: error.to_string() },
        };
        // Another version may have other members.
        let Versioned { version } = serde_json::from_slice(bytes).map_err(wrong)?;
        if version != u64::from(VERSION) {
            return Err(ProfileError::Version { found: version });
        }
        let profile: Profile = serde_json::from_slice(bytes).map_err(wrong)?;
        profile.check().map_err(|because| ProfileError::Impossible { because })?;
        Ok(profile)
    }

    /// The profile as JSON, with a line break at its end.
    ///
    /// # Panics
    /// Never: all of a profile has a form in JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("structs, lists and numbers");
        text.push('\n');
        text
    }

    /// Calls the texts as the program does: it may have been recorded from another folder. A path that the program does not
    /// have becomes the one of its texts that has this file name and this content, if there is just one.
    pub fn rename(&mut self, texts: &[(&str, &str)]) {
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let mut taken: Vec<String> = self.sources.iter().map(|own| own.path.clone()).collect();
        for source in &mut self.sources {
            if texts.iter().any(|(path, _)| *path == source.path) {
                continue;
            }
            let mut alike = texts.iter().filter(|(path, sum)| {
                !taken.iter().any(|own| own == path)
                    && sum.eq_ignore_ascii_case(&source.sha256)
                    && name(path) == name(&source.path)
            });
            if let (Some((path, _)), None) = (alike.next(), alike.next()) {
                source.path = (*path).to_owned();
                taken.push(source.path.clone());
            }
        }
    }

    /// Compares the texts that were recorded with those of a program: paths and SHA-256 sums in hexadecimal
    /// digits. Texts of the program that the profile does not name are no matter: they hold no device code.
    ///
    /// # Errors
    /// [`ProfileError::Stale`] with the first text that the program has not, or has with another content.
    pub fn is_of<'t>(
        &self,
        texts: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Result<(), ProfileError> {
        let known: std::collections::BTreeMap<&str, &str> = texts.into_iter().collect();
        for source in &self.sources {
            let because = match known.get(source.path.as_str()) {
                Some(sum) if sum.eq_ignore_ascii_case(&source.sha256) => continue,
                Some(_) => "has changed since",
                None => "is none of its files",
            };
            return Err(ProfileError::Stale { path: source.path.clone(), because });
        }
        Ok(())
    }
}
