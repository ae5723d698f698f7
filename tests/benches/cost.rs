//! How fast layouts are priced and searched.
//!
//! The goals are 50 µs for a kernel of 20 accesses, and a second for the best layout of 16 leaves.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{
    Access, AccessKind, ArrayId, BaseId, ElementIndex, Factor, KernelCode, Lanes, LeafElement,
    Loop, LoopId, Trips,
};
use layoutc_analysis::cost::search::{Effort, Problem, best_layout};
use layoutc_analysis::cost::{Model, price};
use layoutc_analysis::device::Device;
use layoutc_dataflow::layout::{Layout, LeafId, RecordShape};
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeMap;
use std::hint::black_box;

/// A record of words.
fn words(count: usize) -> RecordShape {
    let names: Vec<String> = (0..count).map(|word| format!("f{word}")).collect();
    RecordShape::flat("S", names.iter().map(|name| (name.as_str(), "float", 4, 4, &[][..])))
}

/// A kernel with one loop of unknown length.
fn kernel() -> KernelCode {
    KernelCode {
        name: "kernel".into(),
        block: [256, 1, 1],
        blocks: 4096,
        repeats: Vec::new(),
        registers: Some(40),
        shared_bytes: 0,
        loops: vec![Loop {
            parent: None,
            trips: Trips::Dynamic,
            span: Span { file: FileId(0), start: 0, end: 0 },
        }],
        accesses: Vec::new(),
        flow: Vec::new(),
        extents: BTreeMap::new(),
        operations: Vec::new(),
    }
}

/// One access to a word: of the thread's own element, or in the loop of one that memory names.
fn access(code: &mut KernelCode, kind: AccessKind, leaf: usize, is_gathered: bool) {
    let own = Lanes::Affine([Factor::Number(1), Factor::Number(0), Factor::Number(0)]);
    let (lanes, base, scope) =
        if is_gathered { (Lanes::Unknown, 1, Some(LoopId(0))) } else { (own, 0, None) };
    let loops = scope.map(|around| (around, Factor::Symbol)).into_iter().collect();
    code.accesses.push(Access {
        array: ArrayId(0),
        leaves: vec![LeafId(leaf as u32)],
        element: LeafElement::All,
        kind,
        index: ElementIndex { lanes, loops, base: BaseId(base), offset: 0, blocks: Factor::Symbol },
        scope,
        share: 1.0,
        warps: 1.0,
        phase: 0,
        span: Span { file: FileId(0), start: 0, end: 0 },
        text: Span { file: FileId(0), start: 0, end: 0 },
    });
}

/// 20 accesses to 16 words: 7 own ones, 7 gathered ones, 6 stores.
fn twenty() -> KernelCode {
    let mut code = kernel();
    (0..7).for_each(|leaf| access(&mut code, AccessKind::Read, leaf, false));
    (4..11).for_each(|leaf| access(&mut code, AccessKind::Read, leaf, true));
    (10..16).for_each(|leaf| access(&mut code, AccessKind::Write, leaf, false));
    code
}

/// The same, all in the loop, which moves the threads' own elements.
fn twenty_in_a_loop() -> KernelCode {
    let mut code = twenty();
    for access in &mut code.accesses {
        access.scope = Some(LoopId(0));
        if access.index.loops.is_empty() {
            access.index.loops.push((LoopId(0), Factor::Number(1)));
        }
    }
    code
}

fn pricing(criterion: &mut Criterion) {
    price_all(criterion, "price 20 accesses", &twenty());
    price_all(criterion, "price 20 accesses in a loop", &twenty_in_a_loop());
}

fn price_all(criterion: &mut Criterion, name: &str, code: &KernelCode) {
    let mut group = criterion.benchmark_group(name);
    let shape = words(16);
    let device = Device::built_in("h100").expect("a built-in device");
    let tiled = Layout::tiled(&shape, 32, None).expect("a layout");
    let layouts =
        [("aos", Layout::aos(&shape)), ("soa", Layout::soa(&shape)), ("tiled(32)", tiled)];
    for (name, layout) in layouts {
        let mut places = Arrangement::default();
        places.insert(ArrayId(0), &shape, &layout);
        for model in Model::ALL {
            let run = || price(black_box(code), &places, &device, model).expect("a price");
            group.bench_function(BenchmarkId::new(model.name(), name), |bench| bench.iter(run));
        }
    }
    group.finish();
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("best layout");
    group.sample_size(10);
    let device = Device::built_in("h100").expect("a built-in device");
    let others = Arrangement::default();
    for leaves in [8, 16, 32] {
        let shape = words(leaves);
        let owners: Vec<(ArrayId, LeafId)> =
            shape.leaf_ids().map(|leaf| (ArrayId(0), leaf)).collect();
        let (mut gather, mut update) = (kernel(), kernel());
        (0..leaves / 2).for_each(|leaf| access(&mut gather, AccessKind::Read, leaf, true));
        (leaves / 4..leaves).for_each(|leaf| access(&mut update, AccessKind::Read, leaf, false));
        (0..leaves / 4).for_each(|leaf| access(&mut update, AccessKind::Write, leaf, false));
        let kernels = [gather, update];
        for model in Model::ALL {
            let problem = Problem {
                shape: &shape,
                owners: &owners,
                kernels: &kernels,
                others: &others,
                device: &device,
                model,
                tile: 32,
            };
            let run = || best_layout(black_box(&problem), Effort::default()).expect("a layout");
            let id = BenchmarkId::new(model.name(), leaves);
            group.bench_function(id, |bench| bench.iter(run));
        }
    }
    group.finish();
}

criterion_group!(benches, pricing, search);
criterion_main!(benches);
