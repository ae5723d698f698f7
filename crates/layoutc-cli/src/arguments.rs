//! The command line: what can be asked for, and how it is explained.

use crate::format::Format;
use crate::integration::IntegrationArguments;
use crate::jobs::JobsArguments;
use crate::launch::arguments::LaunchArguments;
use crate::lsp::LspArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::plan::arguments::PlanArguments;
use crate::style::StyleArguments;
use crate::tune::arguments::TuneArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use layoutc_analysis::Selector;
use layoutc_analysis::cost::price::Model;
use layoutc_analysis::device::{Device, TileModel, device_names};
use layoutc_analysis::grid_choice::DEFAULT_DEVICE;
use layoutc_analysis::grid_plan::InBounds;
use layoutc_analysis::kdlg::choice::KdlgOptions;
use layoutc_analysis::trace::TraceOptions;
use layoutc_dataflow::layout::MAX_TILE;
use layoutc_driver::{HostLayout, Style};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The heading of options that few need: parameters of the papers' methods, and what is seldom not found by itself.
const ADVANCED: &str = "Advanced";
/// The heading of what says where the result goes.
const OUTPUT: &str = "Output (exactly one)";

const ABOUT: &str = "\
Rewrites CUDA and OpenCL programs so that their arrays of structures lie in GPU memory the way the GPU wants to read \
them.

A program goes in, the same program with another data layout comes out. It compiles with the same compiler (nvcc, or \
an OpenCL driver), depends on no library, and prints the same results. An array is changed only if every use of it is \
understood; otherwise it keeps its layout and a warning names the expression that is the reason.";

const EXAMPLES: &str = "\
Examples:
  Show what would change, and write nothing:
      layoutc transform particles.cu --diff
  What layouts cost, access by access, in the words of Nsight Compute:
      layoutc cost particles.cu
  Write the rewritten program to another file, and compile that:
      layoutc transform particles.cu -o particles.soa.cu && nvcc particles.soa.cu
  A program of several files and their headers, into a folder that builds with the same command:
      layoutc transform main.cu kernels.cu -I include --out-dir build/src
  An OpenCL program, its host's text and its kernels:
      layoutc transform host.c kernels.cl --out-dir out
  Choose the layout yourself:
      layoutc transform particles.cu -o out.cu --layout 'Particle = tiled(32)'
  Run the program before and after on the CPU and compare:
      layoutc verify particles.cu -- 1000
  What a warning means:
      layoutc explain LC0010

Exit codes: 0 done, 1 errors reported, 2 bad usage or internal failure; `layoutc transform --help` has those of
--check.";

const TRANSFORM_EXAMPLES: &str = "\
Layouts (SPEC is `NAME = LAYOUT`; NAME is a struct, an array, function::array, or * for every other array):
  aos                            the source's own layout, an array of structs
  aos align(16)                  the same with a larger alignment, for wide loads
  soa                            one array per field
  tiled(32)                      structs of small arrays of 32 elements each (AoSoA)
  {x y z} align(16), {*}         clusters of fields, each in its own array; `*` is the rest
  {x y z} tiled(32), {id}        each cluster with its own form
Separate arrays of numbers, of one length, can be put together:
  x + vx = aos align(8)          one array of structs
Without --layout the least cost decides (see `layoutc cost`); with it only the arrays that it names change, and
  '* = auto' lets the least cost decide for the others.
Arrays of numbers that are indexed by several coordinates, such as f[(y*nx + x)*9 + q], are grids:
  tiled(32)                      the numbers of a cell apart, in tiles of 32 cells
  [y, x/32, field, x%32]         digits of the coordinates, slowest first
A grid changes by itself where that makes neighbouring threads access neighbouring values on --device.

Examples:
  layoutc transform nbody.cu --diff
  layoutc transform nbody.cu -o out.cu --layout 'Body = {x y z m} align(16), {vx vy vz} tiled(32)'
  layoutc transform nbody.cu --diff --layout 'Body = soa' --host native
  layoutc transform main.cu sim.cu -I include -D REAL=float --out-dir out --report report.json
  layoutc transform nbody.cu --check --require Body
  layoutc transform nbody.cu --check --format sarif > layoutc.sarif
  layoutc transform --project build/compile_commands.json --out-dir out --layout '* = soa'

Exit codes: 0 done, 1 errors reported, 2 bad usage or internal failure. Those of --check:
  0  nothing would change: all is up to date, or would gain nothing
  1  something would change
  2  bad usage, or the program cannot be compiled
  3  something stays that --require names
  4  there are arrays of structs, and every one is refused: the diagnostics say why";

const VERIFY_EXAMPLES: &str = "\
Both programs are built with the host's C++ compiler (g++, or $CXX) against the CPU runtime, run with the same \
arguments and no input, and compared: what they print, how they end, and, kernel by kernel, every byte of device \
memory under the layout's mapping. The compiled runtime is kept in $XDG_CACHE_HOME/layoutc for the next time. \
OpenCL programs are built with gcc and g++ ($CC, $CXX), run on the OpenCL device that is installed, in the current \
folder, and compared by what they print and how they end.

Examples:
  layoutc verify nbody.cu
  layoutc verify host.c kernels.cl --layout 'Body = soa' -- 256 10
  layoutc verify nbody.cu --layout 'Body = soa' -- 256 10
  layoutc verify main.cu sim.cu -I include -- --steps 5

Exit codes: 0 identical, 1 different, 2 the program cannot be built or run.";

const ANALYZE_EXAMPLES: &str = "\
Of each grid: its extents, the accesses as matrices, their common pattern or the two that differ, the bits of each \
coordinate that differ among requests in flight, the chosen digits with their flattening function, and what \
requests cost in the source's order, as one array per number, as chosen, and in every --layout that is given. \
Costs are computed from the matrices at --extent, not measured.

Examples:
  layoutc analyze lbm.cu --device gtx280
  layoutc analyze lbm.cu --layout 'f = [y, field, x]' --extent nx=512
  layoutc analyze lbm.cu --json --svg drawings
  layoutc analyze nbody.cu --graph fields.svg --epsilon 64";

const COST_EXAMPLES: &str = "\
Of each kernel and each access: requests, sectors per request (touched and ideal), excess sectors, bytes through L2 and \
DRAM, and an estimate of the time. The rows are the source's layout, the one that `transform` chooses with the same \
options, and each --layout (otherwise the common ones). A legend names the metrics of Nsight Compute; -q leaves it out, \
-v has every access in every layout. Prices are computed from the text, not measured; --ncu puts measured values beside \
them.

The cost is a vector: accesses inside of loops whose length nobody knows count more than all others.

Examples:
  layoutc cost nbody.cu
  layoutc cost nbody.cu --layout 'Body = soa' --layout 'Body = {x y z mass} align(16), {*}'
  ncu --csv --page raw --set full ./nbody > nbody.csv && layoutc cost nbody.cu --ncu nbody.csv
  layoutc cost nbody.cu --model peng --device m2050 --json";

const PROFILE_EXAMPLES: &str = "\
The accesses to arrays of structs and the loops of device code are instrumented, the program is built and run, and \
what each access did is added up: how often warps executed it, how many lanes shared a line, which elements they \
touched. The sums do not grow with the length of the run. What the program prints is what it always prints. \
Without a GPU the program is built with the host's C++ compiler (g++, or $CXX) against the CPU runtime.

Examples:
  layoutc profile nbody.cu -o nbody.profile -- 4096 10
  layoutc transform nbody.cu --profile nbody.profile --diff
  layoutc profile nbody.cu -o nbody.profile --backend nvcc -- 4096 10
  layoutc profile nbody.cu --instrument instrumented/
  layoutc profile nbody.cu -o nbody.profile --counts layoutc.profile.counts

Exit codes: 0 done, 1 the run ended early and what was recorded until then was written, 2 the program cannot be built
or run.";

const CALIBRATE_EXAMPLES: &str = "\
Many blocks of one thread load words a fixed stride apart, again and again. Strides that slow them down show \
which address bits spread requests over channels and banks (Sung, Stratton, Hwu, PACT 2010). The result is the \
[steering] table of a device file. On a device with a second-level cache it is the slices of the cache that are \
measured, as far as they follow the channels.

A curve is CSV with the columns stride_words (words of 4 bytes) and requests_per_second or latency_ns, or JSON:
{\"device\": \"...\", \"points\": [{\"stride_words\": 16, \"requests_per_second\": 1e9}, ...]}

Examples:
  layoutc calibrate steering --out-dir calibration -o steering.toml
  layoutc calibrate steering --curve calibration/curve.csv --burst 64

Exit codes: 0 done, 1 the curve cannot be used, 2 no compiler, no device, or bad usage.";

const TILES_EXAMPLES: &str = "\
Kernels that go through an array in one loop are timed with OpenCL, for elements of several sizes, loops of several \
lengths, and the elements as structs, in tiles and as arrays. Of each kernel, all layouts within 1 % of the fastest train \
two decision trees (Kofler, Cosenza, Fahringer, Euro-Par 2015): one that sees the size of an element, and one that \
sees its fields and the trips of the loop too. The result is the [tiles] tables of a device file, for --selector kdlg.

Times are CSV with the columns trips, fields, field_bytes, layout (aos, soa, tiled(T)) and seconds.

Examples:
  layoutc calibrate tiles --out-dir calibration -o tiles.toml
  layoutc calibrate tiles --times calibration/times.csv

Exit codes: 0 done, 1 the times cannot be used, 2 no compiler, no device, or bad usage.";

/// The parsed command line.
#[derive(Debug, Parser)]
#[command(name = "layoutc", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How many threads work.
    #[command(flatten)]
    pub jobs: JobsArguments,
}

/// The words of a command line, with `-isystem` as the option that it is: one dash and several letters
/// are several options otherwise.
pub fn spelled_as_options(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut behind_options = false;
    let spell = |word: OsString| {
        behind_options |= word == "--";
        match word.to_str().and_then(|text| text.strip_prefix("-isystem")) {
            Some("") if !behind_options => OsString::from("--isystem"),
            Some(folder) if !behind_options => {
                OsString::from(format!("--isystem={}", folder.trim_start_matches('=')))
            }
            _ => word,
        }
    };
    words.map(spell).collect()
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Rewrite a program to another data layout.
    #[command(after_help = TRANSFORM_EXAMPLES)]
    Transform(TransformArguments),
    /// Run a program before and after its rewrite on the CPU, and compare.
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArguments),
    /// Show the structured grids of a program and how near the fields of its structs are in memory: how kernels
    /// access them, and which layout serves that.
    #[command(after_help = ANALYZE_EXAMPLES)]
    Analyze(AnalyzeArguments),
    /// Show what layouts cost, access by access, and which one is the cheapest.
    #[command(after_help = COST_EXAMPLES)]
    Cost(CostArguments),
    /// Run a program and record how its kernels access arrays of structs.
    #[command(after_help = PROFILE_EXAMPLES)]
    Profile(ProfileArguments),
    /// Write a review of what would change, as Markdown for a pull request.
    #[command(after_help = crate::review::arguments::EXAMPLES)]
    Review(crate::review::arguments::ReviewArguments),
    /// Choose the layouts of a program, or of all programs of a build, and write them to `layoutc.lock`.
    #[command(after_help = crate::plan::arguments::EXAMPLES)]
    Plan(PlanArguments),
    /// Measure the most promising layouts of a program, and write the best to `layoutc.lock`.
    #[command(after_help = crate::tune::arguments::EXAMPLES)]
    Tune(TuneArguments),
    /// Run a compiler on the rewritten program: in front of nvcc and the host compiler in a build.
    #[command(after_help = crate::launch::arguments::EXAMPLES)]
    Launch(LaunchArguments),
    /// Write the files for a build system that come with layoutc, and print their folder.
    #[command(after_help = crate::integration::EXAMPLES)]
    Integration(IntegrationArguments),
    /// Print what a diagnostic code means and what to change.
    Explain(ExplainArguments),
    /// Print the completions of a shell.
    Completions(CompletionsArguments),
    /// Write manual pages.
    Man(ManArguments),
    /// Measure what a device file needs to know.
    Calibrate(CalibrateArguments),
    /// Answer an editor: diagnostics, hovers and code actions while a program is written.
    Lsp(LspArguments),
}

/// What a local header that is not found means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MissingHeaders {
    /// A mistake: nothing is done.
    Error,
    /// A part of the program that cannot be seen.
    Opaque,
}

/// What makes a program, and what is wanted of it.
#[derive(Clone, Debug, Args)]
pub struct ProgramArguments {
    /// The source files of one program; the local headers they include belong to it. A folder stands for all sources
    /// below it, without hidden folders and those of builds. For `transform`, `-` is a program of CUDA on standard
    /// input.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The layout of a struct's or array's elements, such as 'Particle = soa'. May be repeated.
    #[arg(long = "layout", value_name = "SPEC")]
    pub layouts: Vec<String>,
    /// The GPU that layouts are chosen for: a name, or a device file (see `layoutc calibrate`); `list` prints the
    /// names.
    #[arg(long, value_name = "NAME|FILE", default_value = DEFAULT_DEVICE, value_parser = parse_device)]
    pub device: Device,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro; without a value it is 1.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,
    /// Promise that no build defines a macro: a branch for it keeps no array, and gets an `#error`.
    #[arg(short = 'U', value_name = "NAME")]
    pub undefines: Vec<String>,
    /// Take files, macros and include folders from a compilation database (`compile_commands.json`,
    /// or its folder). Files named beside it choose among its entries; -I, -D and -U are added to all.
    #[arg(long, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Take what the command line does not say from this file. Otherwise: from the nearest `layoutc.toml` in the
    /// folder of the program or above it, if that names the program.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// What `layoutc profile` recorded of this program. May be repeated: the runs count together.
    #[arg(long = "profile", value_name = "FILE")]
    pub profiles: Vec<PathBuf>,
    /// Take the layouts from a lock file, as builds do; `FILE:PROGRAM` names one of several programs.
    #[arg(long, value_name = "FILE[:PROGRAM]", conflicts_with = "layouts")]
    pub locked: Option<String>,
    /// They are those of a lock file: pragmas of the source go before them.
    #[arg(skip)]
    pub layouts_were_chosen: bool,
    /// Layouts of pragmas do not count.
    #[arg(skip)]
    pub ignores_pragmas: bool,
    /// What host arrays look like that are copied to or from arrays in a new layout. `convert`: as
    /// in the source, and the copies convert. `native`: as on the device, where the host code that
    /// uses them can be rewritten; `native=NAME,…` for these arrays only.
    #[arg(long, value_name = "HOW", default_value = "convert", value_parser = parse_host)]
    pub host: HostLayout,
    /// How accesses to arrays in tiles are written in CUDA C++. `inline`: `p[i >> 5].x[i & 31]`; `view`: parameters become
    /// views, and the functions that use them keep their text, where that is possible.
    #[arg(long = "style", id = "access_style", value_name = "STYLE", default_value = "inline")]
    pub access_style: StyleName,
    /// Leave the arrays of this struct, or this array, as they are. May be repeated.
    #[arg(long = "keep", value_name = "NAME")]
    pub keep: Vec<String>,
    /// Fail if the arrays of this struct keep their layout. May be repeated.
    #[arg(long = "require", value_name = "TYPE")]
    pub require: Vec<String>,
    /// How diagnostics are shown. `text` and `short` go to standard error; `json` (the report), `sarif`, `github`
    /// (workflow commands) and `markdown` are all that is on standard output.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub format: Format,
    /// How much is said.
    #[command(flatten)]
    pub style: StyleArguments,
    /// Search this folder for headers of libraries, after all others; also `-isystem`. They are never edited.
    #[arg(long = "isystem", value_name = "DIR", help_heading = ADVANCED)]
    pub system_dirs: Vec<PathBuf>,
    /// Only files below this folder are the program's; headers elsewhere are read, but never edited or
    /// written. May be repeated. Otherwise: the folder of the compilation database, or the common
    /// folder of the files, headers elsewhere that they include with quotes, and those of the project
    /// around the files: a working tree of git, or folders with a `CMakeLists.txt` in each.
    #[arg(long = "root", value_name = "DIR", help_heading = ADVANCED)]
    pub roots: Vec<PathBuf>,
    /// What a header in quotes that is not found means. Opaque: it may hold anything, so what it
    /// could use keeps its layout.
    #[arg(long, value_name = "HOW", default_value = "error", help_heading = ADVANCED)]
    pub missing_headers: MissingHeaders,
    /// Ask this compiler, `nvcc` or `g++`, for the sizes of members whose types layoutc does not know. Members whose
    /// bytes are their value stay whole then, instead of keeping the layout of their struct.
    #[arg(long, value_name = "COMPILER", help_heading = ADVANCED)]
    pub types_from: Option<String>,
    /// What is taken to hold where nothing proves it. `in-bounds`: the coordinates of grids stay
    /// inside their extents; `in-bounds=NAME,…` those of these arrays. `verify` checks it. May be
    /// repeated.
    #[arg(long, value_name = "WHAT", value_parser = parse_assume, help_heading = ADVANCED)]
    pub assume: Vec<InBounds>,
    /// What chooses the layouts of arrays of structs without --layout. `cost`: the least cost of memory
    /// accesses; `kdlg`: clusters of fields by memory distance, each with a layout from the device's decision
    /// tree (Kofler, Cosenza, Fahringer, Euro-Par 2015); `trace`: what accesses did in the recorded runs (Nakai,
    /// Ohno); `auto`: the least cost, where the recorded runs say what accesses do. [default: cost; with --profile:
    /// auto]
    #[arg(long, value_name = "NAME", help_heading = ADVANCED)]
    pub selector: Option<SelectorName>,
    /// How accesses to arrays of structs are priced: in sectors of today's caches, or as Peng et al. do
    /// (PMBS 2016).
    #[arg(long, value_name = "NAME", default_value = "sectors", value_parser = parse_model, help_heading = ADVANCED)]
    pub model: Model,
    /// The shape of blocks in launches that do not say it by constants; otherwise 256 threads.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_block, help_heading = ADVANCED)]
    pub block: Option<Block>,
    /// Blocks of launches that do not say it by constants; otherwise 4096.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32), help_heading = ADVANCED)]
    pub blocks: Option<u64>,
    /// Blocks that the device runs at once; otherwise as many as fit by threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32), help_heading = ADVANCED)]
    pub active_blocks: Option<u64>,
    /// For `trace`: which steps beyond the paper are taken. `paper`: none; otherwise some of `groups` (structs or
    /// arrays for each cluster of fields), `tiles`, `width` (the alignment that pays) and `elements` (accesses
    /// are judged by their elements and not by their addresses), separated by commas.
    #[arg(long, value_name = "STEPS", default_value = "groups,tiles,width,elements", value_parser = parse_trace, help_heading = ADVANCED)]
    pub trace: TraceOptions,
    /// For `kdlg`: fields nearer than this are one cluster; otherwise a line of the device's first-level cache.
    #[arg(long, value_name = "BYTES", help_heading = ADVANCED)]
    pub epsilon: Option<u64>,
    /// For `kdlg`: what the decision tree sees of a cluster. `size`: its bytes, as in the paper; `access`: also its
    /// fields and the trips of the loop around, where the device file has such a tree.
    #[arg(long, value_name = "WHAT", default_value = "size", help_heading = ADVANCED)]
    pub tiles: TilesBy,
}

/// The names of selectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SelectorName {
    /// The least cost.
    Cost,
    /// Clusters by memory distance.
    Kdlg,
    /// What accesses did in recorded runs.
    Trace,
    /// The least cost of what recorded runs did.
    Auto,
}

fn parse_trace(text: &str) -> Result<TraceOptions, String> {
    let mut options = TraceOptions::paper();
    if text == "paper" {
        return Ok(options);
    }
    for step in text.split(',') {
        match step.trim() {
            "groups" => options.per_group = true,
            "tiles" => options.tiles = true,
            "width" => options.vector_width = true,
            "elements" => options.by_index = true,
            other => {
                return Err(format!(
                    "there is no step `{other}`; there are groups, tiles, width and elements, or paper for none"
                ));
            }
        }
    }
    Ok(options)
}

/// What decision trees see of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TilesBy {
    /// Its bytes.
    Size,
    /// Its bytes, its fields, and the trips of the loop around.
    Access,
}

impl ProgramArguments {
    /// How clusters of fields are made and laid out.
    pub fn kdlg(&self) -> KdlgOptions {
        let tiles = match self.tiles {
            TilesBy::Size => TileModel::Size,
            TilesBy::Access => TileModel::Access,
        };
        KdlgOptions { epsilon: self.epsilon, tiles }
    }

    /// What chooses layouts.
    pub fn selector(&self) -> Selector {
        match self.selector {
            None if self.profiles.is_empty() => Selector::Cost,
            None | Some(SelectorName::Auto) => Selector::Auto,
            Some(SelectorName::Cost) => Selector::Cost,
            Some(SelectorName::Kdlg) => Selector::Kdlg(self.kdlg()),
            Some(SelectorName::Trace) => Selector::Trace(self.trace),
        }
    }
}

/// `layoutc transform`.
#[derive(Debug, Args)]
pub struct TransformArguments {
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArguments,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Write what became of every array, and why, as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write the files that were read, as a rule for Make and Ninja: the output of `-o`, or the folder of `--out-dir`,
    /// depends on them.
    #[arg(long, value_name = "FILE")]
    pub depfile: Option<PathBuf>,
    /// Where generated types and functions of CUDA programs go. `inline`: behind the struct; `header`: into a header that is
    /// included there, if they are 20 lines or more; `auto`: into a header, other than with `-o`.
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    pub helpers: Helpers,
}

/// How accesses to arrays in tiles are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StyleName {
    /// With the index of the tile and the place in it.
    Inline,
    /// Through views, where functions can take such.
    #[value(alias = "auto")]
    View,
}

impl From<StyleName> for Style {
    fn from(name: StyleName) -> Style {
        match name {
            StyleName::Inline => Style::Inline,
            StyleName::View => Style::View,
        }
    }
}

/// Where generated types and functions go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Helpers {
    /// Into a header, where there is more than one output.
    Auto,
    /// Behind the struct.
    Inline,
    /// Into a header.
    Header,
}

/// Exactly one of these.
#[derive(Debug, Args)]
pub struct OutputArguments {
    /// Write the rewritten program to this file (for a program of one file), or to standard output (`-`).
    #[arg(short = 'o', long = "output", value_name = "FILE", help_heading = OUTPUT)]
    pub file: Option<PathBuf>,
    /// Write all files of the program, changed or not, below this folder, except those that have their content already; headers of others are not written.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// Overwrite the files that change.
    #[arg(long, help_heading = OUTPUT)]
    pub in_place: bool,
    /// Print a unified diff and write nothing.
    #[arg(long, help_heading = OUTPUT)]
    pub diff: bool,
    /// Write nothing; say by the exit code whether something would change.
    #[arg(long, help_heading = OUTPUT)]
    pub check: bool,
}

/// Where the result goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutputMode {
    /// `-o FILE`.
    File(PathBuf),
    /// `-o -`.
    Standard,
    /// `--out-dir DIR`.
    Folder(PathBuf),
    /// `--in-place`.
    InPlace,
    /// `--diff`.
    Diff,
    /// `--check`.
    Check,
}

/// Standard input as a file, and standard output.
pub const STANDARD: &str = "-";

const OUTPUTS: &str = "
  -o FILE        write the rewritten file; - is standard output
  --out-dir DIR  write all files of the program below a folder
  --in-place     overwrite the files that change
  --diff         print a unified diff
  --check        exit with 1 if something would change";

impl OutputArguments {
    /// The one mode that was chosen.
    ///
    /// # Errors
    /// The message for none or several.
    pub fn mode(&self) -> Result<OutputMode, String> {
        let chosen: Vec<(&str, OutputMode)> = [
            self.file.clone().map(|file| match file == Path::new(STANDARD) {
                true => ("-o", OutputMode::Standard),
                false => ("-o", OutputMode::File(file)),
            }),
            self.out_dir.clone().map(|folder| ("--out-dir", OutputMode::Folder(folder))),
            self.in_place.then_some(("--in-place", OutputMode::InPlace)),
            self.diff.then_some(("--diff", OutputMode::Diff)),
            self.check.then_some(("--check", OutputMode::Check)),
        ]
        .into_iter()
        .flatten()
        .collect();
        match &chosen[..] {
            [(_, mode)] => Ok(mode.clone()),
            [] => Err(format!("say where the result goes, with one of{OUTPUTS}")),
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
                Err(format!("{} exclude each other; give one of{OUTPUTS}", names.join(" and ")))
            }
        }
    }
}

/// `layoutc verify`.
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// Stop each run after this time.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Do not compile the result with the nvcc of `$NVCC` or the PATH
    #[arg(long)]
    pub no_nvcc: bool,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What the program is run with.
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// `layoutc profile`.
#[derive(Debug, Args)]
pub struct ProfileArguments {
    /// Write the profile to this file.
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FILE",
        required_unless_present = "instrument"
    )]
    pub output: Option<PathBuf>,
    /// What builds and runs the program.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub backend: Backend,
    /// Further options for nvcc, such as `-arch=sm_90`. May be repeated.
    #[arg(long = "nvcc-option", value_name = "OPTION", allow_hyphen_values = true)]
    pub nvcc_options: Vec<String>,
    /// Write the instrumented program below this folder, to be built by other means, and run nothing. The
    /// program writes its counts to $LAYOUTC_PROFILE, or layoutc.profile.counts.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "counts", "rows"])]
    pub instrument: Option<PathBuf>,
    /// Take the counts that such a program wrote, and run nothing.
    #[arg(long, value_name = "FILE", conflicts_with = "rows")]
    pub counts: Option<PathBuf>,
    /// Write single accesses, too: a table with a row for each lane of each access, as Parquet.
    #[arg(long, value_name = "FILE.parquet")]
    pub rows: Option<PathBuf>,
    /// Of every so many warps, write the rows of one.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "rows", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Write no more rows than this.
    #[arg(long, value_name = "N", default_value_t = 100_000_000, requires = "rows")]
    pub most_rows: u64,
    /// Stop the run after this time.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What the program is run with.
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// What builds and runs an instrumented program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Backend {
    /// The host's C++ compiler and the CPU runtime.
    Cpu,
    /// nvcc ($NVCC, or the one of the path), and a GPU.
    Nvcc,
}

/// `layoutc analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArguments {
    /// Print JSON instead of text: the same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Draw which bit of which coordinate feeds which address bit: one SVG file for each grid with a
    /// layout, in this folder.
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Draw how far the fields of structs are from each other in memory, and their clusters (Kernel Data Layout
    /// Graphs): as DOT or SVG, by the name.
    #[arg(long, value_name = "FILE.dot|FILE.svg", value_parser = parse_graph)]
    pub graph: Option<GraphFile>,
    /// Write what --profile recorded to this file, as a page for a browser: accesses and wasted bytes by field and
    /// kernel, field access trees, and layouts before and after.
    #[arg(long, value_name = "FILE.html", requires = "profiles")]
    pub html: Option<PathBuf>,
    /// An extent that costs are computed at, such as `nx=512`; otherwise 1024. May be repeated.
    #[arg(long = "extent", value_name = "NAME=N", value_parser = parse_extent)]
    pub extents: Vec<(String, u64)>,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
}

/// A file for graphs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphFile {
    /// Where.
    pub path: PathBuf,
    /// Whether it is a drawing, and not DOT.
    pub is_svg: bool,
}

fn parse_graph(text: &str) -> Result<GraphFile, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(GraphFile { path, is_svg: true }),
        Some("dot" | "gv") => Ok(GraphFile { path, is_svg: false }),
        _ => Err("its name ends with .dot or .svg".to_owned()),
    }
}

/// `layoutc cost`.
#[derive(Debug, Args)]
pub struct CostArguments {
    /// Put what Nsight Compute measured beside the predictions: what `ncu --csv` prints, with `--page raw` or `--page
    /// details`.
    #[arg(long, value_name = "FILE.csv")]
    pub ncu: Option<PathBuf>,
    /// Print JSON instead of text: the same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Also run the program in each layout on the CPU, with ARGS, and let the addresses that its kernels
    /// touch go through a simulated coalescer and the device's caches.
    #[arg(long)]
    pub simulate: bool,
    /// Stop each run after this time.
    #[arg(long, value_name = "SECONDS", requires = "simulate", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// What `nvcc -Xptxas -v` prints: registers and shared memory of kernels, which say how many blocks
    /// run at once.
    #[arg(long, value_name = "FILE")]
    pub ptxas: Option<PathBuf>,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What the program is run with.
    #[arg(last = true, value_name = "ARGS", requires = "simulate")]
    pub args: Vec<OsString>,
}

/// The name of a cost model.
fn parse_model(text: &str) -> Result<Model, String> {
    Model::named(text).ok_or_else(|| {
        let names: Vec<&str> = Model::ALL.iter().map(|model| model.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}

/// `nx=512`.
fn parse_extent(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("it is NAME=NUMBER")?;
    let value = value.trim().parse().ok().filter(|value| (1..=1 << 32).contains(value));
    value.map(|value| (name.trim().to_owned(), value)).ok_or_else(|| "it is NAME=NUMBER".to_owned())
}

/// `layoutc explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A code such as LC0010, or its name, such as escaping-pointer; without one the codes are listed.
    pub code: Option<String>,
    /// List all codes with their names.
    #[arg(long, conflicts_with = "code")]
    pub list: bool,
}

/// `layoutc calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArguments {
    /// What to measure.
    #[command(subcommand)]
    pub what: Calibrate,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum Calibrate {
    /// Which address bits choose memory channels and banks.
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Steering(SteeringArguments),
    /// Which tiles serve clusters of fields.
    #[command(after_help = TILES_EXAMPLES)]
    Tiles(TilesArguments),
}

/// `layoutc calibrate tiles`.
#[derive(Debug, Args)]
pub struct TilesArguments {
    /// Measure nothing: train the trees on these times (.csv).
    #[arg(long, value_name = "FILE")]
    pub times: Option<PathBuf>,
    /// Write the kernels, the program that times them, its binary and the times into this folder.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "layoutc-calibration",
        conflicts_with = "times"
    )]
    pub out_dir: PathBuf,
    /// Write the table of the device file to this file instead of printing it.
    #[arg(short = 'o', long = "output", value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// A part of the name of an OpenCL device; otherwise the first.
    #[arg(long, value_name = "NAME", default_value = "", conflicts_with = "times")]
    pub opencl_device: String,
    /// Trips of the loops.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [128, 256, 512, 1024, 2048, 4096, 8192, 16384], value_parser = clap::value_parser!(u64).range(1..=1 << 20), conflicts_with = "times")]
    pub trips: Vec<u64>,
    /// Fields of an element.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [2, 3, 4, 6, 8, 12, 16], value_parser = clap::value_parser!(u64).range(1..=256), conflicts_with = "times")]
    pub fields: Vec<u64>,
    /// Bytes of a field: 4 or 8.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [4], value_parser = parse_field_bytes, conflicts_with = "times")]
    pub field_bytes: Vec<u64>,
    /// Elements of a tile, beside an array of structs and arrays.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = (1..=15).map(|power| 1_u64 << power), value_parser = clap::value_parser!(u64).range(2..=MAX_TILE), conflicts_with = "times")]
    pub tile_sizes: Vec<u64>,
    /// Threads of a launch, a power of two.
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = parse_power, conflicts_with = "times")]
    pub threads: u64,
    /// Elements of the array, a power of two.
    #[arg(long, value_name = "N", default_value_t = 1 << 18, value_parser = parse_power, conflicts_with = "times")]
    pub elements: u64,
    /// Runs of a kernel; the fastest counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000), conflicts_with = "times")]
    pub repeats: u64,
    /// The C compiler.
    #[arg(long, value_name = "PATH", default_value = "cc", conflicts_with = "times")]
    pub cc: PathBuf,
}

fn parse_power(text: &str) -> Result<u64, String> {
    let value: Option<u64> = text.parse().ok();
    let value = value.filter(|value| value.is_power_of_two() && (64..=1 << 30).contains(value));
    value.ok_or_else(|| "it is a power of two of at least 64".to_owned())
}

fn parse_field_bytes(text: &str) -> Result<u64, String> {
    match text {
        "4" => Ok(4),
        "8" => Ok(8),
        _ => Err("it is 4 or 8".to_owned()),
    }
}

/// `layoutc calibrate steering`.
#[derive(Debug, Args)]
pub struct SteeringArguments {
    /// Measure nothing: derive the bits from this curve (.csv, or .json).
    #[arg(long, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    /// Write the micro-benchmark, its binary and the measured curve into this folder.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "layoutc-calibration",
        conflicts_with = "curve"
    )]
    pub out_dir: PathBuf,
    /// Write the table of the device file to this file instead of printing it.
    #[arg(short = 'o', long = "output", value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Bytes of a memory burst; it cannot be measured by strides.
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    pub burst: u64,
    /// The CUDA compiler.
    #[arg(long, value_name = "PATH", default_value = "nvcc", conflicts_with = "curve")]
    pub nvcc: PathBuf,
    /// What to compile for, as nvcc's -arch.
    #[arg(long, value_name = "ARCH", default_value = "all-major", conflicts_with = "curve")]
    pub arch: String,
}

/// `NAME`, `NAME=VALUE`, `NAME(PARAMETERS)=VALUE`.
fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let word = name.split('(').next().unwrap_or(name);
    let is_word = word.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_closed = !name.contains('(') || name.ends_with(')');
    if is_word && is_closed {
        Ok((name.to_owned(), value.to_owned()))
    } else {
        Err(format!("`{name}` is not the name of a macro"))
    }
}

/// The shape of a block.
pub type Block = [u64; 3];

/// `32`, `32,8`, `16,4,2`.
fn parse_block(text: &str) -> Result<Block, String> {
    const FORM: &str =
        "it is one to three numbers of threads, `32,8`, at least 1 and together at most 1024";
    let mut block = [1; 3];
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > block.len() {
        return Err(FORM.to_owned());
    }
    for (extent, part) in block.iter_mut().zip(parts) {
        *extent = part.parse().ok().filter(|n| (1..=1024).contains(n)).ok_or(FORM)?;
    }
    if block.iter().product::<u64>() <= 1024 { Ok(block) } else { Err(FORM.to_owned()) }
}

/// Whether `--device list` asks what devices there are.
pub fn asks_for_devices(words: &[OsString]) -> bool {
    let mut own = words.iter().take_while(|word| *word != "--").map(|word| word.to_str());
    let mut is_behind = false;
    own.any(|word| {
        let found = word == Some("--device=list") || (is_behind && word == Some("list"));
        is_behind = word == Some("--device");
        found
    })
}

/// The built-in devices, a line for each.
pub fn devices() -> String {
    let devices: Vec<Device> = device_names().into_iter().filter_map(Device::built_in).collect();
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "name",
        "device",
        "compute capability",
        "multiprocessors",
        "L2 [MiB]",
        "DRAM [GB/s]",
    ]);
    let text = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |own| own.to_string());
    for device in devices {
        let (execution, memory) = (&device.execution, &device.memory);
        table.add_row([
            device.name.clone(),
            device.title.clone(),
            device.compute_capability.clone(),
            text(execution.multiprocessors.known().map(|own| f64::from(*own))),
            text(
                memory
                    .l2_bytes
                    .known()
                    .map(|own| (*own as f64 / f64::from(1 << 20) * 10.0).round() / 10.0),
            ),
            text(memory.dram_gigabytes_per_second.known().map(|own| f64::from(*own))),
        ]);
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.to_string();
    let lines = lines.lines().map(|line| format!("{}\n", line.trim()));
    lines
        .chain([
            "\n`--device FILE.toml` takes any other; `layoutc calibrate` measures what it needs.\n"
                .to_owned(),
        ])
        .collect()
}

/// The name of a built-in device, or the path of a file that describes one.
fn parse_device(text: &str) -> Result<Device, String> {
    if let Some(device) = Device::built_in(text) {
        return Ok(device);
    }
    let names = device_names().join(", ");
    let is_path = text.contains(['/', '\\', '.']);
    let read = std::fs::read_to_string(text).map_err(|error| match is_path {
        true => error.to_string(),
        false => format!("it is a device file, or one of {names}; --device list says more"),
    })?;
    Device::parse(&read)
}

/// `convert`, `native`, `native=NAME,NAME`.
fn parse_host(text: &str) -> Result<HostLayout, String> {
    let names = |text: &str| -> Vec<String> {
        text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    match text.split_once('=').map(|(how, list)| (how, names(list))) {
        None if text == "convert" => Ok(HostLayout::Convert),
        None if text == "native" => Ok(HostLayout::Native),
        Some(("native", names)) if !names.is_empty() => Ok(HostLayout::NativeOnly(names)),
        _ => Err("it is `convert`, `native` or `native=NAME,…`".to_owned()),
    }
}

/// `in-bounds`, `in-bounds=NAME,NAME`.
fn parse_assume(text: &str) -> Result<InBounds, String> {
    let wrong = || Err("it is `in-bounds` or `in-bounds=NAME,…`".to_owned());
    match text.split_once('=') {
        None if text == "in-bounds" => Ok(InBounds { all: true, names: Vec::new() }),
        Some(("in-bounds", list)) => {
            let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
            if names.iter().any(String::is_empty) {
                return wrong();
            }
            Ok(InBounds { all: false, names })
        }
        _ => wrong(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn defines() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(parse_define("N"), pair("N", "1"));
        assert_eq!(parse_define("N="), pair("N", ""));
        assert_eq!(parse_define("N=a=b"), pair("N", "a=b"));
        assert_eq!(parse_define("F(x)=x+1"), pair("F(x)", "x+1"));
        for bad in ["", "=1", "1N", "a b", "F(x=1"] {
            assert!(parse_define(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn host_layouts() {
        assert_eq!(parse_host("convert"), Ok(HostLayout::Convert));
        assert_eq!(parse_host("native"), Ok(HostLayout::Native));
        let names = vec!["h".to_owned(), "main::g".to_owned()];
        assert_eq!(parse_host("native=h, main::g"), Ok(HostLayout::NativeOnly(names)));
        for bad in ["", "native=", "soa", "convert=h"] {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn assumptions() {
        assert_eq!(parse_assume("in-bounds"), Ok(InBounds { all: true, names: Vec::new() }));
        let names = vec!["f".to_owned(), "step::g".to_owned()];
        assert_eq!(parse_assume("in-bounds=f, step::g"), Ok(InBounds { all: false, names }));
        for bad in ["", "in-bounds=", "in-bounds=f,,g", "bounds", "no-alias=f"] {
            assert!(parse_assume(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn blocks_and_devices() {
        assert_eq!(parse_block("256"), Ok([256, 1, 1]));
        assert_eq!(parse_block("16, 4,2"), Ok([16, 4, 2]));
        for bad in ["", "0", "32,", "1025", "32,32,2", "1,1,1,1", "-1", "x"] {
            assert!(parse_block(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_device("gtx280").map(|device| device.name), Ok("gtx280".to_owned()));
        let error = parse_device("gtx281").expect_err("no such device");
        assert!(error.contains("gtx280, gtx480, h100, h200"), "{error}");
        assert!(parse_device("./no/such/file.toml").is_err());
    }

    #[test]
    fn exactly_one_output() {
        let mode = |options: &[&str]| {
            let line = ["layoutc", "transform", "a.cu"].iter().chain(options);
            let Command::Transform(arguments) =
                Arguments::try_parse_from(line).expect("parses").command
            else {
                panic!("not a transform");
            };
            arguments.output.mode()
        };
        assert_eq!(mode(&["-o", "b.cu"]), Ok(OutputMode::File("b.cu".into())));
        assert_eq!(mode(&["-o", "-"]), Ok(OutputMode::Standard));
        assert_eq!(mode(&["--check", "-j", "2"]), Ok(OutputMode::Check));
        assert!(mode(&[]).expect_err("none").contains("--out-dir"));
        assert!(mode(&["--diff", "--check"]).expect_err("two").starts_with("--diff and --check"));
    }
}
