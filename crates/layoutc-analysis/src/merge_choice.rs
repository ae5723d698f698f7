//! Which separate arrays are worth being put together.
//!
//! Arrays of one length that kernels access at the same indices are candidates
//! ([`CostModel::parallel_arrays`]); where neighbouring threads access neighbouring values already, nothing is gained,
//! and no model is built ([`may_gain`]). The search of [`crate::cost::search`] says which of them lie together best.

use crate::cost::arrangement::Arrangement;
use crate::cost::conversion::{Rearranged, elements_of};
use crate::cost::kernel::{ArrayId, KernelCode};
use crate::cost::search::{Effort, Problem, best_layout, price_layout};
use crate::cost::{CostError, CostVector, Model};
use crate::cost_choice::{Account, PRICED, Prices, TILE, WORTH, percent, ratio};
use crate::cost_model::{ArrayInfo, CostModel};
use crate::index_form::{Definitions, IndexForm};
use layoutc_dataflow::grid::index::{Index, Indices};
use layoutc_dataflow::layout::{Bytes, Group, GroupForm, Layout, LeafId, RecordShape};
use layoutc_syntax::{ExprKind, NameRef, Program, TypeKind, VarId};
use std::collections::BTreeMap;

/// Groups of more arrays are not searched.
const MOST_ARRAYS: usize = 16;

/// Arrays that are better together.
#[derive(Clone, PartialEq, Debug)]
pub struct MergeChoice {
    /// A name of each that no other array has.
    pub arrays: Vec<String>,
    /// The alignment of a record in bytes, if it is above the natural one.
    pub align: Option<u64>,
    /// What it gains, in a clause.
    pub because: String,
}

/// Whether device code accesses two arrays of numbers at one index that is no neighbour's of the next thread's. Indices
/// that come from memory are all taken for one: that they are, the model sees.
#[must_use]
pub fn may_gain(program: &Program) -> bool {
    let definitions = Definitions::collect(program);
    let mut indices = Indices::default();
    for function in program.function_ids() {
        let own = program.function(function);
        if !own.space.on_device() || own.body.is_none() {
            continue;
        }
        let mut bases: BTreeMap<Option<Index>, VarId> = BTreeMap::new();
        for expr in program.function_parts(function).exprs {
            let ExprKind::Index { base, index, .. } = program.expr(expr).kind else { continue };
            let ExprKind::Name(NameRef::Variable(variable)) =
                program.expr(program.strip_parens(base)).kind
            else {
                continue;
            };
            let is_numbers = matches!(*program.types.kind(program.expr(base).ty.id),
                TypeKind::Pointer(to) if program.types.as_scalar(to.id).is_some());
            if !is_numbers {
                continue;
            }
            let index = match definitions.form(program, index) {
                IndexForm::Uniform | IndexForm::Unit => continue,
                IndexForm::Strided => match indices.index(program, index) {
                    None => continue,
                    index => index,
                },
                IndexForm::Gather => None,
            };
            if *bases.entry(index).or_insert(variable) != variable {
                return true;
            }
        }
    }
    false
}

impl Prices<'_> {
    /// Arrays to put together, where all others stay as they are.
    #[must_use]
    pub fn merges(&self) -> Vec<MergeChoice> {
        let groups = self.model.parallel_arrays();
        let mut found = Vec::new();
        for group in groups {
            let single: Vec<ArrayId> = group
                .into_iter()
                .filter(|array| self.info(*array).shape.leaves.len() == 1)
                .collect();
            if (2..=MOST_ARRAYS).contains(&single.len()) {
                // What has no price has no gain.
                found.extend(self.merges_of(&single).unwrap_or_default());
            }
        }
        found
    }

    fn info(&self, array: ArrayId) -> &ArrayInfo {
        &self.model.arrays[array.0 as usize]
    }

    fn merges_of(&self, arrays: &[ArrayId]) -> Result<Vec<MergeChoice>, CostError> {
        let kernels: Vec<KernelCode> = (self.model.kernels.iter())
            .filter(|kernel| {
                kernel.code.accesses.iter().any(|access| arrays.contains(&access.array))
            })
            .map(|kernel| kernel.code.clone())
            .collect();
        let mut others = Arrangement::default();
        for (info, at) in self.model.arrays.iter().zip(0..) {
            if !arrays.contains(&ArrayId(at)) {
                others.insert(ArrayId(at), &info.shape, &Layout::aos(&info.shape));
            }
        }
        let (owners, shape) = joint_shape(self.model, arrays);
        let problem = Problem {
            shape: &shape,
            owners: &owners,
            kernels: &kernels,
            others: &others,
            device: self.device,
            model: self.pricing,
            tile: TILE,
        };
        let apart = price_layout(&problem, &Layout::soa(&shape))?;
        let best = best_layout(&problem, Effort { priced: PRICED })?;
        let mut found = Vec::new();
        for group in best.layout.groups() {
            if group.leaves().len() < 2 || !matches!(group.form(), GroupForm::Struct) {
                continue;
            }
            // By itself, it must be worth the change.
            let own: Vec<ArrayId> =
                group.leaves().iter().map(|leaf| owners[leaf.index()].0).collect();
            let Some(layout) = with_one_group(&shape, group) else { continue };
            let cost = price_layout(&problem, &layout)?;
            let gain = self.gain(&cost, &apart);
            if let Some(because) = gain
                && self.pays(&problem, &own, group, &layout)?
            {
                found.push(MergeChoice {
                    arrays: own.iter().map(|array| self.exact_name(*array)).collect(),
                    align: group.align().map(|align| align.0),
                    because,
                });
            }
        }
        Ok(found)
    }

    /// Whether what kernels save pays for putting values together and apart at copies between host and device.
    fn pays(
        &self,
        problem: &Problem,
        own: &[ArrayId],
        group: &Group,
        layout: &Layout,
    ) -> Result<bool, CostError> {
        if self.pricing == Model::Peng {
            return Ok(true);
        }
        let mut before = problem.others.clone();
        let mut after = before.clone();
        before.insert_merged(problem.owners, problem.shape, &Layout::soa(problem.shape));
        after.insert_merged(problem.owners, problem.shape, layout);
        // The values of one array lie a struct apart.
        let Bytes(device_bytes) = group.struct_layout(problem.shape).size;
        let arrays: Vec<(ArrayId, Rearranged)> = own
            .iter()
            .map(|array| {
                let info = self.info(*array);
                let rearranged = Rearranged {
                    elements: elements_of(*array, info.elements, problem.kernels),
                    host_bytes: info.shape.size.0 as f64,
                    device_bytes: device_bytes as f64,
                    scalars: 1,
                };
                (*array, rearranged)
            })
            .collect();
        let account = Account::new(self, problem.kernels, [&before, &after], &arrays)?;
        Ok(account.has_no_copies() || account.balance(account.expected_runs())?.pays())
    }

    fn gain(&self, cost: &CostVector, apart: &CostVector) -> Option<String> {
        let ratio = ratio(cost, apart);
        (ratio <= WORTH).then(|| {
            format!(
                "accesses to separate arrays at the same indices cost {} of what they did (model `{}`, {})",
                percent(ratio),
                self.pricing,
                self.device.name
            )
        })
    }

    /// The shortest name that only this array has.
    fn exact_name(&self, array: ArrayId) -> String {
        let names = &self.info(array).names;
        let is_own = |name: &String| {
            self.model.arrays.iter().filter(|info| info.names.contains(name)).count() == 1
        };
        let plain = names.iter().filter(|name| !name.contains("::"));
        let host = plain.clone().find(|name| is_own(name) && name.starts_with("d_"));
        let found = host.or_else(|| plain.clone().find(|name| is_own(name)));
        found.or_else(|| names.iter().find(|name| is_own(name))).cloned().unwrap_or_default()
    }
}

/// One group of a layout, and all other leaves apart.
fn with_one_group(shape: &RecordShape, group: &Group) -> Option<Layout> {
    let others = shape.leaf_ids().filter(|leaf| !group.leaves().contains(leaf));
    let others = others.map(|leaf| Group::array(shape, leaf));
    Layout::new(shape, 1, std::iter::once(group.clone()).chain(others).collect()).ok()
}

/// The record that arrays make together, and whose leaves are its own.
#[must_use]
pub fn joint_shape(model: &CostModel, arrays: &[ArrayId]) -> (Vec<(ArrayId, LeafId)>, RecordShape) {
    let info = |array: &ArrayId| &model.arrays[array.0 as usize];
    let owners: Vec<(ArrayId, LeafId)> = arrays
        .iter()
        .flat_map(|array| info(array).shape.leaf_ids().map(|leaf| (*array, leaf)))
        .collect();
    let names: Vec<String> = owners
        .iter()
        .map(|(array, leaf)| {
            let info = info(array);
            match info.shape.leaves.len() {
                1 => info.name.clone(),
                _ => format!("{}.{}", info.name, info.shape.leaf(*leaf).path),
            }
        })
        .collect();
    let members = owners.iter().zip(&names).map(|((array, leaf), name)| {
        let leaf = info(array).shape.leaf(*leaf);
        let extents = leaf.extents.as_slice();
        (name.as_str(), leaf.type_name.as_str(), leaf.scalar_size.0, leaf.align.0, extents)
    });
    let name: Vec<&str> = arrays.iter().map(|array| info(array).name.as_str()).collect();
    let shape = RecordShape::flat(&name.join(" + "), members);
    (owners, shape)
}
