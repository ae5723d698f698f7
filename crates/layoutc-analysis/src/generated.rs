//! Programs that an earlier run has transformed: which classes nobody wants to be told about, and
//! which requests were carried out already.
//!
//! What is known is what markers in the text say, and people may have edited it since. So nothing
//! here makes a class change: a class in generated text is left out of the choice, and all others
//! are treated as if there were no markers.

use layoutc_dataflow::classes::{
    ArrayClass, Element, Slot, class_shape, is_same_instance, slot_names,
};
use layoutc_dataflow::layout::notation::{Authority, LayoutSpec, Order, SpecBody};
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{
    FieldId, FunctionId, GeneratedRegion, Program, QualType, RecordId, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The region that declares a record.
#[must_use]
pub fn region_of_record(program: &Program, record: RecordId) -> Option<&GeneratedRegion> {
    let record = program.record(record);
    program.generated_at(record.body.unwrap_or(record.name_span))
}

/// Whether only generated text uses the class, or nothing but pointers are left of it: of arrays that
/// were transformed the program keeps templates and parameters in the source's layout.
#[must_use]
pub fn is_of_generated_text(program: &Program, class: &ArrayClass) -> bool {
    if class.allocations.is_empty() && class.symbols.is_empty() && !class.is_of_buffers {
        let name = class.element.qualified_name(program);
        if program.generated.iter().any(|region| region.target == name) {
            return true;
        }
    }
    let slots = class.slots.iter().map(|slot| slot_span(program, *slot));
    let allocations = class.allocations.iter().map(|call| program.expr_site(call.call));
    let mut places = slots.chain(allocations).peekable();
    places.peek().is_some() && places.all(|place| program.generated_at(place).is_some())
}

/// What an earlier run made of the arrays that a request names: nothing, what is asked for, or
/// something else.
#[must_use]
pub fn answer(program: &Program, request: &LayoutSpec) -> Option<Result<(), Box<Diagnostic>>> {
    let regions = regions_named(program, request);
    let other = regions.iter().find(|region| !is_same_layout(program, region, request));
    match other {
        _ if regions.is_empty() => None,
        None => Some(Ok(())),
        Some(region) => Some(Err(Box::new(transformed(region, request)))),
    }
}

/// Whether a request is one for arrays that an earlier run has named one by one: arrays of numbers,
/// which no type tells from others.
#[must_use]
pub fn is_for_arrays(program: &Program, request: &LayoutSpec) -> bool {
    let is_type = |name: &str| {
        program.records.iter().any(|record| record.name == name)
            || program.aliases.iter().any(|(alias, ..)| alias == name)
    };
    let regions = regions_named(program, request);
    !regions.is_empty()
        && regions.iter().all(|region| {
            let target = region.target.split(['<', ',']).next().unwrap_or_default();
            !is_type(target.rsplit("::").next().unwrap_or_default())
        })
}

/// What is said of a request for arrays that have another layout already.
fn transformed(region: &GeneratedRegion, request: &LayoutSpec) -> Diagnostic {
    let target = std::iter::once(&request.target).chain(&request.with);
    let target = target.map(String::as_str).collect::<Vec<_>>().join(" + ");
    let message = format!("`{target}` was already transformed to `{}`", region.layout);
    // The marker alone: what follows is long.
    let marker = Span { end: region.span.start + 2, ..region.span };
    Diagnostic::error(Code::ALREADY_TRANSFORMED, message)
        .at(marker, format!("an earlier run generated this text for `{}`", region.target))
        .help("transform the original program with the layout that is wanted now")
}

/// The regions that a request speaks of, by their markers or by the type of an array.
fn regions_named<'p>(program: &'p Program, request: &LayoutSpec) -> Vec<&'p GeneratedRegion> {
    if !request.with.is_empty() {
        let mut wanted: Vec<&str> = vec![&request.target];
        wanted.extend(request.with.iter().map(String::as_str));
        let is_meant =
            |region: &&GeneratedRegion| region.target.split(" + ").eq(wanted.iter().copied());
        return program.generated.iter().filter(is_meant).collect();
    }
    let name = request.target.as_str();
    let alias = program.aliases.iter().find(|(alias, ..)| alias == name);
    let alias = alias.and_then(|(_, ty, _)| program.types.as_record(ty.id));
    let alias = alias.map(|record| {
        let name = program.qualified_name(record);
        name.unwrap_or_else(|| program.spelled_name(record).to_owned())
    });
    let is_named = |region: &&GeneratedRegion| {
        let own = region.target.as_str();
        let last = |name: &str| name.rsplit("::").next().map(str::to_owned);
        own == name
            || alias.as_deref() == Some(own)
            || is_same_instance(own, name)
            // `Vec3` alone means all instances of the template.
            || own.split('<').next() == Some(name) && own.ends_with('>')
            || (!own.contains("::") || !name.contains("::")) && last(own) == last(name)
            || own.split(", ").any(|own| own == name || last(name).as_deref() == Some(own))
    };
    let mut found: Vec<&GeneratedRegion> = program.generated.iter().filter(is_named).collect();
    let variables =
        (program.variable_ids()).map(|id: VarId| (Slot::Variable(id), program.variable(id).ty));
    let fields = (0..program.fields.len())
        .map(|at| FieldId(at as u32))
        .map(|id| (Slot::Field(id), program.field(id).ty));
    let results = (program.function_ids())
        .map(|id: FunctionId| (Slot::Result(id), program.function(id).result));
    for (slot, ty) in variables.chain(fields).chain(results) {
        let Some(region) = region_of_type(program, ty) else { continue };
        if slot_names(program, slot).iter().any(|own| own == name) && !found.contains(&region) {
            found.push(region);
        }
    }
    found
}

/// The region that declares what a type is made of.
fn region_of_type(program: &Program, mut ty: QualType) -> Option<&GeneratedRegion> {
    while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
        *program.types.kind(ty.id)
    {
        ty = to;
    }
    region_of_record(program, program.types.as_record(ty.id)?)
}

/// Whether a region has the layout that a request asks for.
fn is_same_layout(program: &Program, region: &GeneratedRegion, request: &LayoutSpec) -> bool {
    let Ok(body) = SpecBody::parse(&region.layout) else { return false };
    // The field may be named where it comes first, and need not be.
    let plain = |body: &SpecBody| body.to_string().replacen("[field, ", "[", 1);
    if plain(&body) == plain(&request.body) || is_tiled_grid(&body, &request.body) {
        return true;
    }
    let records = (0..program.records.len()).map(|at| RecordId(at as u32));
    let authority = Authority::Chosen;
    let own = LayoutSpec { target: region.target.clone(), with: Vec::new(), body, authority };
    records
        .filter(|id| {
            program.qualified_name(*id).is_some_and(|name| name == region.target)
                || program.spelled_name(*id) == region.target
        })
        .filter_map(|id| class_shape(program, &empty_class(id)))
        .any(|shape| match (own.resolve(&shape.shape), request.resolve(&shape.shape)) {
            (Ok(own), Ok(wanted)) => own == wanted,
            _ => false,
        })
}

/// Whether digits are the tiles that a request asks for without naming them: `[i/32, field, i%32]`.
fn is_tiled_grid(digits: &SpecBody, request: &SpecBody) -> bool {
    let (SpecBody::Uniform(digits), SpecBody::Uniform(request)) = (digits, request) else {
        return false;
    };
    let (Order::Digits(digits), Order::Tiled(tile)) = (&digits.order.value, &request.order.value)
    else {
        return false;
    };
    let [high, field, low] = &digits[..] else { return false };
    let is_field = field.name.value == "field" && field.divisor == 1 && field.modulus.is_none();
    is_field
        && high.name == low.name
        && (high.divisor, high.modulus) == (*tile, None)
        && (low.divisor, low.modulus) == (1, Some(*tile))
}

/// A class of a record without arrays.
fn empty_class(record: RecordId) -> ArrayClass {
    ArrayClass {
        element: Element::Record(record),
        slots: Vec::new(),
        allocations: Vec::new(),
        symbols: Vec::new(),
        pins: Vec::new(),
        closed_branches: BTreeSet::new(),
        is_of_buffers: false,
        units: BTreeMap::new(),
        interior: BTreeSet::new(),
        is_managed: false,
        is_native: false,
    }
}

fn slot_span(program: &Program, slot: Slot) -> Span {
    match slot {
        Slot::Variable(id) => program.variable(id).site.name,
        Slot::Field(id) => program.field(id).site.name,
        Slot::Result(id) => program.function(id).sites[0].name,
    }
}
