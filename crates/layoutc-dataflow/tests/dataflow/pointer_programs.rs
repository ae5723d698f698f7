//! Random pointer programs.

use layoutc_dataflow::layout_type::{
    BlockId, LayoutTransformation, LayoutType, LayoutTypeId, OpIndex, PointerId, PointerKind,
    PointerOp, PointerProgram, ProcedureId, Seeds, SiteId,
};
use layoutc_diagnostics::{FileId, Span};
use proptest::prelude::*;

pub const PROCEDURES: u32 = 3;
pub const LOCALS: u32 = 5;
pub const SHARED: u32 = 3;
pub const SITES: u32 = 6;
pub const LAYOUTS: u32 = 3;

/// A span that tells operations apart.
pub fn span(at: usize) -> Span {
    Span::new(FileId(0), at, at + 1)
}

/// A random operation: which one, and numbers for its operands.
type RandomOp = (u8, u32, u32, Vec<(u32, u32)>, u32);

#[derive(Clone, Debug)]
pub struct RandomProcedure {
    blocks: Vec<(Vec<RandomOp>, Vec<u32>)>,
    called_from_outside: bool,
}

pub fn procedures() -> impl Strategy<Value = Vec<RandomProcedure>> {
    let op = (
        0..13_u8,
        any::<u32>(),
        any::<u32>(),
        prop::collection::vec((any::<u32>(), any::<u32>()), 0..3),
        any::<u32>(),
    );
    let block = (prop::collection::vec(op, 0..5), prop::collection::vec(any::<u32>(), 0..3));
    let procedure = (prop::collection::vec(block, 1..5), prop::bool::weighted(0.2))
        .prop_map(|(blocks, called_from_outside)| RandomProcedure { blocks, called_from_outside });
    prop::collection::vec(procedure, PROCEDURES as usize)
}

pub fn transformations() -> impl Strategy<Value = LayoutTransformation> {
    let to = (0..LAYOUTS).prop_map(|layout| LayoutTransformation::To(LayoutTypeId(layout)));
    let each = prop::collection::btree_map(layout_types(), layout_types(), 0..4);
    prop_oneof![
        1 => Just(LayoutTransformation::Identity),
        3 => to,
        1 => each.prop_map(LayoutTransformation::Each)
    ]
}

pub fn seeds() -> impl Strategy<Value = Seeds> {
    prop::collection::vec(transformations(), SITES as usize).prop_map(|transformations| {
        let mut seeds = Seeds::new();
        for (at, transformation) in transformations.into_iter().enumerate() {
            seeds.transform(SiteId(at as u32), transformation);
        }
        seeds
    })
}

pub fn layout_types() -> impl Strategy<Value = LayoutType> {
    prop_oneof![
        3 => (0..LAYOUTS).prop_map(|layout| LayoutType::Layout(LayoutTypeId(layout))),
        1 => Just(LayoutType::Untransformed),
        1 => Just(LayoutType::Incompatible),
    ]
}

/// The program of random numbers. The first two locals of a procedure are its formals, the third is
/// what it returns; shared pointers come behind all locals.
pub fn program_of(procedures: &[RandomProcedure]) -> PointerProgram {
    let mut program = PointerProgram::new();
    for at in 0..procedures.len() as u32 {
        let id = program.add_procedure(format!("f{at}"));
        for local in 0..LOCALS {
            if local < 2 {
                program.add_formal(id, format!("f{at}_p{local}"));
            } else {
                program.add_pointer(format!("f{at}_p{local}"), PointerKind::Local(id));
            }
        }
        program.procedures[at as usize].called_from_outside =
            procedures[at as usize].called_from_outside;
    }
    for shared in 0..SHARED {
        program.add_pointer(format!("s{shared}"), PointerKind::Shared);
    }
    let mut spans = 0;
    for (at, procedure) in procedures.iter().enumerate() {
        let id = ProcedureId(at as u32);
        for _ in 1..procedure.blocks.len() {
            program.add_block(id);
        }
        for (block, (ops, successors)) in procedure.blocks.iter().enumerate() {
            let block = BlockId(block as u32);
            for op in ops {
                let op = op_of(id, procedures.len() as u32, op);
                program.push(id, block, op, span(spans));
                spans += 1;
            }
            for next in successors {
                let next = BlockId(next % procedure.blocks.len() as u32);
                program.add_edge(id, block, next);
            }
        }
    }
    program
}

/// A pointer that the procedure may name.
fn pointer(procedure: ProcedureId, procedures: u32, number: u32) -> PointerId {
    let number = number % (LOCALS + SHARED);
    if number < LOCALS {
        PointerId(procedure.0 * LOCALS + number)
    } else {
        PointerId(procedures * LOCALS + number - LOCALS)
    }
}

fn op_of(
    procedure: ProcedureId,
    procedures: u32,
    (kind, first, second, pairs, third): &RandomOp,
) -> PointerOp {
    let own = |number: u32| pointer(procedure, procedures, number);
    let (target, source) = (own(*first), own(*second));
    let site = SiteId(*third % SITES);
    match kind {
        0 => PointerOp::Use { pointer: target },
        1..=3 => PointerOp::Copy { target, source },
        4 => PointerOp::Offset { target, source },
        5 => PointerOp::ElementOf { target, source },
        6 => PointerOp::Declare { pointer: target },
        7 => PointerOp::DeclareGrid { pointer: target, layout: LayoutTypeId(third % LAYOUTS) },
        8 => PointerOp::Null { pointer: target },
        9 => PointerOp::Allocate { pointer: target, site },
        10 => PointerOp::Apply { pointer: target, site },
        _ => {
            let callee = ProcedureId(third % procedures);
            let results = pairs
                .iter()
                .map(|(target, result)| (own(*target), pointer(callee, procedures, *result)));
            PointerOp::Call {
                callee,
                bindings: vec![
                    (PointerId(callee.0 * LOCALS), target),
                    (PointerId(callee.0 * LOCALS + 1), source),
                ],
                results: results.collect(),
            }
        }
    }
}

/// Every operation of a program, in order.
pub fn places(program: &PointerProgram) -> Vec<(ProcedureId, OpIndex)> {
    program.ops().map(|(procedure, at, _)| (procedure, at)).collect()
}
