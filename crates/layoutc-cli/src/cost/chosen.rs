//! What `transform` does with the arrays of a table, with the same options but `--layout`.

use super::request::Request;
use super::run::outcome_of;
use super::{Column, Pricing, has_form};
use layoutc_analysis::choose::of_pragma;
use layoutc_analysis::cost::kernel::ArrayId;
use layoutc_analysis::cost_model::{ArrayInfo, ArraySource};
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_driver::{ClassOutcome, Status};
use serde::Serialize;
use std::collections::BTreeSet;

/// What becomes of an array, or of several that lie together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Chosen {
    /// The array's record type, or its name.
    pub(super) array: String,
    /// What `--layout` takes for it; none where it stays.
    pub(super) layout: Option<String>,
    /// Why, in a clause.
    pub(super) because: String,
    /// The diagnostic's code, where it stays.
    pub(super) code: Option<String>,
    /// Whether its layout has a price here: orders of cells have none.
    pub(super) is_priced: bool,
}

impl Chosen {
    /// An array that stays.
    fn stays(info: &ArrayInfo, outcome: Option<&ClassOutcome>) -> Chosen {
        let reason = outcome.and_then(|outcome| outcome.reasons.first());
        let because = match (reason, info.source) {
            (Some(reason), _) => reason.message.clone(),
            (None, ArraySource::Plain) => {
                "arrays are put together unasked only where neighbouring threads access values that lie apart, and where \
                 that saves 5 % of the cost"
                    .to_owned()
            }
            (None, ArraySource::Class(_)) => "no selector evaluated this array".to_owned(),
        };
        Chosen {
            array: info.name.clone(),
            layout: None,
            because,
            code: reason.map(|reason| reason.code.to_string()),
            is_priced: true,
        }
    }
}

impl Pricing<'_> {
    /// What `transform` does with these arrays.
    pub(super) fn chosen(&self, own: &BTreeSet<ArrayId>) -> Vec<Chosen> {
        let mut found: Vec<Chosen> = Vec::new();
        for array in own {
            let info = &self.success.compiled.cost_model.arrays[array.0 as usize];
            let outcome = outcome_of(self.success, info.source, &info.names);
            let change = outcome.filter(|outcome| outcome.status == Status::Changed);
            let one = match (self.by_pragma(info), change) {
                (Some(asked), _) => asked,
                (None, Some(outcome)) => self.changes(info, outcome),
                (None, None) => Chosen::stays(info, outcome),
            };
            // Arrays that lie together have one layout.
            if !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    /// The layout that a pragma of the source asks for, where it is one of structs. Prices are of the program without them.
    fn by_pragma(&self, info: &ArrayInfo) -> Option<Chosen> {
        let compiled = &self.success.compiled;
        let ArraySource::Class(class) = info.source else { return None };
        let program = &compiled.program;
        let asked = program.layout_pragmas.iter().enumerate().filter_map(|(index, pragma)| {
            let text = program.text(pragma.layout?);
            Some((of_pragma(program, &compiled.record_classes, class, index)?, text))
        });
        // One of an array goes before one of its type.
        let (_, text) = asked.max_by_key(|(target, _)| *target)?;
        let text = format!("{} = {}", self.target(info), text.replace(['\\', '\r', '\n'], " "));
        let layout = LayoutSpec::parse(&text).ok()?.resolve(&info.shape).ok()?;
        Some(Chosen {
            array: info.name.clone(),
            layout: Some(format!("{} = {}", self.target(info), layout.display(&info.shape))),
            because: "a pragma asks for it".to_owned(),
            code: None,
            is_priced: has_form(&layout),
        })
    }

    fn changes(&self, info: &ArrayInfo, outcome: &ClassOutcome) -> Chosen {
        let is_joint = outcome.layout.contains(" = ");
        let layout = match is_joint {
            true => outcome.layout.clone(),
            false => format!("{} = {}", self.target(info), outcome.layout),
        };
        let spec = LayoutSpec::parse(&format!("{} = {}", self.target(info), outcome.layout)).ok();
        let is_struct = || {
            let layout = spec.as_ref().and_then(|spec| spec.resolve(&info.shape).ok());
            layout.is_some_and(|layout| has_form(&layout))
        };
        Chosen {
            array: info.name.clone(),
            is_priced: is_joint || (info.source != ArraySource::Plain && is_struct()),
            layout: Some(layout),
            because: outcome.because.clone(),
            code: None,
        }
    }

    /// The column of what is chosen; none if a part of it has no price.
    pub(super) fn chosen_column(
        &self,
        chosen: &[Chosen],
        own: &mut BTreeSet<ArrayId>,
    ) -> Option<Column> {
        if chosen.iter().any(|one| !one.is_priced) {
            return None;
        }
        let layouts = chosen.iter().filter_map(|one| one.layout.as_deref());
        let requests: Result<Vec<Request>, _> = layouts
            .map(Request::parse_all)
            .collect::<Result<Vec<_>, _>>()
            .map(|requests| requests.into_iter().flatten().collect());
        let mut errors = Vec::new();
        let column = self.column(&requests.ok()?, own, &mut errors);
        errors.is_empty().then_some(column)
    }
}
