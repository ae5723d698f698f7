//! The layout of a record from what a recorded run did with it.
//!
//! Source: Nakai, Ohno, §5.3 and §6.2; the steps beyond are those of [`TraceOptions`]. Runs are added up; what
//! each of them alone would give is in [`Decision::disagreements`].

use super::TraceOptions;
use super::class::{Classified, Weighed};
use super::cluster::{Cluster, clusters};
use super::groups::{Answer, GroupChoice, Grouping, layout_of};
use super::tree::Tree;
use crate::cost_choice::Verdict;
use crate::cost_model::Recording;
use crate::cost_model::{ArraySource, CostModel};
use crate::device::Device;
use crate::profile::Totals;
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::{Layout, LayoutError, LeafId, RecordShape};
use serde::Serialize;
use std::collections::BTreeSet;

/// How layouts are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// What kernels access, to find the classes.
    pub model: &'a CostModel,
    /// The device, for the size of tiles.
    pub device: &'a Device,
    /// What was recorded.
    pub recording: &'a Recording<'a>,
    /// Which steps are taken.
    pub options: TraceOptions,
}

/// A run that alone would have given another layout.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Disagreement {
    /// A position in [`crate::profile::Profile::runs`].
    pub run: usize,
    /// The layout that it alone gives, in the common notation.
    pub layout: String,
}

/// What was decided for a class, and from what.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The accesses, in the profile's order.
    pub accesses: Vec<Weighed>,
    /// What they say together.
    pub sum: f64,
    /// The field access tree, as it was built.
    pub tree: Tree,
    /// The same with loops merged within kernels.
    pub within: Tree,
    /// The same with loops merged across kernels.
    pub across: Tree,
    /// The clusters that it makes.
    pub clusters: Vec<Cluster>,
    /// What they became, in the order of their first fields.
    pub groups: Vec<GroupChoice>,
    /// The layout.
    pub layout: Layout,
    /// The same in the common notation.
    pub notation: String,
    /// Runs in which the array is accessed.
    pub runs: Vec<usize>,
    /// Those of them that disagree.
    pub disagreements: Vec<Disagreement>,
}

impl Decision {
    /// The fields that are accessed.
    fn accessed(&self) -> BTreeSet<usize> {
        self.accesses.iter().flat_map(|access| access.fields.iter().copied()).collect()
    }

    /// How some fields lie, and which of them beside each other.
    fn places(&self, fields: &BTreeSet<usize>) -> BTreeSet<(Vec<usize>, Answer)> {
        let own = |group: &GroupChoice| -> Vec<usize> {
            group.fields.iter().copied().filter(|at| fields.contains(at)).collect()
        };
        let mut found = BTreeSet::new();
        for group in &self.groups {
            let fields = own(group);
            match group.answer {
                Answer::Arrays => {
                    found.extend(fields.into_iter().map(|at| (vec![at], Answer::Arrays)));
                }
                answer if !fields.is_empty() => {
                    found.insert((fields, answer));
                }
                Answer::Structs { .. } | Answer::Tiles { .. } | Answer::Unused => {}
            }
        }
        found
    }
}

impl Selection<'_> {
    /// What a class of arrays of records gets.
    ///
    /// # Errors
    /// Why nothing can be decided, in a clause.
    pub fn decide(&self, class: ClassId) -> Result<Decision, String> {
        let info = (self.model.arrays.iter())
            .find(|info| info.source == ArraySource::Class(class))
            .ok_or("it is not known how its members can be laid out apart")?;
        let instructions = self.recording.of_classes(self.model).remove(&class).unwrap_or_default();
        let profile = self.recording.profile();
        let is_accessed = |run: &usize| {
            profile.runs[*run].accesses.iter().any(|own| {
                own.counts.requests > 0 && instructions.binary_search(&own.instruction).is_ok()
            })
        };
        let runs: Vec<usize> = (0..profile.runs.len()).filter(is_accessed).collect();
        if runs.is_empty() {
            return Err("no recorded run accesses its elements".to_owned());
        }
        let of_runs = |runs: &[usize]| {
            let totals = profile.totals(runs.iter().copied());
            self.on(&info.shape, &instructions, &totals).map_err(|error| error.to_string())
        };
        let mut decision = of_runs(&runs)?;
        if runs.len() > 1 {
            for run in &runs {
                let alone = of_runs(&[*run])?;
                let fields = alone.accessed();
                if alone.places(&fields) != decision.places(&fields) {
                    let layout = alone.notation;
                    decision.disagreements.push(Disagreement { run: *run, layout });
                }
            }
        }
        Ok(Decision { runs, ..decision })
    }

    /// The decision on some sums.
    fn on(
        &self,
        shape: &RecordShape,
        instructions: &[u32],
        totals: &Totals,
    ) -> Result<Decision, LayoutError> {
        let accesses = self.weigh(shape, instructions, totals);
        let sum = accesses.iter().map(|access| access.sum).sum();
        let tree = Tree::build(self.recording, instructions, totals, shape);
        let within = tree.merged_within_kernels();
        let across = within.merged_across_kernels();
        let clusters = clusters(&across, shape);
        let grouping =
            Grouping { shape, nodes: &tree.nodes, device: self.device, options: self.options };
        let mut groups = match self.options.per_group {
            true => grouping.parts(&clusters, &accesses)?,
            false => grouping.whole(sum, &clusters)?,
        };
        let is_placed = |at: &usize| groups.iter().any(|group| group.fields.contains(at));
        let unused: Vec<usize> = (0..shape.leaves.len()).filter(|at| !is_placed(at)).collect();
        if !unused.is_empty() {
            groups.push(GroupChoice { fields: unused, sum: 0.0, answer: Answer::Unused });
        }
        groups.sort_by_key(|group| group.fields.first().copied());
        let layout = layout_of(shape, &groups)?;
        let notation = layout.display(shape).to_string();
        let (runs, disagreements) = (Vec::new(), Vec::new());
        Ok(Decision {
            accesses,
            sum,
            tree,
            within,
            across,
            clusters,
            groups,
            layout,
            notation,
            runs,
            disagreements,
        })
    }

    /// What each instruction says.
    fn weigh(&self, shape: &RecordShape, instructions: &[u32], totals: &Totals) -> Vec<Weighed> {
        let weighed = |at: &u32| {
            let instruction = &self.recording.profile().instructions[*at as usize];
            let leaves = self.recording.leaves(*at, shape);
            let counts = totals.of_instruction(*at);
            let classified = match self.options.by_index {
                true => {
                    let sizes = leaves.iter().map(|leaf| shape.leaf(*leaf).scalar_size.0);
                    Classified::by_index(&counts, sizes.max()?)
                }
                false => Classified::by_address(&counts),
            }?;
            Some(Weighed {
                instruction: *at,
                text: instruction.text.clone(),
                line: instruction.place.line,
                fields: leaves.into_iter().map(LeafId::index).collect(),
                classified,
                sum: classified.sum(),
            })
        };
        instructions.iter().filter_map(weighed).collect()
    }

    /// The same as a verdict.
    #[must_use]
    pub fn verdict(&self, class: ClassId) -> Verdict {
        let decision = match self.decide(class) {
            Ok(decision) => decision,
            Err(because) => return Verdict::Stay { because },
        };
        let because = self.because(&decision);
        let shape = (self.model.arrays.iter())
            .find(|info| info.source == ArraySource::Class(class))
            .map(|info| &info.shape);
        match shape.is_some_and(|shape| decision.layout.is_identity(shape)) {
            true => Verdict::Stay { because },
            false => Verdict::Change { layout: decision.layout, because },
        }
    }

    /// Why, in a clause.
    fn because(&self, decision: &Decision) -> String {
        let Decision { accesses, sum, groups, runs, disagreements, .. } = decision;
        let runs = match runs.len() {
            1 => "one run".to_owned(),
            several => format!("{several} runs"),
        };
        let what = match sum.total_cmp(&0.0) {
            std::cmp::Ordering::Greater => "for structs",
            std::cmp::Ordering::Less => "for arrays",
            std::cmp::Ordering::Equal => "neither for structs nor for arrays",
        };
        let parted = match (self.options.per_group, groups.len()) {
            (true, 2..) => format!("; each of {} groups of fields has its own sum", groups.len()),
            _ => String::new(),
        };
        let mut text = format!(
            "the weights of {} accesses in {runs} add up to {sum:.0}, {what}{parted} (trace)",
            accesses.len()
        );
        let recorded = &self.recording.profile().runs;
        for Disagreement { run, layout } in disagreements {
            let arguments = recorded[*run].arguments.join(" ");
            let name = match arguments.is_empty() {
                true => format!("run {}", run + 1),
                false => format!("run {} (`{arguments}`)", run + 1),
            };
            text += &format!("; {name} alone would give `{layout}`");
        }
        text
    }
}
