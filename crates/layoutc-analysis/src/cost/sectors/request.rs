//! The loads and stores that a compiler makes of a kernel's accesses.
//!
//! - Values that are near each other in one struct become one load of up to 16 bytes (32 since compute
//!   capability 10) where the struct's alignment allows it; nvcc does so when the values span more than
//!   half of the load, or fill all of a store.
//! - A value that was read or written before is still in its register.
//! - A load whose place does not change in a loop stands before the loop.
//! - None of this crosses an access that may be to the same memory: one through another pointer, or at an
//!   index that cannot be compared. Members of one element are known to be apart. So a struct, tiled or
//!   not, keeps what arrays of its members lose.

use super::super::arrangement::{Arrangement, Place, StorageId};
use super::super::kernel::{
    Access, AccessKind, BaseId, Factor, KernelCode, Lanes, LeafElement, LoopId,
};
use super::super::nest::{LARGE, Nest, small_factors};
use super::super::price::CostError;

/// Bytes between values that a load takes along, as nvcc 13 does it.
const GAP: u64 = 8;
/// Leaves with more scalars than this are not looked at one by one when all are accessed.
const MAX_SCALARS: u64 = 32;

/// Memory whose addresses can be compared: a storage, or one array of several in it.
pub(in crate::cost) type Memory = (StorageId, u64);

/// One instruction of a warp.
#[derive(Clone, Debug)]
pub(in crate::cost) struct Request {
    /// The access that it is for; the first, if for several.
    pub access: usize,
    pub kind: AccessKind,
    pub memory: Memory,
    /// How the lanes' elements differ.
    pub lanes: Lanes,
    /// All of the index but its constant.
    pub base: BaseId,
    /// What the next block adds to the index.
    pub blocks: Factor,
    /// The constant.
    pub offset: i64,
    /// The first byte in the struct, of its first slot.
    pub byte: u64,
    /// Bytes for each lane.
    pub bytes: u64,
    /// Where the first value lies.
    pub place: Place,
    /// How often it is repeated, for leaves of many scalars.
    pub times: u64,
    /// Bytes by which an unknown scalar of a leaf moves, and how many there are.
    pub moves: Option<(u64, u64)>,
    /// How the place depends on loops.
    pub loops: Vec<(LoopId, Factor)>,
    /// The innermost loop in which it is repeated.
    pub scope: Option<LoopId>,
    /// Which part of the threads gets there.
    pub share: f64,
    /// Which part of the warps gets there.
    pub warps: f64,
    /// The first lane of those.
    pub phase: u64,
}

/// The requests of a kernel.
pub(in crate::cost) struct Requests {
    /// In their order.
    pub list: Vec<Request>,
    /// For each access without a request of its own, the one that brings its value.
    pub with: Vec<Option<usize>>,
}

/// Requests that may become one, or the values of which are known.
struct Group {
    /// Positions of requests; those that are one in the end are the same.
    members: Vec<usize>,
    /// The members whose values are still in registers.
    known: Vec<usize>,
    /// Whether more may join.
    is_open: bool,
}

impl Requests {
    /// The requests that a kernel's accesses become, with loads of at most `widest` bytes.
    ///
    /// # Errors
    /// [`CostError::Unplaced`].
    pub fn new(
        code: &KernelCode,
        arrangement: &Arrangement,
        nest: &Nest,
        widest: u64,
    ) -> Result<Requests, CostError> {
        let mut values = Vec::with_capacity(code.accesses.len());
        for (at, access) in code.accesses.iter().enumerate() {
            for leaf in &access.leaves {
                let place = arrangement
                    .place(access.array, *leaf)
                    .ok_or(CostError::Unplaced { access: at })?;
                push_values(&mut values, at, access, place, nest);
            }
        }
        let mut with = vec![None; code.accesses.len()];
        let scopes: Vec<Option<LoopId>> =
            (0..values.len()).map(|at| hoisted(&values, at, nest)).collect();
        for (value, scope) in values.iter_mut().zip(scopes) {
            value.scope = scope;
        }
        let groups = group(&values, nest, &mut with);
        let mut list = Vec::with_capacity(values.len());
        for group in &groups {
            split(&values, group, widest, &mut list, &mut with);
        }
        list.sort_by_key(|request| request.access);
        for request in &list {
            with[request.access] = None;
        }
        Ok(Requests { list, with })
    }
}

/// One request for each value that an access touches in a leaf.
fn push_values(values: &mut Vec<Request>, at: usize, access: &Access, place: &Place, nest: &Nest) {
    let slot = place.size * place.tile;
    let (scalars, times) = match access.element {
        LeafElement::All if place.scalars <= MAX_SCALARS => (0..place.scalars, 1),
        LeafElement::All => (0..1, place.scalars),
        LeafElement::Known(scalar) => (scalar..scalar + 1, 1),
        LeafElement::Unknown => (0..1, 1),
    };
    let is_unknown = access.element == LeafElement::Unknown && place.scalars > 1;
    let mut loops = small_factors(&access.index.loops);
    loops.retain(|(_, factor)| *factor != Factor::Number(0));
    if let Some(innermost) = nest.path(access.scope).last().filter(|_| is_unknown) {
        if place.has_planes {
            loops.retain(|(own, _)| own != innermost);
            loops.push((*innermost, Factor::Symbol));
        } else if loops.iter().all(|(own, _)| own != innermost) {
            // The loop changes the place, by less than an element.
            loops.push((*innermost, Factor::Number(0)));
        }
    }
    for scalar in scalars {
        let plane = if is_unknown { u64::MAX } else { scalar };
        let first = if place.has_planes { 0 } else { place.offset + scalar * slot };
        // An instruction moves as much of a scalar as its alignment allows.
        for piece in 0..place.size / place.unit.max(1) {
            values.push(Request {
                access: at,
                kind: access.kind,
                memory: (place.storage, if place.has_planes { plane } else { 0 }),
                lanes: access.index.lanes,
                base: access.index.base,
                blocks: access.index.blocks,
                offset: access.index.offset.clamp(-LARGE, LARGE),
                byte: first + piece * place.unit,
                bytes: place.unit,
                place: *place,
                times,
                moves: (is_unknown && !place.has_planes).then_some((slot, place.scalars)),
                loops: loops.clone(),
                scope: access.scope,
                share: access.share,
                warps: access.warps,
                phase: access.phase,
            });
        }
    }
}

impl Request {
    /// How many neighbouring blocks, in which all lanes access one element, share a sector.
    pub fn blocks_of_sector(&self, sector: u64) -> f64 {
        const NONE: Factor = Factor::Number(0);
        let is_one = matches!(self.lanes, Lanes::Single | Lanes::Affine([NONE, NONE, NONE]));
        let place = &self.place;
        let is_array = place.has_planes || place.tile > 1;
        let stride = if is_array { place.size } else { place.stride };
        match self.blocks {
            Factor::Number(by) if by != 0 && is_one => {
                (sector as f64 / (by.unsigned_abs().min(sector) * stride).max(1) as f64).max(1.0)
            }
            Factor::Number(_) | Factor::Symbol => 1.0,
        }
    }

    /// Of how many neighbouring lanes one gets there.
    pub fn period(&self) -> u64 {
        let part = (self.share / self.warps.max(f64::MIN_POSITIVE)).clamp(1.0 / 32.0, 1.0);
        // Halves and thirds are not quite so in floating point.
        (1.0 / part + 0.01) as u64
    }

    /// Whether an access of one thread may touch what another one of it touches.
    fn may_touch(&self, other: &Request) -> bool {
        if self.memory != other.memory || self.base != other.base {
            return true;
        }
        let overlap = self.byte < other.byte + other.bytes && other.byte < self.byte + self.bytes;
        let is_unknown = self.moves.is_some() || other.moves.is_some() || self.times > 1;
        self.offset == other.offset && (overlap || is_unknown)
    }

    /// Whether it touches exactly the same value.
    fn is_same_value(&self, other: &Request) -> bool {
        (self.memory, self.base, self.offset) == (other.memory, other.base, other.offset)
            && (self.byte, self.bytes) == (other.byte, other.bytes)
            && self.moves.is_none()
            && other.moves.is_none()
    }

    /// Whether both may become one access.
    fn may_join(&self, other: &Request) -> bool {
        (self.memory, self.base, self.offset) == (other.memory, other.base, other.offset)
            && (self.kind, self.scope) == (other.kind, other.scope)
            && self.share.total_cmp(&other.share).is_eq()
            && (self.place.tile, self.place.has_planes) == (1, false)
            && (self.times, other.times) == (1, 1)
            && self.moves.is_none()
            && other.moves.is_none()
    }
}

/// The scope to which a load can be moved: out of loops that do not change its place and write nothing
/// that it may touch.
fn hoisted(values: &[Request], at: usize, nest: &Nest) -> Option<LoopId> {
    let own = &values[at];
    let path = nest.path(own.scope);
    if own.kind != AccessKind::Read {
        return own.scope;
    }
    let is_fixed = |around: &LoopId| {
        own.loops.iter().all(|(one, _)| one != around)
            && values.iter().all(|other| {
                other.kind == AccessKind::Read
                    || !nest.path(other.scope).contains(around)
                    || !own.may_touch(other)
            })
    };
    let out = path.iter().rev().take_while(|around| is_fixed(around)).count();
    path[..path.len() - out].last().copied()
}

/// Which values are accessed together, and which need no access.
fn group(values: &[Request], nest: &Nest, with: &mut [Option<usize>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let around = nest.path(value.scope);
        let is_read = value.kind == AccessKind::Read;
        let known = groups.iter().rev().find_map(|group| {
            let first = &values[group.members[0]];
            let is_around =
                nest.path(first.scope).iter().eq(around.iter().take(nest.path(first.scope).len()));
            let usable = is_read && is_around && first.kind != AccessKind::Atomic;
            let same = |member: &&usize| values[**member].is_same_value(value);
            let member = group.known.iter().filter(|_| usable).find(same)?;
            (values[*member].share >= value.share).then_some(values[*member].access)
        });
        if let Some(access) = known {
            with[value.access] = Some(access).filter(|access| *access != value.access);
            continue;
        }
        for group in &mut groups {
            let first = &values[group.members[0]];
            let touches = group.members.iter().any(|member| values[*member].may_touch(value));
            if is_read {
                group.is_open &= first.kind == AccessKind::Read || !touches;
            } else if touches {
                group.is_open = false;
                group.known.retain(|member| !values[*member].may_touch(value));
            }
        }
        let joined = groups.iter_mut().rev().find(|group| {
            group.is_open
                && value.kind != AccessKind::Atomic
                && values[group.members[0]].may_join(value)
        });
        match joined {
            Some(group) => {
                group.members.push(at);
                group.known.push(at);
            }
            None => groups.push(Group { members: vec![at], known: vec![at], is_open: true }),
        }
    }
    groups
}

/// The instructions of a group: as wide as alignment and gaps allow.
fn split(
    values: &[Request],
    group: &Group,
    widest: u64,
    list: &mut Vec<Request>,
    with: &mut [Option<usize>],
) {
    let mut members: Vec<&Request> = group.members.iter().map(|at| &values[*at]).collect();
    members.sort_by_key(|member| (member.byte, member.access));
    let mut rest = &members[..];
    while let [first, ..] = rest {
        let (count, bytes) = widest_access(first, rest, widest);
        let (own, others) = rest.split_at(count);
        let lead = own.iter().map(|member| member.access).min().unwrap_or(first.access);
        for member in own {
            if member.access != lead {
                with[member.access] = Some(lead);
            }
        }
        list.push(Request { access: lead, bytes, ..(*first).clone() });
        rest = others;
    }
}

/// How many of the values that begin with `first` one instruction accesses, and its width.
fn widest_access(first: &Request, rest: &[&Request], widest: u64) -> (usize, u64) {
    let place = &first.place;
    let mut width = widest;
    while width > first.bytes {
        let fits = place.align.is_multiple_of(width)
            && first.byte.is_multiple_of(width)
            && first.byte + width <= place.stride
            && (place.tile, place.has_planes) == (1, false);
        let (mut end, mut count) = (first.byte, 0);
        for value in rest.iter().take_while(|_| fits) {
            let Some(gap) = value.byte.checked_sub(end) else { break };
            let is_taken_along = gap == 0 || gap <= GAP && first.kind == AccessKind::Read;
            if !is_taken_along || value.byte + value.bytes > first.byte + width {
                break;
            }
            end = value.byte + value.bytes;
            count += 1;
        }
        let run = end - first.byte;
        let enough = match first.kind {
            AccessKind::Read => run * 2 > width,
            AccessKind::Write => run == width,
            AccessKind::Atomic => false,
        };
        if fits && enough {
            return (count, width);
        }
        width /= 2;
    }
    (1, first.bytes)
}
