//! How fast `layoutc` is, in bytes of source per second, on programs of 200, 2,000 and 20,000
//! lines.
//!
//! One group per stage of the compiler, each on the results of the stages before it, and `whole`:
//! the binary from start to written files, process start included, as a build would call it.
//! `cargo xtask bench-nvcc` prints nvcc's own front end on the same files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use criterion::{criterion_group, criterion_main};
use layoutc_analysis::cell_plan::CellPlanner;
use layoutc_analysis::choose_layouts;
use layoutc_analysis::cost::Model;
use layoutc_analysis::cost_choice::{Prices, Verdict};
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_analysis::grid_choice::GridOptions;
use layoutc_dataflow::classes::{ClassId, Classes, find_classes};
use layoutc_dataflow::pointer_flow::check_layout_types;
use layoutc_driver::{Request, compile};
use layoutc_syntax::parse::parse;
use layoutc_syntax::preprocess::{
    LoadResult, PreprocessOptions, Preprocessed, SourceLoader, preprocess_program,
};
use layoutc_syntax::{Program, lower_program};
use layoutc_tests::generate;
use layoutc_tests::layoutc::Layoutc;

/// The sizes, in lines.
const SIZES: [usize; 3] = [200, 2000, 20_000];

/// Generated programs have no headers of their own.
struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

fn preprocessed(program: &str) -> Preprocessed {
    let roots = vec![("generated.cu".into(), program.to_owned())];
    preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default())
}

/// What the cost model says of each class.
fn verdicts(program: &Program, classes: &Classes) -> BTreeMap<ClassId, Verdict> {
    let model = CostModel::build(program, classes, ModelOptions::default());
    let device = GridOptions::default().device;
    let prices = Prices { model: &model, device: &device, pricing: Model::default() };
    classes.ids().map(|id| (id, prices.verdict(id))).collect()
}

/// Runs `bench` for each size in a group that counts bytes.
fn each_size(
    criterion: &mut Criterion,
    stage: &str,
    mut bench: impl FnMut(&mut BenchmarkGroup<'_, WallTime>, BenchmarkId, &str),
) {
    let mut group = criterion.benchmark_group(stage);
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.warm_up_time(Duration::from_millis(500));
    for lines in SIZES {
        let program = generate::program(lines);
        group.throughput(Throughput::Bytes(program.len() as u64));
        bench(&mut group, BenchmarkId::from_parameter(lines), &program);
    }
    group.finish();
}

fn stages(criterion: &mut Criterion) {
    each_size(criterion, "preprocess", |group, id, program| {
        group.bench_function(id, |bencher| bencher.iter(|| preprocessed(program)));
    });
    each_size(criterion, "parse", |group, id, program| {
        let masked = preprocessed(program).files.swap_remove(0).masked;
        group.bench_function(id, |bencher| bencher.iter(|| parse(&masked).map(drop)));
    });
    // Parsing included: the trees do not outlive the stage.
    each_size(criterion, "lower", |group, id, program| {
        let input = preprocessed(program);
        group.bench_function(id, |bencher| {
            bencher.iter_batched(|| input.clone(), lower_program, BatchSize::LargeInput);
        });
    });
    each_size(criterion, "classes", |group, id, program| {
        let (input, _) = lower_program(preprocessed(program));
        group.bench_function(id, |bencher| bencher.iter(|| find_classes(&input)));
    });
    each_size(criterion, "choose", |group, id, program| {
        let (input, _) = lower_program(preprocessed(program));
        let classes = find_classes(&input);
        group.bench_function(id, |bencher| {
            bencher.iter(|| {
                choose_layouts(
                    &input,
                    &classes,
                    &verdicts(&input, &classes),
                    &[],
                    &CellPlanner::default(),
                )
            });
        });
    });
    each_size(criterion, "pointer_flow", |group, id, program| {
        let (input, _) = lower_program(preprocessed(program));
        let classes = find_classes(&input);
        let plan = choose_layouts(
            &input,
            &classes,
            &verdicts(&input, &classes),
            &[],
            &CellPlanner::default(),
        );
        let chosen = plan.structs().into_iter();
        let layouts = chosen.map(|(class, (plan, _))| (class, plan.layout.clone())).collect();
        group.bench_function(id, |bencher| {
            bencher.iter(|| check_layout_types(&input, &classes, &layouts));
        });
    });
    // All of these in their order and the rewriting, without files.
    each_size(criterion, "compile", |group, id, program| {
        group.bench_function(id, |bencher| {
            bencher.iter(|| compile(preprocessed(program), &Request::default()));
        });
    });
}

fn whole(criterion: &mut Criterion) {
    let layoutc = Layoutc::built().expect("layoutc builds");
    let folder = tempfile::tempdir().expect("a temporary folder");
    each_size(criterion, "whole", |group, id, program| {
        let out = folder.path().join("out");
        fs::write(folder.path().join("in.cu"), program).expect("the program is written");
        group.bench_function(id, |bencher| {
            bencher.iter(|| {
                let output = Command::new(layoutc.program())
                    .arg("transform")
                    .arg("in.cu")
                    .arg("--out-dir")
                    .arg(&out)
                    .current_dir(folder.path())
                    .output()
                    .expect("layoutc runs");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            });
        });
    });
}

criterion_group!(benches, stages, whole);
criterion_main!(benches);
