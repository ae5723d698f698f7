//! Accesses that are simulated in a second.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use layoutc_analysis::cost::kernel::AccessKind;
use layoutc_analysis::device::Device;
use layoutc_analysis::simulate::{LaunchShape, Machine, Simulator, ThreadAccess};
use std::hint::black_box;

const THREADS: u64 = 256;
const BLOCKS: u64 = 256;
const ACCESSES: u64 = 16;

/// The blocks of a launch whose threads read values at `address(thread, access)`.
fn blocks(address: impl Fn(u64, u64) -> u64) -> Vec<Vec<Vec<ThreadAccess>>> {
    let access = |thread, at| ThreadAccess {
        address: address(thread, at),
        bytes: 4,
        place: at as u32,
        kind: if at % 4 == 3 { AccessKind::Write } else { AccessKind::Read },
        align: 4,
    };
    let thread = |thread| (0..ACCESSES).map(|at| access(thread, at)).collect();
    let block = |block| (block * THREADS..(block + 1) * THREADS).map(thread).collect();
    (0..BLOCKS).map(block).collect()
}

fn simulate(machine: &Machine, blocks: &[Vec<Vec<ThreadAccess>>]) -> u64 {
    let mut simulator = Simulator::new(machine.clone());
    simulator.begin_launch("k");
    for block in blocks {
        simulator.push_block(LaunchShape { threads: THREADS, shared_bytes: 0 }, block);
    }
    simulator.end_launch();
    simulator.kernels()[0].total().dram_sectors()
}

fn accesses(criterion: &mut Criterion) {
    let device = Device::built_in("h100").expect("built in");
    let machine = Machine::new(&device).expect("it can be simulated");
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(20);
    group.throughput(Throughput::Elements(BLOCKS * THREADS * ACCESSES));
    let mut run = |name: &str, blocks: Vec<Vec<Vec<ThreadAccess>>>| {
        group.bench_with_input(BenchmarkId::from_parameter(name), &blocks, |bench, blocks| {
            bench.iter(|| simulate(&machine, black_box(blocks)));
        });
    };
    run("arrays", blocks(|thread, at| (at << 30) + 4 * thread));
    run("structs_of_64_bytes", blocks(|thread, at| 64 * thread + 4 * at));
    let scattered = |thread: u64, at: u64| {
        let mixed = (thread * ACCESSES + at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) << 2
    };
    run("scattered", blocks(scattered));
}

criterion_group!(benches, accesses);
criterion_main!(benches);
