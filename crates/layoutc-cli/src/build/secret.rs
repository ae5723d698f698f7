//! What tells the states that were made here from those that came with a source tree.

use crate::integration::data_folder;
use layoutc_build::state::{State, is_own};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The letters of a secret.
const LENGTH: usize = 64;

/// A text that other people cannot know, made once. Without a home or a source of random bytes there is none, and
/// all states count as made here.
pub fn secret() -> String {
    let Ok(folder) = data_folder() else { return String::new() };
    let path = folder.join("secret");
    read(&path).or_else(|| make(&path)).unwrap_or_default()
}

/// Opens the state of a program. Of launches that find none, one after the other looks and makes it.
///
/// # Errors
/// It cannot be made.
pub fn open_state(build: &Path, name: &str) -> Result<State, String> {
    let secret = secret();
    if is_own(build, &secret) {
        return State::open(build, name, &secret);
    }
    // A home that cannot be written to has no secret either.
    let home = data_folder().ok().filter(|folder| fs::create_dir_all(folder).is_ok());
    let folder = home.unwrap_or_else(|| std::env::temp_dir().join("layoutc"));
    let path = folder.join("gate");
    let failed = |error: std::io::Error| format!("cannot lock {}: {error}", path.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let gate = File::options().create(true).truncate(false).write(true).open(&path);
    let gate = gate.map_err(failed)?;
    gate.lock().map_err(failed)?;
    State::open(build, name, &secret)
}

/// The secret, once whoever makes it has written all of it.
fn read(path: &Path) -> Option<String> {
    for _ in 0..50 {
        let text = fs::read_to_string(path).ok()?;
        if text.len() == LENGTH {
            return Some(text);
        }
        thread::sleep(Duration::from_millis(2));
    }
    None
}

fn make(path: &Path) -> Option<String> {
    let mut bytes = [0_u8; LENGTH / 2];
    File::open("/dev/urandom").ok()?.read_exact(&mut bytes).ok()?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::create_dir_all(path.parent()?).ok()?;
    match File::options().create_new(true).write(true).open(path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).ok()?;
            Some(text)
        }
        // Another one was faster.
        Err(_) => read(path),
    }
}
