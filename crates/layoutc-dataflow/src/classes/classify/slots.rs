//! What the element type is, and how the slots of a class are declared and filled.

use super::*;
use std::collections::BTreeSet;

/// Elements are converted one at a time, on the stack of a thread.
const LARGEST_ELEMENT: u64 = 16 << 10;
/// The function whose parameter, local variable or result a slot is.
fn function_of_slot(program: &Program, slot: Slot) -> Option<FunctionId> {
    match slot {
        Slot::Variable(id) => program.variable(id).function,
        Slot::Result(id) => Some(id),
        Slot::Field(_) => None,
    }
}

/// Whether a slot is declared as `void *`.
fn is_untyped(program: &Program, slot: Slot) -> bool {
    match slot {
        Slot::Variable(id) => program.variable(id).is_untyped,
        Slot::Field(id) => program.field(id).is_untyped,
        Slot::Result(_) => false,
    }
}

impl Classifier<'_> {
    /// Marks the slots that may point behind the first element: a fixpoint over the flows.
    pub(super) fn interior_slots(&mut self, flows: &[Flow]) {
        let mut interior: std::collections::BTreeSet<Slot> = std::collections::BTreeSet::new();
        for id in self.program.variable_ids() {
            if is_reference(self.program, id)
                && self.classes.class_of_slot(Slot::Variable(id)).is_some()
            {
                // A reference to a pointer is the pointer; a reference to an element is interior.
                let depth = element_of(self.program, self.program.variable(id).ty)
                    .map_or(0, |(_, depth)| depth);
                if depth == 0 {
                    interior.insert(Slot::Variable(id));
                }
            }
        }
        for expr in self.program.expr_ids() {
            let target = match &self.program.expr(expr).kind {
                ExprKind::Unary(op, operand) if op.is_update() => *operand,
                ExprKind::Assign(Some(_), left, _) => *left,
                _ => continue,
            };
            if self.classes.value(target).is_some() {
                interior.extend(slot_of(self.program, target));
            }
        }
        loop {
            let mut changed = false;
            for flow in flows {
                if !interior.contains(&flow.to)
                    && is_offset(self.program, self.classes, flow.from, &interior)
                {
                    interior.insert(flow.to);
                    changed = true;
                }
            }
            // A definition's parameter is the prototype's.
            for id in self.program.function_ids() {
                let function = self.program.function(id);
                for (at, own) in function.parameters.iter().enumerate() {
                    let any = function.sites.iter().any(|site| {
                        site.parameters
                            .get(at)
                            .is_some_and(|id| interior.contains(&Slot::Variable(*id)))
                    }) || interior.contains(&Slot::Variable(*own));
                    if any {
                        for site in &function.sites {
                            if let Some(id) = site.parameters.get(at) {
                                changed |= interior.insert(Slot::Variable(*id));
                            }
                        }
                        changed |= interior.insert(Slot::Variable(*own));
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for slot in interior {
            // Where elements have no place but their address, no slot is special.
            if let Some(class) = self.classes.class_of_slot(slot)
                && !self.may_move(class)
            {
                self.classes.classes[class.index()].interior.insert(slot);
            }
        }
    }

    /// Pins for what the element type is.
    pub(super) fn records(&mut self) {
        for class in self.classes.ids() {
            let Some(id) = self.element_type(class).record() else { continue };
            let record = self.program.record(id);
            if record.body.is_none() {
                let name = record.name.clone();
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    format!("`{name}` is not defined in the program"),
                );
                continue;
            }
            for (which, span) in record.traits.clone() {
                let (code, message) = match which {
                    RecordTrait::Union => (Code::UNION_MEMBER, "the element type is a union"),
                    RecordTrait::BitField => {
                        (Code::UNION_MEMBER, "a bit-field has no address of its own")
                    }
                    RecordTrait::Virtual => (
                        Code::VIRTUAL_RECORD,
                        "virtual functions and bases put a hidden pointer into each element",
                    ),
                    RecordTrait::Bases => {
                        (Code::UNSUPPORTED_RECORD, "base classes of this kind are not modelled")
                    }
                    // What they do to an element is seen where they are called.
                    RecordTrait::Methods
                    | RecordTrait::Constructor
                    | RecordTrait::Initializer
                    | RecordTrait::Private
                    | RecordTrait::NestedType => continue,
                    RecordTrait::Destructor => {
                        (Code::UNSUPPORTED_RECORD, "the element type has a destructor")
                    }
                    RecordTrait::CopyControl => (
                        Code::UNSUPPORTED_RECORD,
                        "the element type has a user-declared copy or move operation",
                    ),
                    RecordTrait::Template => (
                        Code::TEMPLATE_USE,
                        "the element type comes from a class template that is specialised, or has arguments that are not modelled",
                    ),
                    // Packed as it would lie anyway.
                    RecordTrait::Packed
                        if layoutc_syntax::abi::is_naturally_packed(self.program, id) =>
                    {
                        continue;
                    }
                    RecordTrait::Packed => (Code::UNSUPPORTED_RECORD, "the element type is packed"),
                    RecordTrait::ConstMember => (
                        Code::UNSUPPORTED_RECORD,
                        "a member is `const`, `volatile`, `mutable` or a reference",
                    ),
                    RecordTrait::UnknownMember => {
                        (Code::UNSUPPORTED_RECORD, "the type of this member is not known")
                    }
                    RecordTrait::Unmodelled => {
                        (Code::UNSUPPORTED_RECORD, unmodelled(self.program.text(span)))
                    }
                };
                self.pin(class, code, span, message);
            }
            self.inherited_members(class, id);
            let takes_address = self.program.function_ids().find(|id| {
                let function = self.program.function(*id);
                let operands = function.parameters.len() + usize::from(function.record.is_some());
                function.name == "operator&" && operands == 1
            });
            if let Some(operator) = takes_address {
                let span = self.program.function(operator).sites[0].name;
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    span,
                    "an overloaded `&` may take the address of an element",
                );
            }
            if record.is_local {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type is defined inside a function or class",
                );
            }
            if record.name.is_empty() {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type has no name",
                );
            }
            let size = self.element_type(class).size(self.program);
            if let Some(size) = size.filter(|size| *size > LARGEST_ELEMENT) {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    format!("an element has {size} bytes, which no thread can convert as a value"),
                );
            }
            if record.fields.is_empty() {
                self.pin(
                    class,
                    Code::UNSUPPORTED_RECORD,
                    record.name_span,
                    "the element type has no members",
                );
            }
        }
    }

    /// Pins for what the friends of class templates would have to do otherwise: their text belongs to all instances.
    pub(super) fn shared_friends(&mut self) {
        let program = self.program;
        for id in &program.shared_friends {
            let parts = program.function_parts(*id);
            let variables = parts.variables.iter().map(|own| Slot::Variable(*own));
            let slots = variables.chain([Slot::Result(*id)]);
            let mut found: BTreeSet<ClassId> =
                slots.filter_map(|slot| self.classes.class_of_slot(slot)).collect();
            for expr in &parts.exprs {
                found.extend(self.classes.place(*expr).map(|(class, _)| class));
                found.extend(self.classes.value(*expr).map(|(class, _)| class));
            }
            let span = program.function(*id).sites[0].name;
            for class in found {
                let message = "this friend of a class template has one text for all instances";
                self.pin(class, Code::TEMPLATE_USE, span, message);
            }
        }
    }

    /// Pins for slots whose declaration cannot be given another type.
    pub(super) fn slots(&mut self) {
        let has_main = self
            .program
            .functions
            .iter()
            .any(|function| function.name == "main" && function.body.is_some());
        for class in self.classes.ids() {
            for slot in self.classes.class(class).slots.clone() {
                self.slot(class, slot, has_main);
            }
        }
    }

    pub(super) fn slot(&mut self, class: ClassId, slot: Slot, has_main: bool) {
        let program = self.program;
        let span = slot_span(program, slot);
        let interior = self.classes.class(class).interior.contains(&slot);
        let (ty, site) = match slot {
            Slot::Variable(id) => {
                let variable = program.variable(id);
                (variable.ty, variable.site.clone())
            }
            Slot::Field(id) => (program.field(id).ty, program.field(id).site.clone()),
            Slot::Result(id) => {
                (program.function(id).result, program.function(id).sites[0].result.clone())
            }
        };
        // The object of a version of a member function is declared by the version's text.
        let is_this = matches!(slot, Slot::Variable(id)
        if program.variable(id).function.is_some_and(|function| {
            program.function(function).this_parameter == Some(id)
        }));
        if is_this || matches!(slot, Slot::Variable(id) if is_object(program, id)) {
            if let Slot::Variable(id) = slot
                && self.classes.class(class).symbols.contains(&id)
            {
                self.symbol_array(class, id, has_main);
            }
            // Said where it is handed over.
            return;
        }
        if !self.is_rewritable_type(ty, slot) {
            self.pin(
                class,
                Code::DECLARATION_FORM,
                span,
                "a declaration of this type is not rewritten",
            );
            return;
        }
        if let Slot::Field(id) = slot {
            let field = program.field(id);
            // Members of texts that several classes share are declared once for all of them.
            let is_inherited = field.inherited.is_some()
                && field.has_initializer
                && field.null_initializer.is_none();
            if is_inherited {
                let message = "the pointer is a member of a base class";
                self.pin(class, Code::DECLARATION_FORM, span, message);
            }
            let record = program.record(program.field(id).record);
            // A member function that is defined elsewhere can do anything with it.
            let unseen = record
                .methods
                .iter()
                .filter(|method| !program.accessors.contains_key(*method))
                .map(|method| program.function(*method))
                .find(|method| {
                    let is_made = method.is_deleted || method.is_defaulted || method.is_pure;
                    method.body.is_none() && !is_made
                })
                .map(|method| method.sites[0].name);
            let outside = record
                .methods
                .iter()
                .map(|method| program.function(*method))
                .filter(|method| {
                    let own = method.name.strip_prefix('~') == Some(record.name.as_str());
                    own && (method.body.is_some() || method.is_defaulted)
                        && record.body.is_some_and(|body| !body.contains(method.sites[0].span))
                })
                .count();
            let unseen = unseen.or((record.bodiless > outside).then_some(record.name_span));
            if let Some(unseen) = unseen {
                self.pin(
                    class,
                    Code::ESCAPING_POINTER,
                    unseen,
                    "a member function that holds the array has no body in the program",
                );
            }
            if record.is_union {
                self.pin(
                    class,
                    Code::UNION_MEMBER,
                    span,
                    "the pointer shares its memory with other members",
                );
            }
        }
        let function = match slot {
            Slot::Variable(id) => program
                .function_ids()
                .find(|function| program.function(*function).parameters.contains(&id)),
            Slot::Result(id) => Some(id),
            Slot::Field(_) => None,
        };
        if function.is_some_and(|id| may_override(program, id)) {
            self.pin(
                class,
                Code::DECLARATION_FORM,
                span,
                "this member function may override another, or be overridden",
            );
        }
        if let Slot::Result(id) = slot
            && program.function(id).name.starts_with("operator")
        {
            self.pin(class, Code::DECLARATION_FORM, span, "an operator returns the pointer");
        }
        if let Slot::Variable(id) = slot
            && self.has_foreign_twin(id)
        {
            self.pin(
                class,
                Code::AMBIGUOUS_NAME,
                span,
                "another file declares this name with another type",
            );
        }
        if let Slot::Variable(id) = slot {
            let variable = program.variable(id);
            self.symbol_pointer(class, id);
            if variable.is_extern {
                self.pin(
                    class,
                    Code::UNKNOWN_MEMORY,
                    span,
                    "this variable is defined outside the program",
                );
            }
            let linked = variable.storage == Storage::Static && variable.function.is_none();
            if linked && !has_main && !variable.is_internal {
                self.pin(
                    class,
                    Code::UNKNOWN_MEMORY,
                    span,
                    "other parts of the program, which were not given, can use this variable",
                );
            }
            if interior && variable.storage == Storage::Static {
                self.pin(
                    class,
                    Code::SUB_RANGE,
                    span,
                    "this variable with static storage may point to an element other than the first",
                );
            }
            if let Storage::Parameter { .. } = variable.storage {
                if self.has_default(id) {
                    self.pin(
                        class,
                        Code::DECLARATION_FORM,
                        span,
                        "the default argument of this parameter is not null",
                    );
                }
                if variable.function.is_none() && !self.is_known_parameter(id) {
                    self.pin(class, Code::LAMBDA, span, "a lambda takes elements of the array");
                }
                if let Some(function) = variable.function {
                    self.parameter_function(class, function, span, has_main);
                }
            }
        }
        if !has_main && let Some(message) = reached_from_elsewhere(program, slot) {
            self.pin(class, Code::UNKNOWN_MEMORY, span, message);
        }
        let to_pointer = matches!(*program.types.kind(ty.id), TypeKind::Reference(to, _)
            if program.types.pointee(to.id).is_some());
        if interior && to_pointer {
            self.pin(class, Code::SUB_RANGE, span, "the pointer that this refers to may be moved");
        }
        if interior && !matches!(slot, Slot::Variable(_)) {
            self.pin(
                class,
                Code::SUB_RANGE,
                span,
                "this may point to an element other than the first",
            );
        }
        let depth = element_of(program, ty).map_or(0, |(_, depth)| depth);
        if interior && depth > 1 {
            self.pin(
                class,
                Code::SUB_RANGE,
                span,
                "this may lead to a pointer behind the first element",
            );
        }
        // Pointers into grids keep their types.
        if self.element_type(class).is_leaf() {
            // The place where the pointer is moved says more.
            let is_known =
                self.pins.iter().any(|(other, pin)| *other == class && pin.code == Code::SUB_RANGE);
            if interior && !is_known {
                let message =
                    "this may point behind the first element, and coordinates count from there";
                self.pin(class, Code::SUB_RANGE, span, message);
            }
            return;
        }
        let holder = match slot {
            Slot::Field(id) => Some(program.field(id).record),
            Slot::Variable(id) => program.variable(id).record,
            Slot::Result(_) => None,
        };
        // The members of an instance are written out as a specialisation.
        let is_shared = |holder: layoutc_syntax::RecordId| {
            let holder = program.record(holder);
            let is_field = matches!(slot, Slot::Field(_));
            holder.shares_text
                && !(is_field
                    && holder.instance.as_ref().is_some_and(|own| own.definition.is_some()))
        };
        if holder.is_some_and(is_shared) {
            self.pin(
                class,
                Code::TEMPLATE_USE,
                span,
                "this member stands in the text of a class template, which all its instances share",
            );
        }
        let declaration = program.declaration_of(&site).filter(|own| own.is_plain);
        let Some(declaration) = declaration else {
            let is_auto = matches!(slot, Slot::Variable(id) if program.variable(id).is_auto);
            if !is_auto {
                let message = "the type of this declaration is not written out";
                self.pin(class, Code::DECLARATION_FORM, span, message);
            }
            return;
        };
        // The specifier must name the record itself, not a pointer typedef.
        let specifier = declaration.specifier_type;
        let word = program.text(declaration.specifier);
        let is_instance = function_of_slot(program, slot).is_some_and(|function| {
            program.function(function).copy_of.as_ref().is_some_and(|copy_of| {
                copy_of.is_instance() && copy_of.aliases.iter().any(|(name, _)| name == word)
            })
        });
        // In an instance a type parameter may stand for the pointer.
        let is_bound_pointer = is_instance
            && program
                .types
                .pointee(specifier.id)
                .is_some_and(|to| self.is_element_type(class, to));
        let is_untyped = is_untyped(program, slot);
        if is_untyped && interior {
            self.pin(
                class,
                Code::UNTYPED_POINTER,
                span,
                "this has no type and may point behind the first element",
            );
        }
        // `TP p` for `typedef T *TP`: its name gives way to the pointer that it stands for.
        let again = match slot {
            Slot::Variable(id) => &program.variable(id).redeclarations[..],
            Slot::Field(_) | Slot::Result(_) => &[],
        };
        let is_alone = |site: &DeclaratorSite| {
            program.declaration_of(site).is_some_and(|own| own.count.max(1) == 1)
        };
        let is_alias = again.iter().chain([&site]).all(is_alone)
            && site.pointers.is_empty()
            && site.reference.is_none()
            && !ty.is_const
            && ty.id == specifier.id
            && !self.program.files[declaration.span.file.index()].is_opencl
            && program
                .types
                .pointee(specifier.id)
                .is_some_and(|to| self.is_element_type(class, to) && !is_instance);
        // The whole declaration of a pointer to a member array is written anew.
        let is_row = matches!(slot, Slot::Variable(id) if program.rows.variables.contains_key(&id));
        let shows_pointer = is_row
            || self.is_element_type(class, specifier)
            || is_alias
            || is_bound_pointer
            || (is_untyped && specifier.id == TypeTable::VOID);
        if !shows_pointer {
            self.pin(class, Code::DECLARATION_FORM, span, "a typedef hides that this is a pointer");
        }
    }

    /// Whether the parameter belongs to a function or one of its prototypes.
    pub(super) fn is_known_parameter(&self, id: VarId) -> bool {
        self.program.functions.iter().any(|function| {
            function.parameters.contains(&id)
                || function.sites.iter().any(|site| site.parameters.contains(&id))
        })
    }

    /// Whether a global, or the function of a parameter, is declared elsewhere with other types, so
    /// that the linker and not this analysis joins them.
    pub(super) fn has_foreign_twin(&self, id: VarId) -> bool {
        let variable = self.program.variable(id);
        let class_of = |variable: &layoutc_syntax::Variable| {
            variable.record.map(|record| self.program.record(record).name.as_str())
        };
        match (variable.storage, variable.function) {
            (Storage::Static, None) => self.program.variable_ids().any(|other| {
                let twin = self.program.variable(other);
                other != id
                    && twin.name == variable.name
                    && class_of(twin) == class_of(variable)
                    && twin.storage == Storage::Static
                    && twin.is_extern != variable.is_extern
            }),
            (Storage::Parameter { .. }, Some(function)) => {
                let own = self.program.function(function);
                !own.is_static
                    && own.record.is_none()
                    && self.program.function_ids().any(|other| {
                        let twin = self.program.function(other);
                        other != function
                            && twin.name == own.name
                            && twin.body.is_none()
                            // A template is instantiated where it is called, not linked.
                            && (own.copy_of.is_none() || twin.template_parameters.is_empty())
                            && twin.record.is_none()
                            && !twin.is_static
                            && twin.parameters.len() == own.parameters.len()
                            && !self.are_overloads(own, twin)
                            && twin.sites.iter().all(|site| {
                                own.sites.iter().all(|mine| mine.span.file != site.span.file)
                            })
                    })
            }
            _ => false,
        }
    }

    /// Whether two functions of a name are linked under different names, because a parameter plainly has another type.
    fn are_overloads(&self, own: &Function, twin: &Function) -> bool {
        let program = self.program;
        // What C compiles has no overloads.
        let is_mangled = |function: &Function| {
            let in_c = |site: &FunctionSite| {
                let file = &program.files[site.span.file.index()];
                file.is_root && !file.is_cuda
            };
            !function.has_c_linkage && !function.sites.iter().any(in_c)
        };
        let types = |function: &Function| -> Vec<QualType> {
            function.parameters.iter().map(|id| program.variable(*id).ty).collect()
        };
        is_mangled(own)
            && is_mangled(twin)
            && std::iter::zip(types(own), types(twin))
                .any(|(own, twin)| program.types.are_distinct(own, twin))
    }

    /// Whether a parameter has a default argument other than a null pointer.
    pub(super) fn has_default(&self, id: VarId) -> bool {
        let is_null = |parameter: &VarId| {
            self.program.default_arguments.get(parameter).map(|(_, is_null)| *is_null)
        };
        self.program.functions.iter().any(|function| {
            let mut sites = function.sites.iter();
            let at = sites.find_map(|site| {
                let at = site.parameters.iter().position(|parameter| *parameter == id)?;
                (at >= function.required_parameters).then_some(at)
            });
            let Some(at) = at else { return false };
            let sites = function.sites.iter().filter_map(|site| site.parameters.get(at));
            let known: Vec<bool> = sites.filter_map(is_null).collect();
            known.is_empty() || !known.into_iter().all(|is_null| is_null)
        })
    }

    pub(super) fn parameter_function(
        &mut self,
        class: ClassId,
        id: FunctionId,
        span: Span,
        has_main: bool,
    ) {
        let function = self.program.function(id);
        if function.name == "main" {
            self.pin(class, Code::DECLARATION_FORM, span, "`main` cannot take this type");
        }
        if !has_main && !function.is_static && function.space.on_host() {
            self.pin(
                class,
                Code::UNKNOWN_MEMORY,
                span,
                "other parts of the program, which were not given, can call this function",
            );
        }
        if function.record.is_some() && function.body.is_none() {
            self.pin(
                class,
                Code::ESCAPING_POINTER,
                span,
                "this member function has no body in the program",
            );
        }
    }

    /// Pointers and references to elements with qualifiers, and arrays of such pointers.
    pub(super) fn is_rewritable_type(&self, ty: QualType, slot: Slot) -> bool {
        let types = &self.program.types;
        let is_element = |of: QualType| Element::of_item(self.program, of).is_some();
        let is_pointer = |of: QualType| matches!(*types.kind(of.id), TypeKind::Pointer(to) if !to.is_volatile && is_element(to));
        match *types.kind(ty.id) {
            TypeKind::Reference(to, false) => {
                !to.is_volatile
                    && matches!(slot, Slot::Variable(_))
                    && (is_element(to) || is_pointer(to))
            }
            TypeKind::Pointer(to) => !to.is_volatile && (is_element(to) || is_pointer(to)),
            TypeKind::Array(item, Some(_)) => is_pointer(item),
            _ => false,
        }
    }

    /// Pins for pointers of unknown origin, and for objects that are no array of the allocator.
    pub(super) fn flows(&mut self, flows: &[Flow]) {
        for flow in flows {
            let Some(class) = self.classes.class_of_slot(flow.to) else { continue };
            let from = flow.from;
            if self.classes.value(from).is_some() || self.classes.place(from).is_some() {
                continue;
            }
            // The body of a function template never runs as it is: its instances do.
            if super::super::calls::dependent(self.program, self.program.expr(from).ty.id) {
                continue;
            }
            if self.classes.host_allocations.contains_key(&self.program.strip_parens(from)) {
                continue;
            }
            let stripped = super::super::operands::strip_casts(self.program, from);
            match &self.program.expr(stripped).kind {
                ExprKind::Null | ExprKind::Integer(Some(0)) => {}
                // Every item of a list is a flow of its own.
                ExprKind::InitList(items) if items.is_empty() => {}
                _ => self.unknown_memory(class, from),
            }
        }
        for class in self.classes.ids() {
            for slot in self.classes.class(class).slots.clone() {
                let Slot::Variable(id) = slot else { continue };
                if !is_object(self.program, id) || self.is_own_symbol(class, id) {
                    continue;
                }
                let name = &self.program.variable(id).name;
                let message = format!(
                    "code that uses the array also gets `{name}`, which is not an element of it"
                );
                let given =
                    flows.iter().find(|flow| root_variable(self.program, flow.from) == Some(id));
                let declared = self.program.variable(id).site.name;
                let span = given.map_or(declared, |flow| flow.span);
                let related = vec![(declared, format!("`{name}` is a separate object"))];
                self.pins
                    .push((class, Pin { span, code: Code::SHARED_FUNCTION, message, related }));
            }
        }
    }
}

/// Whether a member function may override another one, or be overridden: a class that inherits from its
/// class, or that it inherits from, has a function of that name, or a base is not modelled.
fn may_override(program: &Program, function: FunctionId) -> bool {
    let own = program.function(function);
    let Some(record) = own.record.filter(|_| !own.is_static_member) else { return false };
    // Constructors are no virtual functions.
    if own.name == program.record(record).name {
        return false;
    }
    let has_trait = |id: RecordId, wanted: RecordTrait| {
        program.record(id).traits.iter().any(|(which, _)| *which == wanted)
    };
    let family: Vec<RecordId> = program
        .record_ids()
        .filter(|other| {
            program.derives_from(*other, record) || program.derives_from(record, *other)
        })
        .collect();
    let is_open = |id: &RecordId| has_trait(*id, RecordTrait::Bases);
    let has_namesake = |id: &RecordId| {
        let record = program.record(*id);
        record.methods.iter().any(|method| program.function(*method).name == own.name)
            || record.unmodelled_members.contains(&own.name)
    };
    if is_open(&record) || family.iter().any(|id| is_open(id) || has_namesake(id)) {
        return true;
    }
    // A class whose bases are not modelled may inherit from any, and so may one in text outside the model.
    let around: Vec<RecordId> = family.into_iter().chain([record]).collect();
    let is_named = |region: &layoutc_syntax::UnmodelledRegion| {
        region.identifiers.contains(&own.name)
            && around.iter().any(|id| region.identifiers.contains(&program.record(*id).name))
    };
    around.iter().any(|id| has_trait(*id, RecordTrait::Virtual))
        && (program.record_ids().any(|id| is_open(&id) && has_namesake(&id))
            || program.regions.iter().any(is_named))
}

/// What code of a program of which only a part was given may do with a result or a member.
fn reached_from_elsewhere(program: &Program, slot: Slot) -> Option<&'static str> {
    let is_unnamed = |namespaces: &[String]| namespaces.iter().any(|own| own == "(anonymous)");
    match slot {
        // What a parameter or a variable is given has its own reasons.
        Slot::Variable(_) => None,
        Slot::Result(id) => {
            let function = program.function(id);
            let is_internal = function.record.is_none() && function.is_static;
            let is_seen = is_internal || function.is_private || !function.space.on_host();
            (!is_seen).then_some(
                "other parts of the program, which were not given, can call this function",
            )
        }
        Slot::Field(id) => {
            let field = program.field(id);
            let record = program.record(field.record);
            // Another file may include what a header declares.
            let is_header = !program.files[record.name_span.file.index()].is_root;
            let is_seen = field.is_private || record.is_local || is_unnamed(&record.namespaces);
            (is_header && !is_seen)
                .then_some("other parts of the program, which were not given, can use this member")
        }
    }
}

/// What is not modelled in a record, by the first word of its text.
fn unmodelled(text: &str) -> &'static str {
    match layoutc_syntax::preprocess::tokens(text).first().map(|token| token.text(text)) {
        Some("union") => "an anonymous union is not modelled",
        Some("struct") => "an anonymous struct is not modelled",
        Some("friend") => "this friend is not modelled",
        _ => "this member or attribute is not modelled",
    }
}
