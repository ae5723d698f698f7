//! Operators on records: the functions that they call.

use super::Lowering;
use super::names::Symbol;
use crate::program::{ExprId, ExprKind, FunctionId, UnaryOp};
use crate::types::{QualType, Scalar, TypeKind};

/// How well an operand fits a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Converted,
}

impl Lowering<'_> {
    /// The function that `symbol` calls for these operands, if one of them is a record or vector
    /// and exactly one function of the program fits best.
    pub(crate) fn operator_function(
        &self,
        symbol: &str,
        operands: &[ExprId],
        instances: &[FunctionId],
        is_postfix: bool,
    ) -> Option<(FunctionId, QualType)> {
        let types: Vec<QualType> =
            operands.iter().map(|operand| self.program.expr(*operand).ty).collect();
        // `x++` has a number that tells it from `++x`.
        let count = types.len() + usize::from(is_postfix);
        let is_class = |ty: &QualType| {
            matches!(self.program.types.kind(ty.id), TypeKind::Record(_) | TypeKind::Vector(_))
        };
        if !types.iter().any(is_class) {
            return None;
        }
        let name = format!("operator{symbol}");
        let mut fitting: Vec<(Fit, FunctionId)> = Vec::new();
        if let Some(record) = self.program.types.as_record(types.first()?.id) {
            if self.is_unmodelled_member(record, &name) {
                return None;
            }
            for method in self.member_operators(record, &name, types[0].is_const) {
                let function = self.program.function(method);
                if function.parameters.len() + 1 == count {
                    let fit = self.fit(&function.parameters, &types[1..]);
                    // The object of an inherited operator is converted.
                    let object = match function.record == Some(record) {
                        true => Fit::Exact,
                        false => Fit::Converted,
                    };
                    fitting.extend(fit.map(|fit| (fit.max(object), method)));
                }
            }
        }
        for symbol in self.global_symbols(&name, &[]) {
            if let Symbol::Function(id) = symbol {
                let function = self.program.function(*id);
                if function.parameters.len() == count {
                    let fit = self.fit(&function.parameters, &types);
                    fitting.extend(fit.map(|fit| (fit, *id)));
                }
            }
        }
        for id in instances {
            let fit = self.fit(&self.program.function(*id).parameters, &types);
            fitting.extend(fit.map(|fit| (fit, *id)));
        }
        fitting.sort_unstable();
        fitting.dedup();
        match fitting.as_slice() {
            [(_, only)] => Some(*only),
            [(Fit::Exact, best), (Fit::Converted, _), ..] => Some(*best),
            _ => None,
        }
        .filter(|id| self.program.function(*id).template_parameters.is_empty())
        .map(|id| (id, self.program.types.strip_reference(self.program.function(id).result)))
    }

    /// Instances of operator templates for operands of which one is a record.
    fn operator_instances(&mut self, symbol: &str, operands: &[ExprId]) -> Vec<FunctionId> {
        let is_record = |operand: &ExprId| {
            self.program.types.as_record(self.program.expr(*operand).ty.id).is_some()
        };
        if !operands.iter().any(is_record) {
            return Vec::new();
        }
        let candidates: Vec<FunctionId> = self
            .global_symbols(&format!("operator{symbol}"), &[])
            .into_iter()
            .filter_map(|symbol| match symbol {
                Symbol::Function(id) => Some(*id),
                _ => None,
            })
            .filter(|id| self.program.function(*id).parameters.len() == operands.len())
            .collect();
        candidates.into_iter().filter_map(|id| self.instance_for(id, operands)).collect()
    }

    fn fit(&self, parameters: &[crate::program::VarId], operands: &[QualType]) -> Option<Fit> {
        let types = &self.program.types;
        let mut worst = Fit::Exact;
        for (parameter, operand) in parameters.iter().zip(operands) {
            let parameter = types.strip_reference(self.program.variable(*parameter).ty);
            if parameter.id == operand.id {
                continue;
            }
            let is_number =
                |kind: &TypeKind| matches!(kind, TypeKind::Scalar(_) | TypeKind::Enum(..));
            let unknown = |kind: &TypeKind| {
                matches!(
                    kind,
                    TypeKind::Unknown
                        | TypeKind::Named(..)
                        | TypeKind::Opaque(_)
                        | TypeKind::TemplateParameter(_)
                )
            };
            let (to, from) = (types.kind(parameter.id), types.kind(operand.id));
            let is_base = match (to, from) {
                (TypeKind::Record(base), TypeKind::Record(record)) => {
                    self.program.derives_from(*record, *base)
                }
                _ => false,
            };
            let converts =
                (is_number(to) && is_number(from)) || unknown(to) || unknown(from) || is_base;
            if !converts {
                return None;
            }
            worst = Fit::Converted;
        }
        Some(worst)
    }

    /// Member operators that an object may call: of two that differ by constness alone, the one
    /// that is like it.
    fn member_operators(
        &self,
        record: crate::program::RecordId,
        name: &str,
        is_const: bool,
    ) -> Vec<FunctionId> {
        let mut methods = self.member_named(record, name).1;
        if is_const {
            methods.retain(|method| self.program.function(*method).is_const);
            return methods;
        }
        let parameters = |method: FunctionId| -> Vec<QualType> {
            let parameters = &self.program.function(method).parameters;
            parameters.iter().map(|parameter| self.program.variable(*parameter).ty).collect()
        };
        let own: Vec<Vec<QualType>> = methods
            .iter()
            .filter(|method| !self.program.function(**method).is_const)
            .map(|method| parameters(*method))
            .collect();
        methods.retain(|method| {
            !self.program.function(*method).is_const || !own.contains(&parameters(*method))
        });
        methods
    }

    /// `object.operator()` for the `object` of `object(…)`, if its class has such functions and none of them is a template: a
    /// member without a name in the text.
    pub(crate) fn call_operator(&mut self, object: ExprId) -> Option<ExprId> {
        let expr = self.program.expr(object);
        let (at, ty) = (expr.span, self.program.types.strip_reference(expr.ty));
        let record = self.program.types.as_record(ty.id)?;
        if self.is_unmodelled_member(record, "operator()") {
            return None;
        }
        let methods = self.member_operators(record, "operator()", ty.is_const);
        let is_template = |id: &FunctionId| {
            let function = self.program.function(*id);
            // One of an instance of a class template is no template.
            let is_of_instance = function.record.is_some_and(|own| self.is_instance(own));
            !function.template_parameters.is_empty()
                || (function.copy_of.is_some() && !is_of_instance)
        };
        if methods.is_empty() || methods.iter().any(is_template) {
            return None;
        }
        let kind = ExprKind::Member {
            base: object,
            arrow: false,
            field: None,
            methods: methods.into_iter().collect(),
            name: at.at_end(),
            operator: at.at_end(),
        };
        let unknown = self.program.types.unknown();
        Some(self.add_expr(kind, at, unknown))
    }

    /// Whether what a subscript or call of an object gives is no other object.
    fn is_plain_result(&self, function: FunctionId) -> bool {
        let result = self.program.types.strip_reference(self.program.function(function).result);
        matches!(
            self.program.types.kind(result.id),
            TypeKind::Void | TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Vector(_)
        )
    }

    /// Notes the function that an operator calls, and returns the type of its result.
    pub(crate) fn note_operator(&mut self, expr: ExprId, symbol: &str, operands: &[ExprId]) {
        let is_postfix = matches!(
            self.program.expr(expr).kind,
            ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PostDecrement, _)
        );
        let is_of_object = matches!(symbol, "[]" | "()");
        let instances =
            if is_of_object { Vec::new() } else { self.operator_instances(symbol, operands) };
        let found = self.operator_function(symbol, operands, &instances, is_postfix);
        if let Some((function, ty)) = found {
            if is_of_object
                && (self.program.types.as_record(self.program.expr(operands[0]).ty.id).is_none()
                    || !self.is_plain_result(function))
            {
                return;
            }
            self.program.operators.insert(expr, function);
            let comparison = matches!(symbol, "==" | "!=" | "<" | "<=" | ">" | ">=");
            let known = !matches!(self.program.types.kind(ty.id), TypeKind::Unknown);
            if known {
                self.program.exprs[expr.index()].ty = ty;
            } else if comparison {
                self.program.exprs[expr.index()].ty = self.program.types.scalar(Scalar::Bool);
            }
        }
    }
}
