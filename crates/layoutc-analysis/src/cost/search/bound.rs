//! What accesses to a group of leaves cost at least.

use super::super::arrangement::{Arrangement, Place, unit};
use super::super::kernel::{AccessKind, BaseId, KernelCode, LeafElement, LoopId};
use super::super::models::total;
use super::super::price::{CostError, Model};
use super::super::vector::CostVector;
use super::partition::{Form, GroupBound, Mask};
use super::{Problem, members};
use layoutc_dataflow::layout::{LeafId, RecordShape};
use std::cell::RefCell;
use std::collections::HashMap;

/// The leaves that some kernel accesses.
pub(super) fn hot_leaves(problem: &Problem) -> Vec<LeafId> {
    let is_hot = |leaf: &LeafId| {
        let owner = problem.owners[leaf.index()];
        let mut accesses = problem.kernels.iter().flat_map(|code| &code.accesses);
        accesses.any(|access| access.array == owner.0 && access.leaves.contains(&owner.1))
    };
    problem.shape.leaf_ids().filter(is_hot).collect()
}

/// The members of a struct in the order that pads it least, in that of the source if that is as good.
pub(super) fn ordered(shape: &RecordShape, leaves: &[LeafId]) -> Vec<LeafId> {
    let mut by_alignment = leaves.to_vec();
    by_alignment.sort_by_key(|leaf| std::cmp::Reverse(shape.leaf(*leaf).align));
    if struct_size(shape, leaves).0 <= struct_size(shape, &by_alignment).0 {
        leaves.to_vec()
    } else {
        by_alignment
    }
}

/// Size and alignment of a struct with these members.
fn struct_size(shape: &RecordShape, leaves: &[LeafId]) -> (u64, u64) {
    let (mut end, mut align) = (0u64, 1);
    for leaf in leaves {
        let leaf = shape.leaf(*leaf);
        end = end.next_multiple_of(leaf.align.0) + leaf.size().0;
        align = align.max(leaf.align.0);
    }
    (end.next_multiple_of(align), align)
}

/// The alignments that are worth a try: what pads nothing, and what wide accesses need.
fn alignments(model: Model, size: u64, natural: u64) -> impl Iterator<Item = u64> {
    let free = [16, 8, 4, 2].into_iter().find(|align| size.is_multiple_of(*align));
    let free = free.unwrap_or(1).max(natural);
    // Of alignments that pad to one size the widest accesses as much at once as the others.
    let padded = [2, 4, 8, 16].into_iter().filter(move |align| {
        let is_widest = size.next_multiple_of(*align) < size.next_multiple_of(align * 2);
        *align > free && (*align == 16 || is_widest)
    });
    let (first, most) = if model == Model::Peng { (natural, 0) } else { (free, 4) };
    std::iter::once(first).chain(padded.take(most))
}

/// The accesses of one kernel with one index base, and nothing else.
struct Stream {
    code: KernelCode,
    base: BaseId,
    /// The leaves that it accesses, of those that are searched.
    leaves: Mask,
}

/// What holds the leaves of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Struct,
    Array,
    Tile,
}

/// What decides about the bound of a part of a stream: its leaves, where they lie in their struct, and the
/// struct's size and alignment.
type Key = (usize, Mask, Vec<u64>, u64, u64, Kind);

/// Bounds of groups.
pub(super) struct Bounds<'a> {
    problem: &'a Problem<'a>,
    hot: &'a [LeafId],
    streams: Vec<Stream>,
    others: CostVector,
    known: RefCell<HashMap<Key, CostVector>>,
}

impl<'a> Bounds<'a> {
    pub fn new(problem: &'a Problem<'a>, hot: &'a [LeafId]) -> Result<Bounds<'a>, CostError> {
        let mut streams: Vec<Stream> = Vec::new();
        let mut others = CostVector::ZERO;
        for code in problem.kernels {
            let is_own = |array| problem.owners.iter().any(|(own, _)| *own == array);
            let mut rest = code.clone();
            rest.accesses.retain(|access| !is_own(access.array));
            others += total(&rest, problem.others, problem.device, problem.model)?;
            let first = streams.len();
            for access in code.accesses.iter().filter(|access| is_own(access.array)) {
                let leaves = mask_of(problem, hot, access);
                let base = access.index.base;
                let known = streams[first..].iter_mut().find(|stream| stream.base == base);
                let stream = match known {
                    Some(stream) => stream,
                    None => {
                        let mut own = code.clone();
                        own.accesses.clear();
                        own.name.clear();
                        streams.push(Stream { code: own, base, leaves: 0 });
                        streams.last_mut().expect("just pushed")
                    }
                };
                stream.code.accesses.push(access.clone());
                stream.leaves |= leaves;
            }
        }
        Ok(Bounds { problem, hot, streams, others, known: RefCell::default() })
    }

    /// What other arrays cost at least.
    pub fn others(&self) -> CostVector {
        self.others
    }

    /// Whether some accesses to both have the same index base.
    pub fn shares_base(&self, left: Mask, right: Mask) -> bool {
        self.streams.iter().any(|stream| stream.leaves & left != 0 && stream.leaves & right != 0)
    }

    /// Bounds of all sets of leaves, by mask.
    pub fn all_groups(&self) -> Result<Vec<Vec<GroupBound>>, CostError> {
        let kinds = kinds(self);
        let mut known: HashMap<Mask, Vec<GroupBound>> = HashMap::new();
        let groups = (0..1u64 << self.hot.len()).map(|mask| {
            // As many leaves of each kind as the group has, the first of them.
            let alike = kinds.iter().map(|kind| lowest(*kind, (mask & kind).count_ones())).sum();
            if let Some(forms) = known.get(&alike) {
                return Ok(forms.clone());
            }
            let forms = self.forms(alike)?;
            known.insert(alike, forms.clone());
            Ok(forms)
        });
        groups.collect()
    }

    /// The form of a group that costs least for itself.
    pub fn group(&self, mask: Mask) -> Result<GroupBound, CostError> {
        self.forms(mask).map(|forms| forms[0])
    }

    /// The forms of a group with their bounds, the least first.
    fn forms(&self, mask: Mask) -> Result<Vec<GroupBound>, CostError> {
        if mask == 0 {
            return Ok(vec![(CostVector::ZERO, Form::Struct)]);
        }
        let leaves = ordered(self.problem.shape, &members(self.hot, mask));
        let (size, natural) = struct_size(self.problem.shape, &leaves);
        let mut forms: Vec<GroupBound> = Vec::with_capacity(3);
        if let [leaf] = leaves[..] {
            let scalar = self.problem.shape.leaf(leaf).scalar_size.0;
            let tiles = size * self.problem.tile;
            let array = self.streams_of(&leaves, scalar, natural, Kind::Array)?;
            let tile = self.streams_of(&leaves, tiles, natural, Kind::Tile)?;
            forms.push((tile.min_rounded(array), Form::Apart));
        }
        if leaves.len() > 1 || self.problem.shape.leaf(leaves[0]).scalars() > 1 {
            for align in alignments(self.problem.model, size, natural) {
                let size = size.next_multiple_of(align);
                let cost = self.streams_of(&leaves, size, align, Kind::Struct)?;
                let form = if align > natural { Form::Aligned(align) } else { Form::Struct };
                forms.push((cost, form));
            }
        }
        forms.sort_by(|a, b| a.0.compare_rounded(&b.0));
        Ok(forms)
    }

    /// The bound of a group: the sum over the streams of what their accesses to it would cost alone.
    fn streams_of(
        &self,
        group: &[LeafId],
        stride: u64,
        align: u64,
        kind: Kind,
    ) -> Result<CostVector, CostError> {
        let shape = self.problem.shape;
        let first = group.first().map(|leaf| shape.leaf(*leaf));
        let is_mixed = group.iter().map(|leaf| shape.leaf(*leaf)).any(|leaf| {
            leaf.scalars() > 1 || first.is_some_and(|first| first.scalar_size != leaf.scalar_size)
        });
        let mut sum = CostVector::ZERO;
        for (at, stream) in self.streams.iter().enumerate() {
            let own = |leaf: &LeafId| self.hot.iter().position(|hot| hot == leaf);
            let is_own = |leaf: &LeafId| own(leaf).is_some_and(|own| stream.leaves >> own & 1 == 1);
            let mut offset = 0u64;
            let mut placed: Vec<(LeafId, u64)> = Vec::new();
            for leaf in group {
                let shape = shape.leaf(*leaf);
                let is_own = is_own(leaf);
                // Members of one size are best off side by side at the struct's start. Of others it
                // depends on where they lie which wide accesses there are.
                if is_own || is_mixed {
                    offset = offset.next_multiple_of(shape.align.0);
                    if is_own {
                        placed.push((*leaf, offset));
                    }
                    offset += shape.size().0;
                }
            }
            if !placed.is_empty() {
                sum += self.part(at, &placed, stride, align, kind)?;
            }
        }
        Ok(sum)
    }

    /// The bound of the accesses of a stream to some leaves of a struct, with their offsets in it.
    fn part(
        &self,
        stream: usize,
        placed: &[(LeafId, u64)],
        stride: u64,
        align: u64,
        kind: Kind,
    ) -> Result<CostVector, CostError> {
        let problem = self.problem;
        let own = mask_of_leaves(self.hot, placed.iter().map(|(leaf, _)| *leaf));
        let offsets = placed.iter().map(|(_, offset)| *offset).collect();
        let key = (stream, own, offsets, stride, align, kind);
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(*known);
        }
        let mut arrangement = Arrangement::default();
        let storage = arrangement.next_storage();
        for (leaf, offset) in placed {
            let shape = problem.shape.leaf(*leaf);
            let (array, leaf) = problem.owners[leaf.index()];
            let scalars = shape.scalars();
            let has_planes = kind == Kind::Array && scalars > 1;
            let tile = if kind == Kind::Tile { problem.tile } else { 1 };
            let (size, unit, offset) = (shape.scalar_size.0, unit(shape), *offset);
            let place =
                Place { storage, stride, offset, tile, size, unit, scalars, has_planes, align };
            arrangement.put(array, leaf, place);
        }
        let whole = &self.streams[stream];
        let cost = if whole.leaves == own {
            total(&whole.code, &arrangement, problem.device, problem.model)?
        } else {
            let mut code = whole.code.clone();
            code.accesses.retain_mut(|access| {
                let array = access.array;
                access.leaves.retain(|leaf| arrangement.place(array, *leaf).is_some());
                !access.leaves.is_empty()
            });
            total(&code, &arrangement, problem.device, problem.model)?
        };
        self.known.borrow_mut().insert(key, cost);
        Ok(cost)
    }

    /// What no layout at all is below: no leaf pays for less than the bytes that it fills.
    pub fn floor(&self) -> Result<CostVector, CostError> {
        let mut sum = self.others;
        for at in 0..self.hot.len() {
            let (cost, _) = self.group(1 << at)?;
            let leaf = self.problem.shape.leaf(self.hot[at]);
            // As many leaves of its size share a sector at most, and then a warp's instruction.
            let others = 32 / leaf.scalar_size.0.clamp(1, 32);
            sum += cost * (1.0 / others as f64);
        }
        Ok(sum)
    }
}

/// The searched leaves that an access touches.
fn mask_of(problem: &Problem, hot: &[LeafId], access: &super::super::kernel::Access) -> Mask {
    let is_touched = |leaf: &LeafId| {
        let (array, own) = problem.owners[leaf.index()];
        access.array == array && access.leaves.contains(&own)
    };
    mask_of_leaves(hot, hot.iter().copied().filter(is_touched))
}

/// The mask of some searched leaves.
fn mask_of_leaves(hot: &[LeafId], leaves: impl Iterator<Item = LeafId>) -> Mask {
    let position = |leaf| hot.iter().position(|own| *own == leaf);
    leaves.filter_map(position).map(|at| 1 << at).sum()
}

/// One access to a leaf, apart from which leaf it is.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Trait {
    stream: usize,
    kind: AccessKind,
    offset: i64,
    scope: Option<LoopId>,
    shares: ([f64; 2], u64),
    element: LeafElement,
    /// Which of the stream's accesses of one kind after another it belongs to. Where all are to one
    /// element, none comes between others, and the order does not matter to sectors. In the paper's model
    /// a load hits what was stored before it and not what is stored after it.
    run: usize,
}

/// Sets of leaves that kernels access in the same way, so that one is as good in a group as another.
fn kinds(bounds: &Bounds) -> Vec<Mask> {
    let problem = bounds.problem;
    let mut traits: Vec<Vec<Trait>> = vec![Vec::new(); bounds.hot.len()];
    for (at, stream) in bounds.streams.iter().enumerate() {
        let accesses = &stream.code.accesses;
        let is_one = problem.model != Model::Peng
            && accesses.iter().all(|one| one.index.offset == accesses[0].index.offset);
        let mut run = 0;
        for (position, access) in accesses.iter().enumerate() {
            let before = accesses.get(position.wrapping_sub(1)).unwrap_or(access);
            let goes_on = (before.kind, before.scope) == (access.kind, access.scope);
            run += usize::from(!is_one && !goes_on);
            let leaves = mask_of(problem, bounds.hot, access);
            for (leaf, own) in traits.iter_mut().enumerate() {
                if leaves >> leaf & 1 == 1 {
                    own.push(Trait {
                        stream: at,
                        kind: access.kind,
                        offset: access.index.offset,
                        scope: access.scope,
                        shares: ([access.share, access.warps], access.phase),
                        element: access.element,
                        run,
                    });
                }
            }
        }
    }
    let mut kinds: Vec<(usize, Mask)> = Vec::new();
    for leaf in 0..bounds.hot.len() {
        let is_alike = |other: usize| {
            let [one, two] = [leaf, other].map(|at| problem.shape.leaf(bounds.hot[at]));
            let same = |list: &[Trait], one: &Trait| list.iter().filter(|own| *own == one).count();
            let (own, others) = (&traits[leaf], &traits[other]);
            (one.scalar_size, one.align, &one.extents) == (two.scalar_size, two.align, &two.extents)
                && own.len() == others.len()
                && own.iter().all(|one| same(own, one) == same(others, one))
        };
        match kinds.iter_mut().find(|(first, _)| is_alike(*first)) {
            Some((_, mask)) => *mask |= 1 << leaf,
            None => kinds.push((leaf, 1 << leaf)),
        }
    }
    kinds.into_iter().map(|(_, mask)| mask).collect()
}

/// The lowest members of a set.
fn lowest(mut set: Mask, count: u32) -> Mask {
    let whole = set;
    for _ in 0..count {
        set &= set - 1;
    }
    whole & !set
}
