//! What copies between host and device mean for the choice.

use layoutc_analysis::Selector;
use layoutc_analysis::cost::conversion::{Converter, runs};
use layoutc_analysis::cost::kernel::Trips;
use layoutc_analysis::cost::price::Model;
use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_analysis::device::Device;
use layoutc_dataflow::classes::{Classes, find_classes};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use layoutc_syntax::{Program, lower_program};
use std::path::Path;

struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

/// One array of 2^20 structs of 32 bytes; `KERNEL` reads one member and writes another.
const HEAD: &str = "
struct P { float a, b, c, d, e, f, g, h; };
__global__ void step(P *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].a += p[i].e;
}
const int N = 1 << 20;
";

fn program(text: &str) -> (Program, Classes, CostModel) {
    let roots = vec![("program.cu".into(), text.to_owned())];
    let preprocessed = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let classes = find_classes(&program);
    let model = CostModel::build(&program, &classes, ModelOptions::default());
    (program, classes, model)
}

/// What becomes of the one class.
fn verdict(body: &str) -> Verdict {
    let text = format!("{HEAD}{body}");
    let (_, classes, model) = program(&text);
    let device = Device::built_in("h100").expect("it is built in");
    let verdicts = Selector::Cost.verdicts(&classes, &model, &device, Model::Sectors, None);
    verdicts.into_values().next().expect("one class is free")
}

/// `main` with a loop of so many steps, or of an unknown number, around the launch.
fn main_with(steps: &str, in_loop: &str, behind: &str) -> String {
    format!(
        "int main(int argc, char **argv) {{
    P *h = (P *)malloc(N * sizeof(P));
    P *d;
    cudaMalloc(&d, N * sizeof(P));
    cudaMemcpy(d, h, N * sizeof(P), cudaMemcpyHostToDevice);
    for (int s = 0; s < {steps}; s++) {{
        step<<<N / 256, 256>>>(d);
        {in_loop}
    }}
    {behind}
    cudaFree(d);
    return 0;
}}"
    )
}

const OUT: &str = "cudaMemcpy(h, d, N * sizeof(P), cudaMemcpyDeviceToHost);";

fn because(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Change { because, .. } | Verdict::Stay { because } => because,
    }
}

#[test]
fn one_launch_does_not_pay_for_two_copies_and_many_do() {
    let once = verdict(&main_with("1", "", OUT));
    assert!(matches!(once, Verdict::Stay { .. }), "{once:?}");
    assert!(because(&once).contains("times as many launches"), "{once:?}");
    let often = verdict(&main_with("50", "", OUT));
    assert!(matches!(often, Verdict::Change { .. }), "{often:?}");
}

#[test]
fn the_number_of_launches_that_is_told_is_enough() {
    let told = because(&verdict(&main_with("1", "", OUT))).to_owned();
    let number: u64 = told
        .split_whitespace()
        .skip_while(|word| *word != "with")
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no number in `{told}`"));
    let steps = |steps: u64| verdict(&main_with(&steps.to_string(), "", OUT));
    assert!(matches!(steps(number), Verdict::Change { .. }), "{number}");
    assert!(matches!(steps(number - 1), Verdict::Stay { .. }), "{number}");
}

#[test]
fn a_copy_in_each_step_does_not_pay_and_one_in_a_hundred_does() {
    let each = verdict(&main_with("50", OUT, ""));
    assert!(matches!(each, Verdict::Stay { .. }), "{each:?}");
    let some = verdict(&main_with("50", &format!("if (s % 25 == 0) {OUT}"), ""));
    assert!(matches!(some, Verdict::Change { .. }), "{some:?}");
}

#[test]
fn unknown_trips_are_told() {
    let told = verdict(&main_with("argc", "", OUT));
    assert!(matches!(told, Verdict::Change { .. }), "{told:?}");
    assert!(because(&told).contains("at least"), "{told:?}");
    let told = verdict(&main_with("argc", OUT, ""));
    assert!(matches!(told, Verdict::Stay { .. }), "{told:?}");
}

#[test]
fn memory_that_is_never_copied_costs_nothing() {
    let body = "int main() {
    P *d;
    cudaMalloc(&d, N * sizeof(P));
    cudaMemset(d, 0, N * sizeof(P));
    step<<<N / 256, 256>>>(d);
    cudaFree(d);
    return 0;
}";
    assert!(matches!(verdict(body), Verdict::Change { .. }));
}

#[test]
fn a_library_copies_once_and_steps_often() {
    let body = "
struct State { P *d; };
void begin(State *s, const P *h) {
    cudaMalloc(&s->d, N * sizeof(P));
    cudaMemcpy(s->d, h, N * sizeof(P), cudaMemcpyHostToDevice);
}
void advance(State *s) { step<<<N / 256, 256>>>(s->d); }
void end(State *s, P *h) {
    cudaMemcpy(h, s->d, N * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(s->d);
}";
    assert!(matches!(verdict(body), Verdict::Change { .. }));
}

#[test]
fn conversions_are_counted_with_the_loops_around_them() {
    let body = main_with("7", &format!("if (s % 2 == 0) {OUT}"), OUT);
    let (_, _, model) = program(&format!("{HEAD}{body}"));
    let shown: Vec<_> = model
        .conversions
        .iter()
        .map(|own| (own.by, own.records, runs(&own.repeats, 100.0), own.share))
        .collect();
    let records = Some(1 << 20);
    assert_eq!(
        shown,
        [
            (Converter::Device, records, 1.0, 1.0),
            (Converter::Device, records, 4.0, 1.0),
            (Converter::Device, records, 1.0, 1.0),
        ]
    );
    assert_eq!(runs(&[Trips::Known(3), Trips::Dynamic], 10.0), 30.0);
}
