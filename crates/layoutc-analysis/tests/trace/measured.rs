//! The cost model of what was measured.

use crate::make::{Maker, counts, program, scattered, strided, times};
use layoutc_analysis::Selector;
use layoutc_analysis::cost::Model;
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{ArrayId, Factor, KernelCode, Lanes, Trips};
use layoutc_analysis::cost::price;
use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::CostModel;
use layoutc_analysis::cost_model::Recording;
use layoutc_analysis::device::Device;
use layoutc_analysis::profile::{Kind, Profile};
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::SpecBody;

/// A gather in a loop of unknown length, a branch, and a kernel beside it.
const TEXT: &str = "struct S { float a, b, c, d; };\n\
    __global__ void k(S *s, const int *list, float *out, int n, int m) {\n\
    int i = blockIdx.x * blockDim.x + threadIdx.x; float sum = 0;\n\
    for (int q = 0; q < m; q++) { sum += s[list[i * m + q]].a; }\n\
    if (sum > 5) s[i].b = sum;\n\
    if (sum > 9) s[i].c = sum;\n\
    out[i] = sum; }\n\
    __global__ void never(S *s) { s[threadIdx.x].d = 0; }\n\
    void host(const int *list, float *out, int n, int m) { S *d; cudaMalloc(&d, n * sizeof(S));\n\
    k<<<n / 64, 64>>>(d, list, out, n, m); never<<<1, 32>>>(d); }";
const LOOP: &str = "for (int q = 0; q < m; q++) { sum += s[list[i * m + q]].a; }";

/// 3 launches of 100 blocks of 128 threads, 10 trips of the loop, half of the threads in the branch.
fn recorded(gathered: &[Vec<i64>]) -> Profile {
    let mut maker = Maker::new(TEXT, "S", &["a", "b", "c", "d"]);
    let kernel = maker.kernel("k");
    maker.kernel("never");
    let around = maker.enter(LOOP, None);
    let a = maker.access("s[list[i * m + q]].a", 0, 0, Kind::Read);
    let b = maker.access("s[i].b", 0, 1, Kind::Write);
    maker.access("s[i].c", 0, 2, Kind::Write);
    maker.access("s[threadIdx.x].d", 0, 3, Kind::Write);
    let warps: u64 = 3 * 100 * 4;
    maker.did(
        kernel,
        a,
        Some(around),
        times(counts(gathered, 16, 0), warps * 10 / gathered.len() as u64),
    );
    let half: Vec<Vec<i64>> = vec![(0..32).step_by(2).collect()];
    maker.did(kernel, b, None, times(counts(&half, 16, 4), warps));
    maker.looped(kernel, around, warps * 32, warps * 320);
    maker.launched(kernel, 100, 128, 3);
    maker.profile
}

fn measured(gathered: &[Vec<i64>]) -> CostModel {
    let (program, _, mut model) = program(TEXT);
    let profile = recorded(gathered);
    assert_eq!(Profile::read(profile.to_json().as_bytes()), Ok(profile.clone()));
    model.measure(&Recording::new(&profile, &program.sources));
    model
}

#[test]
fn facts_replace_guesses() {
    let (_, _, before) = program(TEXT);
    let code = &before.kernels[0].code;
    assert_eq!(code.loops[0].trips, Trips::Dynamic);
    let model = measured(&scattered(10));
    // What never ran is gone.
    assert_eq!(model.kernels.len(), 1);
    let code = &model.kernels[0].code;
    assert_eq!((code.block, code.blocks), ([128, 1, 1], 100));
    assert_eq!(code.repeats, [Trips::Known(3)]);
    assert_eq!(code.loops[0].trips, Trips::Known(10));
    let own: Vec<(u32, f64, f64)> = (code.accesses.iter())
        .filter(|access| access.array == ArrayId(0))
        .map(|access| (access.leaves[0].0, access.share, access.warps))
        .collect();
    assert_eq!(own, [(0, 1.0, 1.0), (1, 0.5, 1.0)]);
    let Lanes::Measured(gather) = code.accesses[1].index.lanes else { panic!("{code:?}") };
    assert!(gather.is_listed);
    assert_eq!(gather.blocks(0), 32.0);
    // Steps name accesses by their new numbers.
    let steps = format!("{:?}", code.flow);
    assert!(!steps.contains(&format!("Access({})", code.accesses.len())), "{steps}");
}

/// The price of the first access to the struct in a layout, and the kernel's.
fn priced(code: &KernelCode, model: &CostModel, layout: &str) -> (f64, f64) {
    let device = Device::built_in("h100").expect("built in");
    let mut arrangement = Arrangement::default();
    for (info, at) in model.arrays.iter().zip(0..) {
        let own = if at == 0 { layout } else { "aos" };
        let body = SpecBody::parse(own).expect("a layout").resolve(&info.shape).expect("of these");
        arrangement.insert(ArrayId(at), &info.shape, &body);
    }
    let price = price(code, &arrangement, &device, Model::Sectors).expect("a price");
    let at = code.accesses.iter().position(|access| access.array == ArrayId(0)).expect("an access");
    (price.accesses[at].transactions, price.total.sum())
}

/// The kernel after a measurement, and the same with other lanes for what was measured.
fn compare(gathered: &[Vec<i64>], lanes: Lanes, layout: &str) -> [(f64, f64); 2] {
    let model = measured(gathered);
    let code = model.kernels[0].code.clone();
    let mut other = code.clone();
    let at = code.accesses.iter().position(|access| access.array == ArrayId(0)).expect("an access");
    other.accesses[at].index.lanes = lanes;
    [priced(&code, &model, layout), priced(&other, &model, layout)]
}

fn affine(by: i64) -> Lanes {
    Lanes::Affine([Factor::Number(by), Factor::Number(0), Factor::Number(0)])
}

const LAYOUTS: [&str; 4] = ["aos", "soa", "tiled(32)", "{a b} align(8), {c d}"];

/// A gather that goes through neighbours costs what neighbours cost.
#[test]
fn measured_neighbours_are_neighbours() {
    for layout in LAYOUTS {
        for by in [1, 2, -1] {
            let [measured, formula] = compare(&strided(by), affine(by), layout);
            assert_eq!(measured, formula, "{layout} {by}");
        }
    }
}

/// One element for all lanes is one sector.
#[test]
fn measured_uniform_is_uniform() {
    for layout in LAYOUTS {
        let [measured, formula] = compare(&strided(0), affine(0), layout);
        assert_eq!((measured.0, formula.0), (1.0, 1.0), "{layout}");
    }
}

/// Lanes that are anywhere cost what is expected of them.
#[test]
fn measured_scatter_is_scatter() {
    for layout in LAYOUTS {
        let [measured, expected] = compare(&scattered(40), Lanes::Unknown, layout);
        assert_eq!(measured.0, expected.0, "{layout}");
        assert!(
            (measured.1 / expected.1 - 1.0).abs() < 0.02,
            "{layout}: {measured:?} {expected:?}"
        );
    }
}

/// Pairs of neighbours at any places: one sector for two lanes where 8 elements or 2 are in one, and
/// one for each where there is one.
#[test]
fn measured_pairs_share_sectors() {
    let pairs: Vec<Vec<i64>> = (scattered(40).into_iter())
        .map(|own| own.iter().step_by(2).flat_map(|at| [at & !1, (at & !1) + 1]).collect())
        .collect();
    for (layout, sectors) in [("soa", 16.0), ("aos", 16.0), ("aos align(32)", 32.0)] {
        let model = measured(&pairs);
        let (found, _) = priced(&model.kernels[0].code, &model, layout);
        assert_eq!(found, sectors, "{layout}");
    }
}

/// A stride that the text does not say is measured.
#[test]
fn measured_strides_replace_symbols() {
    let text = "struct S { float a, b; };\n\
        __global__ void k(S *s, float *out, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; \
        out[i] = s[i * m].a; }\n\
        void host(float *out, int m) { S *d; cudaMalloc(&d, 64 * sizeof(S)); k<<<1, 64>>>(d, out, m); }";
    let (program, _, mut model) = program(text);
    let lanes = |model: &CostModel| {
        let own = model.kernels[0].code.accesses.iter().find(|access| access.array == ArrayId(0));
        own.map(|access| access.index.lanes)
    };
    let [symbol, zero] = [Factor::Symbol, Factor::Number(0)];
    assert_eq!(lanes(&model), Some(Lanes::Affine([symbol, zero, zero])));
    let mut maker = Maker::new(text, "S", &["a", "b"]);
    let kernel = maker.kernel("k");
    let access = maker.access("s[i * m].a", 0, 0, Kind::Read);
    maker.did(kernel, access, None, times(counts(&strided(3), 8, 0), 2));
    maker.launched(kernel, 1, 64, 1);
    model.measure(&Recording::new(&maker.profile, &program.sources));
    assert_eq!(lanes(&model), Some(affine(3)));
}

/// What the text says of neighbours stays where the run agrees, and goes where it does not.
#[test]
fn formulas_are_believed_where_they_hold() {
    let lanes = |requests: &[Vec<i64>]| {
        let text = "struct S { float a, b; };\n\
            __global__ void k(S *s, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; \
            out[i] = s[i % 100].a; }\n\
            void host(float *out) { S *d; cudaMalloc(&d, 64 * sizeof(S)); k<<<2, 64>>>(d, out); }";
        let (program, _, mut model) = program(text);
        let mut maker = Maker::new(text, "S", &["a", "b"]);
        let kernel = maker.kernel("k");
        let access = maker.access("s[i % 100].a", 0, 0, Kind::Read);
        let own = times(counts(requests, 8, 0), 4 / requests.len() as u64);
        maker.did(kernel, access, None, own);
        maker.launched(kernel, 2, 64, 1);
        model.measure(&Recording::new(&maker.profile, &program.sources));
        let code = &model.kernels[0].code;
        let own = code.accesses.iter().find(|access| access.array == ArrayId(0));
        own.map(|access| access.index.lanes)
    };
    let shifted: Vec<i64> = (5..37).collect();
    assert_eq!(lanes(&[shifted]), Some(affine(1)));
    assert!(matches!(lanes(&scattered(4)), Some(Lanes::Measured(_))));
}

/// `auto` sees that a list leads to neighbours; `cost` cannot.
#[test]
fn auto_prices_what_was_measured() {
    let (program, classes, model) = program(TEXT);
    let verdict = |gathered: &[Vec<i64>]| {
        let profile = recorded(gathered);
        let recording = Recording::new(&profile, &program.sources);
        let device = Device::built_in("h100").expect("built in");
        let recording = Some(&recording);
        let found = Selector::Auto.verdicts(&classes, &model, &device, Model::Sectors, recording);
        found[&ClassId(0)].clone()
    };
    let neighbours = verdict(&strided(1));
    let Verdict::Change { layout, .. } = &neighbours else { panic!("{neighbours:?}") };
    assert!(layout.groups().len() > 1 || format!("{layout:?}").contains("Slice"), "{layout:?}");
    let nothing = Selector::Auto.verdicts(
        &classes,
        &model,
        &Device::built_in("h100").expect("built in"),
        Model::Sectors,
        None,
    );
    let by_cost = Selector::Cost.verdicts(
        &classes,
        &model,
        &Device::built_in("h100").expect("built in"),
        Model::Sectors,
        None,
    );
    assert_eq!(nothing, by_cost);
}

/// Two accesses in the body of a macro: one is at any elements, the other at one for all lanes.
#[test]
fn accesses_in_bodies_of_macros_are_apart() {
    const TEXT: &str = "#define DX(i, j) (s[i].a - s[j].a)\n\
        struct S { float a, b; };\n\
        __global__ void k(S *s, float *out) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = DX(i, 0); }\n\
        void host(float *out, int n) { S *d; cudaMalloc(&d, n * sizeof(S)); k<<<n / 64, 64>>>(d, out); }";
    let mut maker = Maker::new(TEXT, "S", &["a", "b"]);
    let kernel = maker.kernel("k");
    let own = maker.access("s[i].a", 0, 0, Kind::Read);
    let other = maker.access("s[j].a", 0, 0, Kind::Read);
    maker.did(kernel, own, None, times(counts(&scattered(8), 8, 0), 1));
    maker.did(kernel, other, None, times(counts(&strided(0), 8, 0), 8));
    maker.launched(kernel, 2, 128, 1);
    let (program, _, mut model) = program(TEXT);
    model.measure(&Recording::new(&maker.profile, &program.sources));
    let lanes: Vec<Lanes> = (model.kernels[0].code.accesses.iter())
        .filter(|access| access.array == ArrayId(0))
        .map(|access| access.index.lanes)
        .collect();
    let [Lanes::Measured(gather), Lanes::Affine([Factor::Number(0), ..])] = lanes[..] else {
        panic!("{lanes:?}")
    };
    assert_eq!(gather.blocks(0), 32.0);
}
