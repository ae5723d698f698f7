//! The types of pointers into merged arrays.

use super::Rewriter;
use layoutc_analysis::joint_plan::JointPlan;
use layoutc_dataflow::classes::Slot;
use layoutc_diagnostics::Span;
use layoutc_syntax::{DeclarationId, DeclaratorSite};
use std::collections::BTreeMap;

/// A declarator whose type changes.
struct Declared {
    merge: usize,
    site: DeclaratorSite,
}

impl Rewriter<'_> {
    /// Writes the record's type wherever a pointer is declared.
    pub(super) fn types(&mut self) {
        let mut by_declaration: BTreeMap<Option<DeclarationId>, Vec<Declared>> = BTreeMap::new();
        for (merge, JointPlan { merge: found, .. }) in self.merges.iter().enumerate() {
            for class in &found.members {
                for slot in &self.classes.class(*class).slots {
                    for site in self.sites(*slot) {
                        by_declaration
                            .entry(site.declaration)
                            .or_default()
                            .push(Declared { merge, site });
                    }
                }
            }
        }
        for (id, mut declared) in by_declaration {
            declared.sort_by_key(|declared| declared.site.index);
            declared.dedup_by_key(|declared| declared.site.index);
            self.declaration(id, &declared);
        }
    }

    fn sites(&self, slot: Slot) -> Vec<DeclaratorSite> {
        match slot {
            Slot::Variable(id) => {
                let variable = self.program.variable(id);
                // `auto` follows what it is made of.
                if variable.is_auto {
                    return Vec::new();
                }
                std::iter::once(&variable.site).chain(&variable.redeclarations).cloned().collect()
            }
            Slot::Field(id) => vec![self.program.field(id).site.clone()],
            Slot::Result(id) => {
                self.program.function(id).sites.iter().map(|site| site.result.clone()).collect()
            }
        }
    }

    fn declaration(&mut self, id: Option<DeclarationId>, declared: &[Declared]) {
        let Some(first) = declared.first() else { return };
        let Some(id) = id else {
            self.refuse(first.merge, first.site.name, "this pointer has no declaration of its own");
            return;
        };
        let declaration = self.program.declaration(id).clone();
        let home = self.program.declaration_homes.of(id.index());
        let is_number = self.program.types.as_scalar(declaration.specifier_type.id).is_some();
        let obstacle = if home.is_some() {
            Some("this pointer is declared in the body of a macro")
        } else if !declaration.is_plain || !is_number {
            Some("the type of this pointer is written in a form that is not followed")
        } else if !declaration.namespaces.iter().all(|name| !name.starts_with('(')) {
            Some("this pointer is declared in an unnamed namespace")
        } else {
            None
        };
        if let Some(obstacle) = obstacle {
            self.refuse(first.merge, first.site.span, obstacle);
            return;
        }
        for declared in declared {
            self.uses[declared.merge].insert(declaration.span);
        }
        let merges: Vec<Option<usize>> = (0..declaration.count.max(1))
            .map(|index| {
                declared
                    .iter()
                    .find(|declared| declared.site.index == index)
                    .map(|declared| declared.merge)
            })
            .collect();
        if let Some(merge) = merges[0] {
            let name = self.records[merge].type_name.clone();
            self.edit(declaration.specifier, name);
        }
        if merges.iter().all(|merge| *merge == merges[0]) {
            return;
        }
        // `float *x, *y;` where they no longer have one type.
        let is_divisible = self.program.text(declaration.span).trim_end().ends_with(';')
            && !self.is_in_head(declaration.span);
        let sites = self.all_sites(id);
        for index in 1..declaration.count {
            if merges[index] == merges[index - 1] {
                continue;
            }
            let (Some(before), Some(own)) = (sites.get(&(index - 1)), sites.get(&index)) else {
                self.refuse(first.merge, declaration.span, "this declaration cannot be divided");
                return;
            };
            if !is_divisible {
                let message = "this declaration cannot be divided where it stands";
                self.refuse(first.merge, declaration.span, message);
                return;
            }
            let between = Span { start: before.end, end: own.start, ..*before };
            let specifier = match merges[index] {
                Some(merge) => self.records[merge].type_name.clone(),
                None => self.program.text(declaration.specifier).to_owned(),
            };
            let prefix = Span { end: declaration.specifier.start, ..declaration.span };
            let prefix = self.program.text(prefix).to_owned();
            // `float const *x, *y`
            let behind = sites.get(&0).map(|site| Span {
                start: declaration.specifier.end,
                end: site.start.max(declaration.specifier.end),
                ..declaration.span
            });
            let behind = behind.map_or(String::new(), |span| {
                let text = self.program.text(span).trim();
                if text.is_empty() { String::new() } else { format!("{text} ") }
            });
            self.edit(between, format!("; {prefix}{specifier} {behind}"));
        }
    }

    /// Whether a declaration is part of another statement.
    fn is_in_head(&self, span: Span) -> bool {
        use layoutc_syntax::StmtKind;
        self.program.stmts.iter().any(|stmt| {
            let head = match &stmt.kind {
                StmtKind::If { init, .. }
                | StmtKind::For { init, .. }
                | StmtKind::While { init, .. }
                | StmtKind::Switch { init, .. } => *init,
                _ => None,
            };
            head.is_some_and(|head| self.program.stmt(head).span.contains(span))
        })
    }

    /// Each declarator of a declaration with its initializer, by position.
    fn all_sites(&self, id: DeclarationId) -> BTreeMap<usize, Span> {
        let variables = self.program.variables.iter();
        let variables = variables
            .flat_map(|variable| std::iter::once(&variable.site).chain(&variable.redeclarations));
        let fields = self.program.fields.iter().map(|field| &field.site);
        variables
            .chain(fields)
            .filter(|site| site.declaration == Some(id))
            .map(|site| (site.index, site.full))
            .collect()
    }
}
