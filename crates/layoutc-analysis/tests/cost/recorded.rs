//! Prices of kernels that were drawn once, as they were recorded: a faster way to a price may change none.

use crate::code::{Build, arrangement, layout};
use layoutc_analysis::cost::kernel::{
    AccessKind, ArrayId, BaseId, ElementIndex, Factor, KernelCode, Lanes, LeafElement, LoopId,
    Trips,
};
use layoutc_analysis::cost::{Model, price};
use layoutc_analysis::device::Device;
use layoutc_dataflow::layout::{LeafId, RecordShape};
use std::fmt::Write;

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    /// One of the numbers below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % sides
    }

    fn factor(&mut self) -> Factor {
        let known = [1, 1, 1, 0, 0, 2, -1, 33];
        let at = self.roll(known.len() as u64 + 1) as usize;
        known.get(at).map_or(Factor::Symbol, |factor| Factor::Number(*factor))
    }

    /// 20 accesses to an array of records of 16 members.
    fn kernel(&mut self) -> KernelCode {
        let blocks = [[256, 1, 1], [32, 8, 1], [16, 16, 1], [8, 8, 4], [100, 1, 1], [7, 5, 3]];
        let mut code = crate::code::kernel(4096, 256);
        code.block = blocks[self.roll(6) as usize];
        let loops = self.roll(4);
        for depth in 0..loops {
            let trips = if self.roll(2) == 0 { Trips::Dynamic } else { Trips::Known(3 + depth) };
            code.enter(depth.checked_sub(1).map(|parent| LoopId(parent as u32)), trips);
        }
        for _ in 0..20 {
            let lanes = match self.roll(12) {
                0 => Lanes::Unknown,
                1 => Lanes::Listed,
                2 => Lanes::Single,
                _ => Lanes::Affine([self.factor(), self.factor(), Factor::Number(0)]),
            };
            let depth = self.roll(loops + 1);
            let steps = (0..depth).map(|at| (LoopId(at as u32), self.factor()));
            let steps: Vec<(LoopId, Factor)> = steps.collect();
            let index = ElementIndex {
                lanes,
                loops: steps.into_iter().filter(|(_, by)| *by != Factor::Number(0)).collect(),
                base: BaseId(self.roll(3) as u32),
                offset: self.roll(5) as i64 - 2,
                blocks: if self.roll(8) == 0 { Factor::Number(0) } else { Factor::Symbol },
            };
            let kind = match self.roll(12) {
                0..=2 => AccessKind::Write,
                3 => AccessKind::Atomic,
                _ => AccessKind::Read,
            };
            let scope = depth.checked_sub(1).map(|at| LoopId(at as u32));
            code.access(kind, 0, self.roll(16) as u32, index, scope);
            let Some(access) = code.accesses.last_mut() else { continue };
            match self.roll(10) {
                0 => access.share = 0.5,
                1 => access.leaves = (0..4).map(LeafId).collect(),
                // The member that is an array.
                2 | 3 => {
                    access.leaves = vec![LeafId(15)];
                    access.element = match self.roll(3) {
                        0 => LeafElement::All,
                        1 => LeafElement::Known(self.roll(6)),
                        _ => LeafElement::Unknown,
                    };
                }
                _ => {}
            }
        }
        if self.roll(4) == 0 {
            code.extents.insert(ArrayId(0), 1000);
        }
        code
    }
}

/// 15 numbers, of which some are wider, and an array of 6.
fn shape() -> RecordShape {
    let names: Vec<String> = (0..15).map(|at| format!("f{at}")).collect();
    let numbers = names.iter().enumerate().map(|(at, name)| match at % 4 {
        3 => (name.as_str(), "double", 8, 8, &[][..]),
        _ => (name.as_str(), "float", 4, 4, &[][..]),
    });
    RecordShape::flat("S", numbers.chain([("g", "float", 4, 4, &[6][..])]))
}

#[test]
fn prices_are_as_recorded() {
    let (shape, mut dice) = (shape(), Dice(7));
    let kernels: Vec<KernelCode> = (0..40).map(|_| dice.kernel()).collect();
    let mut text = String::new();
    for name in ["h100", "m2050"] {
        let device = Device::built_in(name).expect("built in");
        for (at, code) in kernels.iter().enumerate() {
            for notation in ["aos", "soa", "tiled(32)", "tiled(4)", "aos align(16)"] {
                let places = arrangement(&shape, &layout(&shape, notation));
                let costs = Model::ALL.map(|model| {
                    let price = price(code, &places, &device, model).expect("a price");
                    let shares: f64 = price
                        .accesses
                        .iter()
                        .map(|own| own.shares.l1 + 2.0 * own.shares.dram)
                        .sum();
                    format!("{:.9e} {:.9e} {shares:.9e}", price.total.sum(), price.traffic.dram)
                });
                writeln!(text, "{name} {at} {notation}: {}", costs.join(", ")).expect("text");
            }
        }
    }
    insta::assert_snapshot!(text);
}
