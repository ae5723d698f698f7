//! The naive oracle: the equations of Table 1 and 2, written down a second time and iterated over
//! everything until nothing changes.

use std::collections::BTreeMap;

use layoutc_dataflow::layout_type::{
    BlockId, LayoutType, OpIndex, PointerId, PointerOp, PointerProgram, ProcedureId, Seeds,
};

/// Absent: no definition has come here.
pub type State = BTreeMap<PointerId, LayoutType>;

#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    pub cells: State,
    pub before: BTreeMap<(ProcedureId, OpIndex), State>,
    pub entries: Vec<State>,
    pub exits: Vec<Option<State>>,
    /// State in front of each block; `None`: not reached.
    blocks: BTreeMap<(ProcedureId, BlockId), State>,
}

fn lower(state: &mut State, pointer: PointerId, value: Option<LayoutType>) {
    if let Some(value) = value {
        let met = match state.get(&pointer) {
            Some(known) if *known == value => value,
            Some(_) => LayoutType::Incompatible,
            None => value,
        };
        state.insert(pointer, met);
    }
}

fn lower_all(state: &mut State, other: &State) {
    for (pointer, value) in other {
        lower(state, *pointer, Some(*value));
    }
}

pub fn iterate(program: &PointerProgram, seeds: &Seeds) -> Facts {
    let count = program.procedures.len();
    let mut called = vec![false; count];
    for (id, at, op) in program.ops() {
        if let PointerOp::Call { callee, .. } = &op.op
            && reaches(program, id, at.block)
        {
            called[callee.index()] = true;
        }
    }
    let entries = program.procedures.iter().zip(called).map(|(procedure, called)| {
        let open = procedure.called_from_outside || !called;
        let formals = procedure.formals.iter().filter(|_| open);
        formals.map(|formal| (*formal, LayoutType::Untransformed)).collect()
    });
    let mut facts = Facts {
        cells: State::new(),
        before: BTreeMap::new(),
        entries: entries.collect(),
        exits: vec![None; count],
        blocks: BTreeMap::new(),
    };
    loop {
        let last = facts.clone();
        for procedure in 0..count {
            round(program, seeds, &mut facts, ProcedureId(procedure as u32));
        }
        if facts == last {
            return facts;
        }
    }
}

fn reaches(program: &PointerProgram, id: ProcedureId, wanted: BlockId) -> bool {
    let (mut seen, mut stack) = (vec![], vec![BlockId(0)]);
    while let Some(block) = stack.pop() {
        if !seen.contains(&block) {
            seen.push(block);
            stack.extend(&program.procedure(id).blocks[block.index()].successors);
        }
    }
    seen.contains(&wanted)
}

fn round(program: &PointerProgram, seeds: &Seeds, facts: &mut Facts, id: ProcedureId) {
    let entry = facts.entries[id.index()].clone();
    lower_all(facts.blocks.entry((id, BlockId(0))).or_default(), &entry);
    for (at, block) in program.procedure(id).blocks.iter().enumerate() {
        let block_id = BlockId(at as u32);
        let Some(mut state) = facts.blocks.get(&(id, block_id)).cloned() else { continue };
        for (index, op) in block.ops.iter().enumerate() {
            let place = (id, OpIndex { block: block_id, index: index as u32 });
            facts.before.insert(place, state.clone());
            run(program, seeds, facts, &mut state, &op.op);
        }
        for next in &block.successors {
            lower_all(facts.blocks.entry((id, *next)).or_default(), &state);
        }
        if block.successors.is_empty() {
            lower_all(facts.exits[id.index()].get_or_insert_default(), &state);
        }
    }
}

fn run(
    program: &PointerProgram,
    seeds: &Seeds,
    facts: &mut Facts,
    state: &mut State,
    op: &PointerOp,
) {
    let read = |facts: &Facts, state: &State, pointer: PointerId| {
        let from = if program.is_shared(pointer) { &facts.cells } else { state };
        from.get(&pointer).copied()
    };
    let write = |facts: &mut Facts, state: &mut State, pointer, value: Option<LayoutType>| {
        if program.is_shared(pointer) {
            lower(&mut facts.cells, pointer, value);
        } else if let Some(value) = value {
            state.insert(pointer, value);
        } else {
            state.remove(&pointer);
        }
    };
    match op {
        PointerOp::Use { .. } => {}
        PointerOp::Copy { target, source } | PointerOp::ElementOf { target, source } => {
            let value = read(facts, state, *source);
            write(facts, state, *target, value);
        }
        PointerOp::Offset { target, source } => {
            let value = read(facts, state, *source).map(|value| match value {
                LayoutType::Untransformed => LayoutType::Untransformed,
                _ => LayoutType::Incompatible,
            });
            write(facts, state, *target, value);
        }
        PointerOp::Declare { pointer } => {
            write(facts, state, *pointer, Some(LayoutType::Untransformed));
        }
        PointerOp::DeclareGrid { pointer, layout } => {
            write(facts, state, *pointer, Some(LayoutType::Layout(*layout)));
        }
        PointerOp::Null { pointer } => write(facts, state, *pointer, None),
        PointerOp::Allocate { pointer, site } => {
            let value = seeds.apply(*site, LayoutType::Untransformed);
            write(facts, state, *pointer, Some(value));
        }
        PointerOp::Apply { pointer, site } => {
            let value = read(facts, state, *pointer).map(|value| seeds.apply(*site, value));
            write(facts, state, *pointer, value);
        }
        PointerOp::Call { callee, bindings, results } => {
            for (formal, actual) in bindings {
                let value = read(facts, state, *actual);
                lower(&mut facts.entries[callee.index()], *formal, value);
            }
            let mut taken = State::new();
            if let Some(exit) = facts.exits[callee.index()].clone() {
                for (target, result) in results {
                    let value = read(facts, &exit, *result);
                    lower(&mut taken, *target, value);
                }
            }
            for (target, _) in results {
                write(facts, state, *target, taken.get(target).copied());
            }
        }
    }
}
