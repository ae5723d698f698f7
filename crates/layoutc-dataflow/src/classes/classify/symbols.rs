//! Arrays and pointers that are symbols in device memory.

use super::*;
use crate::catalogue::Role;
use crate::classes::operands::is_null;
use layoutc_syntax::Space;

impl Classifier<'_> {
    /// Whether an array at file scope is memory of the class, and can move with it.
    pub(super) fn is_own_symbol(&self, class: ClassId, id: VarId) -> bool {
        let class = self.classes.class(class);
        // Constant arrays never move; what shares code with them says so.
        let is_alone = class.allocations.is_empty() && class.symbols.len() == 1;
        class.symbols.contains(&id)
            && (is_alone || self.program.variable(id).space != Space::Constant)
    }

    /// Pins for an array at file scope that cannot be declared in another way.
    pub(super) fn symbol_array(&mut self, class: ClassId, id: VarId, has_main: bool) {
        let program = self.program;
        let variable = program.variable(id);
        let span = variable.site.name;
        let TypeKind::Array(element, length) = *program.types.kind(variable.ty.id) else { return };
        if variable.space == Space::Constant {
            self.pin(
                class,
                Code::NO_GAIN,
                span,
                "constant memory serves one address at a time, in whatever layout",
            );
            return;
        }
        let declaration = program.declaration_of(&variable.site);
        let is_plain = declaration.is_some_and(|declaration| {
            declaration.is_plain
                && declaration.count == 1
                && (self.is_element_type(class, declaration.specifier_type)
                    || self.element_type(class).is_leaf())
        });
        let obstacle = if variable.is_extern {
            Some("this array is defined outside the program")
        } else if variable.init.is_some() {
            Some("this array has an initializer in the order of the source's members")
        } else if !variable.redeclarations.is_empty() || self.has_foreign_twin(id) {
            Some("this array is declared more than once")
        } else if length.is_none_or(|length| length == 0) {
            Some("the length of this array is not known")
        } else if element.is_const
            || element.is_volatile
            || (variable.function.is_some() && variable.space != Space::Default)
            || !is_plain
        {
            Some("a declaration of this form is not rewritten")
        } else if !has_main && variable.function.is_none() && !variable.is_internal {
            Some("other parts of the program, which were not given, can use this array")
        } else {
            None
        };
        if let Some(obstacle) = obstacle {
            self.pin(class, Code::DEVICE_SYMBOL, span, obstacle);
        }
    }

    /// Pins for a symbol that holds a pointer in a way that is not followed.
    pub(super) fn symbol_pointer(&mut self, class: ClassId, id: VarId) {
        let variable = self.program.variable(id);
        let is_pointer = matches!(*self.program.types.kind(variable.ty.id), TypeKind::Pointer(to)
            if Element::of_item(self.program, to).is_some());
        let obstacle = match variable.space {
            Space::Default => None,
            Space::Shared => Some("a pointer in shared memory"),
            Space::Device | Space::Constant | Space::Managed if !is_pointer => {
                Some("this symbol in device memory holds several pointers")
            }
            Space::Device | Space::Constant | Space::Managed => variable
                .init
                .is_some_and(|init| !is_null(self.program, init))
                .then_some("this symbol in device memory has an initializer"),
        };
        let span = variable.site.name;
        if let Some(obstacle) = obstacle {
            self.pin(class, Code::DEVICE_SYMBOL, span, obstacle);
        }
    }

    /// Whether an expression is the address of a variable or member, behind casts.
    pub(super) fn is_slot_address(&self, expr: ExprId) -> bool {
        let address = super::super::operands::strip_casts(self.program, expr);
        match self.program.expr(address).kind {
            ExprKind::AddressOf(pointer) => slot_of(self.program, pointer).is_some(),
            _ => false,
        }
    }

    /// Whether `sizeof` is asked of an array at file scope, or of a pointer that is copied to or
    /// from a symbol.
    pub(super) fn is_symbol_size(&self, operand: ExprId, size: ExprId) -> bool {
        if let ExprKind::Name(NameRef::Variable(id)) =
            self.program.expr(self.program.strip_parens(operand)).kind
            && (super::super::symbols::is_array(self.program, id)
                || self
                    .classes
                    .class_of_slot(Slot::Variable(id))
                    .is_some_and(|class| self.classes.class(class).symbols.contains(&id)))
        {
            return true;
        }
        let consumer = self.consumer(size);
        self.api_argument(consumer.context).is_some_and(|(call, position)| {
            position == 2 && matches!(call.api, Api::PointerToSymbol | Api::PointerFromSymbol)
        })
    }

    /// Checks the arguments of a call that names a symbol.
    pub(super) fn symbol_call(&mut self, class: ClassId, call: &ApiCall) {
        let program = self.program;
        let Some(symbol) =
            call.row.position(Role::Symbol).map(|at| program.strip_parens(call.arguments[at]))
        else {
            return;
        };
        let is_named = matches!(program.expr(symbol).kind, ExprKind::Name(NameRef::Variable(id))
            if program.variable(id).space != Space::Default
                && self.classes.class_of_slot(Slot::Variable(id)) == Some(class));
        if !is_named {
            self.pin(
                class,
                Code::DEVICE_SYMBOL,
                self.span(symbol),
                "this does not plainly name a symbol",
            );
        }
        if let Some(at) = call.row.position(Role::PointerAddress) {
            let pointer = super::super::operands::strip_casts(program, call.arguments[at]);
            if !self.is_slot_address(pointer)
                || self.classes.is_interior_expr(program, pointer)
                || self.classes.value(pointer) != Some((class, 2))
            {
                self.pin(
                    class,
                    Code::SUB_RANGE,
                    self.span(call.arguments[at]),
                    "this is not plainly the address of a pointer to the first element",
                );
            }
        }
        let element = self.element_type(class);
        let is_pointer = matches!(call.api, Api::PointerToSymbol | Api::PointerFromSymbol);
        if is_pointer && let Some(size) = call.size() {
            let of = match program.expr(program.strip_parens(size)).kind {
                ExprKind::SizeOfType { of, is_align: false, .. } => Some(of),
                ExprKind::SizeOfExpr(operand) => Some(program.expr(operand).ty),
                _ => None,
            };
            let is_whole =
                of.is_some_and(|of| matches!(program.types.kind(of.id), TypeKind::Pointer(_)));
            if !is_whole {
                self.pin(
                    class,
                    Code::UNPROVABLE_SIZE,
                    self.span(size),
                    "this is not plainly the size of the pointer",
                );
            }
        }
        if let Some(offset) = call.arguments.get(3) {
            let fine = is_null(program, *offset)
                || (!is_pointer && self.sizes.is_multiple_of_element(program, *offset, element));
            if !fine {
                let message = format!(
                    "this is not plainly a multiple of `sizeof({})`",
                    self.element_name(class)
                );
                self.pin(class, Code::UNPROVABLE_SIZE, self.span(*offset), message);
            }
        }
        let expected = match call.api {
            Api::ToSymbol | Api::PointerToSymbol => "cudaMemcpyHostToDevice",
            _ => "cudaMemcpyDeviceToHost",
        };
        if let Some(kind) = call.arguments.get(4)
            && !matches!(&program.expr(program.strip_parens(*kind)).kind,
                ExprKind::Name(NameRef::Unknown(name)) if name == expected)
        {
            self.pin(
                class,
                Code::COPY_FORM,
                self.span(*kind),
                "a symbol is copied other than from or to host memory",
            );
        }
    }
}
