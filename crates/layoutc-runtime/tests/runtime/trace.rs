//! What is recorded of kernels' accesses.

use crate::support::{request, source};
use layoutc_runtime::process::{RunRequest, RunStatus};
use layoutc_runtime::program::device_variables;
use layoutc_runtime::toolchain::build;
use layoutc_runtime::trace::{
    AccessKind, Allocation, Block, Launch, Locations, Place, PlaceId, TraceSink, trace,
};
use std::collections::BTreeMap;

/// Address and place of each access of each thread.
type Threads = Vec<Vec<(u64, PlaceId)>>;

#[derive(Default)]
struct Recorded {
    places: Vec<Place>,
    allocations: Vec<Allocation>,
    launches: Vec<Launch>,
    /// Of each block: its index, its shared memory, and the accesses of each thread.
    blocks: Vec<([u32; 3], u64, Threads)>,
    ends: usize,
}

impl TraceSink for Recorded {
    fn place(&mut self, id: PlaceId, place: Place) {
        assert_eq!(id.0 as usize, self.places.len());
        self.places.push(place);
    }
    fn allocation(&mut self, allocation: Allocation) {
        self.allocations.push(allocation);
    }
    fn launch(&mut self, launch: Launch) {
        self.launches.push(launch);
    }
    fn block(&mut self, block: Block<'_>) {
        let threads = block
            .threads()
            .map(|thread| thread.iter().map(|access| (access.address, access.place)).collect());
        self.blocks.push((block.index, block.static_shared, threads.collect()));
    }
    fn launch_end(&mut self) {
        self.ends += 1;
    }
}

/// Runs a program; what was recorded, and how often each line of the text made each kind of access of a size.
fn record(text: &str) -> (Recorded, BTreeMap<(u32, AccessKind, u32), usize>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = vec![source("case.cu", text)];
    let variables = device_variables(&sources);
    let mut request = request(sources, folder.path());
    request.is_traced = true;
    let built = build(&request).unwrap_or_else(|error| panic!("{error}"));
    let mut recorded = Recorded::default();
    let result = trace(&built, &variables, &RunRequest::new(Vec::new()), &mut recorded)
        .unwrap_or_else(|error| panic!("{error}"));
    let err = String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status, RunStatus::Exited(0), "{err}");
    let locations = Locations::new(&built).expect("debug information");
    let lines: Vec<u32> = recorded
        .places
        .iter()
        .map(|place| locations.of(place).first().map_or(0, |location| location.line))
        .collect();
    let mut counts = BTreeMap::new();
    let accesses = recorded.blocks.iter().flat_map(|(.., threads)| threads.iter().flatten());
    for (_, PlaceId(place)) in accesses {
        let at = recorded.places[*place as usize];
        *counts.entry((lines[*place as usize], at.kind, at.bytes)).or_default() += 1;
    }
    (recorded, counts)
}

#[test]
fn global_memory_and_nothing_else() {
    let (recorded, counts) = record(
        "#include <cstdio>
__constant__ float scale[2];
__device__ float offset = 1;
static __device__ int visits[4];
__global__ void k(const float *in, float *out, int n) {
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] =
        in[i];
    __syncthreads();
    float own[4] = {1, 2, 3, 4};
    float sum = own[i % 4] + tile[31 - threadIdx.x] * scale[i % 2];
    sum += offset;
    out[i] = sum;
    atomicAdd(
        &visits[i % 4], 1);
}
int main() {
    float *in, *out, h[2] = {1, 2};
    cudaMalloc(&in, 64 * 4); cudaMalloc(&out, 64 * 4);
    cudaMemset(in, 0, 64 * 4);
    cudaMemcpyToSymbol(scale, h, 8);
    k<<<2, 32>>>(in, out, 64);
    float r[64];
    cudaMemcpy(r, out, 64 * 4, cudaMemcpyDeviceToHost);
    return r[0] == 2 ? 0 : 1;
}
",
    );
    let expected = [
        ((9, AccessKind::Read, 4), 64),
        ((13, AccessKind::Read, 4), 64),
        ((14, AccessKind::Write, 4), 64),
        ((15, AccessKind::Atomic, 4), 64),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(recorded.allocations.iter().map(|own| own.bytes).collect::<Vec<_>>(), [256, 256]);
    let launch = &recorded.launches[0];
    assert_eq!((launch.kernel.as_str(), launch.grid, launch.block), ("k", [2, 1, 1], [32, 1, 1]));
    assert_eq!(launch.pointers.iter().map(|(_, align)| *align).collect::<Vec<_>>(), [4, 4]);
    assert_eq!(launch.pointers[0].0, recorded.allocations[0].base);
    assert_eq!((recorded.blocks.len(), recorded.ends), (2, 1));
    let (index, shared, threads) = &recorded.blocks[1];
    assert_eq!((*index, *shared, threads.len()), ([1, 0, 0], 128, 32));
    assert_eq!(threads[3][0].0, recorded.allocations[0].base + 4 * 35);
}

#[test]
fn values_in_registers_are_loaded_once_and_structs_are_aligned() {
    let (recorded, counts) = record(
        "struct __align__(16) P { float x, y, z, w; };
__global__ void k(P *p) {
    P *own = p + threadIdx.x;
    float a = own->x * own->x + own->y;
    for (int i = 0; i < 10; i++)
        a += own->z;
    own->w = a;
}
int main() {
    P *p;
    cudaMalloc((void **)&p, 32 * sizeof(P));
    cudaMemset(p, 0, 32 * sizeof(P));
    k<<<1, 32>>>(p);
    k<<<1, 32>>>(p);
    return 0;
}
",
    );
    let reads: usize = counts
        .iter()
        .filter(|((_, kind, _), _)| *kind == AccessKind::Read)
        .map(|(_, count)| count)
        .sum();
    assert_eq!(reads, 2 * 3 * 32, "{counts:?}");
    assert_eq!(recorded.launches[1].pointers[0].1, 16);
}

#[test]
fn a_program_that_launches_nothing_has_an_empty_trace() {
    let (recorded, counts) = record("int main() { return 0; }");
    assert!(recorded.launches.is_empty() && counts.is_empty());
}
