//! The rewriting pass: every use of a class that changes becomes an edit.
//!
//! A pointer into a changed class is two things in the new program: the *base*, a pointer to the
//! generated struct (or a handle) that always means the start of an allocation, and the *index*
//! of the element. Slots that only ever hold the start need no index; the others get a companion
//! variable `name_at`.
//!
//! What turns out to have no form in C++ is a [`Refusal`]; the caller pins the class and runs the
//! pass again without it.

mod ahead;
mod algorithms;
mod branches;
mod calls;
mod cells;
mod class_namespaces;
mod class_texts;
mod constness;
mod conversions;
mod copies;
mod declarations;
mod dependent_text;
mod effects;
mod element_copies;
mod expressions;
mod headers_in_front;
mod heads;
mod host_arrays;
mod host_bodies;
mod host_files;
mod index_operators;
mod indices;
mod instances;
mod instantiation;
mod late;
mod launches;
mod left_out;
mod locals;
mod macros;
mod member_comments;
mod moves;
mod nulls;
mod order;
mod overloads;
mod parameter_space;
mod placement;
mod rows;
mod symbols;
mod unused;
mod versions;
mod views;

pub(crate) use order::FileOrder;

pub(crate) use macros::string_of;
pub use views::ViewNeeds;
pub(crate) use views::{ViewKind, ViewNames};

use crate::cells::CellFunctions;
use crate::edit::Edit;
use crate::helpers::{Conversions, Needs};
use crate::hygiene::{Surroundings, macro_names, member, mention, settle};
use crate::marker::Marker;
use crate::names::Names;
use crate::rewritten::Rewritten;
use crate::storage::Storage;
use layoutc_analysis::cell_plan::CellPlan;
use layoutc_analysis::{LayoutPlan, Refusal, StructPlan};
use layoutc_dataflow::classes::{ClassId, Classes, Pin, Slot, classes_in_file, outer_type_text};
use layoutc_dataflow::grid::Cells;
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::{Token, TokenKind, tokens};
use layoutc_syntax::{ExprId, ExprKind, Pack, Parents, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A use of a class that cannot be rewritten.
pub(crate) type Refused = (ClassId, Pin);

/// What is known of cells that may change places.
#[derive(Clone, Copy, Debug)]
pub struct CellFacts<'a> {
    /// The cells of the program.
    pub cells: &'a Cells,
    /// Whether coordinates that are assumed to stay inside are checked when the program runs.
    pub checks_bounds: bool,
}

/// How accesses to arrays in tiles are written in CUDA C++.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// `p[i >> 5].x[i & 31]`.
    #[default]
    Inline,
    /// `p[i].x`, where `p` is a view: functions keep their bodies, and their parameters change.
    View,
}

/// By class that changes: its layout, and the order of its cells if that changes, too.
type Plans<'a> = BTreeMap<ClassId, (&'a StructPlan, Option<&'a CellPlan>)>;

/// Rewrites all arrays of structs of the plan.
#[must_use]
pub fn rewrite(
    program: &Program,
    classes: &Classes,
    plan: &LayoutPlan,
    cells: CellFacts<'_>,
    style: Style,
) -> Rewritten {
    let plans = plan.structs();
    if plans.is_empty() {
        return Rewritten::default();
    }
    // How the uses of macros are written depends on what their bodies become.
    let mut modes = macros::Modes::default();
    loop {
        match rewrite_with(program, classes, &plans, (cells, style), &modes) {
            Ok(rewritten) => return rewritten,
            Err(better) => modes = better,
        }
    }
}

/// Rewrites with the given forms of macro uses, or says which are needed.
fn rewrite_with(
    program: &Program,
    classes: &Classes,
    plans: &Plans<'_>,
    (cells, style): (CellFacts<'_>, Style),
    modes: &macros::Modes,
) -> Result<Rewritten, macros::Modes> {
    let mut names = Names::new(program.identifiers.clone());
    let mut storages: Vec<(layoutc_syntax::RecordId, Storage)> = Vec::new();
    let mut storage_of = BTreeMap::new();
    let mut refusals = Vec::new();
    for (id, (choice, order)) in plans {
        let Some(record) = classes.class(*id).element.record() else { continue };
        // Names are taken where the storage is new.
        let numbered = |names: &mut Names, prefix: &str| {
            let plan = (*order)?;
            Some(CellFunctions::new(plan, program, cells.offsets_of(plan), prefix, names))
        };
        let alike = numbered(&mut names.clone(), "cell");
        let known = storages.iter().position(|(other, storage)| {
            *other == record
                && storage.layout == choice.layout
                && storage.shape == choice.shape
                && match (&storage.cells, &alike) {
                    (None, None) => true,
                    (Some(one), Some(other)) => one.is_alike(other),
                    (None, Some(_)) | (Some(_), None) => false,
                }
        });
        let at = match known {
            Some(at) => at,
            None => {
                if !placement::name(program, record).is_ascii() {
                    let span = program.record(record).name_span;
                    let message = "nvcc takes no generated kernels for a type whose name has letters beyond ASCII";
                    refusals.push((*id, pin(span, Code::UNSUPPORTED_RECORD, message)));
                    continue;
                }
                if let Some(obstacle) = placement::obstacle(program, record) {
                    let span = program.record(record).name_span;
                    refusals.push((*id, pin(span, Code::TEMPLATE_USE, obstacle)));
                    continue;
                }
                let name = placement::name(program, record);
                let home = program.record(placement::home(program, record));
                let is_unnamed = |name: &&String| name.starts_with('(');
                let is_internal = home.namespaces.iter().any(|name| is_unnamed(&name));
                let named = home.namespaces.iter().filter(|name| !is_unnamed(name));
                let qualifier: String = named.map(|name| format!("{name}::")).collect();
                let word = placement::word(program, record);
                let is_opencl = classes.class(*id).is_of_buffers;
                let plain_word =
                    if is_opencl { crate::opencl::plain_word(word) } else { word.to_owned() };
                let word = plain_word.as_str();
                let Some(storage) = Storage::new(
                    name,
                    word,
                    qualifier,
                    &choice.shape,
                    &choice.layout,
                    (order.map(|plan| plan.order()).as_deref(), is_opencl),
                    &mut names,
                ) else {
                    let span = program.record(record).name_span;
                    refusals.push((
                        *id,
                        pin(
                            span,
                            Code::UNKNOWN_LAYOUT,
                            "this layout has no form for an array of structs",
                        ),
                    ));
                    continue;
                };
                let mut storage = storage;
                storage.is_internal = is_internal;
                storage.marker = Marker::of_record(program, record, &choice.shape, &choice.layout);
                if let Some(order) = order {
                    storage.marker.layout.clone_from(&order.notation);
                }
                storage.members = plain_members(program, record, &mut names);
                storage.comments = member_comments::member_comments(program, &storage.shape);
                storage.cells = numbered(&mut names, &storage.prefix);
                storage.keeps_bytes &= storage.cells.is_none();
                // Tags alone name no types in C.
                let is_tag = !program.aliases.iter().any(|(name, ty, _)| {
                    *name == storage.record && program.as_record(ty.id) == Some(record)
                });
                if storage.is_opencl && is_tag {
                    storage.record = format!("struct {}", storage.record);
                }
                if storage.is_opencl {
                    storage.outer_record.clone_from(&storage.record);
                } else if let Some(qualified) = program.qualified_name(record) {
                    storage.outer_record = qualified;
                }
                if style == Style::View {
                    storage.views = ViewNames::of(&storage, word, &mut names);
                }
                if !storage.is_opencl {
                    spell_hidden_record(program, record, &mut storage);
                }
                storages.push((record, storage));
                storages.len() - 1
            }
        };
        storage_of.insert(*id, at);
    }
    let mut this = Rewriter::new(program, classes, &storages, storage_of, names, modes);
    this.refusals = refusals;
    this.check_members();
    this.number_cells(plans, cells);
    this.name_versions();
    this.symbol_uses();
    this.name_indices();
    this.find_views();
    this.parameter_space();
    this.local_pointers();
    this.check_overloads();
    this.check_index_operators();
    this.declarations();
    for expr in program.expr_ids() {
        if this.parents.of(expr).is_none() && !this.consumed.contains(&expr) {
            this.owner = this.versions.of_expr(expr);
            this.in_home(program.home(expr), |this| this.emit(expr));
        }
    }
    this.owner = None;
    this.check_launches_by_address();
    this.declare_local_copies();
    this.settle_macros()?;
    this.check_cells();
    this.cell_pragmas();
    this.mark_unused_originals();
    let version_classes = this.version_classes();
    let versions = this.place_versions();
    let mut needs = std::mem::take(&mut this.needs);
    needs.iter_mut().for_each(|needs| needs.several_devices = classes.several_devices);
    for (class, at) in &this.storage_of {
        let class = classes.class(*class);
        needs[*at].is_managed |= class.is_managed || class.is_native;
        needs[*at].on_host |=
            class.is_managed || class.is_native || is_used_on_host(program, class);
    }
    let accessors = std::mem::take(&mut this.accessors);
    this.close_branches();
    let mut edits = std::mem::take(&mut this.edits);
    let refusals = std::mem::take(&mut this.refusals);
    let cell_refusals = std::mem::take(&mut this.cells.refusals);
    let mut generated_kernels = Vec::new();
    let mut behind = Vec::new();
    let mut refusals = refusals;
    let storage_of = this.storage_of.clone();
    let macros = macro_names(program);
    refusals.extend(host_files::hide_versions(&this, &version_classes, &mut edits));
    let mut generated = Vec::new();
    let library =
        Conversions::new(program, storages.iter().map(|(_, storage)| storage).zip(&mut needs));
    let libraries = conversions::places(program, &storages, &needs, &library, &mut this.names);
    let host = crate::opencl::host_edits(program, classes, &storages, &storage_of, &mut this.names);
    edits.extend(host.edits);
    refusals.extend(host.refusals);
    let mut declared: Vec<Option<crate::helpers::Declarations>> = (storages.iter().enumerate())
        .map(|(at, (_, storage))| {
            let (library, shared) = match libraries.get(&at) {
                Some(own) => (&own.library, own.text.as_str()),
                None => (&library, ""),
            };
            (!storage.is_opencl).then(|| {
                let own = (storage, needs[at], &accessors[at]);
                crate::helpers::declarations(own.0, own.1, own.2, (library, shared))
            })
        })
        .collect();
    let device = (declared.iter().enumerate()).filter_map(|(at, declared)| {
        Some(host_files::device_words(declared.as_ref()?, &versions.text(at), &this.names))
    });
    let device: BTreeSet<String> = device.flatten().collect();
    host_bodies::hide(program, &device, &this.names, &mut edits);
    let (ahead, refused) = this.place_types_ahead(&mut declared, &macros);
    refusals.extend(refused);
    let order = FileOrder::new(program);
    refusals.extend(this.check_ahead(&declared, |at| versions.text(at), &edits, &order));
    edits.extend(ahead);
    for (at, (record, storage)) in storages.iter().enumerate() {
        if storage.is_opencl {
            let own = storage_of.iter().filter(|(_, own)| **own == at).map(|(class, _)| *class);
            let (edit, refused) = opencl_declarations(
                program,
                classes,
                (*record, storage),
                needs[at],
                &accessors[at],
                (own.collect(), &macros),
                &mut this.names,
            );
            edits.extend(edit);
            refusals.extend(refused);
            continue;
        }
        let Some(declared) = &declared[at] else { continue };
        let library = libraries.get(&at).map_or(&library, |own| &own.library);
        for name in crate::helpers::kernel_names(storage, needs[at], library) {
            if !generated_kernels.contains(&name) {
                generated_kernels.push(name);
            }
        }
        let heads = versions.heads.get(&at).map_or("", String::as_str);
        let definition = placement::definition(program, *record);
        let headers = versions.headers.text(program, at, definition);
        let of_device = versions.with_record.get(&at).map_or("", String::as_str);
        let of_host = versions.for_host.get(&at).map_or("", String::as_str);
        let own: Vec<ClassId> =
            storage_of.iter().filter(|(_, own)| **own == at).map(|(class, _)| *class).collect();
        let has_runtime = versions.headers.have_runtime(program, at);
        let own_versions = (versions.text(at), of_host, has_runtime);
        let shared = this.shared((at, needs[at]), declared, &own_versions, &edits, &macros);
        let shared = match shared {
            Ok(shared) => shared,
            Err((span, message)) => {
                let reason = pin(span, Code::NOT_CUDA_FILE, &message);
                let there = classes_in_file(program, classes, span.file);
                let is_concerned = |class: &&ClassId| there.contains(class);
                let concerned: Vec<ClassId> = own.iter().filter(is_concerned).copied().collect();
                let kept = if concerned.is_empty() { own } else { concerned };
                refusals.extend(kept.into_iter().map(|class| (class, reason.clone())));
                continue;
            }
        };
        if let Some(shared) = shared {
            // What nvcc alone reads stands in front of what all compilers do.
            let text = format!("{heads}{of_device}");
            let mut words = tokens(&text).into_iter().map(|token| token.text(&text));
            if words.any(|word| versions.names_for_host.contains(word)) {
                let span = program.record(*record).name_span;
                let message = "a version that nvcc alone reads would call one that host compilers read, too, in front of it";
                let reason = pin(span, Code::FUNCTION_VERSION, message);
                refusals.extend(own.iter().map(|class| (*class, reason.clone())));
                continue;
            }
            let device = format!("{}{heads}{of_device}", shared.device);
            let types = format!("{}{headers}", shared.types);
            let text = (&types[..], &device[..], &shared.host[..]);
            let edit = place_shared(program, *record, storage, text);
            edits.push(Edit { versions_within: versions.moved(at), ..edit });
            generated.extend(shared.edits);
            continue;
        }
        let around = Surroundings::of(program, &macros, &this.names, Some(*record));
        let mut text = settle(&declared.whole(), &around).unwrap_or_else(|clash| {
            refusals.extend(
                own.iter()
                    .map(|class| (*class, clash.pin(program, program.record(*record).name_span))),
            );
            String::new()
        });
        text.push_str(&headers);
        text.push_str(heads);
        let rest = format!("{of_device}{of_host}");
        // Instances of class templates stand behind all types, and in front of what uses them.
        if versions.class_texts.is_behind(definition) {
            if !rest.is_empty() {
                let edit = place_declarations(program, *record, storage, rest);
                behind.push(Edit { versions_within: versions.moved(at), ..edit });
            }
        } else {
            text.push_str(&rest);
        }
        let edit = place_declarations(program, *record, storage, text);
        edits.push(Edit { versions_within: versions.moved(at), ..edit });
    }
    edits.extend(versions.class_texts.edits);
    edits.extend(behind);
    edits.extend(generated);
    for (class, place) in versions.headers.rewritten(program, &edits) {
        let message = "a template comes before the struct in one file and not in another, and its header would change";
        refusals.push((class, pin(place, Code::FUNCTION_VERSION, message)));
    }
    host_files::note(program, &mut edits, !refusals.is_empty());
    // Where cells must keep their order, the rest is looked at without it.
    let refusals = match cell_refusals.is_empty() {
        true => refusals.into_iter().map(|(class, pin)| Refusal::Array(class, pin)).collect(),
        false => {
            cell_refusals.into_iter().map(|(class, pin)| Refusal::Layout(class, pin)).collect()
        }
    };
    Ok(Rewritten { edits, refusals, generated_kernels, names: BTreeSet::new() })
}

/// What the kernels of OpenCL need, or why there is no such text.
fn opencl_declarations(
    program: &Program,
    classes: &Classes,
    (record, storage): (layoutc_syntax::RecordId, &Storage),
    needs: Needs,
    accessors: &BTreeSet<usize>,
    (own, macros): (Vec<ClassId>, &BTreeSet<String>),
    names: &mut Names,
) -> (Option<Edit>, Vec<Refused>) {
    let refuse = |message: &str| {
        let span = program.record(record).name_span;
        let pin = pin(span, Code::OPENCL_BUFFER, message);
        (None, own.iter().map(|class| (*class, pin.clone())).collect())
    };
    let device = crate::helpers::opencl::DeviceNeeds {
        load: needs.load,
        store: needs.store,
        assign: needs.assign,
    };
    let others = Needs { load: false, store: false, assign: false, ..needs };
    let unset = Needs {
        several_devices: needs.several_devices,
        on_host: needs.on_host,
        ..Needs::default()
    };
    if others != unset || storage.cells.is_some() || storage.members.is_some() {
        return refuse("the kernels need a function that has no form in OpenCL C");
    }
    let has_units = storage.groups.iter().any(|group| {
        group.kind == crate::storage::GroupKind::Array
            && !storage.shape.members[group.leaves[0]].unit_dimensions.is_empty()
    });
    if has_units {
        return refuse("an array of arrays that are used as a whole has no form in OpenCL C");
    }
    if !lies_as_declared(storage) {
        return refuse(
            "the members of nested structs lie apart as those of the generated struct would not",
        );
    }
    let Some(sections) = crate::sections::Sections::new(storage) else {
        return refuse("the buffers would be divided into too large parts");
    };
    let has_functions = storage.is_sectioned()
        || needs.load
        || needs.store
        || needs.assign
        || !accessors.is_empty();
    let is_constant = own.iter().flat_map(|class| &classes.class(*class).slots).any(|slot| {
        matches!(slot, Slot::Variable(id)
            if program.variable(*id).pointer_space != layoutc_syntax::Space::Default)
    });
    if has_functions && is_constant {
        return refuse("the generated functions take `__global` memory, and some of this is not");
    }
    let words = crate::helpers::opencl::LOCALS.into_iter().chain([crate::helpers::opencl::UNITS]);
    let options = &classes.buffers.options;
    let words = crate::opencl::renamed(options, words, &storage.prefix, names);
    let text = crate::helpers::opencl::declarations(storage, &sections, device, accessors);
    match settle(
        &text,
        &Surroundings { wished: words, ..Surroundings::of(program, macros, names, None) },
    ) {
        Ok(text) => (Some(place_declarations(program, record, storage, text)), Vec::new()),
        Err(clash) => {
            let pin = clash.pin(program, program.record(record).name_span);
            (None, own.iter().map(|class| (*class, pin.clone())).collect())
        }
    }
}

/// Whether a generated struct of a whole record has its members where the record has them: members of
/// nested structs are members of the generated one, and may lie closer to each other there.
fn lies_as_declared(storage: &Storage) -> bool {
    let leaves = &storage.shape.shape.leaves;
    storage.groups.iter().zip(storage.layout.groups()).all(|(own, group)| {
        let mut end = 0;
        !group.is_whole_record()
            || own.leaves.iter().map(|leaf| &leaves[*leaf]).all(|leaf| {
                let count: u64 = leaf.extents.iter().product();
                let start = u64::next_multiple_of(end, leaf.align.0.max(1));
                end = start + leaf.scalar_size.0 * count;
                start == leaf.offset.0
            })
    })
}

/// Whether a function for host and device holds a pointer of the class.
fn is_used_on_host(program: &Program, class: &layoutc_dataflow::classes::ArrayClass) -> bool {
    class.slots.iter().any(|slot| match slot {
        Slot::Variable(variable) => program.variable(*variable).function.is_some_and(|function| {
            program.function(function).space == layoutc_syntax::ExecutionSpace::HostDevice
        }),
        Slot::Field(_) | Slot::Result(_) => false,
    })
}

/// Spells a record so that no variable or function of its name hides it: `::node`, or `struct node`
/// where one of the file does.
fn spell_hidden_record(program: &Program, record: layoutc_syntax::RecordId, storage: &mut Storage) {
    let own = program.record(record);
    let name = program.spelled_name(record);
    let is_of_file = program
        .variables
        .iter()
        .any(|variable| variable.function.is_none() && variable.name == name)
        || program.functions.iter().any(|other| other.record.is_none() && other.name == name);
    let is_tag = own.name == name && own.instance.is_none();
    if is_of_file && is_tag {
        let keyword = own.body.map_or("", |body| program.text(body));
        let keyword = if keyword.starts_with("class") { "class" } else { "struct" };
        storage.record = format!("{keyword} {}", storage.record);
        storage.outer_record = format!("{keyword} {}", storage.outer_record);
    } else {
        let is_hidden = |name: &str| {
            program.variables.iter().any(|variable| variable.name == name)
                || program.fields.iter().any(|field| field.name == name)
        };
        storage.outer_record = with_global_names(&storage.outer_record, is_hidden);
    }
    // Inside of another namespace its own may be one of the same name.
    if own.namespaces.first().is_some_and(|first| instances::is_inner_namespace(program, first)) {
        storage.qualifier = format!("::{}", storage.qualifier);
        storage.outer_record = format!("::{}", storage.outer_record);
    }
}

/// A type's full name with `::` in front of the hidden names of file scope in it: its own and those of its
/// template arguments.
fn with_global_names(name: &str, is_hidden: impl Fn(&str) -> bool) -> String {
    let tokens = tokens(name);
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text(name));
    let mut out = String::with_capacity(name.len());
    let mut copied = 0;
    for (at, token) in tokens.iter().enumerate() {
        // In front of `::` only names of scopes are looked for.
        let is_scoped = text(at + 1) == "::" || (at > 0 && text(at - 1) == "::");
        if token.kind == TokenKind::Identifier && !is_scoped && is_hidden(text(at)) {
            out.push_str(&name[copied..token.start as usize]);
            out.push_str("::");
            copied = token.start as usize;
        }
    }
    out.push_str(&name[copied..]);
    out
}

/// The members of a record whose constructors or access rules generated functions must go around.
fn plain_members(
    program: &Program,
    id: layoutc_syntax::RecordId,
    names: &mut Names,
) -> Option<crate::storage::PlainMembers> {
    use layoutc_syntax::{RecordTrait, TypeKind};
    let record = program.record(id);
    let is_closed = record
        .traits
        .iter()
        .any(|(which, _)| matches!(which, RecordTrait::Constructor | RecordTrait::Private));
    if !is_closed {
        return None;
    }
    let mut declarations = Vec::new();
    let layout = layoutc_syntax::abi::record_layout(program, id)?;
    // Nothing is left to the compiler where members lie elsewhere than their types say: behind those of
    // base classes, and where they have an alignment of their own.
    let mut has_gaps = false;
    let limit = match record.pack {
        Some(Pack::To(limit)) => limit,
        Some(Pack::Unknown) => return None,
        None => u64::MAX,
    };
    let (mut end, mut natural) = (0_u64, 1_u64);
    for (field, offset) in record.fields.iter().zip(&layout.offsets) {
        let field = program.field(*field);
        let (size, align) = layoutc_syntax::abi::size_align(program, field.ty.id)?;
        natural = natural.max(align.min(limit));
        if end.checked_next_multiple_of(align.min(limit)) != Some(*offset) {
            has_gaps = true;
            let bytes = offset.checked_sub(end)?;
            declarations.push(format!("char {}[{bytes}]", names.fresh("gap")));
        }
        end = offset + size;
        let declaration = program.declaration_of(&field.site)?;
        let mut item = field.ty;
        while let TypeKind::Array(of, _) = *program.types.kind(item.id) {
            item = of;
        }
        let to_const = matches!(*program.types.kind(item.id), TypeKind::Pointer(to) if to.is_const);
        let constant = if to_const { "const " } else { "" };
        if record.shares_text {
            declarations.push(spelled_member(program, field));
            continue;
        }
        let specifier = program.text(declaration.specifier);
        let specifier = outer_type_text(program, &program.with_bases(id), specifier)?;
        declarations.push(format!(
            "{constant}{} {}",
            mention(&specifier),
            member(program.text(field.site.span))
        ));
    }
    Some(crate::storage::PlainMembers {
        type_name: names.fresh(&format!("{}Members", placement::word(program, id))),
        declarations,
        align: if has_gaps || !record.bases.is_empty() || natural < layout.align {
            Some(layout.align)
        } else {
            record.explicit_align
        },
        pack: match record.pack {
            Some(Pack::To(limit)) => Some(limit),
            Some(Pack::Unknown) | None => None,
        },
    })
}

/// A member with its type written out: the text of a class template names its parameters.
fn spelled_member(program: &Program, field: &layoutc_syntax::Field) -> String {
    let mut item = field.ty;
    let mut extents = String::new();
    while let layoutc_syntax::TypeKind::Array(of, length) = *program.types.kind(item.id) {
        extents.push_str(&format!("[{}]", length.unwrap_or(0)));
        item = of;
    }
    let ty = program.spelling(item).unwrap_or_default();
    format!("{} {}{extents}", mention(&ty), member(&field.name))
}

/// A pin without a flow.
fn pin(span: Span, code: Code, message: &str) -> Pin {
    Pin { span, code, message: message.to_owned(), related: Vec::new() }
}

/// Puts generated declarations behind the record's definition.
///
/// A host compiler sees no more of them than that there is the type, for prototypes.
fn place_declarations(
    program: &Program,
    record: layoutc_syntax::RecordId,
    storage: &Storage,
    text: String,
) -> Edit {
    let definition = placement::definition(program, record);
    let record = program.record(placement::home(program, record));
    let file = program.sources.file(definition.file);
    let is_cuda = !program.is_host_text(definition)
        && (program.files[definition.file.index()].is_cuda
            || file.path().extension().is_some_and(|extension| {
                extension.eq_ignore_ascii_case("cu") || extension.eq_ignore_ascii_case("cuh")
            }));
    let text = text.trim_matches('\n');
    let text = if record.in_linkage_block {
        format!("extern \"C++\" {{\n{text}\n}}")
    } else {
        text.to_owned()
    };
    let is_opencl = program.files[definition.file.index()].is_opencl;
    // What packs the record would pack what is generated, too.
    let text = if record.pack.is_some() && !is_opencl {
        format!("#pragma pack(push)\n#pragma pack()\n{text}\n#pragma pack(pop)")
    } else {
        text
    };
    let text = match (is_cuda, program.is_host_text(definition)) {
        (_, true) if is_opencl => format!("#ifdef __OPENCL_VERSION__\n{text}\n#endif"),
        (_, false) if is_opencl => text,
        (true, _) => text,
        (false, false) => format!("#ifdef __CUDACC__\n{text}\n#endif"),
        (false, true) => {
            let type_name = &storage.type_name;
            format!("#ifdef __CUDACC__\n{text}\n#else\nstruct {type_name};\n#endif")
        }
    };
    behind_definition(program, definition, storage.marker.around(&text))
}

/// Puts the declarations that host files share behind the record's definition: the types for all
/// compilers, the rest for nvcc.
fn place_shared(
    program: &Program,
    record: layoutc_syntax::RecordId,
    storage: &Storage,
    (types, device, host): (&str, &str, &str),
) -> Edit {
    let definition = placement::definition(program, record);
    let mut text = types.trim_matches('\n').to_owned();
    let (device, host) = (device.trim_matches('\n'), host.trim_matches('\n'));
    if !device.is_empty() {
        text.push_str(&format!("\n\n#ifdef __CUDACC__\n{device}\n#endif"));
    }
    if !host.is_empty() {
        text.push_str(&format!("\n\n{host}"));
    }
    // What packs the record would pack what is generated, too.
    let text = match program.record(placement::home(program, record)).pack {
        Some(_) => format!("#pragma pack(push)\n#pragma pack()\n{text}\n#pragma pack(pop)"),
        None => text,
    };
    behind_definition(program, definition, storage.marker.around(&text))
}

/// The edit that puts a block behind a definition.
fn behind_definition(program: &Program, definition: Span, text: String) -> Edit {
    let file = program.sources.file(definition.file);
    // The line break behind the definition ends the block.
    let line = file.line_range(definition.end as usize);
    let is_last = file.text()[definition.end as usize..line.end].trim().is_empty();
    let text = format!("\n\n{text}{}", if is_last { "" } else { "\n" });
    let text = if file.text().contains("\r\n") {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    };
    Edit { is_generated: true, ..Edit::replace(definition.at_end(), text) }
}

pub(super) struct Rewriter<'a> {
    program: &'a Program,
    classes: &'a Classes,
    storages: &'a [(layoutc_syntax::RecordId, Storage)],
    storage_of: BTreeMap<ClassId, usize>,
    /// Operand position of each expression in its parent.
    parents: Parents,
    /// The variable that an expression initializes.
    inits: BTreeMap<ExprId, VarId>,
    /// Runtime calls by call expression: positions in `Classes::api_calls`.
    api_of_call: BTreeMap<ExprId, usize>,
    names: Names,
    /// Companion variables of interior slots: name and type.
    indices: BTreeMap<VarId, (String, &'static str)>,
    /// Local pointers of which only the companion is used.
    index_only: BTreeSet<VarId>,
    /// Restrict-qualified copies of a handle's pointers, by slot and group.
    local_copies: BTreeMap<(VarId, usize), locals::LocalCopy>,
    needs: Vec<Needs>,
    /// Leaves that need an accessor function, by storage.
    accessors: Vec<BTreeSet<usize>>,
    /// Declarations in the head of a `for`, with the loop.
    loop_heads: BTreeMap<layoutc_syntax::DeclarationId, Span>,
    /// How many blocks around loops end at each place.
    loop_ends: BTreeMap<(Option<layoutc_syntax::FunctionId>, Span), usize>,
    /// Initializers that the declaration's edit has written.
    consumed: BTreeSet<ExprId>,
    edits: Vec<Edit>,
    refusals: Vec<Refused>,
    sizes: layoutc_dataflow::classes::Sizes,
    /// Roots that are conditions.
    conditions: BTreeSet<ExprId>,
    /// The function that each returned expression is a result of.
    returned: BTreeMap<ExprId, layoutc_syntax::FunctionId>,
    /// The expressions of functions that may not call every function; found when they are asked for.
    strict: std::cell::OnceCell<instances::Strict>,
    /// The templates of the program.
    templates: std::cell::OnceCell<late::Templates>,
    versions: versions::Versions,
    /// The copy that is being rewritten.
    owner: Option<layoutc_syntax::FunctionId>,
    /// The instance of a class template whose members are being rewritten.
    text_owner: Option<layoutc_syntax::RecordId>,
    macros: macros::MacroState<'a>,
    cells: cells::CellState<'a>,
    views: views::Views,
    known_effects: effects::KnownEffects,
    /// Storages of which something is declared in front of the struct; found, and placed.
    ahead: BTreeMap<usize, ahead::Ahead>,
    settled_ahead: BTreeMap<usize, ahead::Ahead>,
}

impl<'a> Rewriter<'a> {
    fn new(
        program: &'a Program,
        classes: &'a Classes,
        storages: &'a [(layoutc_syntax::RecordId, Storage)],
        storage_of: BTreeMap<ClassId, usize>,
        names: Names,
        modes: &'a macros::Modes,
    ) -> Self {
        let parents = Parents::new(program);
        let inits = program
            .variable_ids()
            .filter_map(|id| Some((program.variable(id).init?, id)))
            .collect();
        let api_of_call =
            classes.api_calls.iter().enumerate().map(|(at, api)| (api.call, at)).collect();
        Rewriter {
            program,
            classes,
            storages,
            storage_of,
            parents,
            inits,
            api_of_call,
            names,
            indices: BTreeMap::new(),
            index_only: BTreeSet::new(),
            local_copies: BTreeMap::new(),
            needs: vec![Needs::default(); storages.len()],
            accessors: vec![BTreeSet::new(); storages.len()],
            loop_heads: BTreeMap::new(),
            loop_ends: BTreeMap::new(),
            consumed: BTreeSet::new(),
            edits: Vec::new(),
            refusals: Vec::new(),
            sizes: layoutc_dataflow::classes::Sizes::collect(program),
            conditions: conditions(program),
            returned: returned(program),
            strict: std::cell::OnceCell::new(),
            templates: std::cell::OnceCell::new(),
            versions: versions::Versions::new(program),
            owner: None,
            text_owner: None,
            macros: macros::MacroState::new(modes),
            cells: cells::CellState::default(),
            views: views::Views::default(),
            known_effects: effects::KnownEffects::default(),
            ahead: BTreeMap::new(),
            settled_ahead: BTreeMap::new(),
        }
    }

    /// The storage of a class that changes.
    fn storage(&self, class: ClassId) -> Option<&'a Storage> {
        self.storage_of.get(&class).map(|at| &self.storages[*at].1)
    }

    fn needs(&mut self, class: ClassId) -> &mut Needs {
        let at = self.storage_of[&class];
        &mut self.needs[at]
    }

    /// The class of a slot, if it changes.
    fn changed_slot(&self, slot: Slot) -> Option<ClassId> {
        self.classes.class_of_slot(slot).filter(|class| self.storage_of.contains_key(class))
    }

    /// The class that a pointer of depth 1 points into, if it changes.
    fn changed_pointer(&self, expr: ExprId) -> Option<ClassId> {
        let (class, depth) = self.classes.value(expr)?;
        (depth == 1 && self.storage_of.contains_key(&class)).then_some(class)
    }

    /// Keeps arrays whose elements hold pointers into others that change: a generated struct would have
    /// members of a type that does not change with them.
    fn check_members(&mut self) {
        let program = self.program;
        let mut found = Vec::new();
        for class in self.storage_of.keys() {
            let Some(record) = self.classes.class(*class).element.record() else { continue };
            let mut parts = BTreeSet::new();
            placement::collect(program, record, &mut parts);
            let mut fields = parts.iter().flat_map(|part| &program.record(*part).fields);
            if let Some(field) =
                fields.find(|field| self.changed_slot(Slot::Field(**field)).is_some())
            {
                let field = program.field(*field);
                let message =
                    format!("its member `{}` points into an array that changes", field.name);
                found.push((*class, pin(field.site.name, Code::UNSUPPORTED_RECORD, &message)));
            }
        }
        self.refusals.extend(found);
    }

    fn refuse(&mut self, class: ClassId, code: Code, span: Span, message: &str) {
        self.refusals.push((class, pin(span, code, message)));
    }

    fn text(&self, expr: ExprId) -> &'a str {
        self.check_home(expr);
        self.program.text(self.program.expr(expr).span)
    }

    /// The edits of one expression: the largest changed parts below it.
    fn emit(&mut self, expr: ExprId) {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            match self.special(at) {
                Some(text) => {
                    let span = self.program.expr(at).span;
                    // What changes behind a name for several arguments has no place there.
                    if self.program.text(span) != text && !self.is_in_rest(at) {
                        let text = self.apart(span, text);
                        self.push(Edit::replace(span, text));
                    }
                }
                None if self.has_rest_written_out(at) => {
                    let span = self.program.expr(at).span;
                    let text = self.splice(at);
                    self.push(Edit::replace(span, text));
                }
                None => stack.extend(self.program.expr(at).children()),
            }
        }
    }

    /// A text for a place, with a blank in front if it would be one token with what stands there.
    fn apart(&self, place: Span, text: String) -> String {
        let before = self.program.sources.file(place.file).text()[..place.start as usize].chars();
        match (before.last(), text.chars().next()) {
            (Some(last), Some(first)) if macros::joins(last, first) => format!(" {text}"),
            _ => text,
        }
    }

    /// The new text of an expression.
    fn render(&mut self, expr: ExprId) -> String {
        match self.special(expr) {
            Some(text) => text,
            None => self.splice(expr),
        }
    }

    /// The original text with its operands rendered.
    fn splice(&mut self, expr: ExprId) -> String {
        if self.program.is_accessor_use(expr)
            && let ExprKind::Member { base, arrow, field: Some(field), .. } =
                self.program.expr(expr).kind
        {
            let object = self.render(base);
            // The accessor stays where elements have addresses.
            let is_dropped = self
                .changed_slot(Slot::Field(field))
                .and_then(|class| self.storage(class))
                .is_some_and(|storage| !storage.is_record);
            if !is_dropped {
                return object;
            }
            let operator = match (object.is_empty(), arrow) {
                // In a member function of the class.
                (true, _) => "",
                (false, true) => "->",
                (false, false) => ".",
            };
            return format!("{object}{operator}{}", self.accessed_name(field));
        }
        self.check_home(expr);
        let home = self.program.home(expr);
        let span = self.program.expr(expr).span;
        let children: Vec<ExprId> = self.program.expr(expr).children().collect();
        self.splice_span(home, span, &children)
    }

    /// The original text of a span with the expressions in it rendered.
    fn splice_span(
        &mut self,
        home: Option<layoutc_syntax::ExpansionId>,
        span: Span,
        children: &[ExprId],
    ) -> String {
        let mut children = children.to_vec();
        if children.is_empty() {
            return self.raw(home, span.range(), span.file);
        }
        children.sort_by_key(|child| self.program.expr(*child).span);
        let mut out = String::new();
        let mut at = span.start as usize;
        let mut before = None;
        for child in children {
            let inner = self.program.expr(child).span;
            let shares_name = before.replace(inner) == Some(inner) && self.is_in_rest(child);
            if shares_name {
                out.push_str(", ");
            } else if span.contains(inner) && inner.start as usize >= at {
                out.push_str(&self.raw(home, at..inner.start as usize, span.file));
            } else {
                continue;
            }
            let text = self.render(child);
            macros::put(&mut out, &text);
            at = inner.end as usize;
        }
        out.push_str(&self.raw(home, at..span.end as usize, span.file));
        out
    }

    /// The expression without parentheses around it, upwards: the outermost parenthesis.
    fn outermost(&self, mut expr: ExprId) -> ExprId {
        while let Some((parent, _)) = self.parents.of(expr)
            && matches!(self.program.expr(parent).kind, ExprKind::Paren(_))
        {
            expr = parent;
        }
        expr
    }
}

/// Expressions that statements test.
fn conditions(program: &Program) -> BTreeSet<ExprId> {
    use layoutc_syntax::StmtKind;
    let condition = |kind: &StmtKind| match kind {
        StmtKind::If { condition, .. }
        | StmtKind::For { condition, .. }
        | StmtKind::While { condition, .. }
        | StmtKind::Switch { condition, .. } => *condition,
        StmtKind::DoWhile { condition, .. } => Some(*condition),
        _ => None,
    };
    program.stmts.iter().filter_map(|stmt| condition(&stmt.kind)).collect()
}

/// The function of each `return` statement's expression.
fn returned(program: &Program) -> BTreeMap<ExprId, layoutc_syntax::FunctionId> {
    let mut found = BTreeMap::new();
    for id in program.function_ids() {
        for stmt in program.function_parts(id).stmts {
            if let layoutc_syntax::StmtKind::Return(Some(value)) = program.stmt(stmt).kind {
                found.insert(value, id);
            }
        }
    }
    found
}
