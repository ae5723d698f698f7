//! The sectors that the model counts are those that the simulator finds.

use crate::code::{Along, Build, arrangement, floats, kernel, layout, own};
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{AccessKind, KernelCode};
use layoutc_analysis::cost::{Model, price};
use layoutc_analysis::device::Device;
use layoutc_analysis::simulate::{Counts, LaunchShape, Machine, Simulator, ThreadAccess};
use layoutc_dataflow::layout::RecordShape;
use proptest::prelude::*;

/// What the kernel does when it runs with empty caches: each of its accesses, in order, at element
/// `thread + offset`.
fn run(code: &KernelCode, arrangement: &Arrangement, device: &Device) -> Counts {
    let mut simulator = Simulator::new(Machine::new(device).expect("it can be simulated"));
    simulator.begin_launch(&code.name);
    let threads = code.block[0];
    for block in 0..code.blocks {
        let thread = |thread: u64| -> Vec<ThreadAccess> {
            let accesses = code.accesses.iter().zip(0..).map(|(access, place)| {
                let at = arrangement.place(access.array, access.leaves[0]).expect("it is placed");
                let element = thread + access.index.offset as u64;
                let slot = element % at.tile * at.size;
                let in_storage = element / at.tile * at.stride + at.offset + slot;
                ThreadAccess {
                    address: (u64::from(at.storage.0) << 32) + in_storage,
                    bytes: at.size as u32,
                    place,
                    kind: access.kind,
                    align: at.align as u32,
                }
            });
            accesses.collect()
        };
        let threads: Vec<Vec<ThreadAccess>> =
            (block * threads..(block + 1) * threads).map(thread).collect();
        simulator.push_block(LaunchShape { threads: code.block[0], shared_bytes: 0 }, &threads);
    }
    simulator.end_launch();
    simulator.kernels()[0].total()
}

fn record(members: usize) -> RecordShape {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    floats("R", &names[..members])
}

/// `R` in layout `text`; what the model says and what the simulator counts are the same.
#[track_caller]
fn agree(code: &KernelCode, shape: &RecordShape, text: &str) {
    for name in ["v100", "h100", "k20c"] {
        let device = Device::built_in(name).expect("built in");
        let arrangement = arrangement(shape, &layout(shape, text));
        let price = price(code, &arrangement, &device, Model::Sectors).expect("a price");
        let counts = run(code, &arrangement, &device);
        let found = (counts.requests as f64, counts.sectors as f64);
        assert_eq!((price.traffic.instructions, price.traffic.requested), found, "{name} {text}");
        if code.accesses.iter().all(|access| access.kind == AccessKind::Read)
            && code.accesses.iter().all(|access| access.index.offset == 0)
        {
            assert_eq!(price.traffic.l2, counts.l2_sectors as f64, "L2, {name} {text}");
        }
    }
}

const LAYOUTS: [&str; 6] =
    ["aos", "aos align(8)", "aos align(16)", "soa", "tiled(32)", "tiled(128)"];

#[test]
fn the_update_of_a_record() {
    let mut code = kernel(80, 256);
    for leaf in 0..7 {
        code.read(0, leaf, own(0), None);
    }
    for text in LAYOUTS {
        agree(&code, &record(8), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn affine_kernels(
        members in 2_usize..10,
        reads in prop::collection::btree_set(0_u32..10, 1..8),
        writes in prop::collection::btree_set(0_u32..10, 0..4),
        offset in 0_i64..5,
        warps in 1_u64..9,
        blocks in 1_u64..6,
        text in prop::sample::select(LAYOUTS.to_vec()),
    ) {
        let mut code = kernel(blocks, 32 * warps);
        for leaf in reads.into_iter().filter(|leaf| (*leaf as usize) < members) {
            code.read(0, leaf, own(0).plus(offset), None);
        }
        for leaf in writes.into_iter().filter(|leaf| (*leaf as usize) < members) {
            code.write(0, leaf, own(0).plus(offset), None);
        }
        prop_assume!(!code.accesses.is_empty());
        agree(&code, &record(members), text);
    }
}
