//! How pointers get from allocations to where they are used, for messages.

use super::*;

/// The ways of pointers from allocations to slots.
pub(super) struct Ways {
    /// The flow that first reached each slot, and the slot that it came from.
    reached_by: BTreeMap<Slot, (Span, Option<Slot>)>,
    /// Names of slots in expressions, by position.
    names: Vec<(Span, Slot)>,
}

/// How many steps of a flow are shown.
const SHOWN_STEPS: usize = 6;

impl Ways {
    /// Breadth first from the allocating calls, so that the shortest ways are found.
    pub(super) fn new(program: &Program, flows: &[Flow], classes: &Classes) -> Self {
        let mut reached_by = BTreeMap::new();
        let mut queue = std::collections::VecDeque::new();
        for call in classes.api_calls.iter().filter(|call| call.row.allocates()) {
            let mut at = super::super::operands::strip_casts(program, call.arguments[0]);
            while let ExprKind::AddressOf(inner) | ExprKind::Paren(inner) | ExprKind::Deref(inner) =
                program.expr(at).kind
            {
                at = inner;
            }
            if let Some(slot) = slot_of(program, at)
                && !reached_by.contains_key(&slot)
            {
                reached_by.insert(slot, (program.expr(call.call).span, None));
                queue.push_back(slot);
            }
        }
        let mut from: BTreeMap<Slot, Vec<&Flow>> = BTreeMap::new();
        for flow in flows {
            let mut at = super::super::operands::strip_casts(program, flow.from);
            while let ExprKind::AddressOf(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Deref(inner)
            | ExprKind::Binary(_, inner, _) = program.expr(at).kind
            {
                at = inner;
            }
            if let Some(slot) = slot_of(program, at) {
                from.entry(slot).or_default().push(flow);
            }
        }
        while let Some(slot) = queue.pop_front() {
            for flow in from.get(&slot).into_iter().flatten() {
                if let std::collections::btree_map::Entry::Vacant(e) = reached_by.entry(flow.to) {
                    e.insert((flow.span, Some(slot)));
                    queue.push_back(flow.to);
                }
            }
        }
        let mut names: Vec<(Span, Slot)> = program
            .expr_ids()
            .filter(|id| classes.value(*id).is_some() || classes.place(*id).is_some())
            .filter_map(|id| match program.expr(id).kind {
                ExprKind::Name(NameRef::Variable(_)) | ExprKind::Member { .. } => {
                    Some((program.expr(id).span, slot_of(program, id)?))
                }
                _ => None,
            })
            .collect();
        names.sort();
        Ways { reached_by, names }
    }

    /// The way to the slot that the text at `span` names: the allocation, and each flow from there.
    pub(super) fn to(
        &self,
        program: &Program,
        classes: &Classes,
        class: ClassId,
        span: Span,
    ) -> Vec<(Span, String)> {
        let from = self.names.partition_point(|(name, _)| *name < span.at_start());
        let named = self.names[from..]
            .iter()
            .take_while(|(name, _)| name.start < span.end && name.file == span.file)
            .find(|(name, slot)| {
                span.contains(*name) && classes.class_of_slot(*slot) == Some(class)
            });
        let declared = || {
            let slots = &classes.class(class).slots;
            slots.iter().copied().find(|slot| slot_span(program, *slot) == span)
        };
        let Some(mut slot) = named.map(|(_, slot)| *slot).or_else(declared) else {
            return Vec::new();
        };
        let mut way = Vec::new();
        while let Some((at, before)) = self.reached_by.get(&slot) {
            let text = if before.is_some() {
                "the pointer is passed on here"
            } else {
                "the array is allocated here"
            };
            if *at != span {
                way.push((*at, text.to_owned()));
            }
            match before {
                Some(before) if way.len() < SHOWN_STEPS => slot = *before,
                _ => break,
            }
        }
        way.reverse();
        way
    }
}
