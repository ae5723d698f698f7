//! An AoS program against hand-written rewrites of it.

use crate::support::{request, source};
use layoutc_runtime::layout_table::{Bytes, GroupLayout, Leaf, LeafId, LeafPlacement, SiteLayout};
use layoutc_runtime::lowering::SiteId;
use layoutc_runtime::process::{RunRequest, RunStatus};
use layoutc_runtime::program::SourceText;
use layoutc_runtime::verify::{Difference, Verdict, VerifyOutcome, VerifyRequest, verify};

/// Padding after `tag`, an array member, and an odd number of records.
const AOS: &str = r#"
#include <cstdio>
struct P { float x; char tag; double m; float f[3]; };
#define CHECK(e) do { if ((e) != cudaSuccess) return 9; } while (0)
__global__ void step(P *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i].x += (float)p[i].m; p[i].f[i % 3] *= 2; p[i].tag++; }
}
int main() {
  const int n = 101;
  P *h = new P[n], *d; int *other;
  for (int i = 0; i < n; i++) { h[i].x = i; h[i].tag = i % 7; h[i].m = 0.5 * i; for (int k = 0; k < 3; k++) h[i].f[k] = i + k; }
  CHECK(cudaMalloc((void**)&d, n * sizeof(P)));
  CHECK(cudaMalloc(&other, 4));
  CHECK(cudaMemset(other, 0, 4));
  CHECK(cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice));
  for (int k = 0; k < 3; k++) step<<<(n + 31) / 32, 32>>>(d, n);
  CHECK(cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < n; i++) sum += h[i].x + h[i].tag + h[i].f[1];
  printf("%.6f\n", sum);
  cudaFree(d);
}
"#;

/// {x tag f} in tiles of 32, {m} by itself. The text between the marks is generated.
const TILED: &str = r#"
#include <cstdio>
struct P { float x; char tag; double m; float f[3]; };
#define CHECK(e) do { if ((e) != cudaSuccess) return 9; } while (0)
/*<*/
struct PTile { float x[32]; float f[3][32]; char tag[32]; };
struct PDevice { PTile *t; double *m; };
size_t second(int n) { return ((size_t)(n + 31) / 32 * sizeof(PTile) + 255) / 256 * 256; }
size_t padded(int n) { return second(n) + n * sizeof(double); }
__global__ void pack(PDevice d, P *p, int n, bool back) {
  for (int i = 0; i < n; i++) {
    PTile &t = d.t[i / 32]; int l = i % 32;
    if (back) { p[i].x = t.x[l]; p[i].tag = t.tag[l]; p[i].m = d.m[i]; for (int k = 0; k < 3; k++) p[i].f[k] = t.f[k][l]; }
    else { t.x[l] = p[i].x; t.tag[l] = p[i].tag; d.m[i] = p[i].m; for (int k = 0; k < 3; k++) t.f[k][l] = p[i].f[k]; }
  }
}
cudaError_t copy(PDevice d, P *h, int n, bool back) {
  P *staging;
  cudaMalloc(&staging, n * sizeof(P));
  if (!back) cudaMemcpy(staging, h, n * sizeof(P), cudaMemcpyHostToDevice);
  pack<<<1, 1>>>(d, staging, n, back);
  if (back) cudaMemcpy(h, staging, n * sizeof(P), cudaMemcpyDeviceToHost);
  return cudaFree(staging);
}
/*>*/
__global__ void step(PDevice p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p.t[i >> 5].x[i & 31] += (float)p.m[i]; p.t[i >> 5].f[i % 3][i & 31] *= 2; p.t[i >> 5].tag[i & 31]++; }
}
int main() {
  const int n = 101;
  P *h = new P[n]; PDevice d; int *other;
  for (int i = 0; i < n; i++) { h[i].x = i; h[i].tag = i % 7; h[i].m = 0.5 * i; for (int k = 0; k < 3; k++) h[i].f[k] = i + k; }
  CHECK(cudaMalloc((void**)&d.t, padded(n)));
  d.m = (double*)((char*)d.t + second(n));
  CHECK(cudaMalloc(&other, 4));
  CHECK(cudaMemset(other, 0, 4));
  CHECK(copy(d, h, n, false));
  for (int k = 0; k < 3; k++) step<<<(n + 31) / 32, 32>>>(d, n);
  CHECK(copy(d, h, n, true));
  double sum = 0;
  for (int i = 0; i < n; i++) sum += h[i].x + h[i].tag + h[i].f[1];
  printf("%.6f\n", sum);
  cudaFree(d.t);
}
"#;

fn layout() -> SiteLayout {
    let leaf = |name: &str, size, extents: &[u64]| Leaf {
        name: name.to_owned(),
        size: Bytes(size),
        extents: extents.to_vec(),
    };
    let place = |leaf, offset, lane, strides: &[u64]| LeafPlacement {
        leaf: LeafId(leaf),
        offset: Bytes(offset),
        lane_stride: Bytes(lane),
        extent_strides: strides.iter().copied().map(Bytes).collect(),
    };
    SiteLayout {
        site: SiteId(0),
        record_size: Bytes(32),
        leaves: vec![leaf("x", 4, &[]), leaf("tag", 1, &[]), leaf("m", 8, &[]), leaf("f", 4, &[3])],
        before: vec![GroupLayout {
            tile: 1,
            tile_stride: Bytes(32),
            leaves: vec![
                place(0, 0, 0, &[]),
                place(1, 4, 0, &[]),
                place(2, 8, 0, &[]),
                place(3, 16, 0, &[4]),
            ],
        }],
        after: vec![
            GroupLayout {
                tile: 32,
                tile_stride: Bytes(32 * 17),
                leaves: vec![place(0, 0, 4, &[]), place(3, 128, 4, &[128]), place(1, 512, 1, &[])],
            },
            GroupLayout { tile: 1, tile_stride: Bytes(8), leaves: vec![place(2, 0, 0, &[])] },
        ],
    }
}

/// The rewritten program with its generated part marked.
fn rewritten(text: &str) -> SourceText {
    let mut after = source("program.cu", text);
    if let (Some(start), Some(end)) = (text.find("/*<*/"), text.find("/*>*/")) {
        after.generated.push(start..end);
    }
    after
}

fn compare(before: &str, after: &str, layouts: &[SiteLayout]) -> VerifyOutcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = request(vec![source("program.cu", before)], &folder.path().join("before"));
    let after = request(vec![rewritten(after)], &folder.path().join("after"));
    let run = RunRequest::new(Vec::new());
    let ignored_kernels = ["pack".to_owned()];
    let wanted = VerifyRequest {
        on_step: &|_| {},
        ignored_sites: &[],
        before: &before,
        after: &after,
        layouts,
        ignored_kernels: &ignored_kernels,
        run: &run,
    };
    verify(&wanted).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_tiled_rewrite_leaves_the_same_memory() {
    let outcome = compare(AOS, TILED, &[layout()]);
    let text: Vec<String> = outcome.differences.iter().map(ToString::to_string).collect();
    assert_eq!((outcome.verdict, outcome.launches, text), (Verdict::Same, 3, Vec::new()));
    assert_eq!(outcome.before.status, RunStatus::Exited(0));
}

#[test]
fn without_a_layout_the_same_rewrite_differs() {
    let outcome = compare(AOS, TILED, &[]);
    assert_eq!(outcome.verdict, Verdict::Different);
}

#[test]
fn a_wrong_element_is_named_even_where_the_output_is_the_same() {
    // The sum does not read f[2], so only memory shows it.
    let wrong = TILED.replace("f[i % 3][i & 31] *= 2;", "f[i % 3][i & 31] *= i == 68 ? 4 : 2;");
    let outcome = compare(AOS, &wrong, &[layout()]);
    assert_eq!(outcome.verdict, Verdict::Different);
    let text: Vec<String> = outcome.differences.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "device memory differs after launch 0 of `step`: allocation 0 of call site 0, element 68, `f[2]`: 0x430c0000 became 0x438c0000"
        ]
    );
}

#[test]
fn a_wrong_leaf_in_the_table_is_noticed() {
    let mut wrong = layout();
    wrong.after[0].leaves[0].offset = Bytes(4);
    assert_eq!(compare(AOS, TILED, &[wrong]).verdict, Verdict::Different);
}

#[test]
fn an_allocation_too_small_for_its_layout_is_noticed() {
    let mut larger = layout();
    larger.after[1].tile_stride = Bytes(16);
    let outcome = compare(AOS, TILED, &[larger]);
    assert!(
        matches!(outcome.differences[..], [Difference::LayoutDoesNotFit { .. }]),
        "{:?}",
        outcome.differences
    );
}

#[test]
fn a_host_pointer_given_to_a_kernel_is_noticed() {
    let wrong =
        AOS.replace("step<<<(n + 31) / 32, 32>>>(d, n);", "step<<<(n + 31) / 32, 32>>>(h, n);");
    let outcome = compare(AOS, &wrong, &[]);
    assert_eq!(
        outcome.differences.first().map(ToString::to_string).as_deref(),
        Some("at launch 0: argument 1 of `step` is a pointer to host memory")
    );
}

#[test]
fn output_status_and_launches_are_compared() {
    let other =
        AOS.replace("k < 3; k++) step", "k < 2; k++) step").replace("cudaFree(d);", "return 4;");
    let outcome = compare(AOS, &other, &[]);
    let found: Vec<_> = outcome.differences.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], "the original program launches 3 kernels, the rewritten program 2");
    assert_eq!(
        found[1],
        "the original program ends with exit status 0, the rewritten program with exit status 4"
    );
    assert!(found[2].starts_with("output differs in line 1: `"), "{}", found[2]);
}

#[test]
fn an_original_with_a_memory_error_decides_nothing() {
    let broken = AOS.replace("if (i < n)", "if (i < n + 200)");
    assert_eq!(compare(&broken, &broken, &[]).verdict, Verdict::Inconclusive);
}
