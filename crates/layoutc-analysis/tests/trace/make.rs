//! Profiles made by hand, for programs written down in tests.

use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_analysis::profile::{
    Accessed, Array, Counts, Instruction, Kernel, Kind, LEVELS, Launched, Leaf, Loop, Place,
    Profile, Range, Run, Source, Trips, VERSION,
};
use layoutc_dataflow::classes::{Classes, find_classes};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use layoutc_syntax::{Program, lower_program};
use std::collections::BTreeSet;
use std::path::Path;

struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

/// A program, its classes and what its kernels access.
pub fn program(text: &str) -> (Program, Classes, CostModel) {
    let roots = vec![("test.cu".into(), text.to_owned())];
    let preprocessed = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let classes = find_classes(&program);
    let model = CostModel::build(&program, &classes, ModelOptions::default());
    (program, classes, model)
}

/// The counts of requests: the elements that the lanes of each touch, in structs of `size` bytes, of which
/// they touch the byte at `offset`.
pub fn counts(requests: &[Vec<i64>], size: i64, offset: i64) -> Counts {
    let mut counts = Counts::default();
    for elements in requests {
        let addresses: Vec<i64> = elements.iter().map(|at| at * size + offset).collect();
        let distinct = |values: &[i64], by: u32| -> u64 {
            values.iter().map(|value| value >> by).collect::<BTreeSet<i64>>().len() as u64
        };
        let same = addresses.iter().filter(|own| **own == addresses[0]).count() as u64;
        let line = addresses.iter().filter(|own| **own >> 7 == addresses[0] >> 7).count() as u64;
        let steps: BTreeSet<i64> = elements.windows(2).map(|pair| pair[1] - pair[0]).collect();
        counts.add(&Counts {
            requests: 1,
            lanes: elements.len() as u64,
            line_lanes: line,
            shared: u64::from(same > 1),
            address_lanes: same,
            lines: distinct(&addresses, 7),
            sectors: distinct(&addresses, 5),
            blocks: std::array::from_fn(|level| distinct(elements, level as u32)),
            strided: u64::from(steps.len() == 1),
            stride: steps.first().copied().unwrap_or(0),
        });
    }
    counts
}

/// A warp whose lanes touch elements `by` apart.
pub fn strided(by: i64) -> Vec<Vec<i64>> {
    vec![(0..32).map(|lane| lane * by).collect()]
}

/// Requests of 32 lanes that touch any of many elements.
pub fn scattered(requests: usize) -> Vec<Vec<i64>> {
    let mut state = 12345_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    (0..requests).map(|_| (0..32).map(|_| next() % (1 << 24)).collect()).collect()
}

/// The same requests so many times.
pub fn times(counts: Counts, times: u64) -> Counts {
    Counts {
        requests: counts.requests * times,
        lanes: counts.lanes * times,
        line_lanes: counts.line_lanes * times,
        shared: counts.shared * times,
        address_lanes: counts.address_lanes * times,
        lines: counts.lines * times,
        sectors: counts.sectors * times,
        blocks: counts.blocks.map(|own| own * times),
        strided: counts.strided * times,
        stride: counts.stride,
    }
}

/// A profile of a program of one file, as it grows.
pub struct Maker<'t> {
    text: &'t str,
    pub profile: Profile,
}

impl<'t> Maker<'t> {
    /// No run yet. The fields of the record are words.
    pub fn new(text: &'t str, record: &str, fields: &[&str]) -> Self {
        let leaf =
            |(name, at): (&&str, u64)| Leaf { name: (*name).into(), offset: at * 4, bytes: 4 };
        let profile = Profile {
            version: VERSION,
            sources: vec![Source { path: "test.cu".into(), sha256: "0123456789abcdef".repeat(4) }],
            runs: Vec::new(),
            arrays: vec![Array {
                record: record.into(),
                names: vec!["d".into()],
                size: fields.len() as u64 * 4,
                leaves: fields.iter().zip(0..).map(leaf).collect(),
            }],
            kernels: Vec::new(),
            loops: Vec::new(),
            instructions: Vec::new(),
            omitted: Vec::new(),
        };
        Maker { text, profile }
    }

    /// The place of the `nth` time that something stands in the text.
    fn place(&self, what: &str, nth: usize) -> Place {
        let found = self.text.match_indices(what).nth(nth);
        let start = found.map_or(0, |(at, _)| at);
        let line = self.text[..start].matches('\n').count() as u32 + 1;
        Place { source: 0, start: start as u32, end: (start + what.len()) as u32, line }
    }

    pub fn kernel(&mut self, name: &str) -> u32 {
        let place = self.place(name, 0);
        self.profile.kernels.push(Kernel { name: name.into(), place });
        self.profile.kernels.len() as u32 - 1
    }

    /// A loop with this text.
    pub fn enter(&mut self, text: &str, parent: Option<u32>) -> u32 {
        let place = self.place(text, 0);
        self.profile.loops.push(Loop { function: "k".into(), parent, place });
        self.profile.loops.len() as u32 - 1
    }

    /// An access with this text, the `nth` one that has it.
    pub fn access(&mut self, text: &str, nth: usize, field: u32, kind: Kind) -> u32 {
        let place = self.place(text, nth);
        self.profile.instructions.push(Instruction {
            array: 0,
            leaves: vec![field],
            kind,
            ranges: vec![Range { offset: 0, bytes: 4 }],
            scope: None,
            function: "k".into(),
            text: text.into(),
            place,
        });
        self.profile.instructions.len() as u32 - 1
    }

    /// A run in which nothing happens so far.
    pub fn run(&mut self, argument: &str) {
        self.profile.runs.push(Run {
            arguments: vec![argument.into()],
            device: "cpu".into(),
            partial: None,
            accesses: Vec::new(),
            trips: Vec::new(),
            launches: Vec::new(),
        });
    }

    fn last(&mut self) -> &mut Run {
        if self.profile.runs.is_empty() {
            self.run("1");
        }
        self.profile.runs.last_mut().expect("there is one now")
    }

    pub fn did(&mut self, kernel: u32, instruction: u32, scope: Option<u32>, counts: Counts) {
        self.last().accesses.push(Accessed { kernel, instruction, scope, counts });
    }

    pub fn looped(&mut self, kernel: u32, of: u32, entries: u64, iterations: u64) {
        self.last().trips.push(Trips { kernel, of, entries, iterations });
    }

    pub fn launched(&mut self, kernel: u32, grid: u32, block: u32, launches: u64) {
        let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
        self.last().launches.push(Launched { kernel, grid, block, launches });
    }
}

/// A small profile with something of everything.
pub fn small(text: &str) -> Profile {
    let mut maker = Maker::new(text, "S", &["x", "y"]);
    let kernel = maker.kernel("k");
    let around = maker.enter("for (;;) s[i].x;", None);
    let inner = maker.enter("s[i].x;", Some(around));
    let x = maker.access("s[i].x", 0, 0, Kind::Read);
    let y = maker.access("s[i].y", 0, 1, Kind::Update);
    maker.run("100");
    maker.did(kernel, x, Some(inner), times(counts(&strided(1), 8, 0), 40));
    maker.did(kernel, y, None, counts(&scattered(9), 8, 4));
    maker.looped(kernel, around, 256, 1024);
    maker.launched(kernel, 4, 64, 2);
    assert_eq!(LEVELS, 13);
    maker.profile
}
