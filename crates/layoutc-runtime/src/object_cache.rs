//! Compiled objects that later builds take instead of compiling the same text again.
//!
//! A program is built once per version and per run that compares it; its own version is the same text each time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, id};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use crate::embedded::hash;

/// As many objects as a folder keeps; beyond that, those not used for longest go. An object has about 50 KB.
const MOST: usize = 1000;

/// What was used a shorter time ago stays: another process may be about to link it.
const IN_USE: Duration = Duration::from_secs(600);

/// A folder of objects, each named by a hash of what it was made from.
pub(crate) struct ObjectCache<'a> {
    folder: &'a Path,
}

impl<'a> ObjectCache<'a> {
    /// The objects in `folder`, which is created when absent.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn open(folder: &'a Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder })
    }

    /// The object of that name and key, made by `compile_to` unless it is there.
    ///
    /// # Errors
    /// What `compile_to` says, and as `io_error` puts it, what the system says of the folder.
    pub(crate) fn object<E>(
        &self,
        name: &str,
        key: u64,
        compile_to: impl FnOnce(&Path) -> Result<(), E>,
        io_error: impl Fn(&Path, io::Error) -> E,
    ) -> Result<PathBuf, E> {
        let object = self.folder.join(format!("{name}-{key:016x}.o"));
        if let Ok(file) = File::options().append(true).open(&object) {
            // What is in use is not what goes next; a folder that only reads keeps its times.
            let _ = file.set_modified(SystemTime::now());
            return Ok(object);
        }
        // Written beside and moved, so that another build never reads half a file.
        static BUILDS: AtomicUsize = AtomicUsize::new(0);
        let number = BUILDS.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!("{name}-{}-{number}.tmp.o", id()));
        compile_to(&partial)?;
        fs::rename(&partial, &object).map_err(|error| io_error(&object, error))?;
        self.forget_oldest().map_err(|error| io_error(self.folder, error))?;
        Ok(object)
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let mut objects = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            let path = entry?.path();
            // Another process may have taken it away in between.
            if let Ok(modified) = fs::metadata(&path).and_then(|data| data.modified()) {
                objects.push((modified, path));
            }
        }
        if objects.len() <= MOST {
            return Ok(());
        }
        objects.sort();
        let now = SystemTime::now();
        let is_old = |modified| now.duration_since(modified).is_ok_and(|age| age > IN_USE);
        for (_, path) in &objects[..objects.len() - MOST / 2] {
            // Read again: another process may have taken it since the folder was read.
            if fs::metadata(path).and_then(|data| data.modified()).is_ok_and(is_old) {
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }
}

/// Options that the text after the preprocessor shows, or that name folders of this build alone.
const IN_THE_TEXT: [&str; 6] = ["-D", "-U", "-I", "-i", "-fmacro-prefix-map", "-ffile-prefix-map"];

/// The key of what `command` compiles: a hash of the text after the preprocessor, with all headers that count, of the
/// compiler's version and of the options beside. `None` where the preprocessor refuses the text: the compiler then says why.
///
/// `command` has neither `-c` nor `-o`.
pub(crate) fn key_of(command: &Command) -> Option<u64> {
    let output_of = |mut command: Command| {
        let output = command.output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    let mut version = Command::new(command.get_program());
    version.arg("--version");
    let mut preprocess = Command::new(command.get_program());
    preprocess.args(command.get_args()).args(["-E", "-P"]);
    // Arguments without a hyphen are files and folders, whose text is there, and the language, which `-std` tells too.
    let options = command.get_args().map(|argument| argument.as_encoded_bytes()).filter(|option| {
        option.starts_with(b"-")
            && !IN_THE_TEXT.iter().any(|prefix| option.starts_with(prefix.as_bytes()))
    });
    let options: Vec<u8> = options.flat_map(|option| option.iter().copied().chain([0])).collect();
    Some(hash(options.into_iter().chain(output_of(version)?).chain(output_of(preprocess)?)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;

    use super::{IN_USE, MOST, ObjectCache};

    #[test]
    fn an_object_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = ObjectCache::open(folder.path()).expect("a folder that can be written");
        let made = Cell::new(0);
        let compile_to = |object: &Path| {
            made.set(made.get() + 1);
            fs::write(object, "object")
        };
        let object = |key| {
            cache.object("main", key, compile_to, |_, error: io::Error| error).expect("it compiles")
        };
        assert_eq!(object(1), object(1));
        assert_eq!(made.get(), 1);
        assert_ne!(object(1), object(2));
        assert_eq!(made.get(), 2);
    }

    #[test]
    fn the_oldest_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = ObjectCache::open(folder.path()).expect("a folder that can be written");
        let make = |key| {
            let write = |object: &Path| fs::write(object, "");
            cache.object("main", key, write, |_, error: io::Error| error).expect("it compiles")
        };
        let count = || fs::read_dir(folder.path()).expect("it is there").count();
        let used = |object: &Path, age| {
            let file = File::options().append(true).open(object).expect("it is there");
            file.set_modified(SystemTime::now() - age).expect("a time that can be set");
        };
        let old: Vec<PathBuf> = (0..MOST as u64).map(make).collect();
        make(MOST as u64);
        assert_eq!(count(), MOST + 1, "one that is in use goes");
        for object in &old {
            used(object, 2 * IN_USE);
        }
        let newest = make(MOST as u64 + 1);
        assert_eq!(count(), MOST / 2);
        assert!(newest.is_file(), "the one that was asked for goes with the oldest");
    }
}
