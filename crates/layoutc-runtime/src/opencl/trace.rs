//! What the kernels of an OpenCL program access, recorded while they run on PoCL.
//!
//! The modules that PoCL's clang makes of the kernels' text get a call in front of each access ([`super::accesses`]);
//! what is recorded is thus what is left after the compiler's own optimisation, as for CUDA programs
//! ([`crate::trace`]). `opencl/tracer.cpp` is linked with the program and says how that comes to be. Needed beside
//! PoCL is `clang` of its own LLVM, which makes text of modules and modules of text; Debian's PoCL depends on it.

use super::accesses::{Frame, Hooks, instrument};
use super::{OpenClBuilt, OpenClRequest};
use crate::process::{RunRequest, RunResult};
use crate::program::{SourceText, absolute};
use crate::trace::{Location, Place, TraceError, TraceSink, listen};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the places of a program's kernels stand in their text, and what of them is not traced.
#[derive(Clone, Debug, Default)]
pub struct KernelPlaces {
    frames: Vec<Vec<Frame>>,
    /// What accesses memory and is not traced, in words.
    pub left_out: BTreeSet<String>,
    mirror: PathBuf,
}

/// A run and what is known of its places.
#[derive(Clone, Debug)]
pub struct TracedRun {
    /// How it ended.
    pub result: RunResult,
    /// Its places.
    pub places: KernelPlaces,
}

impl KernelPlaces {
    /// The texts that a place comes from, from the innermost function that was inlined to the outermost; text that is
    /// in no file of its own, as strings of the host program are not, has an empty path.
    #[must_use]
    pub fn of(&self, place: &Place) -> Vec<Location> {
        let frames = self.frames.get(place.offset as usize);
        let location = |frame: &Frame| {
            let path = Path::new(&frame.file);
            let path = match path.strip_prefix(&self.mirror) {
                Ok(inner) => absolute(&Path::new("/").join(inner)),
                Err(_) => match frame.file.strip_prefix(NAMED) {
                    Some(named) => PathBuf::from(named),
                    None => PathBuf::new(),
                },
            };
            Location { path, line: frame.line, column: frame.column }
        };
        frames.into_iter().flatten().map(location).collect()
    }
}

/// In front of the names that kernel files are given, so that others are told from them.
const NAMED: &str = "/layoutc-kernels";

/// A kernel file with its name in front; it may follow other text, which need not end its line.
pub(super) fn named(source: &SourceText) -> Option<String> {
    let is_kernels = source.path.extension().is_some_and(|e| e == "cl");
    let path = absolute(&source.path).display().to_string();
    let is_plain = !path.contains(['"', '\\', '\n']);
    (is_kernels && is_plain).then(|| format!("\n#line 1 \"{NAMED}{path}\"\n{}", source.text))
}

impl OpenClBuilt {
    /// Runs a program that was built with [`OpenClRequest::is_traced`] and hands what its kernels access to `sink`.
    ///
    /// # Errors
    /// [`TraceError`]; [`TraceError::Kernels`] if the device is no PoCL of LLVM 15 or later with its `clang`.
    pub fn trace(
        &self,
        request: &RunRequest,
        sink: &mut dyn TraceSink,
    ) -> Result<TracedRun, TraceError> {
        let mut places = KernelPlaces { mirror: self.mirror.clone(), ..KernelPlaces::default() };
        let mut request = request.clone();
        // The modules hold addresses of this run.
        if self.cache.exists() {
            fs::remove_dir_all(&self.cache).map_err(crate::trace::io_error(&self.cache))?;
        }
        fs::create_dir_all(&self.cache).map_err(crate::trace::io_error(&self.cache))?;
        request.env.push(("POCL_CACHE_DIR".to_owned(), self.cache.clone().into()));
        request.env.push(("POCL_MAX_PTHREAD_COUNT".to_owned(), "1".into()));
        request.env.push(("POCL_KERNEL_CACHE".to_owned(), "1".into()));
        request.env.push(("LAYOUTC_CL_GUARD".to_owned(), "1".into()));
        let mut rewrite = |path: &Path, [noted, begun, pointed]: [u64; 3]| {
            let hooks = Hooks { noted, begun, pointed };
            rewrite_module(path, hooks, &mut places)
        };
        let result = listen(
            &self.executable,
            &request,
            &mut |request| self.run(request),
            sink,
            &mut rewrite,
        )?;
        Ok(TracedRun { result, places })
    }
}

/// Puts calls into a module of PoCL's cache.
fn rewrite_module(path: &Path, hooks: Hooks, places: &mut KernelPlaces) -> Result<(), String> {
    let text_path = path.with_extension("layoutc.ll");
    let module = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let clang = clang_of(&module)?;
    run_clang(&clang, path, &text_path, &["-S"])?;
    let text = fs::read_to_string(&text_path)
        .map_err(|error| format!("{}: {error}", text_path.display()))?;
    let first = u32::try_from(places.frames.len()).map_err(|_| "too many places".to_owned())?;
    let instrumented = instrument(&text, hooks, first)?;
    fs::write(&text_path, &instrumented.text)
        .map_err(|error| format!("{}: {error}", text_path.display()))?;
    run_clang(&clang, &text_path, path, &["-c"])?;
    places.frames.extend(instrumented.places);
    places.left_out.extend(instrumented.left_out);
    Ok(())
}

/// The command of the clang that wrote a module.
fn clang_of(module: &[u8]) -> Result<String, String> {
    let version = b"clang version ";
    let at = module.windows(version.len()).position(|window| window == version);
    let digits: String = at
        .map(|at| &module[at + version.len()..])
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .map(|byte| char::from(*byte))
        .collect();
    let candidates = [format!("clang-{digits}"), "clang".to_owned()];
    let runs = |command: &&String| {
        Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    candidates.iter().find(runs).cloned().ok_or_else(|| {
        format!("there is no `{}`, the clang of PoCL's LLVM", candidates[0].trim_end_matches('-'))
    })
}

fn run_clang(clang: &str, from: &Path, to: &Path, form: &[&str]) -> Result<(), String> {
    let mut command = Command::new(clang);
    command.args(["-x", "ir", "-O0", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm"]);
    command.args(form).arg("-o").arg(to).arg(from);
    let output = command.output().map_err(|error| format!("{clang}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{clang}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

impl OpenClRequest {
    /// The program's files as they are written to the mirror.
    pub(super) fn texts(&self) -> Vec<SourceText> {
        let text = |source: &SourceText| {
            let named = named(source).filter(|_| self.is_traced);
            SourceText { text: named.unwrap_or_else(|| source.text.clone()), ..source.clone() }
        };
        self.sources.iter().map(text).collect()
    }
}
