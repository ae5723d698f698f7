//! The host's side of grids in OpenCL buffers.

use super::Rewriter;
use crate::opencl::{HostGrid, MOST_EXTENTS, grid_edits};
use layoutc_dataflow::classes::{BufferApi, ClassId};
use layoutc_syntax::ExprId;
use std::collections::BTreeMap;

impl Rewriter<'_> {
    /// Sends the calls on buffers of all changed classes to generated functions.
    pub(super) fn buffers(&mut self) {
        let plans = self.plans;
        let (program, classes) = (self.program, self.classes);
        let own: Vec<ClassId> =
            plans.keys().copied().filter(|id| classes.class(*id).is_of_buffers).collect();
        if own.is_empty() {
            return;
        }
        let mut numbers: BTreeMap<ClassId, usize> = BTreeMap::new();
        let mut grids: Vec<HostGrid> = Vec::new();
        for id in &own {
            let leader = self.leader(*id);
            let Some(functions) = self.functions.get(&leader) else { continue };
            let number = *numbers.entry(leader).or_insert_with(|| {
                let (name, most) = (functions.base.clone(), functions.most());
                let (plan, marker) = (plans[&leader].clone(), self.marker(leader));
                grids.push(HostGrid { name, marker, plan, most });
                grids.len() - 1
            });
            numbers.insert(*id, number);
        }
        let mut creations: BTreeMap<ExprId, Vec<String>> = BTreeMap::new();
        for id in &own {
            for call in classes.buffers.calls_of(classes, *id) {
                if call.api != BufferApi::Create {
                    continue;
                }
                let span = program.expr_site(call.call);
                let function = classes.buffers.instances[call.instance].function;
                let extents = match self.extent_texts(*id, Some(function), span) {
                    Ok(extents) if extents.len() <= MOST_EXTENTS => extents,
                    Ok(_) => {
                        self.refuse(
                            *id,
                            span,
                            "the grid has too many extents that are no constants",
                        );
                        continue;
                    }
                    Err(message) => {
                        self.refuse(*id, span, &message);
                        continue;
                    }
                };
                let known = creations.entry(call.call).or_insert_with(|| extents.clone());
                if *known != extents {
                    self.refuse(*id, span, "this call creates grids with several extents");
                }
            }
        }
        let found = grid_edits(program, classes, grids, &numbers, creations, &mut self.names);
        self.edits.extend(found.edits);
        self.version_names.extend(found.declared);
        self.refusals.extend(found.refusals.into_iter().filter(|(id, _)| own.contains(id)));
    }
}
