//! The least sum over the groups of a partition, and the partitions below a limit.

use super::super::vector::CostVector;
use std::cmp::Ordering;

/// A set of leaves, one bit each.
pub(super) type Mask = u64;

/// What a group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// One leaf, as an array or in tiles.
    Apart,
    /// A struct as its members need it.
    Struct,
    /// A struct with this alignment.
    Aligned(u64),
}

/// A form of a group, and what it costs at least.
pub(super) type GroupBound = (CostVector, Form);

/// For each set of leaves the least sum of bounds over all of its partitions.
pub(super) struct Table<'a> {
    leaves: usize,
    /// By mask: the forms of the group, that with the least bound first.
    groups: &'a [Vec<GroupBound>],
    /// By mask: the least sum.
    least: Vec<CostVector>,
    /// What is paid in any case.
    others: CostVector,
}

impl<'a> Table<'a> {
    /// The table for at most 16 or so leaves; `groups` has forms for each set.
    pub fn new(leaves: usize, groups: &'a [Vec<GroupBound>], others: CostVector) -> Table<'a> {
        let all = (1usize << leaves) - 1;
        let mut least = vec![CostVector::ZERO; all + 1];
        // Sums of one amount in several orders differ by rounding, which must not decide before the
        // entries of lower degrees do.
        // The first leaf is in the first group that is chosen: other sets with it never remain.
        for set in (2..=all).filter(|set| set & 1 == 0 || *set == all).chain([all]) {
            least[set] = groups_of(set)
                .map(|group| groups[group][0].0 + least[set & !group])
                .min_by(CostVector::compare_rounded)
                .unwrap_or(CostVector::ZERO);
        }
        Table { leaves, groups, least, others }
    }
}

/// All subsets of a set that contain its lowest leaf.
fn groups_of(set: usize) -> impl Iterator<Item = usize> {
    let lowest = set & set.wrapping_neg();
    let rest = set & !lowest;
    let mut next = Some(rest);
    std::iter::from_fn(move || {
        let part = next?;
        next = (part != 0).then(|| (part - 1) & rest);
        Some(part | lowest)
    })
}

/// Who looks at partitions.
pub(super) trait Explorer {
    /// What goes wrong.
    type Error;
    /// The least cost so far.
    fn best(&self) -> CostVector;
    /// Whether enough was looked at.
    fn is_spent(&self) -> bool;
    /// Looks at a partition.
    fn visit(&mut self, groups: &[(Mask, Form)]) -> Result<(), Self::Error>;
}

/// Visits partitions as long as one may be better than the best, the most promising first; what no
/// partition is below.
pub(super) fn explore<E: Explorer>(
    table: &Table,
    explorer: &mut E,
) -> Result<CostVector, E::Error> {
    let all = (1usize << table.leaves) - 1;
    let mut open = None;
    descend(table, explorer, all, table.others, &mut Vec::new(), &mut open)?;
    // What was left out because enough was looked at is not below this.
    Ok(match open {
        Some(least) if least.compare_rounded(&explorer.best()).is_lt() => least,
        _ => explorer.best(),
    })
}

fn descend<E: Explorer>(
    table: &Table,
    explorer: &mut E,
    set: usize,
    paid: CostVector,
    groups: &mut Vec<(Mask, Form)>,
    open: &mut Option<CostVector>,
) -> Result<(), E::Error> {
    if set == 0 {
        return explorer.visit(groups);
    }
    let may_win = |sum: &CostVector, best: &CostVector| sum.compare_rounded(best) == Ordering::Less;
    let best = explorer.best();
    let mut choices: Vec<(CostVector, usize, GroupBound)> = groups_of(set)
        .flat_map(|group| table.groups[group].iter().map(move |form| (group, *form)))
        .map(|(group, form)| (paid + form.0 + table.least[set & !group], group, form))
        .filter(|(sum, _, _)| may_win(sum, &best))
        .collect();
    // Of equal sums larger groups first, which makes fewer, and then neighbours.
    let rank = |(sum, group, _): &(CostVector, usize, GroupBound)| {
        (sum.rounded(), std::cmp::Reverse(group.count_ones()), *group)
    };
    choices.sort_by_cached_key(rank);
    for (sum, group, (cost, form)) in choices {
        if !may_win(&sum, &explorer.best()) {
            continue;
        }
        if explorer.is_spent() {
            if open.is_none_or(|least| sum.compare_rounded(&least).is_lt()) {
                *open = Some(sum);
            }
            break;
        }
        groups.push((group as Mask, form));
        descend(table, explorer, set & !group, paid + cost, groups, open)?;
        groups.pop();
    }
    Ok(())
}
