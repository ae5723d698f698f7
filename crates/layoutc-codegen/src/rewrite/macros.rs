//! Macros: one text with several meanings.
//!
//! The model holds the body of a macro once for each use, and an argument once for each place of
//! its parameter. Each of these is rewritten on its own. What is found is compared: if all uses
//! of a `#define` lead to the same edits of its body, and every mention of the macro is one of
//! those uses, the body is edited; else the uses that change get a version of the macro with
//! another name. A use that needs more of its arguments than their text (an element, a pointer
//! with an index, a pointer that is moved on behind the use) is replaced by its expansion, as is
//! one whose arguments do not have one new text. Which uses need that is found by trying: a pass that
//! meets one is thrown away and run again.
//!
//! *Home* of a text is the macro body it stands in. Text of one home must not be put into
//! another, unless the use between them is replaced; [`Rewriter::check_home`] sees to that wherever
//! text is copied.

use super::Rewriter;
use super::expressions::Parts;
use crate::edit::Edit;
use crate::macro_uses::is_accounted;
use crate::storage::IndexText;
use layoutc_dataflow::classes::{ClassId, PlaceKind};
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, FunctionId, MacroRole};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Most versions of one macro; if there would be more, its uses are replaced.
const VERSIONS: usize = 4;

/// How uses of macros are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    /// Uses that are replaced by their expansion.
    inlined: BTreeSet<ExpansionId>,
    /// Uses of a version of the macro.
    renamed: BTreeMap<ExpansionId, String>,
}

/// What a pass finds out about macros.
pub(super) struct MacroState<'a> {
    modes: &'a Modes,
    /// The body, not replaced, whose text is written.
    pub(super) home: Option<ExpansionId>,
    /// Edits inside bodies, in terms of the `#define`.
    sinks: BTreeMap<ExpansionId, Vec<Edit>>,
    /// The new texts of arguments: one for each place of the parameter, if they differ.
    arguments: BTreeMap<(ExpansionId, usize), BTreeSet<String>>,
    /// Uses that must be replaced.
    wanted: RefCell<BTreeSet<ExpansionId>>,
}

impl<'a> MacroState<'a> {
    pub(super) fn new(modes: &'a Modes) -> Self {
        MacroState {
            modes,
            home: None,
            sinks: BTreeMap::new(),
            arguments: BTreeMap::new(),
            wanted: RefCell::new(BTreeSet::new()),
        }
    }
}

/// The bodies of macros.
struct Bodies<'a> {
    /// The uses of each.
    uses: &'a BTreeMap<Span, Vec<ExpansionId>>,
    /// The bodies that each uses.
    inside: BTreeMap<Span, BTreeSet<Span>>,
}

/// Edits that can be compared.
type EditKey = Vec<(u32, u32, String)>;

impl Rewriter<'_> {
    pub(super) fn is_inlined(&self, id: ExpansionId) -> bool {
        self.macros.modes.inlined.contains(&id)
    }

    /// The new texts in bodies of macros, and of arguments, which are no edits yet.
    pub(super) fn macro_texts(&self) -> impl Iterator<Item = &str> {
        let bodies = self.macros.sinks.values().flatten().map(|edit| edit.text.as_str());
        bodies.chain(self.macros.arguments.values().flatten().map(String::as_str))
    }

    /// The body in whose text the text of a home ends up.
    pub(super) fn effective(&self, mut home: Option<ExpansionId>) -> Option<ExpansionId> {
        while let Some(id) = home.filter(|id| self.is_inlined(*id)) {
            home = self.program.expansion(id).home;
        }
        home
    }

    /// Does something with the text of a home, and collects the edits for it.
    pub(super) fn in_home<T>(
        &mut self,
        home: Option<ExpansionId>,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let Some(id) = home else {
            return self.at_home(None, body);
        };
        let outer = std::mem::take(&mut self.edits);
        let owner = self.owner.take();
        let result = self.at_home(home, body);
        self.owner = owner;
        let own = std::mem::replace(&mut self.edits, outer);
        self.macros.sinks.entry(id).or_default().extend(own);
        result
    }

    /// Does something with the text of a home.
    fn at_home<T>(&mut self, home: Option<ExpansionId>, body: impl FnOnce(&mut Self) -> T) -> T {
        let home = self.effective(home);
        let outer = std::mem::replace(&mut self.macros.home, home);
        let result = body(self);
        self.macros.home = outer;
        result
    }

    /// Wants every macro between an expression and one below it to be replaced.
    pub(super) fn want_uses(&self, outer: ExprId, inner: ExprId) {
        let mut expr = outer;
        while expr != inner {
            if let Some(role) = self.program.macro_role(expr) {
                self.want(expansion_of(role));
            }
            let (ExprKind::Paren(next) | ExprKind::Cast { operand: next, .. }) =
                self.program.expr(expr).kind
            else {
                return;
            };
            expr = next;
        }
    }

    pub(super) fn want(&self, id: ExpansionId) {
        self.macros.wanted.borrow_mut().insert(id);
    }

    /// Whether an argument stands under a name for several, `__VA_ARGS__`: it has a place of its own where the use is
    /// replaced, which is wanted then.
    pub(super) fn is_in_rest(&self, argument: ExprId) -> bool {
        let Some(id) = self.use_with_rest(argument) else { return false };
        if !self.is_inlined(id) {
            self.want(id);
        }
        true
    }

    /// Whether a call's arguments stand under such a name, in a use that is replaced.
    pub(super) fn has_rest_written_out(&self, call: ExprId) -> bool {
        let is_written = |id: ExprId| self.use_with_rest(id).is_some_and(|id| self.is_inlined(id));
        matches!(
            self.program.expr(call).kind,
            ExprKind::Call { .. }
                | ExprKind::Launch { .. }
                | ExprKind::Construct { .. }
                | ExprKind::MacroCall { .. }
        ) && self.program.expr(call).children().any(is_written)
    }

    /// The use of a macro in which an argument is one of several under one name.
    fn use_with_rest(&self, argument: ExprId) -> Option<ExpansionId> {
        let MacroRole::Parameter(id, index) = self.program.macro_role(argument)? else {
            return None;
        };
        let expansion = self.program.expansion(id);
        let fixed = expansion.parameters.len();
        (index >= fixed && expansion.arguments.len() > fixed + 1).then_some(id)
    }

    /// Text of an expression is about to be copied: it must be of the home that is written.
    pub(super) fn check_home(&self, expr: ExprId) {
        let found = self.effective(self.program.home(expr));
        if found == self.macros.home {
            return;
        }
        let chain = |mut at: Option<ExpansionId>| {
            let mut chain = BTreeSet::new();
            while let Some(id) = at {
                chain.insert(id);
                at = self.program.expansion(id).home;
            }
            chain
        };
        let (from, to) = (chain(found), chain(self.macros.home));
        for id in from.symmetric_difference(&to) {
            self.want(*id);
        }
    }

    /// Original text; where a use is replaced, with the arguments for the parameters.
    pub(super) fn raw(
        &self,
        home: Option<ExpansionId>,
        range: Range<usize>,
        file: FileId,
    ) -> String {
        let text = &self.program.sources.file(file).text()[range];
        let Some(id) = home.filter(|id| self.is_inlined(*id)) else { return text.to_owned() };
        let expansion = self.program.expansion(id);
        let fixed = expansion.parameters.len();
        let mut out = String::new();
        let mut at = 0;
        let found = tokens(text);
        for (place, token) in found.iter().enumerate() {
            let word = token.text(text);
            let parameter = expansion.parameters.iter().position(|name| name == word);
            let all = match parameter {
                Some(index) => &expansion.arguments[index..=index],
                None if expansion.rest.as_deref() == Some(word) => &expansion.arguments[fixed..],
                None => continue,
            };
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let argument = match (all.first(), all.last()) {
                (Some(first), Some(last)) => {
                    self.raw(expansion.home, first.start as usize..last.end as usize, first.file)
                }
                _ => String::new(),
            };
            let before = |back: usize| place.checked_sub(back).map(|place| found[place]);
            match before(1).map(|token| token.text(text)) {
                Some("#") => {
                    let sign = before(1).map_or(at, |token| token.start as usize);
                    out.push_str(&text[at..sign]);
                    out.push_str(&string_of(&argument));
                }
                // A comma in front of `##` goes with arguments that are not there.
                Some("##") => {
                    let comma = before(2).map_or(at, |token| token.start as usize);
                    out.push_str(&text[at..comma]);
                    if !argument.is_empty() {
                        out.push_str(", ");
                        out.push_str(&argument);
                    }
                }
                _ => {
                    out.push_str(&text[at..token.start as usize]);
                    put(&mut out, &argument);
                }
            }
            at = token.end as usize;
        }
        out.push_str(&text[at..]);
        without_line_ends(&out)
    }

    /// Whether the expression is a macro use or parameter that stays one.
    pub(super) fn is_other_text(&self, expr: ExprId) -> bool {
        self.program.macro_role(expr).is_some_and(|role| !self.is_inlined(expansion_of(role)))
    }

    /// Whether the text of the expression stands in no macro's body, or in one that is replaced.
    pub(super) fn is_own_text(&self, expr: ExprId) -> bool {
        self.effective(self.program.home(expr)).is_none()
    }

    /// [`Rewriter::is_other_text`], where that cannot be: then the use must be replaced.
    pub(super) fn is_foreign_text(&self, expr: ExprId) -> bool {
        let Some(role) = self.program.macro_role(expr).filter(|_| self.is_other_text(expr)) else {
            return false;
        };
        self.want(expansion_of(role));
        true
    }

    /// The expression without parentheses, as far as it is one text.
    pub(super) fn strip_parens(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self.program.expr(expr).kind
            && !self.is_other_text(expr)
        {
            expr = inner;
        }
        expr
    }

    /// Whether a macro use or parameter needs no parentheses as operand.
    pub(super) fn is_postfix_macro(&self, expr: ExprId) -> Option<bool> {
        let role = self.program.macro_role(expr)?;
        let ExprKind::Paren(inner) = self.program.expr(expr).kind else { return None };
        Some(match role {
            MacroRole::Parameter(id, _) if !self.is_inlined(id) => false,
            MacroRole::Use(_) | MacroRole::Parameter(..) => self
                .is_postfix_macro(inner)
                .unwrap_or_else(|| super::expressions::is_postfix(&self.program.expr(inner).kind)),
        })
    }

    /// The new text of a macro use or parameter.
    pub(super) fn macro_text(&mut self, expr: ExprId) -> Option<String> {
        let role = self.program.macro_role(expr)?;
        let ExprKind::Paren(inner) = self.program.expr(expr).kind else { return None };
        if self.is_inlined(expansion_of(role)) {
            return Some(self.render(inner));
        }
        Some(match role {
            MacroRole::Use(id) => self.use_text(id, inner),
            MacroRole::Parameter(id, index) => self.parameter_text(expr, id, index, inner),
        })
    }

    /// Whether an expression is, but for parentheses, the body of a macro whose use stays.
    pub(super) fn is_value_of_use(&self, mut expr: ExprId) -> bool {
        while let Some((parent, _)) = self.parents.of(expr)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_))
        {
            if let Some(MacroRole::Use(id)) = self.program.macro_role(parent)
                && !self.is_inlined(id)
            {
                return true;
            }
            expr = parent;
        }
        false
    }

    /// The text of a use that stays, after its body has been looked at.
    fn use_text(&mut self, id: ExpansionId, inner: ExprId) -> String {
        self.in_home(Some(id), |this| this.emit(inner));
        let expansion = self.program.expansion(id);
        let file = expansion.span.file;
        let mut out = match self.macros.modes.renamed.get(&id) {
            Some(name) => name.clone(),
            None => expansion.name.clone(),
        };
        let mut at = expansion.name_span.end as usize;
        for (index, argument) in expansion.arguments.iter().enumerate() {
            out.push_str(&self.raw(expansion.home, at..argument.start as usize, file));
            out.push_str(&self.argument_text(id, index));
            at = argument.end as usize;
        }
        out.push_str(&self.raw(expansion.home, at..expansion.span.end as usize, file));
        out
    }

    /// The one new text of an argument.
    fn argument_text(&self, id: ExpansionId, index: usize) -> String {
        let expansion = self.program.expansion(id);
        let span = expansion.arguments[index];
        let texts = self.macros.arguments.get(&(id, index));
        match texts.map(|texts| (texts.len(), texts.first())) {
            Some((1, Some(only))) => only.clone(),
            Some((_, Some(first))) => {
                self.want(id);
                first.clone()
            }
            _ => self.raw(expansion.home, span.range(), span.file),
        }
    }

    fn note_argument(&mut self, id: ExpansionId, index: usize, text: String) {
        // `tn<3, 4>(p)` would be two arguments.
        if has_loose_comma(&text) && !self.is_inlined(id) {
            self.want(id);
        }
        self.macros.arguments.entry((id, index)).or_default().insert(text);
    }

    /// A parameter in a body that stays: its name, and what that does to the argument.
    fn parameter_text(
        &mut self,
        expr: ExprId,
        id: ExpansionId,
        index: usize,
        inner: ExprId,
    ) -> String {
        let name = self.program.text(self.program.expr(expr).span).to_owned();
        if let Some((class, PlaceKind::Element)) = self.classes.place(inner)
            && self.storage(class).is_some_and(|storage| !storage.is_record)
        {
            self.want(id);
            return name;
        }
        // What stays a `void *` is cast where its value is used, not where its address is taken.
        let is_place = self.parents.of(self.outermost(expr)).is_some_and(|(parent, _)| {
            matches!(self.program.expr(parent).kind, ExprKind::AddressOf(_))
        });
        if let Some(class) = self.changed_pointer(inner)
            && self.storage(class).is_some_and(|storage| !storage.is_record)
            && !(is_place && self.typed_cast(inner, class).is_some())
        {
            self.pointer_parts(expr, class);
            let text = self.parenthesized_argument(expr).or_else(|| self.pointer(expr, class));
            return text.unwrap_or(name);
        }
        let home = self.program.expansion(id).home;
        let text = self.at_home(home, |this| this.render(inner));
        self.note_argument(id, index, text);
        name
    }

    /// Base and index of a pointer that is a macro use or parameter.
    pub(super) fn macro_pointer(&mut self, expr: ExprId, class: ClassId) -> Option<Option<Parts>> {
        let role = self.program.macro_role(expr)?;
        let ExprKind::Paren(inner) = self.program.expr(expr).kind else { return None };
        let id = expansion_of(role);
        if self.is_inlined(id) {
            return Some(self.pointer_parts(inner, class));
        }
        let home = match role {
            MacroRole::Use(_) => Some(id),
            MacroRole::Parameter(..) => self.program.expansion(id).home,
        };
        let parts = self.at_home(home, |this| this.pointer_parts(inner, class));
        let start = parts.filter(|parts| parts.index.text == "0");
        let Some(start) = start else {
            self.want(id);
            return Some(None);
        };
        let base = match role {
            MacroRole::Use(_) => {
                let text = self.use_text(id, inner);
                if self.is_postfix_macro(expr) == Some(true) { text } else { format!("({text})") }
            }
            MacroRole::Parameter(_, index) => {
                self.note_argument(id, index, start.base);
                let name = self.program.text(self.program.expr(expr).span);
                let parent = self.parents.of(expr).map(|(parent, _)| parent);
                let parenthesized = parent.is_some_and(|parent| {
                    matches!(self.program.expr(parent).kind, ExprKind::Paren(_))
                        && self.program.macro_role(parent).is_none()
                });
                if parenthesized { format!("({name})") } else { name.to_owned() }
            }
        };
        Some(Some(Parts {
            base,
            slot: None,
            index: IndexText::simple("0"),
            is_repeatable: true,
            is_int: true,
        }))
    }

    /// The element that a macro use or parameter is; a use that stays cannot be one.
    pub(super) fn through_macro(&mut self, expr: ExprId) -> Option<ExprId> {
        self.program.macro_role(expr)?;
        let ExprKind::Paren(inner) = self.program.expr(expr).kind else { return None };
        self.is_foreign_text(expr);
        Some(inner)
    }

    /// The text of an access in a body whose member is a parameter: the parameter stays, so that
    /// the body is the same for all members.
    pub(super) fn with_field_parameter(&self, access: ExprId, text: String) -> String {
        let Some(id) = self.macros.home else { return text };
        let ExprKind::Member { name, .. } = self.program.expr(access).kind else { return text };
        let expansion = self.program.expansion(id);
        let written = self.program.text(name);
        let Some(index) = expansion.parameters.iter().position(|param| param == written) else {
            return text;
        };
        let field = self.program.text(expansion.arguments[index]);
        let members: Vec<Range<usize>> =
            members_of(&text).into_iter().filter(|range| text[range.clone()] == *field).collect();
        match &members[..] {
            [only] => format!("{}{written}{}", &text[..only.start], &text[only.end..]),
            _ => text,
        }
    }

    /// New text of a body must mean the same with every argument: a parameter's name in it that is
    /// not there for the parameter would be replaced.
    fn check_captures(&self) {
        for (id, edits) in self.macros.sinks.iter().filter(|(_, edits)| !edits.is_empty()) {
            let expansion = self.program.expansion(*id);
            let named = |text: &str| -> BTreeSet<(bool, String)> {
                let members = members_of(text);
                tokens(text)
                    .into_iter()
                    .filter(|token| expansion.parameters.iter().any(|p| p == token.text(text)))
                    .map(|token| (members.contains(&token.range()), token.text(text).to_owned()))
                    .collect()
            };
            let captures = edits
                .iter()
                .any(|edit| !named(&edit.text).is_subset(&named(self.program.text(edit.span))));
            // The index of an argument, by name: true of this use only.
            let body = self.program.text(expansion.body);
            let words: BTreeSet<&str> =
                tokens(body).into_iter().map(|token| token.text(body)).collect();
            let names_index = |text: &str| {
                self.indices.iter().any(|(variable, (name, _))| {
                    let variable = self.program.variable(*variable);
                    !words.contains(variable.name.as_str())
                        && tokens(text).into_iter().any(|token| token.text(text) == name)
                })
            };
            let is_of_one_use = edits.iter().any(|edit| names_index(&edit.text));
            if (captures || is_of_one_use) && !self.is_inlined(*id) {
                self.want(*id);
            }
        }
    }

    /// Ends a pass: writes what it found into the edits, or says what the next pass must know.
    pub(super) fn settle_macros(&mut self) -> Result<(), Modes> {
        self.check_captures();
        self.statement_uses();
        let mut modes = self.macros.modes.clone();
        let wanted = self.macros.wanted.take();
        if !wanted.is_empty() {
            modes.inlined.extend(&wanted);
            modes.renamed.retain(|id, _| !wanted.contains(id));
            return Err(modes);
        }
        let mut by_body: BTreeMap<Span, Vec<ExpansionId>> = BTreeMap::new();
        for (at, expansion) in self.program.expansions.iter().enumerate() {
            by_body.entry(expansion.body).or_default().push(ExpansionId(at as u32));
        }
        let mut bodies = Bodies { uses: &by_body, inside: BTreeMap::new() };
        for expansion in &self.program.expansions {
            if let Some(home) = expansion.home {
                let outer = self.program.expansion(home).body;
                bodies.inside.entry(outer).or_default().insert(expansion.body);
            }
        }
        let mut settled = BTreeMap::new();
        for body in by_body.keys() {
            self.settle(*body, &bodies, &mut modes, &mut settled);
        }
        if settled.values().any(|is_settled| !is_settled) {
            return Err(modes);
        }
        for uses in by_body.values() {
            self.write_definition(uses);
        }
        Ok(())
    }

    /// Arguments and names of uses that are statements, innermost first.
    fn statement_uses(&mut self) {
        // A use in a member of an instance does not say its copy; what stands in it does.
        let mut owners: BTreeMap<ExpansionId, FunctionId> = BTreeMap::new();
        for expr in self.program.expr_ids() {
            if let (Some(home), Some(owner)) =
                (self.program.home(expr), self.versions.of_expr(expr))
            {
                owners.entry(home).or_insert(owner);
            }
        }
        for at in (0..self.program.expansions.len()).rev() {
            let id = ExpansionId(at as u32);
            let expansion = self.program.expansion(id);
            if !expansion.is_statement {
                continue;
            }
            let mut edits = Vec::new();
            if self.is_inlined(id) {
                let text = self.expanded_statement(id);
                edits.push(Edit::replace(expansion.span, text));
            } else {
                for (index, span) in expansion.arguments.iter().enumerate() {
                    if self.macros.arguments.contains_key(&(id, index)) {
                        let text = self.argument_text(id, index);
                        if text != self.program.text(*span) {
                            edits.push(Edit::replace(*span, text));
                        }
                    }
                }
                if let Some(name) = self.macros.modes.renamed.get(&id) {
                    edits.push(Edit::replace(expansion.name_span, name.clone()));
                }
            }
            match expansion.home {
                Some(home) => self.macros.sinks.entry(home).or_default().extend(edits),
                None => {
                    self.owner = expansion.copy.or_else(|| owners.get(&id).copied());
                    edits.into_iter().for_each(|edit| self.push(edit));
                    self.owner = None;
                }
            }
        }
    }

    /// The statements of a use that is replaced.
    fn expanded_statement(&mut self, id: ExpansionId) -> String {
        let expansion = self.program.expansion(id);
        let mut edits = self.macros.sinks.remove(&id).unwrap_or_default();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        let (file, mut at) = (expansion.body.file, expansion.body.start as usize);
        let mut out = String::new();
        for edit in edits {
            let start = edit.span.start as usize;
            if start < at {
                continue;
            }
            out.push_str(&self.raw(Some(id), at..start, file));
            put(&mut out, &edit.text);
            at = edit.span.end as usize;
        }
        out.push_str(&self.raw(Some(id), at..expansion.body.end as usize, file));
        without_line_ends(&out)
    }

    /// The edits of the body for one use.
    fn key(&self, id: ExpansionId) -> EditKey {
        let mut key: EditKey = self
            .macros
            .sinks
            .get(&id)
            .into_iter()
            .flatten()
            .map(|edit| (edit.span.start, edit.span.end, edit.text.clone()))
            .collect();
        key.sort();
        key.dedup();
        key
    }

    /// The uses of a body that stay, by their edits.
    fn groups(&self, uses: &[ExpansionId]) -> BTreeMap<EditKey, Vec<ExpansionId>> {
        let mut groups: BTreeMap<EditKey, Vec<ExpansionId>> = BTreeMap::new();
        for id in uses.iter().filter(|id| !self.is_inlined(**id)) {
            groups.entry(self.key(*id)).or_default().push(*id);
        }
        groups
    }

    /// Decides which uses of a body need versions, after the bodies used in it; false if something changed.
    fn settle(
        &mut self,
        body: Span,
        bodies: &Bodies<'_>,
        modes: &mut Modes,
        settled: &mut BTreeMap<Span, bool>,
    ) -> bool {
        if let Some(known) = settled.get(&body) {
            return *known;
        }
        settled.insert(body, true);
        let mut is_settled = true;
        for inner in bodies.inside.get(&body).into_iter().flatten().filter(|inner| **inner != body)
        {
            is_settled &= self.settle(*inner, bodies, modes, settled);
        }
        is_settled = is_settled && self.choose_versions(&bodies.uses[&body], modes);
        settled.insert(body, is_settled);
        is_settled
    }

    fn choose_versions(&mut self, uses: &[ExpansionId], modes: &mut Modes) -> bool {
        let groups = self.groups(uses);
        let changed: Vec<(&EditKey, &Vec<ExpansionId>)> =
            groups.iter().filter(|(key, _)| !key.is_empty()).collect();
        if changed.is_empty()
            || (groups.len() == 1
                && is_accounted(self.program, self.program.expansion(uses[0]).body))
        {
            return true;
        }
        if changed.len() > VERSIONS {
            modes.inlined.extend(changed.iter().flat_map(|(_, members)| members.iter()));
            modes.renamed.retain(|id, _| !modes.inlined.contains(id));
            return false;
        }
        let mut is_settled = true;
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for (_, members) in changed {
            let known = members.iter().find_map(|id| self.macros.modes.renamed.get(id)).cloned();
            let name = match known.filter(|name| !taken.contains(name)) {
                Some(name) => name,
                None => {
                    let own = &self.program.expansion(members[0]).name;
                    let is_upper = !own.chars().any(char::is_lowercase);
                    let prefix = if is_upper { "DEVICE_" } else { "device_" };
                    let mut name = self.names.fresh(&format!("{prefix}{own}"));
                    while modes.renamed.values().any(|other| *other == name) {
                        name = self.names.fresh(&format!("{prefix}{own}"));
                    }
                    name
                }
            };
            taken.insert(name.clone());
            for id in members {
                is_settled &= modes.renamed.insert(*id, name.clone()).as_ref() == Some(&name);
            }
        }
        is_settled
    }

    /// Edits the body, or adds the versions behind the `#define`.
    fn write_definition(&mut self, uses: &[ExpansionId]) {
        let mut versions: BTreeMap<&str, ExpansionId> = BTreeMap::new();
        for id in uses {
            if let Some(name) = self.macros.modes.renamed.get(id) {
                versions.entry(name).or_insert(*id);
            }
        }
        if versions.is_empty() {
            if let Some(id) = uses.iter().find(|id| !self.is_inlined(**id)) {
                let file = self.program.expansion(*id).body.file;
                let key = self.key(*id);
                self.edits.extend(key.into_iter().map(|(start, end, text)| {
                    Edit::replace(Span::new(file, start as usize, end as usize), text)
                }));
            }
            return;
        }
        let expansion = self.program.expansion(uses[0]);
        let definition = expansion.definition;
        let source = self.program.sources.file(definition.file).text();
        let newline = if source.contains("\r\n") { "\r\n" } else { "\n" };
        let mut text = String::new();
        for (name, id) in versions {
            text.push_str(newline);
            let own = self.program.expansion(id).definition_name;
            text.push_str(&source[definition.start as usize..own.start as usize]);
            text.push_str(name);
            let mut at = own.end as usize;
            for (start, end, new) in self.key(id) {
                text.push_str(&source[at..start as usize]);
                text.push_str(&new);
                at = end as usize;
            }
            text.push_str(&source[at..definition.end as usize]);
        }
        self.edits.push(Edit::replace(definition.at_end(), text));
    }
}

/// The string that `#x` makes of an argument.
pub(crate) fn string_of(argument: &str) -> String {
    let mut out = String::from('"');
    let mut at = 0;
    for token in tokens(argument) {
        let word = token.text(argument);
        // White space between tokens is one space, however much it is.
        if at > 0 && token.start as usize > at {
            out.push(' ');
        }
        let is_text = word.ends_with(['"', '\'']);
        for c in word.chars() {
            if c == '"' || (is_text && c == '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        at = token.end as usize;
    }
    out.push('"');
    out
}

/// Names behind `.` or `->`.
fn members_of(text: &str) -> Vec<Range<usize>> {
    let found = tokens(text);
    found
        .windows(2)
        .filter(|pair| matches!(pair[0].text(text), "." | "->"))
        .map(|pair| pair[1].range())
        .collect()
}

pub(super) fn expansion_of(role: MacroRole) -> ExpansionId {
    match role {
        MacroRole::Use(id) | MacroRole::Parameter(id, _) => id,
    }
}

/// The text on one line: a macro's body may be on several that are joined by backslashes.
fn without_line_ends(text: &str) -> String {
    if !text.contains("\\\n") && !text.contains("\\\r\n") {
        return text.to_owned();
    }
    let mut out = String::new();
    for line in text.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(joined) => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
                out.push_str(if out.is_empty() { joined } else { joined.trim_start() });
                while out.ends_with(' ') {
                    out.pop();
                }
            }
            None => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
                out.push_str(if out.is_empty() { line } else { line.trim_start() });
            }
        }
    }
    out
}

/// Appends a text whose first token stays one of its own: `-x` behind `-` is no `--x`.
pub(super) fn put(out: &mut String, text: &str) {
    if let (Some(last), Some(first)) = (out.chars().next_back(), text.chars().next())
        && joins(last, first)
    {
        out.push(' ');
    }
    out.push_str(text);
}

/// Whether two characters side by side would be one token, or begin a comment.
pub(super) fn joins(last: char, first: char) -> bool {
    (last == first && "+-&|<>=:".contains(first)) || (last == '/' && "/*".contains(first))
}

/// Whether a text has a comma outside of brackets.
fn has_loose_comma(text: &str) -> bool {
    let mut open = 0usize;
    tokens(text).into_iter().any(|token| {
        match token.text(text) {
            "(" | "[" | "{" => open += 1,
            ")" | "]" | "}" => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && token.text(text) == ","
    })
}
