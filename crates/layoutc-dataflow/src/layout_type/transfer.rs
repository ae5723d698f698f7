//! What operations do to layout types: Table 1.

use std::collections::BTreeMap;

use super::ids::SiteId;
use super::program::PointerOp;
use super::types::{LayoutType, LayoutTypeId, PointerTypes};

/// What happens to a layout at a site: the paper's `lt`.
///
/// Every transformation takes `⊥` to `⊥`, which makes it monotone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum LayoutTransformation {
    /// Nothing.
    #[default]
    Identity,
    /// Whatever the layout was, it becomes this one.
    To(LayoutTypeId),
    /// A layout becomes its entry, `⊥` if it has none: the transformation is not defined for it.
    Each(BTreeMap<LayoutType, LayoutType>),
}

impl LayoutTransformation {
    /// The transformed layout type.
    #[must_use]
    pub fn apply(&self, layout: LayoutType) -> LayoutType {
        match (self, layout) {
            (_, LayoutType::Incompatible) => LayoutType::Incompatible,
            (Self::Identity, layout) => layout,
            (Self::To(id), _) => LayoutType::Layout(*id),
            (Self::Each(map), layout) => {
                map.get(&layout).copied().unwrap_or(LayoutType::Incompatible)
            }
        }
    }
}

/// What each site does to the layout of its data. The propagation does not know who chose it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seeds {
    sites: BTreeMap<SiteId, LayoutTransformation>,
}

impl Seeds {
    /// No site transforms anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets `site` give its data this layout.
    pub fn set(&mut self, site: SiteId, layout: LayoutTypeId) {
        self.transform(site, LayoutTransformation::To(layout));
    }

    /// Lets `site` transform the layout of its data.
    pub fn transform(&mut self, site: SiteId, transformation: LayoutTransformation) {
        self.sites.insert(site, transformation);
    }

    /// The layout type of data of type `layout` behind `site`.
    #[must_use]
    pub fn apply(&self, site: SiteId, layout: LayoutType) -> LayoutType {
        self.sites.get(&site).map_or(layout, |transformation| transformation.apply(layout))
    }
}

impl FromIterator<(SiteId, LayoutTypeId)> for Seeds {
    fn from_iter<I: IntoIterator<Item = (SiteId, LayoutTypeId)>>(layouts: I) -> Self {
        let mut seeds = Seeds::new();
        for (site, layout) in layouts {
            seeds.set(site, layout);
        }
        seeds
    }
}

impl PointerOp {
    /// The type of the pointer that the operation [defines](PointerOp::defined), given the types in
    /// front of it; `None`, the top element, if no definition reaches the pointer it comes from.
    ///
    /// Source: Sung, Stratton, Hwu, PACT 2010, Table 1; see [`super`] for the corrected row of
    /// `p1 = p2 + t` and for the operations that are not in the table.
    #[must_use]
    pub fn defined_type(&self, seeds: &Seeds, before: &PointerTypes) -> Option<LayoutType> {
        match *self {
            PointerOp::Copy { source, .. } | PointerOp::ElementOf { source, .. } => {
                before.get(source)
            }
            PointerOp::Offset { source, .. } => before.get(source).map(offset),
            PointerOp::Declare { .. } => Some(LayoutType::Untransformed),
            PointerOp::DeclareGrid { layout, .. } => Some(LayoutType::Layout(layout)),
            PointerOp::Allocate { site, .. } => Some(seeds.apply(site, LayoutType::Untransformed)),
            PointerOp::Apply { pointer, site } => {
                before.get(pointer).map(|layout| seeds.apply(site, layout))
            }
            PointerOp::Null { .. } | PointerOp::Use { .. } | PointerOp::Call { .. } => None,
        }
    }

    /// `f(μ) = ν`: the types behind the operation. A call changes nothing here; what it defines
    /// comes from its callee.
    #[must_use]
    pub fn transfer(&self, seeds: &Seeds, before: &PointerTypes) -> PointerTypes {
        let mut after = before.clone();
        if let Some(pointer) = self.defined() {
            after.set(pointer, self.defined_type(seeds, before));
        }
        after
    }
}

/// An address inside an array of unknown dimensions can be flattened in the source's layout only.
pub(super) fn offset(layout: LayoutType) -> LayoutType {
    match layout {
        LayoutType::Untransformed => LayoutType::Untransformed,
        LayoutType::Layout(_) | LayoutType::Incompatible => LayoutType::Incompatible,
    }
}
