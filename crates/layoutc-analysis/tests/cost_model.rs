//! What the cost models see of CUDA text.

use layoutc_analysis::cost::kernel::{
    Access, AccessKind, Factor, KernelCode, Lanes, LeafElement, LoopId, Trips,
};
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_dataflow::classes::find_classes;
use layoutc_syntax::lower_program;
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use std::path::Path;

struct NoHeaders;

impl SourceLoader for NoHeaders {
    fn load(&mut self, _: &Path) -> LoadResult {
        LoadResult::Missing
    }
}

const PARTICLE: &str = "struct P { float x, y, z; int next; float v[4]; };\n";

/// The model of a kernel `k` that some host function launches.
fn model(kernel: &str) -> CostModel {
    let text = format!("{PARTICLE}{kernel}");
    let roots = vec![("test.cu".into(), text)];
    let preprocessed = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let classes = find_classes(&program);
    CostModel::build(&program, &classes, ModelOptions::default())
}

fn kernel(text: &str) -> KernelCode {
    let model = model(text);
    let [kernel] = model.kernels.as_slice() else { panic!("one kernel: {model:?}") };
    kernel.code.clone()
}

/// The kernel `void k(P *p, const int *q, int n, int nx)` with this body, launched with variables.
fn body(text: &str) -> KernelCode {
    kernel(&format!(
        "__global__ void k(P *p, const int *q, int n, int nx) {{ {text} }}\n\
         void host(int n, const int *q, int nx, int blocks) {{\n\
         P *d; cudaMalloc(&d, n * sizeof(P)); k<<<blocks, 64>>>(d, q, n, nx); }}"
    ))
}

fn lanes(access: &Access) -> Option<[Factor; 3]> {
    match access.index.lanes {
        Lanes::Affine(factors) => Some(factors),
        Lanes::Listed | Lanes::Unknown | Lanes::Single | Lanes::Measured(_) => None,
    }
}

fn along_x(factor: i64) -> Option<[Factor; 3]> {
    Some([Factor::Number(factor), Factor::Number(0), Factor::Number(0)])
}

#[test]
fn neighbours_differ_by_their_offset() {
    let code = body(
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x = p[i + 1].y + p[i].z;",
    );
    assert_eq!((code.block, code.blocks), ([64, 1, 1], 4096));
    let [first, second, third] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!(
        [first.kind, second.kind, third.kind],
        [AccessKind::Read, AccessKind::Read, AccessKind::Write]
    );
    assert_eq!((first.index.base, first.index.offset), (third.index.base, 1));
    assert_eq!(third.index.offset, 0);
    for access in [first, second, third] {
        assert_eq!(lanes(access), along_x(1));
        assert_eq!((access.index.loops.as_slice(), access.share), (&[][..], 1.0));
    }
    assert_eq!(code.operations, [(None, 5)]);
}

#[test]
fn strides_of_threads_and_trips() {
    let code = body(
        "int i = threadIdx.x; for (int j = 0; j < 8; j++) p[3 * i + 2 * j + threadIdx.y * nx].x = 0;",
    );
    let [access] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!(lanes(access), Some([Factor::Number(3), Factor::Symbol, Factor::Number(0)]));
    assert_eq!(access.index.loops, [(LoopId(0), Factor::Number(2))]);
    assert_eq!(access.scope, Some(LoopId(0)));
    assert_eq!(code.loops[0].trips, Trips::Known(8));
}

#[test]
fn trips_of_loops() {
    let trips = |head: &str| {
        let code = body(&format!("{head} p[0].x = 1; }}"));
        code.loops[0].trips
    };
    assert_eq!(trips("for (int j = 0; j < 10; j += 3) {"), Trips::Known(4));
    assert_eq!(trips("for (int j = 10; j > 0; j--) {"), Trips::Known(10));
    assert_eq!(trips("for (int j = 1; j <= 10; ++j) {"), Trips::Known(10));
    assert_eq!(trips("for (int j = n; j < n + 5; j++) {"), Trips::Known(5));
    assert_eq!(trips("int j = 0; while (7 > j) { j += 2;"), Trips::Known(4));
    let repeated = body("int j = 9; do { p[0].x = 1; j++; } while (j < 12);");
    assert_eq!(repeated.loops[0].trips, Trips::Known(3));
    assert_eq!(trips("for (int j = 0; j < n; j++) {"), Trips::Dynamic);
    assert_eq!(trips("for (int j = 0; j < 10; j *= 2) {"), Trips::Dynamic);
}

#[test]
fn pointers_and_counters_march() {
    let code = body(
        "P *c = p + threadIdx.x; int k = 0; for (int j = 0; j < n; j++) { c->x = 0; p[k].y = 0; c += nx; k++; }",
    );
    let [first, second] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!((lanes(first), lanes(second)), (along_x(1), along_x(0)));
    assert_eq!(first.index.loops, [(LoopId(0), Factor::Symbol)]);
    assert_eq!(second.index.loops, [(LoopId(0), Factor::Number(1))]);
}

#[test]
fn indices_from_memory() {
    let code = body("int i = threadIdx.x; p[q[i]].x += p[q[i] + 2].y + p[q[n]].z;");
    let of: Vec<&Access> = code.accesses.iter().filter(|a| !a.leaves.is_empty()).collect();
    let own: Vec<&&Access> = of.iter().filter(|a| a.index.lanes == Lanes::Listed).collect();
    // The read and the write of `x` and the read of `y`: the same unknown index, two apart.
    assert_eq!(own.len(), 3, "{code:?}");
    assert!(own.iter().all(|access| access.index.base == own[0].index.base));
    assert_eq!(own.iter().map(|access| access.index.offset).sum::<i64>(), 2);
    let uniform = of.iter().find(|access| access.leaves[0].0 == 2 && access.array == own[0].array);
    assert_eq!(uniform.map(|access| lanes(access)), Some(along_x(0)));
}

#[test]
fn remainders_and_borders_keep_neighbours_together() {
    let code = body(
        "int i = blockIdx.x * blockDim.x + threadIdx.x; int x = i % nx, y = i / nx; \
         int w = x == 0 ? x : x - 1; p[y * nx + w].x = 0; p[i & 31].y = 0; p[i % 4].z = 0;",
    );
    let [row, masked, small] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!((lanes(row), row.index.offset), (along_x(1), -1));
    assert_eq!(lanes(masked), along_x(1));
    assert_eq!(lanes(small), None);
}

#[test]
fn branches_have_shares() {
    let code = body(
        "int i = threadIdx.x; if (i < n) p[i].x = 0; if (q[i] > 3) p[i].y = 0; if (i == 0) p[i].z = 0;",
    );
    let share = |leaf: u32| {
        let own = code
            .accesses
            .iter()
            .find(|access| access.kind == AccessKind::Write && access.leaves[0].0 == leaf);
        own.map(|access| access.share)
    };
    // Of two warps one has the thread.
    assert_eq!((share(0), share(1), share(2)), (Some(1.0), Some(0.5), Some(1.0 / 2.0)));
    let of_single: Vec<u32> = (code.accesses.iter())
        .filter(|access| access.index.lanes == Lanes::Single)
        .map(|access| access.leaves[0].0)
        .collect();
    assert_eq!(of_single, [2]);
}

#[test]
fn those_who_leave_early_get_nowhere() {
    let code = body(
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; p[i].x = 0; \
         if (q[i]) return; p[i].y = 0; if (i > 0) return; p[i].z = 0;",
    );
    let writes: Vec<(f64, Lanes)> = (code.accesses.iter())
        .filter(|access| access.kind == AccessKind::Write)
        .map(|access| (access.share, access.index.lanes))
        .collect();
    let [first, second, third] = writes[..] else { panic!("{code:?}") };
    assert_eq!((first.0, second.0), (1.0, 0.5));
    assert_eq!(third, (0.5 / 2.0 / 4096.0, Lanes::Single));
}

#[test]
fn only_one_block() {
    let code =
        body("if (blockIdx.x == 3) p[threadIdx.x].x = 0; p[threadIdx.x].y = p[blockIdx.x].z;");
    let found: Vec<(f64, bool)> = code
        .accesses
        .iter()
        .map(|own| (own.share, own.index.blocks == Factor::Number(0)))
        .collect();
    assert_eq!(found, [(1.0 / 4096.0, true), (1.0, false), (1.0, true)]);
}

#[test]
fn partners_by_exclusive_or() {
    let code = body(
        "int i = blockIdx.x * blockDim.x + threadIdx.x; int j = i ^ n; p[j].x = p[i].x; \
         p[i ^ q[i]].y = 0;",
    );
    let found: Vec<Option<[Factor; 3]>> =
        code.accesses.iter().filter(|own| own.kind == AccessKind::Write).map(lanes).collect();
    assert_eq!(found, [along_x(1), None]);
    assert!(code.accesses[0].index.base != code.accesses[1].index.base);
}

#[test]
fn lists_of_neighbours() {
    let lanes = |text: &str| body(text).accesses.last().map(|own| own.index.lanes);
    let i = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
    let listed = Some(Lanes::Listed);
    assert_eq!(lanes(&format!("{i} p[q[i] + 1].x = 0;")), listed);
    assert_eq!(lanes(&format!("{i} for (int k = q[i]; k < q[i + 1]; k++) p[q[k]].x = 0;")), listed);
    // Rows themselves, hashes, and chains.
    for text in [
        "for (int k = q[i]; k < q[i + 1]; k++) p[k].x = 0;",
        "p[q[i] % n].x = 0;",
        "p[2 * q[i]].x = 0;",
        "p[q[q[q[i]]]].x = 0;",
        "int at = i; for (int k = 0; k < n; k++) at = p[at].next; p[at].x = 0;",
    ] {
        assert_eq!(lanes(&format!("{i} {text}")), Some(Lanes::Unknown), "{text}");
    }
}

#[test]
fn macros_in_loops_that_run_once() {
    let code = body("do { p[threadIdx.x].x = 0; } while (0);");
    assert!(code.loops.is_empty(), "{code:?}");
    let code = kernel(
        "__global__ void k(P *p) { p[threadIdx.x].x = 0; }\n\
         void host(P *p) { do { k<<<1, 64>>>(p); } while (0); }",
    );
    assert!(code.repeats.is_empty(), "{code:?}");
}

#[test]
fn tables_of_constants_and_arrays_of_a_thread() {
    let code = body(
        "const int shift[3] = {-1, 0, 1}; int own[3] = {q[threadIdx.x], 0, 0}; int i = threadIdx.x; \
         for (int j = 0; j < 3; j++) { int w = i + shift[j]; \
         if (w < 0 || w >= nx) p[i].x = 0; else p[w].y = 0; p[i + own[j]].z = 0; }",
    );
    let writes: Vec<&Access> =
        code.accesses.iter().filter(|access| access.kind == AccessKind::Write).collect();
    let [border, inner, private] = writes.as_slice() else { panic!("{code:?}") };
    assert_eq!((lanes(border), lanes(inner), lanes(private)), (along_x(1), along_x(1), None));
    assert!(border.share < 0.1 && inner.share > 0.9, "{} {}", border.share, inner.share);
}

#[test]
fn called_functions_are_walked_where_they_are_called() {
    let code = kernel(
        "__device__ float at(const P *p, int i) { return p[i].x; }\n\
         __device__ float sum(const P &a) { return a.y + a.z; }\n\
         __global__ void k(P *p, int n) { int i = threadIdx.x; p[i].next = at(p, 2 * i) + sum(p[i + 1]); }\n\
         void host(int n) { P *d; cudaMalloc(&d, n * sizeof(P)); \
         for (int s = 0; s < 5; s++) { while (n > 0) k<<<8, dim3(16, 4)>>>(d, n); } }",
    );
    let [at, sum, store] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!((lanes(at), at.leaves[0].0), (along_x(2), 0));
    assert_eq!(sum.leaves.iter().map(|leaf| leaf.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((store.kind, store.leaves[0].0), (AccessKind::Write, 3));
    assert_eq!(code.repeats, [Trips::Known(5), Trips::Dynamic]);
    assert_eq!((code.block, code.blocks), ([16, 4, 1], 8));
}

#[test]
fn copies_load_what_is_used_of_them() {
    let leaves = |text: &str| -> Vec<u32> {
        body(text).accesses[0].leaves.iter().map(|leaf| leaf.0).collect()
    };
    assert_eq!(leaves("P own = p[threadIdx.x]; p[0].x = own.y * own.z;"), [1, 2]);
    assert_eq!(leaves("P own = p[threadIdx.x]; own.x = 1; p[threadIdx.x] = own;"), [0, 1, 2, 3, 4]);
}

#[test]
fn items_of_member_arrays() {
    let code =
        body("int i = threadIdx.x; p[i].v[2] = 0; for (int j = 0; j < 3; j++) p[i].v[j] = 1;");
    let [known, counted] = code.accesses.as_slice() else { panic!("{code:?}") };
    assert_eq!((known.element, counted.element), (LeafElement::Known(2), LeafElement::Unknown));
}

#[test]
fn atomics_and_shared_memory() {
    let code = body(
        "__shared__ P tile[64]; int i = threadIdx.x; tile[i] = p[i]; atomicAdd(&p[i].x, tile[0].y);",
    );
    let kinds: Vec<AccessKind> = code.accesses.iter().map(|access| access.kind).collect();
    assert_eq!(kinds, [AccessKind::Read, AccessKind::Atomic], "{code:?}");
}

#[test]
fn constants_of_launches() {
    let code = kernel(
        "__global__ void k(P *p, int n) { for (int j = 0; j < n; j++) p[j].x = 0; }\n\
         void host() { const int n = 100; P *d; cudaMalloc(&d, n * sizeof(P)); k<<<4, 32>>>(d, n); }",
    );
    assert_eq!(code.loops[0].trips, Trips::Known(100));
}

/// A leaf, the constant of an index, and what loops add to it.
type Place = (u32, i64, Vec<(LoopId, Factor)>);

#[test]
fn objects_of_a_thread_keep_their_members() {
    let classes = "struct View { P *p; int n; }; \
        struct Stack { P *items; int at; \
            __device__ Stack(P *items, int thread) : items(items), at(thread) {} \
            __device__ void push(float v) { items[at].x = v; at += 64; } \
            __device__ float pop() { at -= 64; return items[at].y; } };\n";
    let access = |text: &str| {
        let code = kernel(&format!(
            "{classes} __device__ void set(View view, int i) {{ view.p[i + view.n].z = 0; }} \
             __device__ void fill(Stack &stack) {{ for (int k = 0; k < 5; k++) stack.push(1); }} \
             __global__ void k(P *p, int n) {{ int i = threadIdx.x; {text} }}\n\
             void host(int n, P *p) {{ k<<<n, 64>>>(p, n); }}"
        ));
        let found: Vec<Place> = (code.accesses.iter())
            .map(|own| {
                assert_eq!(lanes(own), along_x(1), "{text}");
                (own.leaves[0].0, own.index.offset, own.index.loops.clone())
            })
            .collect();
        found
    };
    let along = vec![(LoopId(0), Factor::Number(64))];
    assert_eq!(access("Stack s(p, i); s.push(1); s.pop();"), [(0, 0, vec![]), (1, 0, vec![])]);
    assert_eq!(access("Stack s(p, i); fill(s); s.pop();"), [(0, 0, along), (1, 256, vec![])]);
    assert_eq!(access("View v = {p, 3}; View w = v; w.n++; set(w, i);"), [(2, 4, vec![])]);
    assert_eq!(
        access("View v; v.p = p; v.n = i; View *w = &v; w->p[w->n].y = 0;"),
        [(1, 0, vec![])]
    );
}

#[test]
fn elements_that_move_as_bytes_or_vectors() {
    let code = kernel(
        "struct Q { float a, b, c, d; }; __global__ void k(Q *q) { int i = threadIdx.x; \
         float4 v = *(float4 *)&q[i]; Q own; memcpy(&own, &q[i + 1], sizeof(Q)); memcpy(q + i, &own, sizeof own); }\n\
         void host(Q *q) { k<<<1, 64>>>(q); }",
    );
    let found: Vec<(AccessKind, usize, i64)> =
        (code.accesses.iter()).map(|own| (own.kind, own.leaves.len(), own.index.offset)).collect();
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    assert_eq!(found, [(read, 4, 0), (read, 4, 1), (write, 4, 0)]);
}

#[test]
fn a_copy_goes_back_without_what_it_has_not_changed() {
    let writes = |text: &str| -> Vec<usize> {
        let code = body(&format!("int i = threadIdx.x; {text}"));
        let writes = code.accesses.iter().filter(|own| own.kind == AccessKind::Write);
        writes.map(|own| own.leaves.len()).collect()
    };
    let all = 5;
    assert_eq!(writes("P c = p[i]; c.x += c.y; p[i] = c;"), [1]);
    assert_eq!(writes("P c = p[i]; c.x += c.y; c.next++; c.v[q[i]] = 1; p[i] = c;"), [3]);
    assert_eq!(writes("P c = p[i]; p[i] = c;"), [0; 0]);
    for text in [
        "P c = p[i]; c.x += c.y; p[i + 1] = c;",
        "P c = p[i]; P d = p[i + 1]; c = d; p[i] = c;",
        "P c = p[i]; P *d = &c; d->y = 1; p[i] = c;",
        "P c; c.x = 1; p[i] = c;",
    ] {
        assert_eq!(writes(text), [all], "{text}");
    }
}

#[test]
fn lanes_part_at_data_and_remainders() {
    let parts = |condition: &str| {
        let code = body(&format!("int i = threadIdx.x; if ({condition}) p[i].x = 0;"));
        code.accesses.last().map(|own| (own.share, own.warps))
    };
    assert_eq!(parts("q[i] > 3"), Some((0.5, 1.0)));
    assert_eq!(parts("i % 4 == 1"), Some((0.25, 1.0)));
    assert_eq!(parts("(i & 1) != nx"), Some((0.5, 1.0)));
    assert_eq!(parts("nx == 3"), Some((0.5, 0.5)));
    assert_eq!(parts("(i ^ nx) > i"), Some((0.5, 0.5)));
    assert_eq!(parts("i < n && q[i] > 3 && i % 8 == 0"), Some((0.0625, 1.0)));
    assert_eq!(parts("threadIdx.x == 0 || threadIdx.x == blockDim.x - 1"), Some((1.0, 1.0)));
}

#[test]
fn loops_over_the_scalars_of_a_member_are_unrolled() {
    let of = |text: &str| {
        let code = body(&format!("int i = threadIdx.x; {text}"));
        let own = code.accesses.last().expect("an access");
        (own.element, own.scope)
    };
    let (all, one) = (LeafElement::All, LeafElement::Unknown);
    assert_eq!(of("for (int k = 0; k < 4; k++) p[i].v[k] = 0;"), (all, None));
    let nested = "for (int j = 0; j < n; j++) for (int k = 0; k < 4; k++) p[j].v[k] = 0;";
    assert_eq!(of(nested), (all, Some(LoopId(0))));
    assert_eq!(of("for (int k = 0; k < 3; k++) p[i].v[k] = 0;"), (one, Some(LoopId(0))));
    assert_eq!(of("for (int k = 0; k < 4; k++) p[i + k].v[k] = 0;"), (one, Some(LoopId(0))));
    assert_eq!(of("for (int k = 0; k < nx; k++) p[i].v[k] = 0;"), (one, Some(LoopId(0))));
}

/// Leaving a trip early says the same as a condition around the rest of the body, in loops around loops and behind them, too.
#[test]
fn a_trip_that_is_left_is_a_condition_on_its_rest() {
    let shares = |first: &str, last: &str| {
        let code = body(&format!(
            "int i = threadIdx.x; for (int s = 0; s < n; s++) for (int t = 0; t < nx; t++) {{ \
             int j = q[t * n + i]; {first} p[j].x = 0; {last} }} p[i].y = 0;"
        ));
        code.accesses.iter().map(|own| (own.share, own.warps)).collect::<Vec<_>>()
    };
    for (leaves, stays) in
        [("j == i", "j != i"), ("q[j] > 3", "q[j] <= 3"), ("i % 4 == 1", "i % 4 != 1")]
    {
        let left = shares(&format!("if ({leaves}) continue;"), "");
        let around = shares(&format!("if ({stays}) {{"), "}");
        assert_eq!(left, around, "{leaves}");
        assert_eq!(left.last(), Some(&(1.0, 1.0)), "{leaves}");
    }
}

#[test]
fn launches_in_some_trips_of_a_loop_of_the_host() {
    let repeats = |host: &str| {
        let code = kernel(&format!(
            "__global__ void k(P *p) {{ p[threadIdx.x].x = 0; }}\n\
             void run(P *d) {{ k<<<1, 32>>>(d); }}\n\
             void host(int n) {{ P *d; cudaMalloc(&d, n * sizeof(P)); {host} }}"
        ));
        code.repeats
    };
    let one = "if (s % 10 == 0) k<<<1, 32>>>(d);";
    let steps = |body: &str| format!("for (int s = 0; s < n; s++) {{ {body} }}");
    assert_eq!(repeats(&steps(one)), [Trips::Steps(10)]);
    assert_eq!(repeats(&steps("if (0 == s % 10) run(d);")), [Trips::Steps(10)]);
    assert_eq!(repeats(&steps("if (s % 10 == 0) { run(d); }")), [Trips::Steps(10)]);
    assert_eq!(repeats(&steps("k<<<1, 32>>>(d);")), [Trips::Dynamic]);
    assert_eq!(repeats(&format!("for (int s = 0; s < 25; s++) {one}")), [Trips::Known(3)]);
    let both = format!("{} k<<<1, 32>>>(d);", steps(one));
    assert_eq!(repeats(&both), [Trips::Steps(10)]);
}

#[test]
fn loops_in_steps() {
    let trips = |text: &str| body(text).loops[0].trips;
    assert_eq!(trips("for (int k = 0; k < n; k += 96) p[k].x = 0;"), Trips::Steps(96));
    assert_eq!(trips("for (int k = n; k > 0; k--) p[k].x = 0;"), Trips::Dynamic);
    assert_eq!(trips("for (int k = 0; k < 5 && q[k] > 0; k++) p[k].x = 0;"), Trips::Known(5));
}

#[test]
fn names_that_are_bound_to_members() {
    let code = kernel(
        "struct Q { float a, b, c, d; }; __global__ void k(Q *q) { int i = threadIdx.x; \
         auto [a, b, c, d] = q[i]; q[i] = {a + b, b, c, d + a}; q[i + 1] = {a, b, c, d}; }\n\
         void host(Q *q) { k<<<1, 64>>>(q); }",
    );
    let found: Vec<(AccessKind, Vec<u32>)> = (code.accesses.iter())
        .map(|own| (own.kind, own.leaves.iter().map(|leaf| leaf.0).collect()))
        .collect();
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    let all = vec![0, 1, 2, 3];
    assert_eq!(found, [(read, all.clone()), (write, vec![0, 3]), (write, all)]);
}

#[test]
fn branches_have_lanes_of_their_own() {
    let code = body(
        "int i = threadIdx.x; if (q[i]) { p[i].x = 0; if (q[i] > 3) p[i].y = 0; else p[i].z = 0; } else p[i].next = 0;",
    );
    let found: Vec<(f64, u64)> = (code.accesses.iter())
        .filter(|own| own.kind == AccessKind::Write)
        .map(|own| (own.share, own.phase))
        .collect();
    assert_eq!(found, [(0.5, 0), (0.25, 0), (0.25, 2), (0.5, 1)]);
}

#[test]
fn indices_from_member_arrays_change_with_the_item() {
    let code = kernel(
        "struct E { int nb[4]; int to; }; \
         __global__ void k(const E *e, P *p) { int i = threadIdx.x; \
         for (int j = 0; j < 4; j++) p[e[i].nb[j]].x = 0; p[e[i].nb[1]].x = p[e[i].nb[2]].y; }\n\
         void host(const E *e, P *p) { k<<<1, 64>>>(e, p); }",
    );
    let own: Vec<&Access> =
        code.accesses.iter().filter(|own| own.index.lanes == Lanes::Listed).collect();
    let [in_loop, second, first] = own[..] else { panic!("{code:?}") };
    assert_eq!(in_loop.index.loops, [(LoopId(0), Factor::Symbol)]);
    let bases = [in_loop, second, first].map(|own| own.index.base);
    assert!(bases[0] != bases[1] && bases[1] != bases[2] && bases[0] != bases[2], "{bases:?}");
}
