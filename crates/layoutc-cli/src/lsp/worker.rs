//! The thread that compiles. It always goes on with the newest state that it was handed.

use crate::compile::catch;
use crate::load::Overlay;
use crate::lsp::naming::Root;
use crate::lsp::origin::{FileKind, Origin, named_files};
use crate::lsp::snapshot::Snapshot;
use crate::lsp::transport::Event;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// A state to compile.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number.
    pub generation: u64,
    /// A new number whenever files on the disk may have changed.
    pub epoch: u64,
    /// The client's folder.
    pub root: Option<Root>,
    /// The open texts; the programs of these files are compiled.
    pub overlay: Overlay,
}

/// What became of a state.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its number.
    pub generation: u64,
    /// The programs, each open file in one of them.
    pub programs: Vec<Arc<Snapshot>>,
    /// What is wrong with configurations and with layoutc.
    pub messages: Vec<String>,
}

/// The thread, from outside.
#[derive(Clone, Debug)]
pub struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// If there is none.
    pub fn spawn(events: Sender<Event>) -> io::Result<Worker> {
        let (jobs, received) = mpsc::channel();
        let mut compiler = Compiler { jobs: received, next: None, compiled: Vec::new() };
        let compile = move || {
            while let Some(job) = compiler.newest() {
                let outcome = catch(|| compiler.compile(&job)).unwrap_or_else(|bug| {
                    let messages = vec![bug.to_string()];
                    Some(Outcome { generation: job.generation, programs: Vec::new(), messages })
                });
                let Some(outcome) = outcome else { continue };
                if events.send(Event::Compiled(outcome)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("worker".to_owned()).spawn(compile)?;
        Ok(Worker { jobs })
    }

    /// Hands over a state. It replaces all that were not compiled yet.
    pub fn compile(&self, job: Job) {
        // The thread ends with the server.
        let _ = self.jobs.send(job);
    }
}

/// The thread, from inside.
struct Compiler {
    jobs: Receiver<Job>,
    /// A job that arrived while another one was carried out.
    next: Option<Job>,
    /// What was compiled for the last job, programs of no open file included.
    compiled: Vec<Arc<Snapshot>>,
}

impl Compiler {
    /// Waits for a job; the newest one, if there are several. `None` when the server has ended.
    fn newest(&mut self) -> Option<Job> {
        self.look();
        match self.next.take() {
            Some(job) => Some(job),
            None => {
                let first = self.jobs.recv().ok()?;
                self.look();
                Some(self.next.take().unwrap_or(first))
            }
        }
    }

    fn look(&mut self) {
        while let Ok(job) = self.jobs.try_recv() {
            self.next = Some(job);
        }
    }

    /// Whether there is a newer state.
    fn is_outdated(&mut self) -> bool {
        self.look();
        self.next.is_some()
    }

    /// The programs of all open files: those that a configuration names, then those of the database,
    /// then each file that is in none of them. `None` if a newer state arrived in between.
    fn compile(&mut self, job: &Job) -> Option<Outcome> {
        let mut found = Found { left: job.overlay.keys().cloned().collect(), ..Found::default() };
        found.left.retain(|path| FileKind::of(path).is_some());
        let configs: BTreeSet<PathBuf> =
            found.left.iter().filter_map(|path| Origin::config_of(path)).collect();
        for config in configs {
            let is_own = |path: &Path| Origin::config_of(path).as_ref() == Some(&config);
            self.add(Origin::Config(config.clone()), job, &mut found, is_own)?;
        }
        let database = job.root.as_ref().and_then(Origin::database_of);
        if let Some(database) = database.filter(|_| !found.left.is_empty()) {
            self.add_database(database, job, &mut found)?;
        }
        // A header belongs to the first source that includes it.
        for kind in [FileKind::Source, FileKind::Header] {
            let is_of_kind = |path: &&PathBuf| FileKind::of(path) == Some(kind);
            let own: Vec<PathBuf> = found.left.iter().filter(is_of_kind).cloned().collect();
            for path in own {
                if found.left.contains(&path) {
                    let origin = Origin::Alone(path.clone());
                    self.add(origin, job, &mut found, |other| other == path)?;
                }
            }
        }
        let Found { compiled, programs, messages, .. } = found;
        self.compiled = compiled;
        Some(Outcome { generation: job.generation, programs, messages })
    }

    /// The program of a database, if an open file may be one of it.
    fn add_database(&mut self, path: PathBuf, job: &Job, found: &mut Found) -> Option<()> {
        let origin = Origin::Database(path);
        let named = origin.arguments().map(|arguments| named_files(&arguments)).unwrap_or_default();
        let may_hold =
            |path: &PathBuf| named.contains(path) || FileKind::of(path) == Some(FileKind::Header);
        match found.left.iter().any(may_hold) {
            true => self.add(origin, job, found, |path| named.iter().any(|own| own == path)),
            false => Some(()),
        }
    }

    /// Compiles a program, and takes its files from those that are left. If there are no arguments for
    /// it, the files that `is_own` says are not compiled at all.
    fn add(
        &mut self,
        origin: Origin,
        job: &Job,
        found: &mut Found,
        is_own: impl Fn(&Path) -> bool,
    ) -> Option<()> {
        if self.is_outdated() {
            return None;
        }
        let is_current = |own: &&Arc<Snapshot>| own.is_current(&origin, &job.overlay, job.epoch);
        let snapshot = match self.compiled.iter().find(is_current) {
            Some(known) => Arc::clone(known),
            None => match origin.arguments() {
                Ok(arguments) => {
                    let overlay = job.overlay.clone();
                    let (snapshot, bug) = Snapshot::compile(origin, &arguments, overlay, job.epoch);
                    found.messages.extend(bug);
                    Arc::new(snapshot)
                }
                Err(message) => {
                    found.messages.push(message.trim_end().to_owned());
                    found.left.retain(|path| !is_own(path));
                    return Some(());
                }
            },
        };
        found.compiled.push(Arc::clone(&snapshot));
        let before = found.left.len();
        found.left.retain(|path| !snapshot.holds(path));
        if found.left.len() < before {
            found.programs.push(snapshot);
        }
        Some(())
    }
}

/// What was found for the open files so far.
#[derive(Default)]
struct Found {
    /// The files that are in no program yet.
    left: BTreeSet<PathBuf>,
    compiled: Vec<Arc<Snapshot>>,
    programs: Vec<Arc<Snapshot>>,
    messages: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::real_path;
    use std::fs;
    use std::time::Duration;

    const SOURCE: &str = "#include \"p.cuh\"\n__global__ void k(P *p) { p[threadIdx.x].x = 0; }\n";
    const HEADER: &str = "struct P { float x, y; };\n";

    /// The origins of the programs of some open files.
    fn origins(folder: &Path, open: &[&str]) -> (Vec<Origin>, Vec<String>) {
        let root = Root::new(&lsp_types::Uri::from_directory_path(folder).expect("a name"));
        let overlay = open.iter().map(|name| {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).expect("there");
            (path, text.into())
        });
        let job = Job { generation: 1, epoch: 0, root, overlay: overlay.collect() };
        let (_jobs, received) = mpsc::channel();
        let mut compiler = Compiler { jobs: received, next: None, compiled: Vec::new() };
        let outcome = compiler.compile(&job).expect("the newest state");
        let origins = outcome.programs.iter().map(|own| own.origin.clone()).collect();
        (origins, outcome.messages)
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        folder
    }

    #[test]
    fn a_header_belongs_to_an_open_source() {
        let folder = folder(&[("a.cu", SOURCE), ("p.cuh", HEADER), ("q.cuh", HEADER)]);
        let root = real_path(folder.path());
        let alone = |name: &str| Origin::Alone(root.join(name));
        assert_eq!(origins(&root, &["p.cuh", "a.cu"]).0, [alone("a.cu")]);
        assert_eq!(origins(&root, &["p.cuh"]).0, [alone("p.cuh")]);
        assert_eq!(origins(&root, &["q.cuh", "a.cu"]).0, [alone("a.cu"), alone("q.cuh")]);
    }

    #[test]
    fn a_configuration_goes_before_a_database() {
        let entry = r#"[{"directory": ".", "file": "b.cu", "command": "nvcc b.cu"}]"#;
        let folder = folder(&[
            ("a.cu", SOURCE),
            ("b.cu", SOURCE),
            ("p.cuh", HEADER),
            ("compile_commands.json", entry),
            ("layoutc.toml", "files = [\"a.cu\"]\n"),
        ]);
        let root = real_path(folder.path());
        let config = Origin::Config(root.join("layoutc.toml"));
        let database = Origin::Database(root.join("compile_commands.json"));
        let expected = [config, database];
        assert_eq!(origins(&root, &["a.cu", "p.cuh"]).0, expected[..1]);
        assert_eq!(origins(&root, &["a.cu", "b.cu"]).0, expected);
    }

    #[test]
    fn a_configuration_that_cannot_be_read_is_said() {
        let folder = folder(&[("a.cu", "int i;\n"), ("layoutc.toml", "files = [\n")]);
        let root = real_path(folder.path());
        let (programs, messages) = origins(&root, &["a.cu"]);
        assert_eq!(programs, []);
        assert!(messages[0].contains("layoutc.toml:1:10"), "{messages:?}");
    }

    #[test]
    fn the_newest_state_wins() {
        let (events, received) = mpsc::channel();
        let worker = Worker::spawn(events).expect("a thread");
        for generation in 1..=50 {
            let overlay = Overlay::default();
            worker.compile(Job { generation, epoch: 0, root: None, overlay });
        }
        let mut last = 0;
        while last < 50 {
            match received.recv_timeout(Duration::from_secs(60)).expect("a result") {
                Event::Compiled(outcome) => {
                    assert!(outcome.generation > last);
                    last = outcome.generation;
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
