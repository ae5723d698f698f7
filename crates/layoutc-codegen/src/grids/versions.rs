//! Functions that serve grids in different layouts.
//!
//! A function has a copy in the model for each group of arrays that it is given
//! ([`layoutc_dataflow::classes::separate`]). Copies that say the same in the new layouts are one text;
//! what says something else is written out behind the original under a new name, and the calls in all
//! other text are sent there. *Invariant:* edits in the text of a function that has copies belong to
//! one of them; a version holds the edits of its copy and no others.

use super::Rewriter;
use crate::edit::apply;
use crate::edit::{Edit, EditSet, OverlappingEdits};
use layoutc_dataflow::classes::{Callee, ClassId, Slot, resolve_callee};
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{ExprId, ExprKind, FunctionId};
use std::collections::{BTreeMap, BTreeSet};

/// By function that has copies: itself and its copies, in order.
type Families = BTreeMap<FunctionId, Vec<FunctionId>>;

/// A call of a function that has copies.
struct Call {
    /// The name in it.
    name: Span,
    target: FunctionId,
}

/// What tells the text of copies apart.
type Signature = (usize, Vec<(Span, String)>, BTreeMap<Span, usize>);

/// Whether the text of a version has all edits of its original: those of arrays of structs are not
/// in versions for grids, and the other way round.
///
/// # Errors
/// The two edits, if it has not.
pub fn check_versions(
    edits: &BTreeMap<FileId, EditSet>,
    grids: &[Edit],
) -> Result<(), OverlappingEdits> {
    let others = || edits.values().flat_map(EditSet::edits);
    let missing = |version: &Edit, other: &Edit| {
        !other.is_generated && version.version_of.is_some_and(|span| span.contains(other.span))
    };
    for grid in grids {
        if let Some(other) = others().find(|other| missing(grid, other) || missing(other, grid)) {
            return Err(OverlappingEdits { edits: Box::new((other.clone(), grid.clone())) });
        }
    }
    Ok(())
}

impl Rewriter<'_> {
    /// The function, if it has copies or is one.
    pub(super) fn versioned(&self, function: FunctionId) -> Option<FunctionId> {
        let has_copies = self.apart.originals.contains_key(&function)
            || self.apart.originals.values().any(|original| *original == function);
        has_copies.then_some(function)
    }

    /// Adds an edit to the text of the function that is being rewritten.
    pub(super) fn push(&mut self, edit: Edit) {
        match self.owner {
            Some(function) => self.owned.entry(function).or_default().push(edit),
            None => self.edits.push(edit),
        }
    }

    /// The edits of the program, and those of copies.
    pub(super) fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().chain(self.owned.values().flatten())
    }

    /// The class whose functions a class uses.
    pub(super) fn leader(&self, class: ClassId) -> ClassId {
        self.leaders.get(&class).copied().unwrap_or(class)
    }

    /// The functions that are generated for a class.
    pub(super) fn functions_mut(
        &mut self,
        class: ClassId,
    ) -> Result<&mut super::declarations::Functions, String> {
        let leader = self.leader(class);
        self.functions.get_mut(&leader).ok_or_else(|| "no functions".to_owned())
    }

    /// Writes the versions, and sends the calls to them.
    pub(super) fn versions(&mut self) {
        let mut families: Families = BTreeMap::new();
        for (copy, original) in &self.apart.originals {
            families.entry(*original).or_insert_with(|| vec![*original]).push(*copy);
        }
        if families.is_empty() {
            return;
        }
        let calls = self.calls_of(&families);
        let blocks = self.blocks(&families, &calls);
        let mut names: BTreeMap<(FunctionId, usize), String> = BTreeMap::new();
        let mut written: Vec<FunctionId> = Vec::new();
        for (original, members) in &families {
            for member in members {
                let block = blocks[member];
                if block == 0 || names.contains_key(&(*original, block)) {
                    continue;
                }
                let name = self.version_name(*original, *member);
                names.insert((*original, block), name);
                written.push(*member);
            }
        }
        // The names in the calls of all text, which instances of a template share.
        let mut texts: BTreeMap<Option<FunctionId>, Vec<&Call>> = BTreeMap::new();
        for (caller, calls) in &calls {
            texts.entry(self.versioned(*caller)).or_default().extend(calls);
        }
        for (owner, calls) in texts {
            let mut new: BTreeMap<Span, Option<String>> = BTreeMap::new();
            for call in calls {
                let original = self.original(call.target);
                let name = names.get(&(original, blocks[&call.target])).cloned();
                if let Some(other) = new.get(&call.name)
                    && *other != name
                {
                    let message = "one text calls several versions of this function";
                    self.refuse_family(&families[&original], call.name, message);
                }
                new.insert(call.name, name);
            }
            self.owner = owner;
            for (span, name) in new {
                if let Some(name) = name {
                    self.push(Edit::replace(span, name));
                }
            }
            self.owner = None;
        }
        for (original, members) in &families {
            let sites = &self.program.function(*original).sites;
            let has_versions = members.iter().any(|member| blocks[member] > 0);
            let shared = sites.iter().find_map(|site| {
                self.edits.iter().find(|edit| site.span.overlaps(edit.span)).map(|edit| edit.span)
            });
            if let Some((span, why)) = self.apart.unwritten.get(original).filter(|_| has_versions) {
                let message = format!(
                    "`{}` serves arrays in several layouts, and has no versions: {why}",
                    self.program.function(*original).name
                );
                self.refuse_family(members, *span, &message);
            }
            if let Some(span) = shared.filter(|_| has_versions) {
                let message = "this text belongs to several versions of a function";
                self.refuse_family(members, span, message);
            }
        }
        // What says what the original says is one text with it.
        for member in families.values().flatten() {
            let edits = self.owned.remove(member).unwrap_or_default();
            match blocks[member] {
                0 => self.edits.extend(edits),
                _ if written.contains(member) => {
                    let original = self.original(*member);
                    let name = names[&(original, blocks[member])].clone();
                    self.write_version(original, *member, &name, &edits, &families[&original]);
                }
                _ => {}
            }
        }
    }

    fn original(&self, function: FunctionId) -> FunctionId {
        self.apart.originals.get(&function).copied().unwrap_or(function)
    }

    /// A name that tells what the version is for.
    fn version_name(&mut self, original: FunctionId, member: FunctionId) -> String {
        let program = self.program;
        // The first array that only this version has.
        let wish = program
            .function(member)
            .parameters
            .iter()
            .filter_map(|parameter| self.classes.class_of_slot(Slot::Variable(*parameter)))
            .flat_map(|class| &self.classes.class(class).slots)
            .find_map(|slot| match slot {
                Slot::Variable(id)
                    if !matches!(
                        program.variable(*id).storage,
                        layoutc_syntax::Storage::Parameter { .. }
                    ) =>
                {
                    Some(program.variable(*id).name.clone())
                }
                Slot::Field(id) => Some(program.field(*id).name.clone()),
                _ => None,
            })
            .unwrap_or_default();
        let mut letters = wish.trim_matches('_').chars();
        let upper: String =
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let name = self.names.fresh(&format!("{}{upper}", program.function(original).name));
        self.version_names.push(name.clone());
        name
    }

    /// All calls of functions that have copies, by the function that they stand in.
    fn calls_of(&self, families: &Families) -> BTreeMap<FunctionId, Vec<Call>> {
        let program = self.program;
        let mut found: BTreeMap<FunctionId, Vec<Call>> = BTreeMap::new();
        for caller in program.function_ids() {
            for expr in program.function_parts(caller).exprs {
                let (ExprKind::Call { callee, arguments, .. }
                | ExprKind::Launch { kernel: callee, arguments, .. }) = &program.expr(expr).kind
                else {
                    continue;
                };
                let Callee::Function(target) = resolve_callee(program, *callee, arguments) else {
                    continue;
                };
                let original = self.original(target);
                if families.contains_key(&original) {
                    found
                        .entry(caller)
                        .or_default()
                        .push(Call { name: self.last_name(*callee), target });
                }
            }
        }
        found
    }

    /// The name in a callee, without what it is qualified by.
    fn last_name(&self, callee: ExprId) -> Span {
        let span = self.program.expr(self.program.strip_parens(callee)).span;
        let text = self.program.text(span);
        let start =
            layoutc_syntax::preprocess::tokens(text).last().map_or(0, |token| token.range().start);
        Span { start: span.start + start as u32, ..span }
    }

    /// Which copies have one text: those with the same number. The original's is 0.
    fn blocks(
        &self,
        families: &Families,
        calls: &BTreeMap<FunctionId, Vec<Call>>,
    ) -> BTreeMap<FunctionId, usize> {
        let mut blocks: BTreeMap<FunctionId, usize> =
            families.values().flatten().map(|member| (*member, 0)).collect();
        loop {
            let mut next = BTreeMap::new();
            for members in families.values() {
                let mut known: Vec<Signature> = Vec::new();
                for member in members {
                    let mut edits: Vec<(Span, String)> = self
                        .owned
                        .get(member)
                        .into_iter()
                        .flatten()
                        .map(|edit| (edit.span, edit.text.clone()))
                        .collect();
                    edits.sort();
                    edits.dedup();
                    let reached = calls
                        .get(member)
                        .into_iter()
                        .flatten()
                        .map(|call| (call.name, blocks[&call.target]))
                        .collect();
                    let signature = (blocks[member], edits, reached);
                    let at = known.iter().position(|other| *other == signature);
                    next.insert(*member, at.unwrap_or(known.len()));
                    if at.is_none() {
                        known.push(signature);
                    }
                }
            }
            if next == blocks {
                return blocks;
            }
            blocks = next;
        }
    }

    /// Puts a version behind its original, and behind each declaration of it.
    fn write_version(
        &mut self,
        original: FunctionId,
        member: FunctionId,
        name: &str,
        edits: &[Edit],
        family: &[FunctionId],
    ) {
        let program = self.program;
        for site in &program.function(original).sites {
            let whole = site.span;
            let mut own: Vec<Edit> =
                edits.iter().filter(|edit| whole.contains(edit.span)).cloned().collect();
            own.push(Edit::replace(site.name, name));
            let Some(text) = apply(program, whole, own) else {
                self.refuse_family(family, site.name, "two rewrites want the text of this version");
                continue;
            };
            let body = program.function(member).body.map(|body| program.stmt(body).span);
            let blank = if body.is_some_and(|body| whole.contains(body)) { "\n\n" } else { "\n" };
            let text = format!("{blank}{text}");
            let is_crlf = program.sources.file(whole.file).text().contains("\r\n");
            let plain = text.replace("\r\n", "\n");
            let text = if is_crlf { plain.replace('\n', "\r\n") } else { plain };
            self.edits.push(Edit::version(whole, text));
        }
    }

    /// Refuses the classes that a function and its copies tell apart.
    fn refuse_family(&mut self, members: &[FunctionId], span: Span, message: &str) {
        let classes: BTreeSet<ClassId> = members
            .iter()
            .flat_map(|member| &self.program.function(*member).parameters)
            .filter_map(|parameter| self.classes.class_of_slot(Slot::Variable(*parameter)))
            .filter(|class| self.plans.contains_key(class))
            .collect();
        // What only its calls say concerns them all.
        let all = || self.plans.keys().copied().collect();
        let classes = if classes.is_empty() { all() } else { classes };
        for class in classes {
            self.refuse(class, span, message);
        }
    }
}
