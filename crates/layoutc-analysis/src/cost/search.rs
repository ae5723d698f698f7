//! The best layout of a record under a model.
//!
//! Searched are all partitions of the leaves that kernels access, and for each group its form: a struct as
//! its members need it, or aligned to up to 16 bytes, with or without more padding; and, for the leaves
//! that stand alone, an array each or all of them in one group of tiles. Members of a struct are in the order
//! that pads least; where sizes differ, another order, or a leaf that no kernel accesses between them, might
//! suit wide accesses better by chance, which is not tried. Leaves that no kernel
//! accesses cost nothing; they go to the tiles, or to a struct of their own. The source's layout takes part.
//!
//! # Claims
//!
//! - *Bound.* The cost of a layout is at least the sum over its groups of what the accesses to the group
//!   would cost if there were no others: what is taken away only comes between accesses, where it uses up
//!   room in caches and may be to the same memory. So far as it holds for parts of a group, it is applied
//!   to those as well: accesses with different index bases share nothing. An access that comes between
//!   two others and makes both cheaper is not ruled out: of 24,000 random kernels one has such a layout,
//!   1 % below its bound, and of 60,000 none is 2 % below.
//! - *Alike.* Leaves of one size that kernels access equally often in the same places, with nothing between
//!   them that matters, are priced once: in a group one is as good as the other.
//! - *Exact.* Up to [`EXACT_LEAVES`] accessed leaves the least sum of all partitions is found by dynamic
//!   programming over sets of leaves, and partitions are priced in full as long as their sum is below the
//!   best price so far. Ending that, [`Best::bound`] equals [`Best::cost`]: no layout of those searched is
//!   better.
//! - *Beyond*, and where [`Effort::priced`] is used up, the best layout met is given, with the bound: its
//!   gap is stated, not guessed.
//! - One group of tiles is as good as several, or as arrays: tiles hold as many elements as a warp has
//!   lanes, and one pointer to them is better known to be apart from others than several are. Where the
//!   slots of a member in a tile do not fill whole sectors, which with 32 elements and sectors of 32 bytes
//!   they always do, tiles may differ by parts of a sector.
//! - Of layouts whose costs differ by rounding alone the source's is preferred, then the one with fewest
//!   groups.

mod bound;
mod partition;

use super::arrangement::Arrangement;
use super::kernel::{ArrayId, KernelCode};
use super::models::total;
use super::price::{CostError, Model};
use super::vector::CostVector;
use crate::device::Device;
use bound::{Bounds, hot_leaves};
use layoutc_dataflow::layout::{Bytes, Group, Layout, LeafId, RecordShape};
use partition::{Form, Mask};
use std::cmp::Ordering;

/// Up to how many accessed leaves the search is exact.
pub const EXACT_LEAVES: usize = 16;

/// A record whose layout is searched.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The record; of several arrays that are merged, all their leaves.
    pub shape: &'a RecordShape,
    /// What each leaf of `shape` is in the kernels.
    pub owners: &'a [(ArrayId, LeafId)],
    /// All kernels.
    pub kernels: &'a [KernelCode],
    /// Where all other arrays lie.
    pub others: &'a Arrangement,
    /// The device.
    pub device: &'a Device,
    /// How accesses are priced.
    pub model: Model,
    /// Elements of a tile.
    pub tile: u64,
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many layouts are priced in full at most.
    pub priced: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { priced: 2000 }
    }
}

/// What the search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The layout.
    pub layout: Layout,
    /// What all kernels cost with it.
    pub cost: CostVector,
    /// What they cost with the source's layout.
    pub source: CostVector,
    /// What no layout that was searched is below.
    pub bound: CostVector,
    /// How many layouts were priced in full.
    pub priced: usize,
}

impl Best {
    /// Whether no layout that was searched is better.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.cost.compare_rounded(&self.bound) != Ordering::Greater
    }

    /// By which part of its cost the layout may be worse than the best; 0 if it is the best.
    #[must_use]
    pub fn gap(&self) -> f64 {
        if self.is_optimal() { 0.0 } else { (1.0 - self.bound.ratio(&self.cost)).max(0.0) }
    }
}

/// What all kernels cost with a layout.
///
/// # Errors
/// [`CostError`].
pub fn price_layout(problem: &Problem, layout: &Layout) -> Result<CostVector, CostError> {
    let mut arrangement = problem.others.clone();
    arrangement.insert_merged(problem.owners, problem.shape, layout);
    let price = |code| total(code, &arrangement, problem.device, problem.model);
    problem.kernels.iter().map(price).sum()
}

/// The best layout.
///
/// # Errors
/// [`CostError`].
pub fn best_layout(problem: &Problem, effort: Effort) -> Result<Best, CostError> {
    let aos = Layout::aos(problem.shape);
    let source = price_layout(problem, &aos)?;
    let hot = hot_leaves(problem);
    let mut search = Search {
        problem,
        hot: hot.clone(),
        best: (aos, source, 0),
        priced: 1,
        most: effort.priced.max(1),
    };
    let exact = hot.len() <= EXACT_LEAVES;
    let bound = if hot.is_empty() {
        source
    } else if exact {
        let bounds = Bounds::new(problem, &hot)?;
        let groups = bounds.all_groups()?;
        let table = partition::Table::new(hot.len(), &groups, bounds.others());
        search.singles()?;
        partition::explore(&table, &mut search)?
    } else {
        let bounds = Bounds::new(problem, &hot)?;
        search.singles()?;
        search.merge(&bounds)?;
        bounds.floor()?
    };
    search.drop_alignments()?;
    let (layout, cost, _) = search.best;
    let bound = bound.min_rounded(cost);
    Ok(Best { layout, cost, source, bound, priced: search.priced })
}

/// A group, its form, and its bound.
type Priced = (Mask, Form, CostVector);

/// Two groups that are better as one.
struct Merge {
    left: usize,
    right: usize,
    saved: f64,
    merged: Priced,
}

/// The best so far.
struct Search<'a> {
    problem: &'a Problem<'a>,
    hot: Vec<LeafId>,
    /// The layout, its cost, and its rank among equals.
    best: (Layout, CostVector, usize),
    priced: usize,
    most: usize,
}

impl Search<'_> {
    /// Whether no more may be priced.
    fn is_spent(&self) -> bool {
        self.priced >= self.most
    }

    /// Prices a layout, and keeps it if it is better.
    fn consider(&mut self, layout: Layout) -> Result<CostVector, CostError> {
        let cost = price_layout(self.problem, &layout)?;
        self.priced += 1;
        let aligned = layout.groups().iter().filter(|group| group.align().is_some()).count();
        let rank = match layout.is_identity(self.problem.shape) {
            true => 0,
            false => layout.groups().len() * (self.hot.len() + 1) + aligned,
        };
        let order = cost.compare_rounded(&self.best.1).then(rank.cmp(&self.best.2));
        if order == Ordering::Less {
            self.best = (layout, cost, rank);
        }
        Ok(cost)
    }

    /// All leaves as arrays, and all in tiles.
    fn singles(&mut self) -> Result<(), CostError> {
        let groups: Vec<(Mask, Form)> =
            (0..self.hot.len()).map(|leaf| (1 << leaf, Form::Apart)).collect();
        self.try_groups(&groups)?;
        Ok(())
    }

    /// Prices the layouts that have these groups, with single leaves as arrays and in tiles; the least
    /// of their costs.
    fn try_groups(&mut self, groups: &[(Mask, Form)]) -> Result<CostVector, CostError> {
        let arrays = self.consider(self.layout(groups, false))?;
        let mut singles = groups.iter().filter(|(_, form)| *form == Form::Apart);
        let Some((first, _)) = singles.next() else { return Ok(arrays) };
        let is_scalar = members(&self.hot, *first)
            .iter()
            .all(|leaf| self.problem.shape.leaf(*leaf).scalars() == 1);
        if singles.next().is_none() && is_scalar && self.cold().is_empty() {
            return Ok(arrays);
        }
        let tiles = self.consider(self.layout(groups, true))?;
        Ok(tiles.min_rounded(arrays))
    }

    fn cold(&self) -> Vec<LeafId> {
        self.problem.shape.leaf_ids().filter(|leaf| !self.hot.contains(leaf)).collect()
    }

    /// The layout of these groups and their alignments.
    fn layout(&self, groups: &[(Mask, Form)], in_tiles: bool) -> Layout {
        let shape = self.problem.shape;
        let (mut parts, mut tiles) = (Vec::new(), Vec::new());
        for (mask, form) in groups {
            let leaves = bound::ordered(shape, &members(&self.hot, *mask));
            match form {
                Form::Apart if in_tiles => tiles.extend(leaves),
                Form::Apart => parts.push(Ok(Group::array(shape, leaves[0]))),
                Form::Struct => parts.push(Group::aos(shape, leaves, None)),
                Form::Aligned(align) => {
                    // The whole record may be aligned to more already.
                    let aligned = Group::aos(shape, leaves.clone(), Some(Bytes(*align)));
                    parts.push(aligned.or_else(|_| Group::aos(shape, leaves, None)));
                }
            }
        }
        let cold = self.cold();
        if in_tiles {
            tiles.extend(cold);
            tiles.sort_unstable();
            parts.push(Group::tiled(shape, tiles, self.problem.tile, None));
        } else if let [leaf] = cold[..] {
            parts.push(Ok(Group::array(shape, leaf)));
        } else if !cold.is_empty() {
            parts.push(Group::aos(shape, cold, None));
        }
        let parts = parts.into_iter().collect::<Result<_, _>>();
        parts.and_then(|parts| Layout::new(shape, 1, parts)).expect("a partition that fits")
    }

    /// Tries the best layout without each of its alignments: where that costs as much, it is preferred.
    fn drop_alignments(&mut self) -> Result<(), CostError> {
        let shape = self.problem.shape;
        for at in 0..self.best.0.groups().len() {
            let groups = self.best.0.groups();
            if groups[at].align().is_none() {
                continue;
            }
            let mut plain = groups.to_vec();
            let leaves = plain[at].leaves().to_vec();
            plain[at] = Group::aos(shape, leaves, None).expect("the same leaves");
            let layout = Layout::new(shape, 1, plain).expect("the same partition");
            self.consider(layout)?;
        }
        Ok(())
    }

    /// Merges groups, always the two that save most, as long as that is any.
    fn merge(&mut self, bounds: &Bounds) -> Result<(), CostError> {
        let mut groups: Vec<Priced> = Vec::new();
        for leaf in 0..self.hot.len() {
            let (cost, form) = bounds.group(1 << leaf)?;
            groups.push((1 << leaf, form, cost));
        }
        loop {
            let mut best: Option<Merge> = None;
            for right in 1..groups.len() {
                for left in 0..right {
                    let mask = groups[left].0 | groups[right].0;
                    if !bounds.shares_base(groups[left].0, groups[right].0) {
                        continue;
                    }
                    let (cost, form) = bounds.group(mask)?;
                    let apart = groups[left].2 + groups[right].2;
                    let saved = apart.sum() - cost.sum();
                    let better = cost.compare_rounded(&apart) == Ordering::Less;
                    if better && best.as_ref().is_none_or(|best| saved > best.saved) {
                        let merged = (mask, form, cost);
                        best = Some(Merge { left, right, saved, merged });
                    }
                }
            }
            let Some(Merge { left, right, merged, .. }) = best.filter(|_| !self.is_spent()) else {
                break;
            };
            groups.remove(right);
            groups[left] = merged;
            let parts: Vec<(Mask, Form)> =
                groups.iter().map(|(mask, form, _)| (*mask, *form)).collect();
            self.try_groups(&parts)?;
        }
        Ok(())
    }
}

impl partition::Explorer for Search<'_> {
    type Error = CostError;

    fn best(&self) -> CostVector {
        self.best.1
    }

    fn is_spent(&self) -> bool {
        Search::is_spent(self)
    }

    fn visit(&mut self, groups: &[(Mask, Form)]) -> Result<(), CostError> {
        self.try_groups(groups).map(|_| ())
    }
}

/// The leaves that a mask of `hot` stands for.
fn members(hot: &[LeafId], mask: Mask) -> Vec<LeafId> {
    hot.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, leaf)| *leaf).collect()
}
