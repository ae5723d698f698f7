//! Text that a plain C++ compiler reads: files that are not CUDA, and headers that they include.
//!
//! Such text may name the new types, and call the generated functions of the host. It cannot hold
//! kernels or functions of the device. *Form:* the types stand behind the struct for all compilers,
//! the device's functions there for nvcc alone; the kernels and functions of the host stand at the
//! end of one CUDA file, and are declared where nvcc reads the struct and in front of the calls of
//! host files. *Claim:* all files of the program are linked together, and each call in host text
//! finds a declaration that every compiler of that text takes.

use super::headers_in_front::includes;
use super::order::FileOrder;
use super::{Refused, Rewriter, pin, placement};
use crate::edit::Edit;
use crate::grids::placement::{is_open_scope, place_text};
use crate::helpers::{Declarations, Functions, Needs, Part, with_linkage};
use crate::hygiene::{Surroundings, settle, unmarked};
use crate::names::Names;
use crate::storage::Storage;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExprKind, FunctionId, NameRef, Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};

/// The files that compilers of C read.
pub(super) fn files_of_c(program: &Program) -> BTreeSet<FileId> {
    let is_c = |id: FileId| {
        program.sources.file(id).path().extension().is_some_and(|extension| extension == "c")
    };
    let roots = program.files.iter().filter(|root| root.is_root && !root.is_cuda && is_c(root.id));
    let mut todo: Vec<FileId> = roots.map(|root| root.id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(&program.files[id.index()].includes);
        }
    }
    seen
}

/// Whether a plain C++ compiler reads the text.
pub(super) fn is_for_host(program: &Program, span: Span) -> bool {
    let file = &program.files[span.file.index()];
    !file.is_opencl && ((file.is_root && !file.is_cuda) || program.is_host_text(span))
}

/// Whether the span lies in a declaration of a function without its body, outside of any record.
fn is_in_prototype(program: &Program, span: Span) -> bool {
    program.functions.iter().filter(|function| function.record.is_none()).any(|function| {
        let body = function.body.map(|body| program.stmt(body).span);
        function.sites.iter().any(|site| {
            site.span.contains(span) && !body.is_some_and(|body| site.span.contains(body))
        })
    })
}

/// The headers that plain C++ compilers read.
fn files_of_host(program: &Program) -> BTreeSet<FileId> {
    let is_host =
        |root: &&layoutc_syntax::ProgramFile| root.is_root && !root.is_cuda && !root.is_opencl;
    let roots = program.files.iter().filter(is_host);
    let mut todo: Vec<FileId> = roots.map(|root| root.id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(&program.files[id.index()].includes);
        }
    }
    seen.retain(|id| !program.files[id.index()].is_root);
    seen
}

/// Whether the text belongs to the definition of a macro, or stands right behind one.
fn is_in_macro(program: &Program, span: Span) -> bool {
    program
        .macros
        .iter()
        .filter_map(|def| def.span)
        .any(|own| own.file == span.file && own.start <= span.start && span.end <= own.end + 1)
}

/// Whether a macro whose body holds the text is used in text for host compilers.
fn is_used_by_host(program: &Program, span: Span) -> bool {
    program.expr_ids().any(|id| {
        program.expr(id).span.overlaps(span) && is_for_host(program, program.expr_site(id))
    })
}

/// The types of a storage as a header, or a file, has them in front of the struct.
pub(super) fn types_in_header(
    program: &Program,
    storage: &Storage,
    file: FileId,
    types: String,
) -> String {
    let own = &program.files[file.index()];
    let is_for_host = (own.is_root && !own.is_cuda) || files_of_host(program).contains(&file);
    if !is_for_host {
        return types;
    }
    let types = crate::helpers::types_for_host(storage, &types);
    types.replace("struct __align__(", "struct alignas(")
}

/// What host text uses of the declarations of one storage.
#[derive(Default)]
struct Uses {
    /// Rewritten text that names a type, other than in prototypes of headers.
    types: Vec<Span>,
    /// Calls of functions.
    calls: Vec<Span>,
    /// The functions that are called, by file.
    called: BTreeMap<FileId, BTreeSet<String>>,
    /// The first that needs what only nvcc takes.
    device: Option<Span>,
}

/// A storage that host files share.
pub(super) struct Shared {
    /// The text for all compilers.
    pub(super) types: String,
    /// The functions that nvcc reads in each file, with the declarations of the others.
    pub(super) device: String,
    /// The functions that all compilers read behind them, with the declarations of what these call.
    pub(super) host: String,
    /// The declarations in front of host calls, and the definitions.
    pub(super) edits: Vec<Edit>,
}

/// The generated words of a text.
pub(super) fn words(text: &str, names: &Names) -> BTreeSet<String> {
    let text = unmarked(text);
    let found = tokens(&text).into_iter().filter(|token| token.kind == TokenKind::Identifier);
    let found = found.map(|token| token.text(&text));
    found.filter(|word| names.is_issued(word)).map(str::to_owned).collect()
}

/// Hides versions that device code has from host compilers, and notes edits that these take.
///
/// # Returns
/// Calls in host text of functions whose versions are hidden, by class.
pub(super) fn hide_versions(
    this: &Rewriter<'_>,
    versions: &BTreeMap<FunctionId, Option<ClassId>>,
    edits: &mut [Edit],
) -> Vec<Refused> {
    let program = this.program;
    let c = files_of_c(program);
    for edit in edits.iter_mut() {
        let Some(original) = edit.version_of else { continue };
        let file = &program.files[edit.span.file.index()];
        let is_device = program.functions.iter().any(|function| {
            let is_it = |whole: Span| whole == original;
            function.space.on_device()
                && function.sites.iter().any(|site| is_it(site.template.unwrap_or(site.span)))
        });
        if file.is_root || !is_for_host(program, original) || !is_device || c.contains(&file.id) {
            continue;
        }
        let text = edit.text.trim_matches(['\n', '\r']);
        let newline = if edit.text.contains("\r\n") { "\r\n" } else { "\n" };
        edit.text = format!(
            "{newline}{newline}#ifdef __CUDACC__{newline}{text}{newline}#endif{}",
            behind(program, edit.span, newline)
        );
        edit.suits_host = true;
    }
    let mut found = Vec::new();
    for expr in program.expr_ids() {
        let ExprKind::Name(NameRef::Functions(named)) = &program.expr(expr).kind else { continue };
        let site = program.expr_site(expr);
        if !is_for_host(program, site) {
            continue;
        }
        // Versions call each other where nvcc reads both.
        let owner = this.versions.of_expr(expr);
        if owner.is_some_and(|owner| program.function(owner).space.on_device()) {
            continue;
        }
        for id in named {
            if let Some(Some(class)) = versions.get(id)
                && program.function(*id).space.on_device()
            {
                let message = "host code that is not compiled as CUDA calls a function that works on the new layout";
                found.push((*class, pin(site, Code::NOT_CUDA_FILE, message)));
            }
        }
    }
    found
}

/// A line break, if something stands behind the place on its line.
pub(super) fn behind(program: &Program, at: Span, newline: &'static str) -> &'static str {
    let file = program.sources.file(at.file);
    let line = file.line_range(at.end as usize);
    if file.text()[at.end as usize..line.end].trim().is_empty() { "" } else { newline }
}

/// The generated functions that host text can call.
fn functions_of_host(declared: &Declarations) -> BTreeSet<String> {
    with_linkage(&unmarked(&declared.of(Part::Host)))
        .map(|functions| functions.prototypes.into_iter().map(|(name, _)| name).collect())
        .unwrap_or_default()
}

/// The generated words that only nvcc knows.
pub(super) fn device_words(
    declared: &Declarations,
    versions: &str,
    names: &Names,
) -> BTreeSet<String> {
    let types = words(&declared.of(Part::Types), names);
    let functions = functions_of_host(declared);
    let text = format!("{}{}{versions}", declared.of(Part::Host), declared.of(Part::Device));
    let all = words(&text, names);
    all.into_iter().filter(|word| !types.contains(word) && !functions.contains(word)).collect()
}

/// Whether text for host compilers names a function that is for the host alone.
pub(super) fn is_called(program: &Program, function: FunctionId) -> bool {
    !program.function(function).space.on_device()
        && program.expr_ids().any(|id| {
            matches!(&program.expr(id).kind,
                ExprKind::Name(NameRef::Functions(named)) if named.contains(&function))
                && is_for_host(program, program.expr_site(id))
        })
}

/// Whether the runtime's header is included in front of a place in every compilation by a host compiler that holds the place.
fn knows_the_runtime(program: &Program, order: &FileOrder, place: Span) -> bool {
    let is_included = |file: FileId, range: &std::ops::Range<usize>| {
        includes(program, file).iter().any(|own| range.contains(&own.at) && own.is_of_runtime())
    };
    order.units().all(|unit| {
        let is_host = unit.first().is_some_and(|(root, _)| !program.files[root.index()].is_cuda);
        let there = unit
            .iter()
            .position(|(file, range)| *file == place.file && range.contains(&(place.end as usize)));
        match there.filter(|_| is_host) {
            None => true,
            Some(last) => unit[..=last].iter().any(|(file, range)| {
                let end = if *file == place.file {
                    range.end.min(place.start as usize)
                } else {
                    range.end
                };
                is_included(*file, &(range.start..end.max(range.start)))
            }),
        }
    })
}

impl Uses {
    fn of(
        program: &Program,
        edits: &[Edit],
        (declared, versions): (&Declarations, &str),
        names: &Names,
    ) -> Uses {
        let types = words(&declared.of(Part::Types), names);
        let host = words(&declared.of(Part::Host), names);
        let device = words(&format!("{}{versions}", declared.of(Part::Device)), names);
        let functions = functions_of_host(declared);
        let mut found = Uses::default();
        let seen_by_host = files_of_host(program);
        for edit in edits {
            let is_open = !edit.is_generated && !edit.suits_host;
            if !is_open {
                continue;
            }
            // The text of a macro is read where it is used.
            if seen_by_host.contains(&edit.span.file) && is_in_macro(program, edit.span) {
                let own = words(&edit.text, names);
                let is_new = edit.text.contains("#define");
                let of_device = |word: &String| {
                    (is_new || !types.contains(word))
                        && (types.contains(word) || host.contains(word) || device.contains(word))
                };
                if own.iter().any(of_device) && (is_new || is_used_by_host(program, edit.span)) {
                    found.device = found.device.or(Some(edit.span));
                }
                continue;
            }
            if !is_for_host(program, edit.span) {
                continue;
            }
            let own = words(&edit.text, names);
            let is_root = program.files[edit.span.file.index()].is_root;
            let mentions = |set: &BTreeSet<String>| own.iter().any(|word| set.contains(word));
            let is_hidden = |word: &String| {
                !types.contains(word)
                    && !functions.contains(word)
                    && (device.contains(word) || host.contains(word))
            };
            if own.iter().any(is_hidden) {
                found.device = found.device.or(Some(edit.span));
            } else if mentions(&functions) {
                found.calls.push(edit.span);
                let called = found.called.entry(edit.span.file).or_default();
                called.extend(own.intersection(&functions).cloned());
            } else if mentions(&types) && (is_root || !is_in_prototype(program, edit.span)) {
                found.types.push(edit.span);
            }
        }
        found
    }
}

impl Rewriter<'_> {
    /// The form of a storage that host text uses; nothing if it uses none of it.
    ///
    /// `versions` is what stands with the declarations, heads and functions, those of them that files for host
    /// compilers call, and whether a header in front of them includes the runtime's.
    ///
    /// # Errors
    /// Why host text cannot use it.
    pub(super) fn shared(
        &mut self,
        (at, needs): (usize, Needs),
        declared: &Declarations,
        (versions, of_host, has_runtime): &(String, &str, bool),
        edits: &[Edit],
        around: &BTreeSet<String>,
    ) -> Result<Option<Shared>, (Span, String)> {
        let program = self.program;
        let (record, storage) = (self.storages[at].0, &self.storages[at].1);
        let mut uses = Uses::of(program, edits, (declared, versions), &self.names);
        let order = FileOrder::new(program);
        uses.types.retain(|span| !self.is_ahead(at, *span, &order));
        let all: Vec<Span> = uses.types.iter().chain(&uses.calls).copied().collect();
        if let Some(span) = uses.device {
            let message = match is_in_macro(program, span) {
                true => {
                    "a file that is not compiled as CUDA uses this macro, and what it would call is not declared there"
                }
                false => {
                    "this file is not compiled as CUDA, and here elements would be accessed in the new layout"
                }
            };
            return Err((span, message.to_owned()));
        }
        let Some(first) = all.first().copied() else { return Ok(None) };
        let definition = placement::definition(program, record);
        if let Some(message) = self.obstacle(record, storage, needs) {
            return Err((first, message.to_owned()));
        }
        if !of_host.is_empty() {
            let device = device_words(declared, "", &self.names);
            if words(of_host, &self.names).iter().any(|word| device.contains(word)) {
                let message = "a function that this file, which is not compiled as CUDA, calls would access elements in the new layout";
                return Err((first, message.to_owned()));
            }
            if !has_runtime && !knows_the_runtime(program, &order, definition) {
                let message = "a function that this file, which is not compiled as CUDA, calls stands behind the struct, where \
                               `cuda_runtime.h` is not included";
                return Err((first, message.to_owned()));
            }
        }
        let early = all.iter().find_map(|span| Some((*span, order.obstacle(*span, definition)?)));
        if let Some((span, message)) = early {
            return Err((span, message.to_owned()));
        }
        let surroundings = Surroundings::of(program, around, &self.names, Some(record));
        let settled = |text: &str| {
            settle(text, &surroundings).map_err(|clash| (first, clash.pin(program, first).message))
        };
        let types = crate::helpers::types_for_host(storage, &declared.of(Part::Types));
        // Host compilers may not have the toolkit's headers.
        let types = settled(&types)?.replace("struct __align__(", "struct alignas(");
        let device = settled(&declared.of(Part::Device))?;
        let Some(functions) = with_linkage(&settled(&declared.of(Part::Host))?) else {
            let message = "this file is not compiled as CUDA, and a generated function has no form that it could call";
            return Err((first, message.to_owned()));
        };
        let guard = self.names.fresh(&format!("{}_FUNCTIONS", storage.prefix.to_uppercase()));
        let has_versions = !of_host.is_empty();
        let told = (&guard[..], has_versions);
        let (edits, is_guarded) =
            self.functions_for_host((record, storage), &functions, (&uses, edits), told)?;
        let prototypes = match is_guarded {
            true => {
                let all = functions.declared(|_| true);
                format!("#ifndef {guard}\n#define {guard}{all}#endif\n")
            }
            false => functions.declared(|_| true),
        };
        Ok(Some(match has_versions {
            true => Shared { types, device, host: format!("{prototypes}{of_host}"), edits },
            false => Shared {
                types,
                device: format!("{device}{prototypes}"),
                host: String::new(),
                edits,
            },
        }))
    }

    /// Why the declarations of a storage have no form for host compilers.
    fn obstacle(&self, record: RecordId, storage: &Storage, needs: Needs) -> Option<&'static str> {
        let program = self.program;
        let definition = placement::definition(program, record);
        let home = program.record(placement::home(program, record));
        let mains = program.functions.iter().filter(|function| {
            function.name == "main" && function.record.is_none() && function.body.is_some()
        });
        let has_symbols = needs.symbol
            || needs.symbol_address
            || needs.to_symbol
            || needs.from_symbol
            || needs.to_symbol_async
            || needs.from_symbol_async;
        if !program.is_host_text(definition) {
            Some("this file is not compiled as CUDA, and the struct is not defined for it")
        } else if files_of_c(program).contains(&definition.file) {
            Some("this file is not compiled as CUDA, and a file in C includes the struct, too")
        } else if mains.count() > 1 {
            Some(
                "this file is not compiled as CUDA, and it cannot be seen with which `main` it is linked",
            )
        } else if storage.is_internal || home.in_linkage_block || home.is_local {
            Some(
                "this file is not compiled as CUDA, and the struct's functions could not be called from another file",
            )
        } else if storage.cells.is_some()
            || has_symbols
            || program.record(record).instance.is_some()
        {
            Some(
                "this file is not compiled as CUDA, and what is generated for the struct has no form that it takes",
            )
        } else {
            None
        }
    }

    /// The declarations in front of host calls, with whether they are guarded against a second one,
    /// and the definitions.
    fn functions_for_host(
        &self,
        (record, storage): (RecordId, &Storage),
        functions: &Functions,
        (uses, edited): (&Uses, &[Edit]),
        (guard, has_versions): (&str, bool),
    ) -> Result<(Vec<Edit>, bool), (Span, String)> {
        let program = self.program;
        let order = FileOrder::new(program);
        let definition = placement::definition(program, record);
        let namespaces = &program.record(placement::home(program, record)).namespaces;
        let open: String = namespaces.iter().map(|name| format!("namespace {name} {{\n")).collect();
        let close = "\n}".repeat(namespaces.len());
        let within = |text: &str| format!("{open}{}{close}", text.trim_matches('\n'));
        let mut edits = Vec::new();
        let is_guarded =
            has_versions || uses.called.keys().any(|file| !program.files[file.index()].is_root);
        for (file, called) in &uses.called {
            // A second inclusion must not say default arguments again.
            let text = match is_guarded {
                true => {
                    let all = within(&functions.declared(|_| true));
                    format!("#ifndef {guard}\n#define {guard}\n{all}\n#endif")
                }
                false => within(&functions.declared(|name| called.contains(name))),
            };
            let calls = uses.calls.iter().filter(|span| span.file == *file);
            let calls: Vec<(FileId, Span)> = calls.map(|span| (*file, *span)).collect();
            let placed = place_text(program, &order, (&calls, true), ("", &storage.marker), &text)
                .map_err(|(span, message)| (span, message.to_owned()))?;
            for edit in placed {
                // The types are named there, too.
                if let Some(message) = order.obstacle(edit.span, definition) {
                    return Err((calls[0].1, message.to_owned()));
                }
                edits.push(Edit { suits_host: true, ..edit });
            }
        }
        if functions.definitions.trim().is_empty() {
            return Ok((edits, is_guarded));
        }
        let end_of = |file: FileId| {
            let end = program.sources.file(file).text().len();
            Span::new(file, end, end)
        };
        let is_home = |file: FileId| {
            let own = &program.files[file.index()];
            own.is_root
                && own.is_cuda
                && !program.files.iter().any(|other| other.includes.contains(&file))
                && order.obstacle(end_of(file), definition).is_none()
                && is_open_scope(program.sources.file(file).text())
        };
        let has_edits = |file: &&FileId| edited.iter().any(|edit| edit.span.file == **file);
        let homes: Vec<FileId> =
            program.files.iter().map(|file| file.id).filter(|file| is_home(*file)).collect();
        let Some(home) = homes.iter().find(has_edits).or(homes.first()).copied() else {
            let place = uses.calls.first().copied().unwrap_or(definition);
            let message = "this file is not compiled as CUDA, and no CUDA file includes the struct, so that the conversions have no place";
            return Err((place, message.to_owned()));
        };
        let source = program.sources.file(home);
        let text = storage.marker.around(&within(&functions.definitions));
        let gap = if source.text().ends_with('\n') { "\n" } else { "\n\n" };
        let text = self.with_newlines(end_of(home), format!("{gap}{text}\n"));
        edits.push(Edit { is_generated: true, ..Edit::replace(end_of(home), text) });
        Ok((edits, is_guarded))
    }
}

/// Notes the edits that host compilers take: all that are left where nothing was refused, but for
/// those in files that compilers of C read.
pub(super) fn note(program: &Program, edits: &mut [Edit], was_refused: bool) {
    let c = files_of_c(program);
    for edit in edits {
        // Otherwise the reason is said already.
        let is_open = was_refused || !c.contains(&edit.span.file);
        edit.suits_host |= is_open && is_for_host(program, edit.span);
    }
}
