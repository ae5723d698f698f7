//! Further meanings of a function's text.
//!
//! A function that is called with arrays in different layouts, or with an array and with an object
//! of its own, means something else in each case. A *copy* is such a meaning: a function of its
//! own in the model, with variables, statements and expressions of its own, and the spans of the
//! text that it shares with the original.
//!
//! In a copy of a member function the object is a variable: [`Function::this_parameter`].

use super::{
    CaptureRest, CopyOf, DeclarationId, DeclaratorSite, ExpansionId, ExprId, ExprKind, FieldId,
    FunctionId, FunctionSite, MacroRole, NameRef, Program, RecordId, Space, StmtId, StmtKind,
    Storage, VarId, Variable,
};
use crate::types::{QualType, TypeKind, TypeTable};
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::{ThinVec, thin_vec};

/// Why a function has no copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoCopy {
    /// It is only declared.
    NoBody,
    /// A variable in it lives longer than a call, and each copy would have its own.
    StaticVariable(VarId),
    /// A member function with text that is not in the model, which may name members.
    Unmodelled,
    /// A friend that a class defines: its text stands in the class.
    Friend,
    /// It has C linkage: two functions of one name would clash.
    CLinkage,
    /// A member function with a lambda that captures the object, other than with `[&]`.
    Lambda,
    /// A member function that names something of its class that a free function would not find.
    ClassScope,
    /// A member function with default arguments, which are evaluated in the class.
    DefaultArguments,
    /// A static member function: its text relies on the scope of the class.
    StaticMember,
    /// A member function of a base class that uses its object other than for its members.
    WholeObject,
}

impl NoCopy {
    /// The reason, as what follows "because".
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            NoCopy::NoBody => "it has no body in the program",
            NoCopy::StaticVariable(_) => "a variable in it lives on between calls",
            NoCopy::Friend => "it is a friend that is defined in its class",
            NoCopy::CLinkage => "it has C linkage",
            NoCopy::Unmodelled => "part of its text is not understood",
            NoCopy::Lambda => "it holds a lambda that captures the object",
            NoCopy::ClassScope => {
                "it names something of its class that is not public or cannot be qualified"
            }
            NoCopy::DefaultArguments => "it has default arguments",
            NoCopy::StaticMember => "it is a static member function",
            NoCopy::WholeObject => {
                "it is inherited, and uses the object other than for its members"
            }
        }
    }
}

/// What belongs to a function: its body, parameters, prototypes and everything below them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionParts {
    /// Expressions, lambda bodies included.
    pub exprs: BTreeSet<ExprId>,
    /// Statements.
    pub stmts: BTreeSet<StmtId>,
    /// Parameters, also of prototypes, and local variables.
    pub variables: BTreeSet<VarId>,
    /// Their declarations.
    pub declarations: BTreeSet<DeclarationId>,
}

/// Old to new.
struct Renaming {
    exprs: BTreeMap<ExprId, ExprId>,
    stmts: BTreeMap<StmtId, StmtId>,
    variables: BTreeMap<VarId, VarId>,
    declarations: BTreeMap<DeclarationId, DeclarationId>,
    this: Option<VarId>,
}

impl Program {
    /// Adds a copy of a function that has a body; one that drops its result returns nothing. The
    /// copy of a member function of a base class is for objects of the class `object`.
    ///
    /// # Errors
    /// If copies could not take the function's place.
    pub fn copy_function(
        &mut self,
        id: FunctionId,
        object: Option<RecordId>,
        drops_result: bool,
    ) -> Result<FunctionId, NoCopy> {
        let mut parts = self.function_parts(id);
        if drops_result {
            self.forget_results(&mut parts);
        }
        if self.function(id).body.is_none() {
            return Err(NoCopy::NoBody);
        }
        if self.function(id).has_c_linkage {
            return Err(NoCopy::CLinkage);
        }
        if self.is_friend_in_class(id) {
            return Err(NoCopy::Friend);
        }
        if self.function(id).record.is_some() {
            let function = self.function(id);
            if function.required_parameters < function.parameters.len() {
                return Err(NoCopy::DefaultArguments);
            }
            if function.is_static_member {
                return Err(NoCopy::StaticMember);
            }
            if parts.exprs.iter().any(|expr| self.captures_object(*expr, &parts)) {
                return Err(NoCopy::Lambda);
            }
            if self.needs_class_scope(id, &parts) {
                return Err(NoCopy::ClassScope);
            }
            let is_inside = |span: layoutc_diagnostics::Span| {
                self.function(id).sites.iter().any(|site| site.span.overlaps(span))
            };
            if self.regions.iter().any(|region| is_inside(region.span)) {
                return Err(NoCopy::Unmodelled);
            }
        }
        let members = match object {
            Some(object) => self.members_in(object, &parts).ok_or(NoCopy::WholeObject)?,
            None => BTreeMap::new(),
        };
        let is_kernel = self.function(id).space == super::ExecutionSpace::Kernel;
        let lives_on = |variable: &VarId| {
            let own = self.variable(*variable);
            let is_own_shared = own.space == Space::Shared && is_kernel;
            own.storage == Storage::Static && !is_own_shared && !own.ty.is_const
        };
        if let Some(variable) = parts.variables.iter().copied().find(lives_on) {
            return Err(NoCopy::StaticVariable(variable));
        }
        let original = self.function(id).clone();
        let copy = FunctionId(self.functions.len() as u32);
        let mut renaming = Renaming {
            exprs: BTreeMap::new(),
            stmts: BTreeMap::new(),
            variables: BTreeMap::new(),
            declarations: BTreeMap::new(),
            this: None,
        };
        let uses = self.copy_expansions(&parts, copy);
        for old in &parts.declarations {
            renaming.declarations.insert(*old, DeclarationId(self.declarations.len() as u32));
            self.declarations.push(self.declaration(*old).clone());
            let home = self.declaration_homes.of(old.index());
            self.declaration_homes.push(home.map(|home| uses[&home]));
        }
        for old in &parts.variables {
            renaming.variables.insert(*old, VarId(self.variables.len() as u32));
            let variable = self.variable(*old).clone();
            if let Some(path) = self.rows.variables.get(old).cloned() {
                self.rows.variables.insert(renaming.variables[old], path);
            }
            self.variables.push(variable);
        }
        if let Some(record) = original.record.filter(|_| original.this_parameter.is_none()) {
            let record = object.unwrap_or(record);
            let mut ty = QualType::plain(self.types.intern(TypeKind::Record(record)));
            ty.is_const = original.is_const;
            let ty = self.types.pointer(ty);
            renaming.this = Some(VarId(self.variables.len() as u32));
            let name = original.sites[0].name.at_start();
            self.variables.push(Variable {
                name: "this".to_owned(),
                ty,
                storage: Storage::Parameter { index: 0 },
                space: Space::Default,
                pointer_space: Space::Default,
                site: DeclaratorSite {
                    declaration: None,
                    index: 0,
                    span: name,
                    pointers: ThinVec::new(),
                    reference: None,
                    name,
                    full: name,
                },
                init: None,
                function: Some(copy),
                is_extern: false,
                is_internal: false,
                is_auto: false,
                is_untyped: false,
                redeclarations: ThinVec::new(),
                record: None,
            });
        }
        let first_expr = self.exprs.len() as u32;
        for (at, old) in parts.exprs.iter().enumerate() {
            renaming.exprs.insert(*old, ExprId(first_expr + at as u32));
        }
        let first_stmt = self.stmts.len() as u32;
        for (at, old) in parts.stmts.iter().enumerate() {
            renaming.stmts.insert(*old, StmtId(first_stmt + at as u32));
        }
        for old in &parts.exprs {
            let mut expr = self.expr(*old).clone();
            if let ExprKind::Member { field: Some(field), .. } = &mut expr.kind
                && let Some(member) = members.get(old)
            {
                *field = *member;
            }
            if object.is_some()
                && let Some(ty) = self.object_type(*old, &renaming)
            {
                expr.ty = ty;
            }
            renaming.expr(&mut expr.kind);
            self.exprs.push(expr);
            let home = self.expr_homes.of(old.index());
            self.expr_homes.push(home.map(|home| uses[&home]));
            let role = self.macro_roles.get(old).map(|role| match role {
                MacroRole::Use(id) => MacroRole::Use(uses[id]),
                MacroRole::Parameter(id, at) => MacroRole::Parameter(uses[id], *at),
            });
            if let Some(role) = role {
                self.macro_roles.insert(renaming.exprs[old], role);
            }
            if let Some(values) = self.template_arguments.get(old).cloned() {
                self.template_arguments.insert(renaming.exprs[old], values);
            }
            if self.bound_members.contains(old) {
                self.bound_members.insert(renaming.exprs[old]);
            }
            if let Some(target) = self.operators.get(old).copied() {
                self.operators.insert(renaming.exprs[old], target);
            }
            if self.launches_by_address.contains(old) {
                self.launches_by_address.insert(renaming.exprs[old]);
            }
            if self.launched_objects.contains(old) {
                self.launched_objects.insert(renaming.exprs[old]);
            }
            if let Some(reason) = self.unfollowed_launches.get(old).copied() {
                self.unfollowed_launches.insert(renaming.exprs[old], reason);
            }
            if let Some(element) = self.rows.starts.get(old) {
                self.rows.starts.insert(renaming.exprs[old], renaming.exprs[element]);
            }
            if self.rows.inside.contains(old) {
                self.rows.inside.insert(renaming.exprs[old]);
            }
        }
        for old in &parts.stmts {
            let mut stmt = self.stmt(*old).clone();
            if let StmtKind::Return(value) = &mut stmt.kind
                && drops_result
            {
                *value = None;
            }
            renaming.stmt(&mut stmt.kind);
            self.stmts.push(stmt);
            let home = self.stmt_homes.of(old.index());
            self.stmt_homes.push(home.map(|home| uses[&home]));
        }
        for old in &parts.variables {
            let new = renaming.variables[old];
            let variable = &mut self.variables[new.index()];
            variable.init = variable.init.map(|init| renaming.exprs[&init]);
            variable.function = variable.function.map(|_| copy);
            renaming.site(&mut variable.site);
            variable.redeclarations.iter_mut().for_each(|site| renaming.site(site));
        }
        let mut function = original.clone();
        function.this_parameter =
            renaming.this.or(original.this_parameter.map(|this| renaming.variables[&this]));
        function.parameters.iter_mut().for_each(|parameter| {
            *parameter = renaming.variables[parameter];
        });
        for site in &mut function.sites {
            site.parameters.iter_mut().for_each(|parameter| {
                *parameter = renaming.variables[parameter];
            });
            renaming.site(&mut site.result);
        }
        function.body = original.body.map(|body| renaming.stmts[&body]);
        let outer = original.copy_of;
        function.copy_of = Some(CopyOf {
            original: outer.as_ref().map_or(id, |copy_of| copy_of.original),
            aliases: outer.as_ref().map(|copy_of| copy_of.aliases.clone()).unwrap_or_default(),
            head: outer.as_ref().and_then(|copy_of| copy_of.head.clone()),
            values: outer.as_ref().map(|copy_of| copy_of.values.clone()).unwrap_or_default(),
            type_uses: outer.map(|copy_of| copy_of.type_uses).unwrap_or_default(),
            drops_result,
        });
        if drops_result {
            function.result = QualType::plain(TypeTable::VOID);
        }
        self.functions.push(function);
        Ok(copy)
    }

    /// The members of the object that a member function of a base class uses, as those of
    /// `object`; none if it uses the object in another way.
    fn members_in(
        &self,
        object: RecordId,
        parts: &FunctionParts,
    ) -> Option<BTreeMap<ExprId, FieldId>> {
        let mut parents: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        for expr in &parts.exprs {
            parents.extend(self.expr(*expr).children().map(|child| (child, *expr)));
        }
        let mut found = BTreeMap::new();
        for expr in &parts.exprs {
            if !matches!(self.expr(*expr).kind, ExprKind::This) {
                continue;
            }
            let mut at = *parents.get(expr)?;
            while let ExprKind::Paren(_) | ExprKind::Deref(_) = self.expr(at).kind {
                at = *parents.get(&at)?;
            }
            match &self.expr(at).kind {
                ExprKind::Member { field: Some(field), .. } => {
                    found.insert(at, self.field_in(object, *field)?);
                }
                ExprKind::Member { methods, .. } if !methods.is_empty() => {}
                _ => return None,
            }
        }
        Some(found)
    }

    /// The type of `this` or `*this` in a copy for objects of another class.
    fn object_type(&self, expr: ExprId, renaming: &Renaming) -> Option<QualType> {
        let this = self.variable(renaming.this?).ty;
        match self.expr(expr).kind {
            ExprKind::This => Some(this),
            ExprKind::Paren(inner) => self.object_type(inner, renaming),
            ExprKind::Deref(inner) => {
                let pointer = self.object_type(inner, renaming)?;
                self.types.pointee(pointer.id)
            }
            _ => None,
        }
    }

    /// Copies the uses of macros in a function, innermost last as before.
    fn copy_expansions(
        &mut self,
        parts: &FunctionParts,
        copy: FunctionId,
    ) -> BTreeMap<ExpansionId, ExpansionId> {
        let mut found: BTreeSet<ExpansionId> = BTreeSet::new();
        found.extend(parts.exprs.iter().filter_map(|id| self.expr_homes.of(id.index())));
        found.extend(parts.stmts.iter().filter_map(|id| self.stmt_homes.of(id.index())));
        found.extend(
            parts.declarations.iter().filter_map(|id| self.declaration_homes.of(id.index())),
        );
        found.extend(parts.exprs.iter().filter_map(|id| match self.macro_roles.get(id)? {
            MacroRole::Use(id) | MacroRole::Parameter(id, _) => Some(*id),
        }));
        let mut outer: Vec<ExpansionId> = found.iter().copied().collect();
        while let Some(id) = outer.pop() {
            outer.extend(self.expansion(id).home.filter(|home| found.insert(*home)));
        }
        let mut uses = BTreeMap::new();
        for old in found {
            let mut expansion = self.expansion(old).clone();
            expansion.home = expansion.home.map(|home| uses[&home]);
            expansion.copy = Some(copy);
            uses.insert(old, ExpansionId(self.expansions.len() as u32));
            self.expansions.push(expansion);
        }
        uses
    }

    /// Whether every `return` of a function gives back the object it was called on, or the first
    /// parameter of one without an object: then a copy whose results are dropped can return nothing.
    #[must_use]
    pub fn returns_its_object(&self, id: FunctionId) -> bool {
        let function = self.function(id);
        let is_object = |value: ExprId| match self.expr(self.strip_parens(value)).kind {
            ExprKind::Deref(inner) => match self.expr(self.strip_parens(inner)).kind {
                ExprKind::This => true,
                ExprKind::Name(NameRef::Variable(id)) => function.this_parameter == Some(id),
                _ => false,
            },
            ExprKind::Name(NameRef::Variable(id)) => {
                let is_method = function.record.is_some() && !function.is_static_member;
                !is_method && function.parameters.first() == Some(&id)
            }
            _ => false,
        };
        self.function_parts(id).stmts.iter().all(|stmt| match self.stmt(*stmt).kind {
            StmtKind::Return(Some(value)) => is_object(value),
            _ => true,
        })
    }

    /// Makes a call reach another meaning of the function that it names.
    pub fn redirect_call(&mut self, call: ExprId, to: FunctionId) {
        let (ExprKind::Call { callee, .. } | ExprKind::Launch { kernel: callee, .. }) =
            self.expr(call).kind
        else {
            if let Some(target) = self.operators.get_mut(&call) {
                *target = to;
            }
            return;
        };
        let callee = self.strip_parens(callee);
        match &mut self.exprs[callee.index()].kind {
            ExprKind::Name(name) => *name = NameRef::Functions(vec![to]),
            ExprKind::Member { methods, .. } => *methods = thin_vec![to],
            _ => {}
        }
    }

    /// Whether a function of a namespace is defined in the body of a class.
    fn is_friend_in_class(&self, id: FunctionId) -> bool {
        let template = self.function(id).copy_of.as_ref().map_or(id, |copy_of| copy_of.original);
        if self.member_templates.contains_key(&template) {
            return false;
        }
        let function = self.function(id);
        let mut bodies = self.records.iter().filter_map(|record| record.body);
        function.record.is_none()
            && bodies.any(|body| function.sites.iter().any(|site| body.contains(site.span)))
    }

    /// Everything that belongs to a function.
    #[must_use]
    pub fn function_parts(&self, id: FunctionId) -> FunctionParts {
        let function = self.function(id);
        let mut parts = FunctionParts::default();
        let mut stmts: Vec<StmtId> = function.body.into_iter().collect();
        let mut exprs = Vec::new();
        let mut variables: Vec<VarId> = function.parameters.clone();
        variables.extend(function.this_parameter);
        for FunctionSite { parameters, result, .. } in &function.sites {
            variables.extend(parameters);
            self.add_declaration(result, &mut parts);
        }
        loop {
            if let Some(variable) = variables.pop() {
                if !parts.variables.insert(variable) {
                    continue;
                }
                let own = self.variable(variable);
                exprs.extend(own.init);
                for site in std::iter::once(&own.site).chain(&own.redeclarations) {
                    self.add_declaration(site, &mut parts);
                }
            } else if let Some(expr) = exprs.pop() {
                if !parts.exprs.insert(expr) {
                    continue;
                }
                exprs.extend(self.expr(expr).children());
                if let ExprKind::Lambda { parameters, body, .. } = &self.expr(expr).kind {
                    variables.extend(parameters);
                    stmts.push(*body);
                }
            } else if let Some(stmt) = stmts.pop() {
                if !parts.stmts.insert(stmt) {
                    continue;
                }
                let (inner, roots, declared) = self.stmt(stmt).parts();
                stmts.extend(inner);
                exprs.extend(roots);
                variables.extend(declared);
                if let StmtKind::Declaration(declaration, _) = self.stmt(stmt).kind {
                    parts.declarations.insert(declaration);
                }
            } else {
                return parts;
            }
        }
    }

    /// Removes what is only evaluated to be returned.
    fn forget_results(&self, parts: &mut FunctionParts) {
        let mut stack: Vec<ExprId> = parts
            .stmts
            .iter()
            .filter_map(|stmt| match self.stmt(*stmt).kind {
                StmtKind::Return(value) => value,
                _ => None,
            })
            .collect();
        while let Some(expr) = stack.pop() {
            parts.exprs.remove(&expr);
            stack.extend(self.expr(expr).children());
        }
    }

    /// Whether an expression of a member function is a lambda that a copy cannot have: its capture list names the object or
    /// more than names, or it copies what it uses and that is the object. With `[&]` it finds the object's parameter.
    fn captures_object(&self, id: ExprId, parts: &FunctionParts) -> bool {
        let ExprKind::Lambda { captures, rest, .. } = &self.expr(id).kind else { return false };
        let is_name = |own: &ExprId| matches!(self.expr(*own).kind, ExprKind::Name(_));
        let span = self.expr(id).span;
        let is_object = |own: &ExprId| {
            matches!(self.expr(*own).kind, ExprKind::This) && span.contains(self.expr(*own).span)
        };
        !captures.iter().all(is_name)
            || (*rest != CaptureRest::Referred && parts.exprs.iter().any(is_object))
    }

    /// Whether the text of a member function holds a name of its class other than as a static
    /// member that can be qualified. By name: types are not expressions of the model.
    fn needs_class_scope(&self, id: FunctionId, parts: &FunctionParts) -> bool {
        let function = self.function(id);
        let Some(record) = function.record else { return false };
        let classes = self.with_bases(record);
        let mut resolved: BTreeMap<&str, usize> = BTreeMap::new();
        for expr in &parts.exprs {
            if let ExprKind::Name(NameRef::Variable(variable)) = self.expr(*expr).kind
                && self.variable(variable).record.is_some_and(|of| classes.contains(&of))
            {
                // `P::limit` needs no qualification any more.
                let text = self.text(self.expr(*expr).span);
                *resolved.entry(text.rsplit("::").next().unwrap_or(text)).or_default() += 1;
            }
        }
        let mut mentioned: BTreeMap<&str, usize> = BTreeMap::new();
        let mut macros: Vec<&str> = Vec::new();
        for site in &function.sites {
            let text = self.text(site.span);
            for token in crate::preprocess::tokens(text) {
                *mentioned.entry(token.text(text)).or_default() += 1;
                macros.push(token.text(text));
            }
        }
        // A macro of the body may hold such a name, too.
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = macros.pop() {
            if !seen.insert(name) {
                continue;
            }
            for inner in self
                .macros
                .iter()
                .filter(|def| def.name == name)
                .flat_map(|def| &def.body_identifiers)
            {
                *mentioned.entry(inner).or_default() += 1;
                macros.push(inner);
            }
        }
        let mut unmodelled =
            classes.iter().flat_map(|class| &self.record(*class).unmodelled_members);
        if unmodelled.any(|name| mentioned.contains_key(name.as_str())) {
            return true;
        }
        let scopes = classes.iter().flat_map(|class| &self.record(*class).scope);
        scopes.into_iter().any(|(name, variable)| {
            let uses = mentioned.get(name.as_str()).copied().unwrap_or(0);
            let known = resolved.get(name.as_str()).copied().unwrap_or(0);
            uses > 0 && (variable.is_none() || uses != known)
        })
    }

    /// The names in a text other than those of members (`a.name`), and in the macros that it uses.
    #[must_use]
    pub fn words_below(&self, span: layoutc_diagnostics::Span) -> BTreeSet<&str> {
        let text = self.text(span);
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut pending: Vec<&str> = Vec::new();
        let mut before = "";
        for token in crate::preprocess::tokens(text) {
            let word = token.text(text);
            if before != "." && before != "->" {
                pending.push(word);
            }
            before = word;
        }
        while let Some(word) = pending.pop() {
            if found.insert(word) {
                let macros = self.macros.iter().filter(|def| def.name == word);
                pending.extend(macros.flat_map(|def| &def.body_identifiers).map(String::as_str));
            }
        }
        found
    }

    fn add_declaration(&self, site: &DeclaratorSite, parts: &mut FunctionParts) {
        parts.declarations.extend(site.declaration);
    }
}

impl super::Stmt {
    /// Direct sub-statements, the expressions it evaluates, and the variables it declares, whose
    /// initializers are not among the expressions.
    #[must_use]
    pub fn parts(&self) -> (Vec<StmtId>, Vec<ExprId>, Vec<VarId>) {
        let mut stmts = Vec::new();
        let mut exprs = Vec::new();
        let mut variables = Vec::new();
        match &self.kind {
            StmtKind::Expr(expr) | StmtKind::Return(expr) => exprs.extend(expr),
            StmtKind::Declaration(_, declared) => variables.extend(declared),
            StmtKind::Block(body) | StmtKind::Try(body) => stmts.extend(body),
            StmtKind::If { init, condition, then, otherwise } => {
                stmts.extend(init);
                exprs.extend(condition);
                stmts.push(*then);
                stmts.extend(otherwise);
            }
            StmtKind::For { init, condition, step, body } => {
                stmts.extend(init);
                exprs.extend(condition);
                exprs.extend(step);
                stmts.push(*body);
            }
            StmtKind::ForRange { variable, range, body } => {
                variables.extend(variable);
                exprs.push(*range);
                stmts.push(*body);
            }
            StmtKind::While { init, condition, body }
            | StmtKind::Switch { init, condition, body } => {
                stmts.extend(init);
                exprs.extend(condition);
                stmts.push(*body);
            }
            StmtKind::DoWhile { body, condition } => {
                stmts.push(*body);
                exprs.push(*condition);
            }
            StmtKind::Labelled { value, body, .. } => {
                exprs.extend(value);
                stmts.extend(body);
            }
            StmtKind::Asm(operands) | StmtKind::Nothing(operands) => exprs.extend(operands),
            StmtKind::Opaque { exprs: mentioned, stmts: inner } => {
                exprs.extend(mentioned);
                stmts.extend(inner);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
        }
        (stmts, exprs, variables)
    }
}

impl Renaming {
    fn site(&self, site: &mut DeclaratorSite) {
        if let Some(new) = site.declaration.and_then(|old| self.declarations.get(&old)) {
            site.declaration = Some(*new);
        }
    }

    fn expr(&self, kind: &mut ExprKind) {
        let one = |expr: &mut ExprId| *expr = self.exprs[expr];
        let all = |exprs: &mut [ExprId]| exprs.iter_mut().for_each(one);
        match kind {
            ExprKind::This => {
                if let Some(this) = self.this {
                    *kind = ExprKind::Name(NameRef::Variable(this));
                }
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                if let Some(new) = self.variables.get(variable) {
                    *variable = *new;
                }
            }
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::Name(
                NameRef::Functions(_)
                | NameRef::Constant(_)
                | NameRef::Macro(_)
                | NameRef::Unknown(_),
            )
            | ExprKind::SizeOfType { .. }
            | ExprKind::OffsetOf(_) => {}
            ExprKind::Paren(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Deref(e)
            | ExprKind::AddressOf(e)
            | ExprKind::SizeOfExpr(e)
            | ExprKind::Delete(e)
            | ExprKind::Member { base: e, .. }
            | ExprKind::Cast { operand: e, .. } => one(e),
            ExprKind::Binary(_, l, r)
            | ExprKind::Assign(_, l, r)
            | ExprKind::Comma(l, r)
            | ExprKind::Index { base: l, index: r, .. } => {
                one(l);
                one(r);
            }
            ExprKind::Conditional(c, t, e) => {
                one(c);
                one(t);
                one(e);
            }
            ExprKind::Call { callee, arguments, .. } => {
                one(callee);
                all(arguments);
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                one(kernel);
                all(config);
                all(arguments);
            }
            ExprKind::MacroCall { arguments, .. }
            | ExprKind::New { arguments, .. }
            | ExprKind::Construct { arguments, .. } => all(arguments),
            ExprKind::InitList(items) | ExprKind::Opaque(items) => all(items),
            ExprKind::Lambda { parameters, captures, body, by_reference: _, rest: _ } => {
                parameters.iter_mut().for_each(|variable| *variable = self.variables[variable]);
                all(captures);
                *body = self.stmts[body];
            }
        }
    }

    fn stmt(&self, kind: &mut StmtKind) {
        let one = |expr: &mut ExprId| *expr = self.exprs[expr];
        let some = |expr: &mut Option<ExprId>| expr.iter_mut().for_each(one);
        let inner = |stmt: &mut StmtId| *stmt = self.stmts[stmt];
        let maybe = |stmt: &mut Option<StmtId>| stmt.iter_mut().for_each(inner);
        let declared = |variables: &mut Vec<VarId>| {
            variables.iter_mut().for_each(|variable| *variable = self.variables[variable]);
        };
        match kind {
            StmtKind::Expr(expr) | StmtKind::Return(expr) => some(expr),
            StmtKind::Declaration(declaration, variables) => {
                *declaration = self.declarations[declaration];
                declared(variables);
            }
            StmtKind::Block(body) | StmtKind::Try(body) => body.iter_mut().for_each(inner),
            StmtKind::If { init, condition, then, otherwise } => {
                maybe(init);
                some(condition);
                inner(then);
                maybe(otherwise);
            }
            StmtKind::For { init, condition, step, body } => {
                maybe(init);
                some(condition);
                some(step);
                inner(body);
            }
            StmtKind::ForRange { variable, range, body } => {
                declared(variable);
                one(range);
                inner(body);
            }
            StmtKind::While { init, condition, body }
            | StmtKind::Switch { init, condition, body } => {
                maybe(init);
                some(condition);
                inner(body);
            }
            StmtKind::DoWhile { body, condition } => {
                inner(body);
                one(condition);
            }
            StmtKind::Labelled { value, body, .. } => {
                some(value);
                body.iter_mut().for_each(inner);
            }
            StmtKind::Asm(operands) | StmtKind::Nothing(operands) => {
                operands.iter_mut().for_each(one);
            }
            StmtKind::Opaque { exprs, stmts } => {
                exprs.iter_mut().for_each(one);
                stmts.iter_mut().for_each(inner);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {}
        }
    }
}
