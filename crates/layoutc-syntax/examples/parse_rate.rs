//! How much of a folder of CUDA programs parses, before and after preprocessing.
//!
//! `cargo run --release -p layoutc-syntax --example parse_rate -- [--all] [--list] [--show] [--masks] DIR…`
//! treats each `.cu` and `.cuh` file below DIR as a root with its own folder as include folder.
//! `--all` takes all C and C++ files. `--list` names the files that still have errors, `--show`
//! prints the first lines of each error,
//! `--masks` what was overwritten and why.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use layoutc_syntax::parse::parse;
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};

struct Disk;

impl SourceLoader for Disk {
    fn load(&mut self, path: &Path) -> LoadResult {
        match std::fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => LoadResult::Text(text),
                Err(_) => LoadResult::NotReadable("not UTF-8".to_owned()),
            },
            Err(_) => LoadResult::Missing,
        }
    }
}

fn collect(dir: &Path, all: bool, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, all, into);
        } else if is_wanted(&path, all) {
            into.push(path);
        }
    }
}

fn is_wanted(path: &Path, all: bool) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("cu" | "cuh") => true,
        Some("h" | "hpp" | "hh" | "c" | "cc" | "cpp" | "cxx" | "inl") => all,
        _ => false,
    }
}

#[derive(Default)]
struct Tally {
    files: usize,
    bytes: usize,
    bytes_in_errors: usize,
    time: Duration,
}

impl Tally {
    fn add(&mut self, text: &str) -> Vec<Range<usize>> {
        let start = Instant::now();
        let parsed = parse(text);
        self.time += start.elapsed();
        self.bytes += text.len();
        let regions = match parsed {
            Ok(parsed) => parsed.error_regions,
            Err(_) => std::iter::once(0..text.len()).collect(),
        };
        self.files += usize::from(!regions.is_empty());
        self.bytes_in_errors += regions.iter().map(ExactSizeIterator::len).sum::<usize>();
        regions
    }

    fn report(&self, name: &str, files: usize) {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        println!(
            "{name}: {} of {files} files with errors ({:.1} %), {} of {} bytes in error regions ({:.2} %), {:.1} MB/s",
            self.files,
            percent(self.files, files),
            self.bytes_in_errors,
            self.bytes,
            percent(self.bytes_in_errors, self.bytes),
            self.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9),
        );
    }
}

fn main() {
    let (mut paths, mut dirs) = (Vec::new(), Vec::new());
    let (mut all, mut list, mut show, mut masks) = (false, false, false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--all" => all = true,
            "--list" => list = true,
            "--show" => show = true,
            "--masks" => masks = true,
            dir => dirs.push(PathBuf::from(dir)),
        }
    }
    for dir in &dirs {
        collect(dir, all, &mut paths);
    }
    paths.sort();
    let mut files = 0;
    let (mut before, mut after, mut pass) = (Tally::default(), Tally::default(), Tally::default());
    for path in &paths {
        let LoadResult::Text(text) = Disk.load(path) else {
            println!("not UTF-8, skipped: {}", path.display());
            continue;
        };
        files += 1;
        before.add(&text);
        let include_dirs = path.parent().map(Path::to_path_buf).into_iter().collect();
        let options = PreprocessOptions { include_dirs, ..PreprocessOptions::default() };
        let start = Instant::now();
        let program = preprocess_program(vec![(path.clone(), text)], &mut Disk, &options);
        pass.time += start.elapsed();
        pass.bytes += program.sources.iter().map(|(_, file)| file.text().len()).sum::<usize>();
        let Some(root) = program.files.first() else {
            continue;
        };
        for (span, reason) in root.masked_spans.iter().filter(|_| masks) {
            let text = program.sources.text(*span);
            let line = program.sources.file(span.file).line_range(span.start as usize);
            let context = &program.sources.file(span.file).text()[line];
            println!("{reason:?}\t{text:?}\t{}\t{}", context.trim(), path.display());
        }
        let regions = after.add(&root.masked);
        if regions.is_empty() || !(list || show) {
            continue;
        }
        let bytes: usize = regions.iter().map(ExactSizeIterator::len).sum();
        println!("{}: {bytes} bytes in {} regions", path.display(), regions.len());
        for region in regions.iter().filter(|_| show) {
            let shown: String = root.masked[region.clone()]
                .lines()
                .filter(|line| !line.trim().is_empty())
                .take(6)
                .map(|line| format!("    | {line}\n"))
                .collect();
            let line = root.masked[..region.start].matches('\n').count() + 1;
            println!("  line {line}:\n{shown}");
        }
    }
    before.report("before", files);
    after.report("after ", files);
    println!(
        "preprocessing: {} bytes with headers, {:.1} MB/s",
        pass.bytes,
        pass.bytes as f64 / 1e6 / pass.time.as_secs_f64().max(1e-9)
    );
}
