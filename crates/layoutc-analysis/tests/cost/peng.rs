//! Every worked number of Peng, Grossman, Sarkar, PMBS 2016.

use crate::code::{
    Along, Build, affine, arrangement, floats, indirect, kernel, layout, own, uniform,
};
use layoutc_analysis::cost::arrangement::Arrangement;
use layoutc_analysis::cost::kernel::{ArrayId, Factor, KernelCode, Trips};
use layoutc_analysis::cost::peng::{Cache, PengDevice, is_accordant, transactions};
use layoutc_analysis::cost::price::{CostError, KernelPrice, Stride};
use layoutc_analysis::cost::{CostVector, Model, price};
use layoutc_analysis::device::Device;
use layoutc_dataflow::layout::{Bytes, LeafId, RecordShape};

fn device(name: &str) -> Device {
    Device::built_in(name).expect("a built-in device")
}

fn cost(code: &KernelCode, arrangement: &Arrangement, name: &str) -> KernelPrice {
    price(code, arrangement, &device(name), Model::Peng).expect("a price")
}

#[test]
fn a_structure_of_four_members_has_12_bytes() {
    let members: [(&str, &str, u64, u64, &[u64]); 4] = [
        ("w", "char", 1, 1, &[]),
        ("x", "int", 4, 4, &[]),
        ("y", "char", 1, 1, &[]),
        ("z", "short", 2, 2, &[]),
    ];
    let shape = RecordShape::flat("MyType", members);
    assert_eq!(shape.size, Bytes(12));
    let places = arrangement(&shape, &layout(&shape, "{w x y z}"));
    assert_eq!(places.place(ArrayId(0), LeafId(3)).expect("placed").stride, 12);
}

#[test]
fn weights_and_caches_of_the_two_devices() {
    let fermi = PengDevice::new(&device("m2050")).expect("known");
    assert_eq!(fermi.weights, [1.0, 30.0, 100.0], "latencies of 10, 300, 1000");
    assert_eq!(fermi.l1, Cache { bytes: 48 << 10, line: 128 });
    assert_eq!(fermi.l2, Cache { bytes: 768 << 10, line: 32 });
    let kepler = PengDevice::new(&device("k20c")).expect("known");
    assert_eq!((kepler.l1.bytes, kepler.l2.bytes), (0, 1536 << 10));
}

#[test]
fn other_devices_have_weights_from_latencies() {
    let h100 = PengDevice::new(&device("h100")).expect("known");
    assert_eq!(h100.weights[0], 1.0);
    assert!(h100.weights[1] > 5.0 && h100.weights[2] > 12.0, "{:?}", h100.weights);
}

/// §IV-D.
#[test]
fn transactions_from_strides() {
    assert_eq!(transactions(Stride::Bytes(4), 32), Some(1));
    assert_eq!(transactions(Stride::Bytes(0), 32), Some(1));
    for n in 2..32 {
        assert_eq!(transactions(Stride::Bytes(4 * n), 32), Some(n));
    }
    for stride in [Stride::Bytes(128), Stride::Bytes(132), Stride::Large, Stride::Unknown] {
        assert_eq!(transactions(stride, 32), Some(32), "{stride}");
    }
}

/// §IV-B4: `x` and `y` of vector addition.
#[test]
fn strides_of_vector_addition() {
    let shape = floats("MyAoS", &["x", "y"]);
    let mut code = kernel(64, 256);
    code.read(0, 0, own(0), None);
    code.read(0, 1, own(0), None);
    for (text, stride) in [("aos", 8), ("soa", 4)] {
        let price = cost(&code, &arrangement(&shape, &layout(&shape, text)), "m2050");
        assert!(price.accesses.iter().all(|access| access.stride == Stride::Bytes(stride)));
        assert_eq!(price.accesses[0].transactions, stride as f64 / 4.0);
    }
}

/// §IV-B5. Eight blocks of 256 threads need 2048 threads: Kepler, not Fermi. The fifth access is
/// printed as one of `Arr2`, which has no `y`.
#[test]
fn distances_of_the_example() {
    let (first, second) = (floats("Arr1", &["x", "y"]), floats("Arr2", &["w", "z"]));
    let mut code = kernel(1024, 256);
    code.read(0, 0, own(0), None);
    code.read(1, 1, own(0), None);
    code.read(1, 0, own(0), None);
    code.read(1, 1, own(0), None);
    code.read(0, 1, own(0), None);
    let mut places = Arrangement::default();
    places.insert(ArrayId(0), &first, &layout(&first, "aos"));
    places.insert(ArrayId(1), &second, &layout(&second, "aos"));
    let price = cost(&code, &places, "k20c");
    assert_eq!(price.blocks_per_multiprocessor, 8);
    let reuse = price.accesses[4].reuse.expect("x is near");
    assert_eq!(reuse.previous, 0);
    assert_eq!(reuse.l1_distance, 32768);
    assert_eq!(reuse.l2_distance, 4_194_304);
    // On Fermi six blocks run: 24576 bytes, below 48 KB.
    let price = cost(&code, &places, "m2050");
    assert_eq!(price.accesses[4].reuse.expect("near").l1_distance, 24576);
    assert_eq!(price.accesses[4].shares.l1, 1.0);
    assert_eq!(price.accesses[4].cost, 2.0, "two transactions, each of weight 1");
    assert_eq!(price.accesses[0].cost, 200.0);
}

/// §IV-F.
#[test]
fn index_accordance() {
    assert!(is_accordant(0, 64, 128) && !is_accordant(0, 65, 128));
    assert!(is_accordant(30, 4, 128) && !is_accordant(31, 4, 128));
    assert!(is_accordant(0, 16, 32) && !is_accordant(0, 24, 32), "no 24 bytes in lines of 32");
}

/// §IV-B6: `Arr1[i].x` and `Arr1[N - i].y`.
#[test]
fn other_bases_are_not_near() {
    let shape = floats("Arr1", &["x", "y"]);
    let mut code = kernel(1, 256);
    code.read(0, 0, own(0), None);
    code.read(0, 1, affine(1, -1), None);
    let price = cost(&code, &arrangement(&shape, &layout(&shape, "aos")), "m2050");
    assert_eq!(price.accesses[1].shares.dram, 1.0);
    assert_eq!(price.accesses[1].reuse, None);
}

#[test]
fn stores_pass_the_first_level() {
    let shape = floats("P", &["x", "y"]);
    let mut code = kernel(1, 64);
    code.write(0, 0, own(0), None);
    code.read(0, 1, own(0), None);
    code.write(0, 1, own(0), None);
    let price = cost(&code, &arrangement(&shape, &layout(&shape, "aos")), "m2050");
    let shares: Vec<_> = price.accesses.iter().map(|access| access.shares.level()).collect();
    assert_eq!(shares, ["DRAM", "L2", "L2"]);
    assert_eq!(price.accesses[2].cost, 60.0);
}

/// §IV-H: complexity degrees, and the example's loops.
#[test]
fn cost_vectors_of_the_example() {
    let shape = floats("S", &["x", "y"]);
    let mut code = kernel(100, 256);
    let i = code.enter(None, Trips::Dynamic);
    let j = code.enter(Some(i), Trips::Known(128));
    let k = code.enter(Some(i), Trips::Dynamic);
    code.read(0, 0, indirect(0).along(j, Factor::Symbol), Some(j));
    code.read(0, 1, indirect(1).along(k, Factor::Symbol), Some(k));
    let price = cost(&code, &arrangement(&shape, &layout(&shape, "soa")), "m2050");
    assert_eq!(price.warps, 800);
    let [a, b] = &price.accesses[..] else { panic!("two accesses") };
    assert_eq!((a.degree, b.degree), (1, 2));
    // Costs per warp of 1 and 3, and the other way round: the second layout wins.
    let vector = |cost: [f64; 2]| {
        let accesses = [a, b].into_iter().zip(cost);
        let entries =
            accesses.map(|(access, cost)| (access.degree, cost * access.executions * 800.0));
        entries.map(|(degree, cost)| CostVector::at(degree, cost)).sum::<CostVector>()
    };
    let (first, second) = (vector([1.0, 3.0]), vector([3.0, 1.0]));
    assert_eq!(first.entries(), [0.0, 10_240_000.0, 24_000_000.0], "by warps");
    // The paper takes 25600 threads for warps.
    assert_eq!((first * 32.0).entries(), [0.0, 327_680_000.0, 768_000_000.0]);
    assert_eq!((second * 32.0).entries(), [0.0, 983_040_000.0, 256_000_000.0]);
    assert!(first > second);
    assert_eq!(price.total, vector([3200.0, 3200.0]), "32 transactions to memory each");
}

#[test]
fn three_loops_two_of_them_dynamic() {
    let shape = floats("S", &["x"]);
    let mut code = kernel(1, 32);
    let i = code.enter(None, Trips::Dynamic);
    let j = code.enter(Some(i), Trips::Known(128));
    let k = code.enter(Some(j), Trips::Dynamic);
    code.read(0, 0, uniform(0).along(k, Factor::Number(1)), Some(k));
    let price = cost(&code, &arrangement(&shape, &layout(&shape, "soa")), "m2050");
    assert_eq!((price.accesses[0].degree, price.total.degree()), (2, 2), "CV = (0, 0, 1, 0)");
    assert_eq!(price.accesses[0].executions, 1_280_000.0);
}

/// Consecutive iterations share lines: 128 bytes hold `(31 - 1 + 2)` integers by the rule.
#[test]
fn iterations_hit_after_the_first() {
    let shape = floats("S", &["x"]);
    let mut code = kernel(1, 32);
    let i = code.enter(None, Trips::Known(50));
    code.read(0, 0, uniform(0).along(i, Factor::Number(1)), Some(i));
    let places = arrangement(&shape, &layout(&shape, "soa"));
    let price_of = |code: &KernelCode| cost(code, &places, "m2050").accesses[0].clone();
    let near = price_of(&code);
    assert_eq!(near.shares.l1, 49.0 / 50.0);
    assert!((near.cost * 50.0 - (49.0 + 100.0)).abs() < 1e-9, "{}", near.cost);
    // Two elements of four bytes, in 8 blocks of 32 threads.
    assert_eq!(near.reuse.expect("near").l1_distance, 8 * 32 * 8);
    code.accesses[0].index.loops[0].1 = Factor::Number(31);
    assert_eq!(price_of(&code).shares.dram, 1.0);
    code.accesses[0].index.loops[0].1 = Factor::Symbol;
    assert_eq!(price_of(&code).shares.dram, 1.0);
    code.accesses[0].index.loops.clear();
    assert_eq!(price_of(&code).shares.l1, 49.0 / 50.0);
}

/// A stencil's neighbour is nearest some iterations ago.
#[test]
fn neighbours_hit_after_some_iterations() {
    let shape = floats("S", &["x"]);
    let mut code = kernel(1, 32);
    let i = code.enter(None, Trips::Known(10));
    code.read(0, 0, own(0).along(i, Factor::Number(16)), Some(i));
    code.read(0, 0, own(0).along(i, Factor::Number(16)).plus(-64), Some(i));
    let places = arrangement(&shape, &layout(&shape, "soa"));
    let price = cost(&code, &places, "m2050");
    // Own place one iteration ago: 16 elements. The other is 64 behind, near after three (48, 16 left).
    assert_eq!(price.accesses[0].shares.l1, 0.9);
    assert_eq!(price.accesses[1].shares.l1, 0.9, "its own neighbour is one iteration ago");
}

#[test]
fn what_cannot_be_priced() {
    let shape = floats("S", &["x"]);
    let places = arrangement(&shape, &layout(&shape, "soa"));
    let fermi = device("m2050");
    let empty = price(&kernel(1, 0), &places, &fermi, Model::Peng);
    assert_eq!(empty, Err(CostError::EmptyBlock));
    let mut code = kernel(1, 32);
    code.read(7, 0, own(0), None);
    let unplaced = price(&code, &places, &fermi, Model::Peng).expect_err("no place");
    assert_eq!(unplaced, CostError::Unplaced { access: 0 });
    let text = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.0\"\n";
    let bare = Device::parse(text).expect("parses");
    let unknown = price(&kernel(1, 32), &places, &bare, Model::Peng).expect_err("unknown");
    assert_eq!(unknown.to_string(), "the file of device `x` does not give `memory.l1_bytes`");
}
