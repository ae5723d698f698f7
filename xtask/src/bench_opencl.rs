//! `cargo xtask bench-opencl`: how long the kernels of the paper's five OpenCL programs take in several layouts.
//!
//! Table 2 of Kofler et al. (Euro-Par 2015) on the OpenCL device that is installed. Transfers and conversions do not
//! count. Where the device is a CPU, times are what the process uses of the processor during the launches: other work
//! of the machine makes these longer by what it takes of caches and memory, and not by what it takes of time. On other devices
//! they are those of the launches' profiling events. The versions of a program take turns, and a speed-up is that of two
//! runs next to each other.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::opencl::{self, Host, in_words, passed};
use layoutc_tests::program::Program;
use layoutc_tests::repository_root;
use serde_json::Value;

/// Where the section begins in the file that the table goes to.
const BEGIN: &str = "<!-- written by `cargo xtask bench-opencl` -->\n";

/// A program of the paper.
struct Paper {
    /// Its folder below `testdata/programs/opencl`.
    name: &'static str,
    /// Its name in Table 2.
    shown: &'static str,
    /// The arguments of the runs that are timed: kernels of about a tenth of a second on one core.
    arguments: &'static [&'static str],
    /// Speed-ups over AoS in Table 2 (those of SAMPO stand in the text too): FirePro S9000, GeForce GTX 480, Tesla K20m.
    speedups: [&'static str; 3],
}

const PROGRAMS: [Paper; 5] = [
    Paper {
        name: "nbody",
        shown: "N-body",
        arguments: &["6000", "2"],
        speedups: ["1.01", "1.06", "1.01"],
    },
    Paper {
        name: "blackscholes",
        shown: "BlackScholes",
        arguments: &["2000000"],
        speedups: ["1.00", "1.43", "2.83"],
    },
    Paper {
        name: "bitonic",
        shown: "Bitonic sorting",
        arguments: &["500000"],
        speedups: ["1.47", "1.50", "1.38"],
    },
    Paper {
        name: "lavamd",
        shown: "LavaMD",
        arguments: &["12"],
        speedups: ["2.22", "1.89", "2.07"],
    },
    Paper {
        name: "sampo",
        shown: "SAMPO",
        arguments: &["100000", "40"],
        speedups: ["2.19", "1.59", "1.96"],
    },
];

#[derive(Args)]
pub struct Options {
    /// Runs of each version; the median counts
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// The device whose tree `--selector kdlg` asks
    #[arg(long, default_value = "k20m")]
    device: String,
    /// Only programs whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// A file whose section with the table is replaced, below the repository; without it the table is printed
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A program in one layout.
struct Version {
    /// Of the column.
    name: &'static str,
    /// The layouts that were reported, as `TYPE = LAYOUT`; empty if nothing changed.
    layouts: Vec<String>,
    host: Host,
    /// The time of the kernels in each run, in milliseconds.
    times: Vec<f64>,
}

/// A program in all its versions, the source's first.
struct Row {
    paper: &'static Paper,
    launches: u64,
    versions: Vec<Version>,
}

/// Times the programs and writes the table.
///
/// # Errors
/// When there is no OpenCL, a program does not pass its own check or prints something else in another layout, or
/// the device does not tell times.
pub fn run(options: &Options) -> Result<()> {
    ensure!(options.runs > 0, "at least one run is needed");
    let installed = opencl::installed()?;
    let device = installed.devices.first().context("OpenCL has no device")?;
    // PoCL is the only platform that is told from others: its times are the processor's.
    let is_cpu = device.starts_with("Portable Computing Language");
    let layoutc = Layoutc::built()?;
    let folder = tempfile::tempdir()?;
    let library = timing_library(folder.path())?;
    let mut rows = Vec::new();
    for paper in &PROGRAMS {
        if paper.name.contains(&options.only) {
            let row = row(&layoutc, paper, options, &library, is_cpu)?;
            eprintln!("{}", row_of_table(&row));
            rows.push(row);
        }
    }
    let section = section(&rows, device, options, is_cpu);
    match &options.out {
        None => print!("{section}"),
        Some(file) => {
            let path = repository_root().join(file);
            let old = fs::read_to_string(&path).unwrap_or_default();
            let kept = old.split(BEGIN).next().unwrap_or_default().trim_end();
            fs::write(&path, format!("{kept}\n\n{section}"))
                .with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// The section of this command in a file that another one writes, with the empty line before it.
pub fn section_of(text: &str) -> String {
    text.find(BEGIN).map(|at| format!("\n{}", &text[at..])).unwrap_or_default()
}

/// Builds what is loaded in front of OpenCL.
fn timing_library(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("times.c"), folder.join("times.so"));
    fs::write(&source, include_str!("bench_opencl/times.c"))?;
    let compiler = std::env::var_os("CC").unwrap_or_else(|| OsString::from("gcc"));
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-O1", "-w", "-shared", "-fPIC", "-o"]).arg(&library);
    let output = command.arg(&source).arg("-ldl").output()?;
    ensure!(output.status.success(), "times.c: {}", String::from_utf8_lossy(&output.stderr));
    Ok(library)
}

fn row(
    layoutc: &Layoutc,
    paper: &'static Paper,
    options: &Options,
    library: &Path,
    is_cpu: bool,
) -> Result<Row> {
    let name = paper.name;
    let program = Program::load(&format!("opencl/{name}"))?;
    let arguments: Vec<String> = paper.arguments.iter().map(|&word| word.to_owned()).collect();
    let source = Host::build(&program, &program.folder)?;
    let expected = source.runs(&program)?;
    let mut versions =
        vec![Version { name: "source", layouts: Vec::new(), host: source, times: Vec::new() }];
    let soa: Vec<String> = program.layouts["soa"]
        .iter()
        .flat_map(|spec| ["--layout".to_owned(), spec.clone()])
        .collect();
    let selected = |selector: &str, device: &str| {
        ["--selector", selector, "--device", device].map(str::to_owned).to_vec()
    };
    let asked = [
        ("SoA", soa),
        ("`kdlg`", selected("kdlg", &options.device)),
        ("`cost`", selected("cost", "h100")),
    ];
    for (column, options) in asked {
        let (host, layouts) = rewritten(layoutc, &program, &options)?;
        host.prints_the_same(&expected).with_context(|| format!("{name}, {column}"))?;
        versions.push(Version { name: column, layouts, host, times: Vec::new() });
    }
    let mut launches = 0;
    // The first round compiles kernels and does not count.
    for round in 0..=options.runs {
        for version in &mut versions {
            let (count, time) = timed(&version.host, &arguments, library, is_cpu)
                .with_context(|| format!("{name}, {}", version.name))?;
            launches = count;
            if round > 0 {
                version.times.push(time);
            }
        }
    }
    Ok(Row { paper, launches, versions })
}

/// A program rewritten with these options, and what changed.
fn rewritten(
    layoutc: &Layoutc,
    program: &Program,
    options: &[String],
) -> Result<(Host, Vec<String>)> {
    let out = tempfile::tempdir()?;
    let report = out.path().join("report.json");
    let mut arguments: Vec<String> = ["transform", "-I", "."].map(str::to_owned).into();
    for (option, path) in [("--out-dir", out.path()), ("--report", report.as_path())] {
        arguments.extend([option.to_owned(), path.display().to_string()]);
    }
    arguments.extend_from_slice(options);
    arguments.extend(program.files.iter().map(|file| file.display().to_string()));
    let outcome = layoutc.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let report: Value = serde_json::from_str(&fs::read_to_string(&report)?)?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    let mut layouts = Vec::new();
    for class in classes.iter().filter(|class| class["status"] == "changed") {
        let text = |member: &str| class[member].as_str().unwrap_or_default().to_owned();
        let layout = format!("{} = {}", text("type"), text("layout"));
        if !layouts.contains(&layout) {
            layouts.push(layout);
        }
    }
    Ok((Host::build(program, out.path())?, layouts))
}

/// One run: its launches, and what their kernels took, in milliseconds.
fn timed(host: &Host, arguments: &[String], library: &Path, is_cpu: bool) -> Result<(u64, f64)> {
    let file = tempfile::NamedTempFile::new()?;
    let environment = [
        ("LD_PRELOAD", library.as_os_str()),
        ("LAYOUTC_CL_TIMES", file.path().as_os_str()),
        ("LAYOUTC_CL_GUARD", "0".as_ref()),
    ];
    let result = host.run_in(arguments, &environment)?;
    ensure!(passed(&result), "{}", in_words(&result));
    let text = fs::read_to_string(file.path())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [launches, events, processor] = words.as_slice() else {
        bail!("the run wrote no times");
    };
    let launches: u64 = launches.parse()?;
    let nanoseconds: f64 = if is_cpu { processor.parse()? } else { events.parse()? };
    ensure!(
        launches > 0 && nanoseconds > 0.0,
        "no kernel was launched, or the device has no clock"
    );
    Ok((launches, nanoseconds / 1e6))
}

/// Median, least and greatest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let of = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
    [of(values.len() / 2), of(0), of(values.len().saturating_sub(1))]
}

fn row_of_table(row: &Row) -> String {
    let arguments = row.paper.arguments.join(" ");
    let mut out = format!("| {} `{arguments}` | {} |", row.paper.shown, row.launches);
    let Some((source, others)) = row.versions.split_first() else { return out };
    let [median, least, most] = spread(source.times.clone());
    let _ = write!(out, " {median:.1} ({least:.1}–{most:.1}) |");
    for version in others {
        let ratios = source.times.iter().zip(&version.times).map(|(source, own)| source / own);
        let [median, least, most] = spread(ratios.collect());
        let _ = write!(out, " {median:.2} ({least:.2}–{most:.2}) |");
    }
    let _ = write!(out, " {} |", row.paper.speedups.join(" | "));
    out
}

fn section(rows: &[Row], device: &str, options: &Options, is_cpu: bool) -> String {
    let threads = std::env::var("POCL_MAX_PTHREAD_COUNT").unwrap_or_else(|_| "1".to_owned());
    let what = match is_cpu {
        true => format!(
            "It is PoCL, a CPU, here with {threads} thread{}: how a GPU takes a layout is not measured. Times are what the process used of the \
             processor during the launches; what else the machine did took caches and memory from them",
            if threads == "1" { "" } else { "s" }
        ),
        false => "Times are those of the launches' profiling events".to_owned(),
    };
    let mut out = format!(
        "{BEGIN}## Times of the paper's programs on an OpenCL device

Device: `{device}`. {what}. `cargo xtask bench-opencl` times the kernels of the five programs of Table 2 of the paper, \
without transfers and conversions, as they are written, in SoA, and in the layouts that `--selector kdlg` with the tree of \
`{tree}` and `--selector cost` for `h100` choose: milliseconds for the source and speed-ups over it for the others, median, least and greatest \
of {runs} runs in which the versions take turns. The last columns are the paper's speed-ups of its own layouts on its own GPUs, with its programs: \
ours are written anew from its description, and `sampo` is a model of its own.

| program, arguments | launches | source, ms | SoA | `kdlg` | `cost` | paper: FirePro S9000 | GTX 480 | K20m |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
",
        tree = options.device,
        runs = options.runs,
    );
    for row in rows {
        let _ = writeln!(out, "{}", row_of_table(row));
    }
    out.push_str("\nThe layouts:\n\n");
    for row in rows {
        let shown = row.versions.iter().skip(1).map(|version| {
            let layouts = match version.layouts.as_slice() {
                [] => "as in the source".to_owned(),
                all => format!("`{}`", all.join("; ")),
            };
            format!("{} {layouts}", version.name)
        });
        let _ = writeln!(out, "- {}: {}.", row.paper.shown, shown.collect::<Vec<_>>().join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_kept_with_an_empty_line() {
        let text = format!("# Head\n\ntext\n\n{BEGIN}## Times\n");
        assert_eq!(section_of(&text), format!("\n{BEGIN}## Times\n"));
        assert_eq!(section_of("# Head\n"), "");
    }

    #[test]
    fn the_spread_is_median_and_ends() {
        assert_eq!(spread(vec![3.0, 1.0, 2.0]), [2.0, 1.0, 3.0]);
    }
}
