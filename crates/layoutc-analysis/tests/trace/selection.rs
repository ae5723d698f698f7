//! Layouts from recorded runs of programs.

use crate::make::{Maker, counts, program, scattered, strided, times};
use layoutc_analysis::Selector;
use layoutc_analysis::cost::Model;
use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::Recording;
use layoutc_analysis::device::Device;
use layoutc_analysis::profile::{Kind, Profile};
use layoutc_analysis::trace::{Answer, Decision, Selection, TraceOptions};
use layoutc_dataflow::classes::ClassId;

/// One kernel that gathers members of one struct and another that goes through all of them.
const TEXT: &str = "struct S { float a, b, c, d, e, f; };\n\
    __global__ void gather(S *s, const int *list, float *out, int n) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n\
    int j = list[i]; out[i] = s[j].a + s[j].b + s[j].c; }\n\
    __global__ void step(S *s, int n) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n\
    s[i].d += s[i].e; }\n\
    void host(const int *list, float *out, int n) { S *d; cudaMalloc(&d, n * sizeof(S));\n\
    gather<<<n / 64, 64>>>(d, list, out, n); step<<<n / 64, 64>>>(d, n); }";
const FIELDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A run with so many requests of either kernel.
fn add_run(maker: &mut Maker, argument: &str, gathers: u64, steps: u64) {
    maker.run(argument);
    for (access, field) in (0..3).zip([0, 4, 8]) {
        if gathers > 0 {
            maker.did(0, access, None, times(counts(&scattered(10), 24, field), gathers / 10));
        }
    }
    for (access, field) in (3..5).zip([12, 16]) {
        if steps > 0 {
            maker.did(1, access, None, times(counts(&strided(1), 24, field), steps));
        }
    }
    maker.launched(0, 4, 64, 1);
    maker.launched(1, 4, 64, 1);
}

fn recorded(runs: &[(&str, u64, u64)]) -> Profile {
    let mut maker = Maker::new(TEXT, "S", &FIELDS);
    maker.kernel("gather");
    maker.kernel("step");
    for (field, text) in (0..3).zip(["s[j].a", "s[j].b", "s[j].c"]) {
        maker.access(text, 0, field, Kind::Read);
    }
    maker.access("s[i].d", 0, 3, Kind::Update);
    maker.access("s[i].e", 0, 4, Kind::Read);
    for (argument, gathers, steps) in runs {
        add_run(&mut maker, argument, *gathers, *steps);
    }
    maker.profile
}

fn decide(runs: &[(&str, u64, u64)], options: TraceOptions) -> Result<Decision, String> {
    let (program, _, model) = program(TEXT);
    let profile = recorded(runs);
    assert_eq!(Profile::read(profile.to_json().as_bytes()), Ok(profile.clone()));
    let recording = Recording::new(&profile, &program.sources);
    let device = Device::built_in("h100").expect("built in");
    Selection { model: &model, device: &device, recording: &recording, options }.decide(ClassId(0))
}

fn notation(runs: &[(&str, u64, u64)], options: TraceOptions) -> String {
    decide(runs, options).expect("a decision").notation
}

#[test]
fn the_papers_answers() {
    let paper = TraceOptions::paper();
    // Clusters of 12 and 8 bytes, and of the member that nothing accesses, which fills the first one.
    assert_eq!(notation(&[("1", 1000, 10)], paper), "{a b c f} align(16), {d e} align(16)");
    assert_eq!(notation(&[("1", 10, 1000)], paper), "soa");
    let decision = decide(&[("1", 1000, 10)], paper).expect("a decision");
    // 5 of 32 threads on the first one's line of 128 bytes.
    let said: Vec<f64> = decision.accesses.iter().map(|access| access.sum).collect();
    let n = counts(&strided(1), 24, 12).line_lanes as f64;
    assert_eq!(
        said,
        [
            1000.0,
            1000.0,
            1000.0,
            -10.0 * n / 32.0,
            -10.0 * counts(&strided(1), 24, 16).line_lanes as f64 / 32.0
        ]
    );
    assert_eq!(decision.sum, said.iter().sum::<f64>());
}

/// With nothing for either, nothing changes.
#[test]
fn a_sum_of_zero_keeps_the_source() {
    let mut profile = recorded(&[("1", 1000, 0)]);
    let own = &mut profile.runs[0].accesses;
    own.truncate(2);
    own[0].counts = times(counts(&scattered(10), 24, 0), 100);
    own[1].counts = times(counts(&strided(1), 4, 0), 1000);
    let (program, classes, model) = program(TEXT);
    let recording = Recording::new(&profile, &program.sources);
    let device = Device::built_in("h100").expect("built in");
    let selector = Selector::Trace(TraceOptions::paper());
    let verdicts = selector.verdicts(&classes, &model, &device, Model::Sectors, Some(&recording));
    let Verdict::Stay { because } = &verdicts[&ClassId(0)] else { panic!("{verdicts:?}") };
    assert_eq!(
        because,
        "the weights of 2 accesses in one run add up to 0, neither for structs nor for arrays (trace)"
    );
}

#[test]
fn each_group_has_its_answer() {
    let options = TraceOptions::default();
    let found = decide(&[("1", 1000, 1000)], options).expect("a decision");
    assert_eq!(found.notation, "{a b c f} align(16), {d e} tiled(32)");
    let answers: Vec<Answer> = found.groups.iter().map(|group| group.answer).collect();
    assert_eq!(answers, [Answer::Structs { align: Some(16) }, Answer::Tiles { tile: 32 }]);
    assert!(found.groups[0].sum > 0.0 && found.groups[1].sum < 0.0);
}

/// Each step alone can be left out.
#[test]
fn steps_are_switched() {
    let all = TraceOptions::default();
    let runs = [("1", 1000, 990)];
    assert_eq!(
        notation(&runs, TraceOptions { tiles: false, ..all }),
        "{a b c f} align(16), {d}, {e}"
    );
    assert_eq!(
        notation(&runs, TraceOptions { per_group: false, ..all }),
        "{a b c f} align(16), {d e} align(8)"
    );
    let narrow = [("1", 990, 1000)];
    assert_eq!(
        notation(
            &narrow,
            TraceOptions { vector_width: false, per_group: false, by_index: true, tiles: true }
        ),
        "{a b c} align(16), {d e f} align(16)"
    );
    // Structs of 128 bytes and more have no two threads on a line.
    let mut large = counts(&strided(1), 256, 0);
    assert_eq!(large.line_lanes, 1);
    large = times(large, 10);
    assert_eq!(
        [true, false].map(|by_index| {
            use layoutc_analysis::trace::Classified;
            match by_index {
                true => Classified::by_index(&large, 4),
                false => Classified::by_address(&large),
            }
            .map(|own| own.sum())
        }),
        [Some(-10.0), Some(10.0)]
    );
}

/// Runs of four neighbours at any places: fields that are used together are on fewer sectors in structs, and
/// where tiles are no answer the fields are arrays.
#[test]
fn near_lanes_want_structs() {
    let runs: Vec<Vec<i64>> = (scattered(10).into_iter())
        .map(|own| {
            own.iter().step_by(4).flat_map(|at| (0..4).map(move |lane| (at & !3) + lane)).collect()
        })
        .collect();
    let mut profile = recorded(&[("1", 0, 1000)]);
    for own in &mut profile.runs[0].accesses {
        own.counts = times(counts(&runs, 24, 12), 100);
    }
    let notation = |options| {
        let (program, _, model) = program(TEXT);
        let recording = Recording::new(&profile, &program.sources);
        let device = Device::built_in("h100").expect("built in");
        let selection =
            Selection { model: &model, device: &device, recording: &recording, options };
        selection.decide(ClassId(0)).expect("a decision").notation
    };
    let all = TraceOptions::default();
    assert_eq!(notation(all), "{a b c f}, {d e} align(8)");
    assert_eq!(notation(TraceOptions { tiles: false, ..all }), "{a b c f}, {d}, {e}");
}

#[test]
fn runs_that_disagree_are_named() {
    let options = TraceOptions::paper();
    let runs = [("small", 10, 50), ("large", 5000, 100), ("none", 0, 0)];
    let found = decide(&runs, options).expect("a decision");
    assert_eq!(found.notation, "{a b c f} align(16), {d e} align(16)");
    // The last run says nothing.
    assert_eq!(found.runs, [0, 1]);
    let disagreements: Vec<(usize, &str)> =
        found.disagreements.iter().map(|own| (own.run, own.layout.as_str())).collect();
    assert_eq!(disagreements, []);
    let runs = [("small", 10, 5000), ("large", 50_000, 10)];
    let found = decide(&runs, options).expect("a decision");
    let disagreements: Vec<(usize, &str)> =
        found.disagreements.iter().map(|own| (own.run, own.layout.as_str())).collect();
    assert_eq!(disagreements, [(0, "soa")]);

    let (program, classes, model) = program(TEXT);
    let profile = recorded(&runs);
    let recording = Recording::new(&profile, &program.sources);
    let device = Device::built_in("h100").expect("built in");
    let verdicts = Selector::Trace(options).verdicts(
        &classes,
        &model,
        &device,
        Model::Sectors,
        Some(&recording),
    );
    let Verdict::Change { because, .. } = &verdicts[&ClassId(0)] else { panic!("{verdicts:?}") };
    assert!(because.ends_with("; run 1 (`small`) alone would give `soa`"), "{because}");
}

#[test]
fn what_never_ran_says_nothing() {
    let none = decide(&[("1", 0, 0)], TraceOptions::default()).map(|own| own.notation);
    assert_eq!(none, Err("no recorded run accesses its elements".to_owned()));
    let (_, classes, model) = program(TEXT);
    let device = Device::built_in("h100").expect("built in");
    let selector = Selector::Trace(TraceOptions::default());
    let verdicts = selector.verdicts(&classes, &model, &device, Model::Sectors, None);
    assert_eq!(verdicts[&ClassId(0)], Verdict::Stay { because: "no run is recorded".to_owned() });
}

/// Parentheses and macros around an access do not hide it, nor do texts of other programs find anything.
#[test]
fn accesses_are_found_by_their_text() {
    let text = "struct S { int a, b; };\n#define TWICE(v) ((v) + (v))\n\
        __global__ void k(S *s, int *out) { int i = threadIdx.x; out[i] = TWICE(s[i].a) + ((s[i].b)); }\n\
        void host(int *out) { S *d; cudaMalloc(&d, 64 * sizeof(S)); k<<<1, 64>>>(d, out); }";
    let (program, _, model) = program(text);
    let mut maker = Maker::new(text, "S", &["a", "b"]);
    maker.kernel("k");
    maker.access("s[i].a", 0, 0, Kind::Read);
    maker.access("((s[i].b))", 0, 1, Kind::Read);
    let recording = Recording::new(&maker.profile, &program.sources);
    let own = model.kernels[0].code.accesses.iter().filter(|access| access.array.0 == 0);
    let found: Vec<Vec<u32>> =
        own.map(|access| recording.instructions_of(access, &model.arrays[0].shape)).collect();
    assert_eq!(found, [vec![0], vec![0], vec![1]]);
    assert_eq!(recording.of_classes(&model)[&ClassId(0)], [0, 1]);
    let nothing = Recording::of_files(&maker.profile, std::collections::BTreeMap::new());
    let access = &model.kernels[0].code.accesses[0];
    assert!(nothing.instructions_of(access, &model.arrays[0].shape).is_empty());
}

/// What a stencil reads of neighbours lies apart from what it reads of the own cell alone: threads are two cells
/// apart, so the latter is better in structs.
#[test]
fn stencils_have_two_groups() {
    let text = "struct C { float u, r, w, e, s, n; };\n\
        __global__ void relax(C *c, int n) { int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;\n\
        if (i < n) c[i].u = c[i].r + c[i].w * c[i - 1].u + c[i].e * c[i + 1].u\n\
        + c[i].s * c[i - n].u + c[i].n * c[i + n].u; }\n\
        void host(int n) { C *d; cudaMalloc(&d, n * sizeof(C)); relax<<<n / 64, 64>>>(d, n); }";
    let (program, _, model) = program(text);
    let mut maker = Maker::new(text, "C", &["u", "r", "w", "e", "s", "n"]);
    let kernel = maker.kernel("relax");
    let every_second = times(counts(&strided(2), 24, 0), 100);
    let fields = [
        ("c[i].u", 0, Kind::Write),
        ("c[i].r", 1, Kind::Read),
        ("c[i].w", 2, Kind::Read),
        ("c[i - 1].u", 0, Kind::Read),
        ("c[i].e", 3, Kind::Read),
        ("c[i + 1].u", 0, Kind::Read),
        ("c[i].s", 4, Kind::Read),
        ("c[i - n].u", 0, Kind::Read),
        ("c[i].n", 5, Kind::Read),
        ("c[i + n].u", 0, Kind::Read),
    ];
    for (text, field, kind) in fields {
        let access = maker.access(text, 0, field, kind);
        maker.did(kernel, access, None, every_second);
    }
    let recording = Recording::new(&maker.profile, &program.sources);
    let device = Device::built_in("h100").expect("built in");
    let notation = |options| {
        let selection =
            Selection { model: &model, device: &device, recording: &recording, options };
        selection.decide(ClassId(0)).expect("a decision").notation
    };
    let all = TraceOptions::default();
    assert_eq!(notation(all), "{u}, {r w e s n} align(16)");
    assert_eq!(notation(TraceOptions { tiles: false, ..all }), "soa");
}
