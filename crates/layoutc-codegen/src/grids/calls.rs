//! Calls of the runtime on grids: allocations, copies and fills.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::catalogue::Api;
use layoutc_dataflow::classes::{ApiCall, ClassId, Direction, Sizes, strip_casts};
use layoutc_syntax::{BinaryOp, ExprId, ExprKind, FunctionId, evaluate};
use std::collections::BTreeMap;

impl Rewriter<'_> {
    /// Rewrites the calls of all changed classes.
    pub(super) fn calls(&mut self) {
        let sizes = Sizes::collect(self.program);
        let mut functions: BTreeMap<ExprId, FunctionId> = BTreeMap::new();
        for function in self.program.function_ids() {
            for expr in self.program.function_parts(function).exprs {
                functions.insert(expr, function);
            }
        }
        for call in &self.classes.api_calls {
            let device: Vec<(usize, ClassId)> = (0..call.arguments.len())
                .filter(|position| call.is_device_argument(*position))
                .filter_map(|position| {
                    let argument = strip_casts(self.program, call.arguments[position]);
                    let (class, _) = self.classes.value(argument)?;
                    self.plans.contains_key(&class).then_some((position, class))
                })
                .collect();
            let Some((_, class)) = device.first().copied() else { continue };
            let span = self.program.expr(call.call).span;
            if self.program.home(call.call).is_some() {
                self.refuse(class, span, "the call stands in the body of a macro");
                continue;
            }
            let mut firsts: Firsts = BTreeMap::new();
            let mut inside = None;
            for (position, _) in &device {
                let argument = call.arguments[*position];
                match self.range_start(argument) {
                    _ if self.is_start(argument) => {}
                    Some(start) if has_ranges(call.api) => {
                        firsts.insert(*position, start);
                    }
                    _ => inside = Some(self.program.expr(argument).span),
                }
            }
            if let Some(span) = inside {
                self.refuse(class, span, "the call starts inside the grid");
                continue;
            }
            let function = functions.get(&call.call).copied();
            self.owner = function.and_then(|function| self.versioned(function));
            if let Err(message) = self.call(call, class, function, &sizes, &firsts) {
                self.refuse(class, span, &message);
            }
            self.owner = None;
        }
    }

    fn call(
        &mut self,
        call: &ApiCall,
        class: ClassId,
        function: Option<FunctionId>,
        sizes: &Sizes,
        firsts: &Firsts,
    ) -> Result<(), String> {
        let span = self.program.expr(call.call).span;
        let extents = self.extent_texts(class, function, span);
        let element = self.classes.class(class).element;
        let whole = |size: ExprId| {
            let is_byte = self.plans[&class].scalar.size() == 1;
            if is_byte || sizes.is_multiple_of_element(self.program, size, element) {
                Ok(())
            } else {
                Err("the byte count is not shown to be a whole number of values".to_owned())
            }
        };
        match call.api {
            Api::Free => return Ok(()),
            Api::Malloc | Api::MallocFromPool | Api::MallocManaged => {
                if call.api == Api::MallocManaged {
                    return Err("the grid is in managed memory".to_owned());
                }
                let size = call.size().ok_or("no size")?;
                let text = self.rendered(&BTreeMap::new(), size)?;
                let extents = extents?;
                let functions = self.functions_mut(class)?;
                functions.needs_bytes = true;
                functions.files.insert((span.file, span));
                let arguments: Vec<String> = std::iter::once(text).chain(extents).collect();
                let text = format!("{}({})", functions.bytes, arguments.join(", "));
                self.push(Edit::replace(self.program.expr(size).span, text));
            }
            Api::Memcpy
                if matches!(
                    call.direction,
                    Direction::HostToDevice | Direction::DeviceToHost | Direction::DeviceToDevice
                ) =>
            {
                whole(call.size().ok_or("no size")?)?;
                let kind = call.row.copy_arguments().and_then(|at| at.kind);
                let is_literal = kind.is_some_and(|at| {
                    let kind = self.program.strip_parens(call.arguments[at]);
                    matches!(&self.program.expr(kind).kind,
                        ExprKind::Name(layoutc_syntax::NameRef::Unknown(name))
                            if name != "cudaMemcpyDefault")
                });
                if !is_literal {
                    return Err("the direction of this copy is not written out".to_owned());
                }
                let extents = extents?;
                let mut more = extents;
                let is_async = call.row.is_async();
                if is_async && !call.has_stream() {
                    // The default stream.
                    more.insert(0, "0".to_owned());
                }
                let ranges = self.ranges(firsts, &[0, 1])?;
                let functions = self.functions_mut(class)?;
                functions.needs_memcpy = true;
                functions.needs_memcpy_ranges |= !firsts.is_empty();
                functions.needs_memcpy_stream |= is_async;
                functions.needs_memcpy_sync |= !is_async;
                functions.files.insert((span.file, span));
                let name = match is_async {
                    true => functions.memcpy_async.clone(),
                    false => functions.memcpy.clone(),
                };
                if !firsts.is_empty() {
                    more.extend(ranges);
                }
                self.renamed(call, &name, &more)?;
            }
            Api::Memset if !call.row.is_async() => {
                whole(call.size().ok_or("no size")?)?;
                let extents = extents?;
                let mut more = extents;
                let ranges = self.ranges(firsts, &[0])?;
                let functions = self.functions_mut(class)?;
                functions.needs_memset = true;
                functions.needs_memset_ranges |= !firsts.is_empty();
                functions.files.insert((span.file, span));
                let name = functions.memset.clone();
                if !firsts.is_empty() {
                    more.extend(ranges);
                }
                self.renamed(call, &name, &more)?;
            }
            Api::ToSymbol | Api::FromSymbol => {
                whole(call.size().ok_or("no size")?)?;
                // The others are judged with the class.
                let offset = call.arguments.get(3);
                if offset.is_some_and(|at| evaluate::constant(self.program, *at) != Some(0)) {
                    return Err("the copy starts inside the grid".to_owned());
                }
                if !extents?.is_empty() {
                    return Err("the extents of this symbol are no constants".to_owned());
                }
                let functions = self.functions_mut(class)?;
                let is_async = call.row.is_async();
                functions.needs_memcpy = true;
                functions.needs_memcpy_stream |= is_async;
                functions.needs_memcpy_sync |= !is_async;
                functions.files.insert((span.file, span));
                let name = match (call.api == Api::ToSymbol, is_async) {
                    (true, false) => {
                        functions.needs_to_symbol = true;
                        functions.to_symbol.clone()
                    }
                    (true, true) => {
                        functions.needs_to_symbol_async = true;
                        functions.to_symbol_async.clone()
                    }
                    (false, false) => {
                        functions.needs_from_symbol = true;
                        functions.from_symbol.clone()
                    }
                    (false, true) => {
                        functions.needs_from_symbol_async = true;
                        functions.from_symbol_async.clone()
                    }
                };
                self.renamed(call, &name, &[])?;
            }
            Api::Memcpy
            | Api::Memset
            | Api::Memcpy2D
            | Api::MemcpyPeer
            | Api::MallocHost
            | Api::HostAlloc
            | Api::FreeHost
            | Api::LibraryFree
            | Api::LibraryMemset
            | Api::LibraryMemcpy
            | Api::Prefetch
            | Api::Advise
            | Api::Attach
            | Api::PointerToSymbol
            | Api::PointerFromSymbol
            | Api::SymbolAddress => return Err(format!("`{}` has no form for grids", call.name)),
        }
        Ok(())
    }

    /// The call of another function, with the extents as further arguments.
    fn renamed(&mut self, call: &ApiCall, name: &str, extents: &[String]) -> Result<(), String> {
        let ExprKind::Call { callee, parentheses, .. } = self.program.expr(call.call).kind else {
            return Err("this is no call".to_owned());
        };
        self.push(Edit::replace(self.program.expr(callee).span, name.to_owned()));
        if !extents.is_empty() {
            let end = parentheses.end - 1;
            let place = layoutc_diagnostics::Span { start: end, end, ..parentheses };
            self.push(Edit::replace(place, format!(", {}", extents.join(", "))));
        }
        Ok(())
    }

    /// The first value of each range, as C, with the arguments replaced by the arrays' starts.
    fn ranges(&mut self, firsts: &Firsts, positions: &[usize]) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        for position in positions {
            let Some(start) = firsts.get(position) else {
                found.push("0".to_owned());
                continue;
            };
            let base = self.rendered(&BTreeMap::new(), start.base)?;
            found.push(self.rendered(&BTreeMap::new(), start.first)?);
            self.push(Edit::replace(self.program.expr(start.argument).span, base));
        }
        Ok(found)
    }

    /// `u + first` and `&u[first]`, where `u` holds the start of an array.
    fn range_start(&self, argument: ExprId) -> Option<RangeStart> {
        let inner = strip_casts(self.program, argument);
        let (base, first) = match self.program.expr(inner).kind {
            ExprKind::Binary(BinaryOp::Add, left, right) if self.is_start(left) => (left, right),
            ExprKind::Binary(BinaryOp::Add, left, right) if self.is_start(right) => (right, left),
            ExprKind::AddressOf(element) => {
                match self.program.expr(self.program.strip_parens(element)).kind {
                    ExprKind::Index { base, index, .. } => (base, index),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let is_integer = |expr: ExprId| {
            self.program
                .types
                .as_scalar(self.program.expr(expr).ty.id)
                .is_some_and(layoutc_syntax::Scalar::is_integer)
        };
        let is_pointer = self.classes.value(base).is_some_and(|(_, depth)| depth == 1);
        (is_pointer
            && self.is_start(base)
            && is_integer(first)
            && self.program.home(inner).is_none())
        .then_some(RangeStart { argument, base, first })
    }

    /// Whether a pointer is a variable or member that holds the start of an array.
    fn is_start(&self, argument: ExprId) -> bool {
        let argument = strip_casts(self.program, argument);
        match self.program.expr(argument).kind {
            ExprKind::Name(_) | ExprKind::Member { .. } => true,
            ExprKind::AddressOf(inner) => {
                matches!(
                    self.program.expr(self.program.strip_parens(inner)).kind,
                    ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index { .. }
                ) && self.classes.value(inner).is_some()
            }
            ExprKind::Index { .. } | ExprKind::Deref(_) => self.classes.value(argument).is_some(),
            _ => false,
        }
    }
}

/// Where a range begins.
struct RangeStart {
    /// What the call is given.
    argument: ExprId,
    /// The start of the array.
    base: ExprId,
    /// The number of the first value.
    first: ExprId,
}

/// By position of the argument.
type Firsts = BTreeMap<usize, RangeStart>;

/// Whether a call can be given a range of a grid.
fn has_ranges(api: Api) -> bool {
    matches!(api, Api::Memcpy | Api::Memset)
}
