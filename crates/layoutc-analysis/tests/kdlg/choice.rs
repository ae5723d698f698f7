//! Graphs and layouts from CUDA text.

use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_analysis::device::tree::ClusterLayout;
use layoutc_analysis::device::{Device, TileModel};
use layoutc_analysis::kdlg::Distance;
use layoutc_analysis::kdlg::choice::{Chooser, Decision, KdlgOptions, Selection};
use layoutc_analysis::kdlg::graph::{BLOCK_TRIPS, LAUNCH_TRIPS, UNKNOWN_TRIPS};
use layoutc_dataflow::classes::{ClassId, find_classes};
use layoutc_syntax::lower_program;
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use std::path::Path;

struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

/// The model of a program with one array class.
fn model(text: &str) -> CostModel {
    let roots = vec![("test.cu".into(), text.to_owned())];
    let preprocessed = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    CostModel::build(&program, &find_classes(&program), ModelOptions::default())
}

fn device(name: &str) -> Device {
    Device::built_in(name).expect("built in")
}

fn decide_on(name: &str, text: &str, options: KdlgOptions) -> Result<Decision, String> {
    Selection { model: &model(text), device: &device(name), options }.decide(ClassId(0))
}

fn decide(name: &str, text: &str) -> Decision {
    decide_on(name, text, KdlgOptions::default()).expect("a decision")
}

/// Kernels with `S *s` and what else the bodies use; each is launched.
fn program(record: &str, bodies: &[&str]) -> String {
    let mut text = format!("struct S {{ {record} }};\n");
    let mut launches = String::new();
    for (at, body) in bodies.iter().enumerate() {
        text += &format!(
            "__global__ void k{at}(S *s, int n) {{\n\
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
        );
        launches += &format!("k{at}<<<n / 64, 64>>>(d, n); ");
    }
    text + &format!("void host(int n) {{ S *d; cudaMalloc(&d, n * sizeof(S)); {launches}}}")
}

fn distances(text: &str) -> Vec<String> {
    let edges = decide("h100", text).graph;
    let name = |at: usize| edges.fields[at].name.as_str();
    edges.edges().map(|(f, g, distance)| format!("{}{} {distance}", name(f), name(g))).collect()
}

#[test]
fn figure_2_from_text() {
    let text = program(
        "int a, b, c, d;",
        &[
            "int x = 0; for (int j = 0; j < 32; j++) { x += s[i + j].a; x += s[i + j].b; } s[i].c = x;",
        ],
    );
    assert_eq!(distances(&text), ["ab 4", "ac 256", "bc 252", "ad ∞", "bd ∞", "cd ∞"]);
}

#[test]
fn called_functions_are_walked_and_left() {
    let text = "struct S { int a, b, c; };\n\
        __device__ int first(S *s, int i) { if (i < 7) return 0; return s[i].a; }\n\
        __global__ void k(S *s) { int i = threadIdx.x; int x = first(s, i); s[i].b = x; s[i].c = x; }\n\
        void host() { S *d; cudaMalloc(&d, 64 * sizeof(S)); k<<<1, 64>>>(d); }";
    assert_eq!(distances(text), ["ab 4", "ac 8", "bc 4"]);
}

#[test]
fn kernels_combine_as_the_maximum() {
    let both = "s[i].a = s[i].b;";
    let far = "int x = s[i].a; for (int j = 0; j < 9; j++) x += s[j].c; s[i].b = x;";
    assert_eq!(distances(&program("int a, b, c;", &[both]))[0], "ab 4");
    assert_eq!(distances(&program("int a, b, c;", &[both, far]))[0], "ab 40");
    // A kernel that accesses neither says nothing; one that accesses one of them wants it apart.
    assert_eq!(distances(&program("int a, b, c;", &[both, "s[i].c = 1;"]))[0], "ab 4");
    assert_eq!(distances(&program("int a, b, c;", &[both, "s[i].a = 1;"]))[0], "ab ∞");
}

#[test]
fn ways_and_their_ends() {
    let text = |body: &str| program("int a, b, c;", &[body]);
    let first = |body: &str| distances(&text(body))[0].clone();
    assert_eq!(first("int x = s[i].a; if (x > 3) x += s[x].c; s[i].b = x;"), "ab 4");
    assert_eq!(first("if (n > 3) s[i].a = 1; else s[i].b = 1;"), "ab ∞");
    assert_eq!(first("s[i].a = 1; if (n > 3) return; s[i].b = 1;"), "ab 4");
    assert_eq!(first("if (n > 3) { s[i].a = 1; return; } s[i].b = 1;"), "ab ∞");
    assert_eq!(first("int x = n > 3 ? s[i].a : s[i].b; s[i].c = x;"), "ab ∞");
    assert_eq!(
        first("switch (n) { case 1: s[i].a = 1; case 2: s[i].b = 1; break; default: s[i].c = 1; }"),
        "ab 4"
    );
    assert_eq!(first("switch (n) { case 1: s[i].a = 1; break; case 2: s[i].b = 1; }"), "ab ∞");
    assert_eq!(
        first("s[i].a = 1; do { if (n) break; s[i].c = 1; } while (0); s[i].b = 1;"),
        "ab 4"
    );
    // What `continue` leaves out is not between the two on the other way.
    let body =
        "for (int j = 0; j < 4; j++) { int x = s[j].a; if (x) continue; s[j].c = 1; s[j].b = x; }";
    assert_eq!(first(body), "ab 8");
}

#[test]
fn guards_are_passed() {
    let first = |body: &str| distances(&program("int a, b, c;", &[body]))[0].clone();
    // A way around the load would make the loop no bytes long.
    let guarded = "int x = 0; for (int j = 0; j < 10; j++) { int e = j * 64 + i; if (e < n) x += s[e].a; } s[i].b = x;";
    assert_eq!(first(guarded), "ab 40");
    // Of data nothing is known: nine `c` and the `b` lie behind the first `a`, and no other `a`.
    let data = "int x = 0; for (int j = 0; j < 10; j++) { int e = j * 64 + i; if (s[j].c == 7) x += s[e].a; } s[i].b = x;";
    assert_eq!(first(data), "ab 40");
    let border = "s[i].a = 1; if (i >= n || n <= i + 1) { s[0].c = 2; s[0].c = 3; } s[i].b = 1;";
    assert_eq!(first(border), "ab 4");
    let leaves = "if (i >= n) return; s[i].a = 1; if (i < n && s[i].c) return; s[i].b = 1;";
    assert_eq!(first(leaves), "ab 8");
}

#[test]
fn loop_bounds_are_those_of_the_paper() {
    let trips = |body: &str| {
        let text = program("int a, b;", &[&format!("int x = 0; {body} s[i].b = x;")]);
        match decide("h100", &text).graph.distance(0, 1) {
            Distance::Bytes(bytes) => bytes / 4,
            Distance::Infinite => panic!("{body}"),
        }
    };
    assert_eq!(trips("for (int j = 0; j < 50; j++) x += s[j].a;"), 50);
    assert_eq!(trips("for (int j = 0; j < blockDim.x; j++) x += s[j].a;"), BLOCK_TRIPS);
    let launch = "for (int j = 0; j < blockDim.x * gridDim.x; j++) x += s[j].a;";
    assert_eq!(trips(launch), LAUNCH_TRIPS);
    assert_eq!(trips("if (i >= n) return; for (int j = 0; j < n; j++) x += s[j].a;"), LAUNCH_TRIPS);
    assert_eq!(trips("for (int j = 0; j < n; j++) x += s[j].a;"), UNKNOWN_TRIPS);
    assert_eq!(trips("while (x < n) x += s[x].a;"), UNKNOWN_TRIPS);
    assert_eq!((BLOCK_TRIPS, LAUNCH_TRIPS, UNKNOWN_TRIPS), (256, 1_000_000, 512_000));
}

#[test]
fn the_k20m_and_the_papers_programs() {
    // Bitonic sort: 16 bytes that move as a whole.
    let swap = "S x = s[i]; S y = s[i ^ n]; if (x.k > y.k) { s[i] = y; s[i ^ n] = x; }";
    let bitonic = program("unsigned k, a, b, c;", &[swap]);
    assert_eq!(decide("k20m", &bitonic).notation, "soa");
    assert_eq!(decide("gtx480", &bitonic).notation, "tiled(512)");
    assert_eq!(decide("firepro-s9000", &bitonic).notation, "tiled(512)");
    // The leaf for larger ones is lost.
    let large = program("int a, b, c, d, e, f;", &["s[i] = s[i ^ n];"]);
    let decision = decide("firepro-s9000", &large);
    assert_eq!(decision.clusters[0].chooser, Chooser::Fallback);
    assert_eq!(decide("k20m", &large).notation, "tiled(8192)");
    // N-body: positions in a loop over all bodies, velocities behind it.
    let nbody = program(
        "float4 pos, vel;",
        &["if (i >= n) return; float4 p = s[i].pos; float4 f = p;\n\
           for (int j = 0; j < n; j++) { float4 q = s[j].pos; f.x += q.x; f.y += q.y; f.z += q.z; f.w += q.w; }\n\
           s[i].vel = f;"],
    );
    let decision = decide("k20m", &nbody);
    let apart: Vec<&str> = decision.notation.split(", ").collect();
    assert!(
        apart.iter().all(|group| !(group.contains("pos") && group.contains("vel"))),
        "{apart:?}"
    );
}

#[test]
fn epsilon_is_a_line_or_what_is_said() {
    let text = program(
        "int a, b, c;",
        &["int x = s[i].a; for (int j = 0; j < 20; j++) x += s[j].c; s[i].b = x;"],
    );
    let clusters = |name: &str, epsilon| {
        let options = KdlgOptions { epsilon, ..KdlgOptions::default() };
        decide_on(name, &text, options).map(|decision| (decision.epsilon, decision.clusters.len()))
    };
    assert_eq!(clusters("h100", None), Ok((128, 1)));
    assert_eq!(clusters("mi250x", None), Ok((64, 3)));
    assert_eq!(clusters("h100", Some(4)), Ok((4, 3)));
    let error = clusters("gtx280", None).expect_err("it has no such cache");
    assert!(error.contains("gtx280") && error.contains("--epsilon"), "{error}");
    assert_eq!(clusters("gtx280", Some(128)), Ok((128, 1)));
}

#[test]
fn a_device_without_a_tree_has_tiles_of_lines() {
    let text = program("short a, b; double c;", &["s[i].c = s[i].a + s[i].b;"]);
    let decision = decide("h100", &text);
    assert_eq!(decision.notation, "tiled(32)");
    assert_eq!(decision.clusters[0].chooser, Chooser::Fallback);
    let mut device = device("h100");
    let tree = "{ value = '''\ntrips <= 1: aos\ntrips > 1: soa\n''', source = \"s\" }";
    let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.0\"\n[tiles]\nby_access = ";
    device.tiles = Device::parse(&format!("{head}{tree}")).expect("a device").tiles;
    let model = model(&text);
    let options = KdlgOptions { tiles: TileModel::Access, ..KdlgOptions::default() };
    let selection = Selection { model: &model, device: &device, options };
    let decision = selection.decide(ClassId(0)).expect("a decision");
    assert_eq!(decision.clusters[0].layout, ClusterLayout::Aos);
    let Verdict::Stay { because } = selection.verdict(ClassId(0)) else {
        panic!("it is the source's")
    };
    assert!(because.contains("one cluster of structs"), "{because}");
}
