//! The host's side of merged buffers of OpenCL.

use super::Rewriter;
use crate::names::Names;
use crate::opencl::{JointMember, Makers, joint_edits};
use layoutc_analysis::joint_plan::JointPlan;
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::merge::HandlePlace;
use layoutc_syntax::ExprKind;
use std::collections::{BTreeMap, BTreeSet};

impl Rewriter<'_> {
    /// The name of what keeps a handle.
    pub(super) fn handle_name(&self, handle: HandlePlace) -> &str {
        match handle {
            HandlePlace::Variable(id) => &self.program.variable(id).name,
            HandlePlace::Member(expr) => match self.program.expr(expr).kind {
                ExprKind::Member { name, .. } => self.program.text(name),
                _ => "value",
            },
        }
    }

    /// The text that names a handle.
    fn handle_text(&self, handle: HandlePlace) -> String {
        match handle {
            HandlePlace::Variable(id) => self.program.variable(id).name.clone(),
            HandlePlace::Member(expr) => self.program.text(self.program.expr(expr).span).to_owned(),
        }
    }

    /// Sends the calls on all merged buffers to generated functions; returns the names that are declared.
    pub(super) fn host_of_buffers(&mut self, names: &mut Names) -> Vec<String> {
        let mut members: Vec<JointMember> = Vec::new();
        let mut member_of: BTreeMap<ClassId, usize> = BTreeMap::new();
        let mut makers = Makers::default();
        for (at, JointPlan { merge, .. }) in self.merges.iter().enumerate() {
            if merge.buffers.is_empty() {
                continue;
            }
            let record = &self.records[at];
            let natural = record.members.iter().map(|(_, scalar)| scalar.size()).max().unwrap_or(1);
            let size: u64 = record.members.iter().map(|(_, scalar)| scalar.size()).sum();
            let step = size.next_multiple_of(record.align.unwrap_or(natural));
            let mut start = 0;
            for member in record.in_order() {
                let (name, scalar) = &record.members[member];
                member_of.insert(merge.members[member], members.len());
                members.push(JointMember {
                    name: name.clone(),
                    record: record.type_name.clone(),
                    marker: record.marker.clone(),
                    value: scalar.size(),
                    step,
                    at: start,
                });
                start += scalar.size();
            }
            for joint in &merge.buffers {
                let keeper = self.handle_text(joint.keeper.handle);
                let followers = joint.followers.iter().map(|own| (own.call, keeper.clone()));
                makers.shares.extend(followers);
                for own in std::iter::once(&joint.keeper).chain(&joint.followers) {
                    if own.maker.is_some() {
                        let member = member_of[&merge.members[own.member]];
                        makers.taken.insert(own.call, member);
                        makers.plain.insert(own.inner);
                    }
                }
            }
        }
        if members.is_empty() {
            return Vec::new();
        }
        let host = joint_edits(self.program, self.classes, members, &member_of, &makers, names);
        self.edits.extend(host.edits);
        let mut refused: BTreeSet<(usize, layoutc_dataflow::classes::Pin)> = BTreeSet::new();
        for (class, pin) in host.refusals {
            if let Some((merge, _)) = self.member(class) {
                refused.insert((merge, pin));
            }
        }
        self.refusals.extend(refused);
        host.declared
    }
}
