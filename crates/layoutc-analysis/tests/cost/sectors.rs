//! Sectors, counted.

use crate::code::{
    Along, Build, affine, arrangement, floats, indirect, kernel, layout, own, uniform,
};
use layoutc_analysis::cost::kernel::{
    AccessKind, ArrayId, BaseId, ElementIndex, Factor, KernelCode, Lanes, Trips,
};
use layoutc_analysis::cost::price::{KernelPrice, Traffic};
use layoutc_analysis::cost::{Model, price};
use layoutc_analysis::device::Device;
use layoutc_dataflow::layout::RecordShape;

const PARTICLE: [&str; 8] = ["x", "y", "z", "vx", "vy", "vz", "m", "id"];

fn particle() -> RecordShape {
    floats("P", &PARTICLE)
}

fn on(device: &str, code: &KernelCode, shape: &RecordShape, text: &str) -> KernelPrice {
    let device = Device::built_in(device).expect("a built-in device");
    let arrangement = arrangement(shape, &layout(shape, text));
    price(code, &arrangement, &device, Model::Sectors).expect("a price")
}

fn cost(code: &KernelCode, shape: &RecordShape, text: &str) -> KernelPrice {
    on("v100", code, shape, text)
}

/// Sectors that a warp asks for.
fn requested(price: &KernelPrice) -> f64 {
    price.traffic.requested / price.warps as f64
}

/// Sectors of a warp that leave the first-level cache.
fn missed(price: &KernelPrice) -> f64 {
    price.traffic.l2 / price.warps as f64
}

/// The update of a record of 32 bytes, 7 of 8 members read.
fn update() -> KernelCode {
    let mut code = kernel(80, 256);
    for leaf in 0..7 {
        code.read(0, leaf, own(0), None);
    }
    code
}

/// A loop over neighbours, 4 of 8 members of each.
fn gather() -> KernelCode {
    let mut code = kernel(80, 256);
    let neighbours = code.enter(None, Trips::Dynamic);
    for leaf in [0, 1, 2, 6] {
        code.read(0, leaf, indirect(0).along(neighbours, Factor::Symbol), Some(neighbours));
    }
    code
}

/// The counts that a simulation with 640 warps gave: 143360, 40960, 17920 and 17920 sectors.
#[test]
fn sectors_of_the_update() {
    for (text, loads, sectors) in [
        ("aos", 7.0, 224.0),
        ("aos align(16)", 2.0, 64.0),
        ("soa", 7.0, 28.0),
        ("tiled(32)", 7.0, 28.0),
    ] {
        let price = cost(&update(), &particle(), text);
        assert_eq!(requested(&price), sectors, "{text}");
        assert_eq!(price.traffic.instructions / price.warps as f64, loads, "{text}");
        // Each sector leaves the first-level cache once: all of a record, or 7 members.
        let once = if text.starts_with("aos") { 32.0 } else { 28.0 };
        let all = price.traffic;
        assert_eq!((missed(&price), all.dram), (once, all.l2), "{text}");
        assert_eq!(price.warps, 640);
    }
}

/// Each load needs 4 sectors for its lanes' 4 bytes, and one of 16 bytes 16; the accesses share out the traffic.
#[test]
fn ideal_sectors_are_what_the_bytes_fill() {
    for (text, ideal) in
        [("aos", 28.0), ("aos align(16)", 32.0), ("soa", 28.0), ("tiled(32)", 28.0)]
    {
        let price = cost(&update(), &particle(), text);
        assert_eq!(price.traffic.ideal / price.warps as f64, ideal, "{text}");
        let mut sum = Traffic::default();
        price.accesses.iter().for_each(|access| sum += access.traffic);
        assert_eq!(sum, price.traffic, "{text}");
    }
    // Neighbours in a list: 8 lanes in a row choose elements in a row.
    let price = cost(&gather(), &particle(), "soa");
    let each = price.traffic.instructions;
    assert_eq!(price.traffic.ideal / each, 4.0);
    assert!(price.traffic.requested >= price.traffic.ideal);
    // All lanes read one value.
    let mut code = kernel(80, 256);
    code.read(0, 0, uniform(0), None);
    let price = cost(&code, &particle(), "aos");
    assert_eq!(price.traffic.ideal, price.traffic.requested);
}

#[test]
fn sectors_of_scattered_records() {
    for (text, loads, sectors) in [
        ("aos", 4.0, 32.0),
        ("{x y z m} align(16), {*}", 1.0, 32.0),
        ("soa", 4.0, 128.0),
        ("tiled(32)", 4.0, 128.0),
    ] {
        let price = cost(&gather(), &particle(), text);
        assert_eq!(missed(&price) / 100.0, sectors, "{text}");
        assert_eq!(price.traffic.instructions / price.warps as f64 / 100.0, loads, "{text}");
    }
}

/// Scattered lanes that choose among few elements meet.
#[test]
fn scattered_lanes_meet() {
    let mut code = gather();
    code.extents.insert(ArrayId(0), 16);
    let price = cost(&code, &particle(), "aos");
    let expected = 16.0 * (1.0 - (1.0 - 1.0 / 16.0_f64).powi(32));
    assert!((price.accesses[0].transactions - expected).abs() < 1e-9);
    assert_eq!(
        price.traffic.dram, 16.0,
        "512 bytes stay in the second-level cache: 16 sectors come once"
    );
}

/// `min(32, s)` sectors, and lines up to 32.
#[test]
fn the_penalty_of_strides_saturates() {
    for words in 1..=40_usize {
        let names: Vec<String> = (0..words).map(|word| format!("f{word}")).collect();
        let shape = floats("S", &names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut code = kernel(1, 32);
        code.read(0, 0, own(0), None);
        let price = cost(&code, &shape, "aos");
        let bytes = 4 * words as u64;
        assert_eq!(requested(&price), bytes.min(32) as f64, "{bytes} bytes");
        assert_eq!(price.accesses[0].lines, (bytes as f64 / 4.0).min(32.0).ceil(), "{bytes} bytes");
    }
}

/// Blocks narrower than a warp reach several rows.
#[test]
fn rows_of_narrow_blocks() {
    let shape = floats("S", &["x"]);
    for (width, sectors) in [(32, 4.0), (16, 4.0), (8, 4.0), (4, 8.0), (2, 16.0)] {
        let mut code = kernel(1, 1);
        code.block = [width, 64 / width, 1];
        let lanes = Lanes::Affine([Factor::Number(1), Factor::Symbol, Factor::Number(0)]);
        let index = ElementIndex {
            lanes,
            loops: Vec::new(),
            base: BaseId(0),
            offset: 0,
            blocks: Factor::Symbol,
        };
        code.read(0, 0, index, None);
        assert_eq!(requested(&cost(&code, &shape, "soa")), sectors, "{width} wide");
    }
    // 24 wide: warps of 24 + 8, 16 + 16 and 8 + 24 lanes in two rows each.
    let mut code = kernel(1, 1);
    code.block = [24, 4, 1];
    let lanes = Lanes::Affine([Factor::Number(1), Factor::Symbol, Factor::Number(0)]);
    code.read(
        0,
        0,
        ElementIndex {
            lanes,
            loops: Vec::new(),
            base: BaseId(0),
            offset: 0,
            blocks: Factor::Symbol,
        },
        None,
    );
    assert_eq!(requested(&cost(&code, &shape, "soa")), 4.0);
}

/// A block of 48 threads is a warp and a half.
#[test]
fn warps_with_idle_lanes() {
    let mut code = kernel(10, 48);
    code.read(0, 0, own(0), None);
    let price = cost(&code, &floats("S", &["x"]), "soa");
    assert_eq!((price.warps, price.traffic.requested), (20, 10.0 * (4.0 + 2.0)));
}

/// One word for all lanes is one sector, fetched once for a block.
#[test]
fn uniform_loads() {
    let mut code = kernel(10, 256);
    code.read(0, 0, uniform(0), None);
    let price = cost(&code, &particle(), "aos");
    assert_eq!((requested(&price), missed(&price)), (1.0, 1.0 / 8.0));
    // The same column for all rows of a block.
    code.block = [32, 8, 1];
    code.accesses[0].index = own(0);
    assert_eq!(missed(&cost(&code, &particle(), "soa")), 4.0 / 8.0);
}

/// Consecutive iterations: seven of eight words are in a sector that was there before.
#[test]
fn rows_read_by_one_thread_each() {
    let mut code = kernel(1, 32);
    let i = code.enter(None, Trips::Known(800));
    let lanes = Lanes::Affine([Factor::Symbol, Factor::Number(0), Factor::Number(0)]);
    let index = ElementIndex {
        lanes,
        loops: Vec::new(),
        base: BaseId(0),
        offset: 0,
        blocks: Factor::Symbol,
    };
    code.read(0, 0, index.along(i, Factor::Number(1)), Some(i));
    let price = cost(&code, &floats("S", &["x"]), "soa");
    assert_eq!(requested(&price), 800.0 * 32.0);
    let hits = price.accesses[0].shares.l1;
    assert!((hits - 7.0 / 8.0 * 799.0 / 800.0).abs() < 1e-9, "{hits}");
}

/// A warp that moves by a word each time lies across five sectors seven times of eight.
#[test]
fn alignments_along_a_loop() {
    let mut code = kernel(1, 32);
    let i = code.enter(None, Trips::Known(800));
    code.read(0, 0, own(0).along(i, Factor::Number(1)), Some(i));
    let price = cost(&code, &floats("S", &["x"]), "soa");
    assert_eq!(price.accesses[0].transactions, (4.0 + 7.0 * 5.0) / 8.0);
    // Every eighth time one more sector is touched.
    let missed = missed(&price) / 800.0;
    assert!((missed - 1.0 / 8.0).abs() < 0.01, "{missed}");
}

/// Neighbours of a stencil share all sectors but one.
#[test]
fn neighbours_share_sectors() {
    let mut code = kernel(1, 256);
    for offset in [0, -1, 1] {
        code.read(0, 0, own(0).plus(offset), None);
    }
    let price = cost(&code, &floats("S", &["x"]), "soa");
    let sectors: Vec<f64> = price.accesses.iter().map(|access| access.transactions).collect();
    assert_eq!(sectors, [4.0, 5.0, 5.0]);
    assert_eq!(missed(&price), 6.0);
}

/// Values stay in registers until something may have changed them.
#[test]
fn values_stay_in_registers() {
    let shape = floats("P", &["x", "y"]);
    let mut code = kernel(1, 256);
    code.read(0, 0, own(0), None);
    code.write(0, 1, own(0), None);
    code.read(0, 0, own(0), None);
    code.read(0, 1, own(0), None);
    for (text, loads) in [("aos", 1.0), ("tiled(32)", 1.0), ("soa", 2.0)] {
        let price = cost(&code, &shape, text);
        let instructions = price.traffic.instructions / price.warps as f64;
        assert_eq!(instructions, loads + 1.0, "{text}: arrays may be one");
        assert_eq!(price.accesses[3].with, Some(1), "{text}: what was stored");
        assert_eq!(price.accesses[3].shares.register, 1.0);
    }
}

/// A load whose place does not change stands before the loop, unless the loop may store there.
#[test]
fn loads_leave_loops() {
    let shape = floats("P", &["x", "y"]);
    let mut code = kernel(1, 256);
    let i = code.enter(None, Trips::Known(100));
    code.read(0, 0, own(0), Some(i));
    let once = cost(&code, &shape, "aos");
    assert_eq!(once.traffic.instructions / once.warps as f64, 1.0);
    assert_eq!(once.accesses[0].shares.register, 0.99);
    code.write(0, 1, affine(1, 2), Some(i));
    let often = cost(&code, &shape, "aos");
    assert_eq!(often.traffic.instructions / often.warps as f64, 200.0);
    assert!(often.accesses[0].shares.l1 >= 0.99);
}

/// Wide stores need all of their bytes; wide loads span more than half, as nvcc 13 makes them.
#[test]
fn wide_accesses() {
    let shape = floats("P", &["x", "y", "z", "w"]);
    let instructions = |kind: AccessKind, members: &[u32], text: &str| {
        let mut code = kernel(1, 256);
        for leaf in members {
            code.access(kind, 0, *leaf, own(0), None);
        }
        let price = cost(&code, &shape, text);
        price.traffic.instructions / price.warps as f64
    };
    for (members, loads, stores) in [
        (&[0, 1, 2, 3][..], 1.0, 1.0),
        (&[0, 1, 2], 1.0, 2.0),
        (&[1, 2, 3], 2.0, 2.0),
        (&[0, 1], 1.0, 1.0),
        (&[1, 2], 2.0, 2.0),
        (&[0, 2], 1.0, 2.0),
        (&[0, 3], 1.0, 2.0),
    ] {
        assert_eq!(instructions(AccessKind::Read, members, "aos align(16)"), loads, "{members:?}");
        assert_eq!(
            instructions(AccessKind::Write, members, "aos align(16)"),
            stores,
            "{members:?}"
        );
        let all = members.len() as f64;
        assert_eq!(instructions(AccessKind::Read, members, "aos"), all, "not aligned");
        assert_eq!(instructions(AccessKind::Atomic, members, "aos align(16)"), all, "atomic");
    }
    assert_eq!(instructions(AccessKind::Read, &[0, 1, 2], "aos align(8)"), 2.0);
}

/// Stores go through, memory is written once, and read where bytes are kept that nobody read.
#[test]
fn stores_write_through() {
    let shape = floats("P", &["x", "y", "z", "w", "a", "b", "c", "d"]);
    let traffic = |members: &[u32], text: &str, with_read: bool| {
        let mut code = kernel(1, 256);
        if with_read {
            code.read(0, 0, own(0), None);
        }
        for leaf in members {
            code.write(0, *leaf, own(0), None);
        }
        let price = cost(&code, &shape, text);
        (price.traffic.l2 / price.warps as f64, price.traffic.dram / price.warps as f64)
    };
    assert_eq!(traffic(&[0, 1], "soa", false), (8.0, 8.0));
    // Both stores to the second level, one sector for each lane to memory, filled from there before.
    assert_eq!(traffic(&[0, 1], "aos", false), (64.0, 64.0));
    assert_eq!(traffic(&[0, 1], "aos", true), (96.0, 64.0), "the load fills it");
    let all = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(traffic(&all, "aos", false), (256.0, 32.0), "nothing is kept");
}

#[test]
fn atomics_are_done_in_the_second_level() {
    let mut code = kernel(1, 256);
    code.access(AccessKind::Atomic, 0, 0, indirect(0), None);
    let price = cost(&code, &particle(), "aos");
    assert_eq!(price.traffic.atomics, price.traffic.l2);
    assert_eq!(missed(&price), 64.0);
}

/// Without a first-level cache for loads each use goes to the second level.
#[test]
fn devices_without_first_level_cache() {
    let price = on("k20c", &update(), &particle(), "aos");
    assert_eq!(missed(&price), 224.0);
    assert_eq!(price.traffic.dram / price.warps as f64, 32.0);
}

/// What resident threads touch in between has to fit.
#[test]
fn capacity_limits_reuse() {
    let names: Vec<String> = (0..40).map(|word| format!("f{word}")).collect();
    let shape = floats("S", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut code = kernel(10_000, 256);
    for leaf in (0..40).chain([0]) {
        code.read(0, leaf, own(0), None);
        code.write(1, 0, own(1), None);
    }
    let mut places = arrangement(&shape, &layout(&shape, "aos"));
    let scalar = floats("T", &["t"]);
    places.insert(ArrayId(1), &scalar, &layout(&scalar, "soa"));
    let device = Device::built_in("v100").expect("there");
    let price = price(&code, &places, &device, Model::Sectors).expect("a price");
    let last = &price.accesses[80];
    assert!(last.shares.l1 < 0.5, "2048 threads with 160 bytes each: {:?}", last.shares);
    assert_eq!(price.accesses[2].shares.l1, 1.0, "the next member");
}

#[test]
fn arrays_in_structs() {
    let shape = RecordShape::flat("S", [("f", "float", 4, 4, &[9][..]), ("t", "float", 4, 4, &[])]);
    let mut code = kernel(1, 256);
    code.read(0, 0, own(0), None);
    for (text, sectors) in [("aos", 9.0 * 32.0), ("soa", 9.0 * 4.0), ("tiled(32)", 9.0 * 4.0)] {
        assert_eq!(requested(&cost(&code, &shape, text)), sectors, "{text}");
    }
}

/// Two branches, each of half of the lanes: together they touch what all lanes touch.
#[test]
fn the_lanes_of_branches() {
    let mut code = kernel(4096, 256);
    for (leaf, phase) in [(0, 0), (1, 1)] {
        code.read(0, leaf, own(0), None);
        let access = code.accesses.last_mut().expect("just added");
        (access.share, access.phase) = (0.5, phase);
    }
    let shape = particle();
    let sectors = |text: &str| -> Vec<f64> {
        let price = on("h100", &code, &shape, text);
        price.accesses.iter().map(|access| access.shares.dram * access.transactions).collect()
    };
    // One sector for each lane, of others in the second branch; arrays touch all of theirs.
    assert_eq!(sectors("aos"), [16.0, 16.0]);
    assert_eq!(sectors("soa"), [4.0, 4.0]);
}

/// A member that is kept whole is as many loads as its alignment makes of it.
#[test]
fn whole_members_cost_what_their_parts_do() {
    let whole =
        RecordShape::flat("S", [("v", "float3", 12, 4, &[][..]), ("w", "float3", 12, 4, &[])]);
    let parts = floats("S", &["a", "b", "c", "d", "e", "f"]);
    for layout in ["aos", "aos align(8)"] {
        let mut of_whole = kernel(4, 128);
        of_whole.read(0, 0, own(0), None);
        of_whole.read(0, 1, own(0), None);
        let mut of_parts = kernel(4, 128);
        for leaf in 0..6 {
            of_parts.read(0, leaf, own(0), None);
        }
        let (left, right) = (cost(&of_whole, &whole, layout), cost(&of_parts, &parts, layout));
        assert_eq!(left.traffic, right.traffic, "{layout}");
        assert_eq!(left.total, right.total, "{layout}");
    }
}
