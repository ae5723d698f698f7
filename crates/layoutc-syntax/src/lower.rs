//! Lowering: syntax trees become the [`Program`].
//!
//! Files are lowered in the order in which a compiler would meet them, each once: a header is
//! lowered where the first file that includes it does so. Names are resolved on the way, in the
//! scopes of C++; a global name is visible in a file if some translation unit holds both. What
//! cannot be resolved stays [`NameRef::Unknown`], and what cannot be parsed becomes an
//! [`UnmodelledRegion`]: both pin what they may touch.
//!
//! The recursion follows the syntax tree, whose depth [`crate::parse`] has bounded.

mod accessors;
mod attributes;
mod bases;
mod bodies;
mod chains;
mod class_templates;
mod copying;
mod declarations;
mod device_vectors;
mod enclosing;
mod expansions;
mod explicit_instantiations;
mod expressions;
mod fields;
mod friends;
mod inner_includes;
mod launches;
mod library_models;
mod macro_arguments;
mod macros;
mod meanings;
mod member_templates;
mod names;
mod operators;
mod packing;
mod pasted;
mod pointer_declarations;
mod pragmas;
mod precedence;
mod qualifiers;
mod records;
mod smart_pointers;
mod spaces;
mod statements;
mod static_members;
mod templates;
mod types;
mod unused_members;

use crate::opaque::{OpaqueType, OpaqueTypes};
use crate::parse::Trees;
use crate::preprocess::{Activity, DirectiveKind, MaskReason, Preprocessed, PreprocessedFile};
use crate::program::{
    Declaration, DeclarationId, Expr, ExprId, ExprKind, FieldId, FunctionId, NameRef, Program,
    ProgramFile, RecordId, RegionKind, Stmt, StmtId, StmtKind, UnmodelledRegion, VarId, Variable,
};
use crate::types::QualType;
use bodies::Bodies;
use expansions::Frame;
use foldhash::fast::RandomState;
use layoutc_diagnostics::{Code, Diagnostic, FileId, Span};
use meanings::AmbiguousNames;
use names::{GlobalNames, LocalScopes};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use tree_sitter::Node;

/// Parses and lowers a preprocessed program.
///
/// Regions that do not parse, and files that are nested too deeply, are reported in the second
/// result and recorded in [`Program::regions`].
#[must_use]
pub fn lower_program(preprocessed: Preprocessed) -> (Program, Vec<Diagnostic>) {
    let trees = Trees::new(&preprocessed.files);
    let (mut program, found) = rayon::in_place_scope_fifo(|scope| {
        for file in 0..preprocessed.files.len() {
            let trees = &trees;
            scope.spawn_fifo(move |_| trees.prepare(file));
        }
        lower(&preprocessed, &trees)
    });
    let mut diagnostics: Vec<Diagnostic> = (0..preprocessed.files.len())
        .filter(|at| preprocessed.files[*at].foreign.is_none())
        .filter_map(|at| Some(trees.parse(at).err()?.diagnostic(FileId(at as u32))))
        .collect();
    diagnostics.extend(found);
    program.unseen = preprocessed.unseen.clone();
    // Generated text may not hide what foreign text declares.
    let foreign = preprocessed.foreign_words.values().flat_map(|words| words.words.iter().cloned());
    program.identifiers.extend(foreign);
    program.foreign_words = preprocessed.foreign_words.clone();
    program.generated = (program.sources.iter())
        .flat_map(|(id, file)| crate::generated::generated_regions(id, file.text()))
        .collect();
    diagnostics.extend(unparsed_regions(&program));
    (program, diagnostics)
}

/// How many regions of one file that do not parse are shown.
const REGIONS_OF_A_FILE: usize = 3;

/// A warning for each region of the program's own files that does not parse, for the first of each file.
fn unparsed_regions(program: &Program) -> Vec<Diagnostic> {
    let mut by_file: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
    for region in &program.regions {
        if region.kind == RegionKind::Unparsed && !program.is_foreign(region.span.file) {
            by_file.entry(region.span.file).or_default().push(region.span);
        }
    }
    let mut found = Vec::new();
    for (file, spans) in by_file {
        let left = spans.len().saturating_sub(REGIONS_OF_A_FILE);
        for (at, span) in spans.iter().take(REGIONS_OF_A_FILE).enumerate() {
            let start = span.start as usize;
            let first_line = program.sources.file(file).line_range(start);
            let end = (span.end as usize).min(first_line.end.max(start + 1));
            let mut help =
                "define the macros it uses in a file of the program, or with `-D NAME=VALUE`"
                    .to_owned();
            if left > 0 && at + 1 == REGIONS_OF_A_FILE {
                help += &match left {
                    1 => "; 1 more region of this file does not parse".to_owned(),
                    _ => format!("; {left} more regions of this file do not parse"),
                };
            }
            found.push(
                Diagnostic::warning(Code::UNPARSED_REGION, "this region does not parse")
                    .at(Span::new(file, start, end), "what it mentions keeps its layout")
                    .help(help),
            );
        }
    }
    found
}

/// Lowers the files, whose trees other threads may be making.
fn lower(preprocessed: &Preprocessed, trees: &Trees<'_>) -> (Program, Vec<Diagnostic>) {
    let bodies = Bodies::parse(preprocessed);
    let mut lowering = Lowering::new(preprocessed, trees, &bodies);
    // Growing these step by step would leave holes of half their size. What is not used of it is
    // never touched.
    let bytes: usize = preprocessed.files.iter().map(|file| file.masked.len()).sum();
    lowering.program.exprs.reserve(bytes / 8);
    lowering.program.expr_homes.reserve(bytes / 8);
    lowering.program.stmts.reserve(bytes / 32);
    lowering.program.stmt_homes.reserve(bytes / 32);
    lowering.program.variables.reserve(bytes / 96);
    lowering.program.declarations.reserve(bytes / 96);
    lowering.program.declaration_homes.reserve(bytes / 96);
    // A root that another file includes is lowered where it is included.
    let included: BTreeSet<FileId> = preprocessed
        .files
        .iter()
        .flat_map(|file| &file.includes)
        .filter_map(|include| include.target)
        .collect();
    for (at, file) in preprocessed.files.iter().enumerate() {
        if file.is_root && !included.contains(&FileId(at as u32)) {
            lowering.file(FileId(at as u32));
        }
    }
    for at in 0..preprocessed.files.len() {
        lowering.file(FileId(at as u32));
    }
    lowering.lower_instances();
    lowering.collect_words();
    lowering.collect_explicit_instantiations();
    lowering.collect_regions();
    lowering.collect_inner_includes();
    lowering.collect_unresolved_members();
    lowering.collect_meanings();
    lowering.close_specialised();
    lowering.collect_mentions();
    lowering.settle_launches();
    lowering.note_patterns();
    let diagnostics = lowering.collect_pragmas();
    (lowering.program, diagnostics)
}

/// The state of a lowering run: the program so far and the scopes at the current place.
pub(crate) struct Lowering<'t> {
    pub(crate) program: Program,
    preprocessed: &'t Preprocessed,
    opaque: OpaqueTypes,
    trees: &'t Trees<'t>,
    bodies: &'t Bodies,
    /// The places of each name's definitions among the program's macros.
    macros_by_name: HashMap<String, Vec<usize>>,
    packing: packing::Packing,
    lowered: Vec<bool>,
    globals: GlobalNames,
    ambiguous: AmbiguousNames,
    locals: LocalScopes,
    namespaces: Vec<String>,
    /// Read when a name is first in doubt.
    used: std::cell::OnceCell<enclosing::Used>,
    /// The text is of a definition outside of its namespace.
    is_head_elsewhere: bool,
    function: Option<FunctionId>,
    record: Option<RecordId>,
    template_parameters: Vec<Vec<String>>,
    /// The parameter list of each template around.
    template_lists: Vec<Node<'t>>,
    templates: templates::Templates<'t>,
    /// The enumerators of the enumerations that have a name.
    enumerators: BTreeMap<crate::types::TypeId, Vec<(String, Option<i64>)>>,
    launches: launches::PendingLaunches,
    linkage_blocks: usize,
    /// The member functions of each record, by name; an operator's without blanks.
    methods_by_name: HashMap<RecordId, HashMap<String, Vec<FunctionId>>>,
    /// The fields of each record that are not inherited, by name.
    fields_by_name: HashMap<RecordId, HashMap<String, FieldId>>,
    /// Names that came into the scopes of the records being lowered, in order.
    new_members: Vec<(RecordId, String)>,
    /// Member functions of the class being lowered whose bodies come last.
    waiting_bodies: Vec<(FunctionId, Node<'t>)>,
    /// The calls of macros that paste a name, of each file, in order.
    pasted_names: Vec<Vec<std::ops::Range<usize>>>,
    /// Explicit instantiations of templates.
    explicit_instantiations: Vec<(FileId, Node<'t>)>,
    /// Copy constructors and assignments whose bodies come last.
    copying: Vec<copying::Copying>,
    /// The file of the text that is lowered, that text, and where its first byte is in the file.
    current: FileId,
    text: &'t str,
    offset: usize,
    /// The macro whose body is lowered.
    frame: Option<Rc<Frame<'t>>>,
    /// What is lowered is the condition of a `static_assert`, which nothing else takes its value from.
    in_assertion: bool,
    /// The record of the object that the next list in braces makes, where it is known.
    listed: Option<RecordId>,
}

/// The calls of macros in a file that paste a name, in order.
fn pasted_names(file: &PreprocessedFile) -> Vec<std::ops::Range<usize>> {
    let is_name = |reason: &MaskReason| matches!(reason, MaskReason::Name { .. });
    let names = file.masked_spans.iter().filter(|(_, reason)| is_name(reason));
    let mut found: Vec<_> = names.map(|(span, _)| span.range()).collect();
    found.sort_by_key(|range| range.start);
    found
}

impl<'t> Lowering<'t> {
    fn new(preprocessed: &'t Preprocessed, trees: &'t Trees<'t>, bodies: &'t Bodies) -> Self {
        let mut program = Program {
            sources: preprocessed.sources.clone(),
            closed_branches: preprocessed.closed_branches(),
            ..Program::default()
        };
        for (at, file) in preprocessed.files.iter().enumerate() {
            let after_includes =
                file.includes.iter().map(|include| include.span.end).max().unwrap_or(0);
            program.files.push(ProgramFile {
                id: FileId(at as u32),
                is_root: file.is_root,
                is_cuda: file.is_cuda,
                is_opencl: file.is_opencl,
                foreign: file.foreign,
                host_text: file.host_text.clone(),
                includes: file.includes.iter().filter_map(|include| include.target).collect(),
                include_offsets: file
                    .includes
                    .iter()
                    .filter(|include| include.target.is_some())
                    .map(|include| include.span.start as usize)
                    .collect(),
                libraries: file
                    .includes
                    .iter()
                    .filter(|include| include.activity == Activity::Active)
                    .filter_map(|own| Some((own.span, OpaqueTypes::namespace_of(&own.spelled)?)))
                    .collect(),
                after_includes: after_includes as usize,
                unparsed: 1,
            });
        }
        let globals = GlobalNames::new(&program.files);
        let includes = preprocessed.files.iter().flat_map(|file| &file.includes);
        let mut opaque =
            OpaqueTypes::well_known(includes.map(|own| own.spelled.as_str()), |name| {
                preprocessed.macros.lookup(name).next().is_some()
            });
        for OpaqueType { name, size, align } in &preprocessed.measured {
            opaque.add(name.clone(), *size, *align);
        }
        let mut lowering = Lowering {
            program,
            opaque,
            preprocessed,
            trees,
            bodies,
            macros_by_name: HashMap::new(),
            packing: packing::Packing::of(preprocessed),
            lowered: vec![false; preprocessed.files.len()],
            globals,
            ambiguous: AmbiguousNames::new(preprocessed, trees),
            locals: LocalScopes::default(),
            namespaces: Vec::new(),
            used: std::cell::OnceCell::new(),
            is_head_elsewhere: false,
            function: None,
            record: None,
            template_parameters: Vec::new(),
            template_lists: Vec::new(),
            templates: templates::Templates::default(),
            enumerators: BTreeMap::new(),
            launches: launches::PendingLaunches::default(),
            linkage_blocks: 0,
            methods_by_name: HashMap::new(),
            fields_by_name: HashMap::new(),
            new_members: Vec::new(),
            waiting_bodies: Vec::new(),
            pasted_names: preprocessed.files.iter().map(pasted_names).collect(),
            explicit_instantiations: Vec::new(),
            copying: Vec::new(),
            current: FileId(0),
            text: "",
            offset: 0,
            frame: None,
            in_assertion: false,
            listed: None,
        };
        lowering.collect_macros();
        for (at, def) in lowering.program.macros.iter().enumerate() {
            lowering.macros_by_name.entry(def.name.clone()).or_default().push(at);
        }
        lowering
    }

    /// Lowers a file unless that has happened.
    fn file(&mut self, id: FileId) {
        if std::mem::replace(&mut self.lowered[id.index()], true) {
            return;
        }
        let outer = (self.current, self.text);
        (self.current, self.text) = (id, &self.preprocessed.files[id.index()].masked);
        if let Some(parsed) = self.trees.of(id) {
            let root = parsed.tree.root_node();
            self.includes_before(root.start_byte());
            self.items(root);
            self.includes_before(usize::MAX);
        } else {
            let span = Span::new(id, 0, self.text.len());
            self.region_of_text(span, RegionKind::Unparsed);
            self.includes_before(usize::MAX);
        }
        (self.current, self.text) = outer;
    }

    /// Lowers the headers that the current file includes before `offset`.
    fn includes_before(&mut self, offset: usize) {
        let file = &self.preprocessed.files[self.current.index()];
        for include in &file.includes {
            if (include.span.start as usize) < offset
                && let Some(target) = include.target
                && !self.lowered[target.index()]
            {
                let namespaces = std::mem::take(&mut self.namespaces);
                self.file(target);
                self.namespaces = namespaces;
            }
        }
    }

    /// Lowers the declarations below a translation unit, namespace or `extern "C"` block.
    fn items(&mut self, parent: Node<'t>) {
        let mut cursor = parent.walk();
        let children: Vec<_> = parent.children(&mut cursor).collect();
        for child in children {
            self.includes_before(child.start_byte());
            self.item(child);
        }
    }

    /// Whether the text that is lowered is OpenCL C.
    pub(crate) fn in_opencl(&self) -> bool {
        self.preprocessed.files[self.current.index()].is_opencl
    }

    pub(crate) fn span(&self, node: Node<'_>) -> Span {
        self.span_of(node.start_byte(), node.end_byte())
    }

    /// The span of bytes of the text that is lowered. What ends with a name that a macro pastes ends with the call.
    pub(crate) fn span_of(&self, start: usize, end: usize) -> Span {
        let (start, end) = (start + self.offset, end + self.offset);
        let pasted = &self.pasted_names[self.current.index()];
        let before = pasted.partition_point(|call| call.start < end);
        let call = before.checked_sub(1).map(|at| &pasted[at]).filter(|call| end < call.end);
        Span::new(self.current, start, call.map_or(end, |call| call.end))
    }

    /// The original text of bytes of the text that is lowered.
    pub(crate) fn original(&self, start: usize, end: usize) -> &'t str {
        let file = self.preprocessed.sources.file(self.current);
        &file.text()[start + self.offset..end + self.offset]
    }

    /// The text of a node; for the name of a macro's parameter, the word that is its argument.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        let text = &self.text[node.byte_range()];
        match &self.frame {
            Some(frame) if node.child_count() == 0 => frame.word(text).unwrap_or(text),
            _ => text,
        }
    }

    pub(crate) fn add_expr(&mut self, kind: ExprKind, span: Span, ty: QualType) -> ExprId {
        self.program.exprs.push(Expr { kind, span, ty });
        self.program.expr_homes.push(self.frame.as_ref().map(|frame| frame.expansion));
        ExprId(self.program.exprs.len() as u32 - 1)
    }

    pub(crate) fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.program.stmts.push(Stmt { kind, span });
        self.program.stmt_homes.push(self.frame.as_ref().map(|frame| frame.expansion));
        StmtId(self.program.stmts.len() as u32 - 1)
    }

    pub(crate) fn add_declaration(&mut self, declaration: Declaration) -> DeclarationId {
        self.program.declarations.push(declaration);
        self.program.declaration_homes.push(self.frame.as_ref().map(|frame| frame.expansion));
        DeclarationId(self.program.declarations.len() as u32 - 1)
    }

    pub(crate) fn add_variable(&mut self, variable: Variable) -> VarId {
        self.program.variables.push(variable);
        VarId(self.program.variables.len() as u32 - 1)
    }

    /// An expression that mentions every name below `node` and is nothing else.
    pub(crate) fn opaque(&mut self, node: Node<'t>) -> ExprId {
        let mut children = Vec::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "identifier" | "type_identifier" if self.parameter(node).is_some() => {
                    let argument = self.parameter_expression(node);
                    children.push(argument);
                }
                "identifier" | "type_identifier" | "this" => {
                    let name = self.text_of(node);
                    let reference = self.resolve_name(name, &[]);
                    let ty = self.type_of_reference(&reference);
                    let span = self.span(node);
                    children.push(self.add_expr(ExprKind::Name(reference), span, ty));
                }
                _ => {
                    let mut cursor = node.walk();
                    stack.extend(node.children(&mut cursor));
                }
            }
        }
        let span = self.span(node);
        let unknown = self.program.types.unknown();
        self.add_expr(ExprKind::Opaque(children.into()), span, unknown)
    }

    /// Records a region outside the model, with the identifiers below `node`.
    pub(crate) fn region(&mut self, node: Node<'t>, kind: RegionKind) {
        self.region_of_text(self.span(node), kind);
    }

    pub(crate) fn region_of_text(&mut self, span: Span, kind: RegionKind) {
        let source = self.preprocessed.sources.file(span.file).text();
        let mut identifiers: BTreeSet<String> =
            pasted::identifiers(&source[span.range()]).map(str::to_owned).collect();
        // In a macro's body it is part of the use, and mentions what that mentions.
        let home = self.frame.as_ref().map(|frame| frame.expansion);
        let span = self.program.use_site(home, span);
        if home.is_some() {
            let text = self.preprocessed.sources.text(span);
            identifiers.extend(pasted::identifiers(text).map(str::to_owned));
        }
        self.program.regions.push(UnmodelledRegion {
            span,
            kind,
            identifiers,
            related: Vec::new(),
        });
    }

    /// A macro that opens a block or heads a statement: its arguments stand where the body puts
    /// them, and the body may declare and use anything.
    fn control_region(&mut self, name: Span) {
        let source = self.preprocessed.sources.file(name.file).text();
        // An argument list is never longer; nobody waits for the rest of the file.
        let end = source.floor_char_boundary(name.end as usize + (16 << 10));
        let rest = &source[name.end as usize..end];
        let (mut depth, mut length) = (0usize, 0usize);
        for token in crate::preprocess::tokens(rest) {
            match token.text(rest) {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ if depth == 0 => break,
                _ => {}
            }
            if depth == 0 {
                length = token.range().end;
                break;
            }
        }
        let span = Span::new(name.file, name.start as usize, name.end as usize + length);
        self.region_of_text(span, RegionKind::Unmodelled);
        self.add_what_macros_mention();
    }

    /// Adds to the last region what the macros that it names mention besides their parameters, through
    /// other macros too.
    fn add_what_macros_mention(&mut self) {
        let Some(region) = self.program.regions.last_mut() else { return };
        let mut pending: Vec<String> = region.identifiers.iter().cloned().collect();
        while let Some(used) = pending.pop() {
            let defs = self.macros_by_name.get(&used).into_iter().flatten();
            for def in defs.map(|at| &self.program.macros[*at]) {
                let parameters = def.parameters.as_deref().unwrap_or_default();
                for word in def.body_identifiers.iter().filter(|word| !parameters.contains(word)) {
                    if region.identifiers.insert(word.clone()) {
                        pending.push(word.clone());
                    }
                }
            }
        }
    }

    /// Adds all words: a generated name is none of the program's, whatever the word stands for.
    fn collect_words(&mut self) {
        let mut words: HashSet<&str, RandomState> = HashSet::default();
        for at in 0..self.preprocessed.files.len() {
            let file = self.preprocessed.sources.file(FileId(at as u32));
            // Words of comments and strings among them: they cost nothing, tokens of a whole file do.
            let found = file.text().split(|c: char| !c.is_alphanumeric() && c != '_');
            words.extend(found.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit())));
        }
        words.extend(self.program.variables.iter().map(|variable| variable.name.as_str()));
        words.remove("");
        self.program.identifiers.append(&mut words.into_iter().map(str::to_owned).collect());
    }

    /// Adds the regions that no declaration lowering sees: inactive branches and parse errors.
    fn collect_regions(&mut self) {
        for (at, file) in self.preprocessed.files.iter().enumerate() {
            let conditions = file.directives.iter().filter(|directive| {
                matches!(
                    directive.kind,
                    DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef
                )
            });
            self.program.conditions.extend(conditions.map(|directive| directive.span));
            for inactive in &file.inactive {
                let kind =
                    if inactive.dual { RegionKind::Unmodelled } else { RegionKind::Inactive };
                self.region_of_text(inactive.span, kind);
            }
            // Text that was overwritten for the parser's sake is live: what it names is pinned.
            for (span, reason) in &file.masked_spans {
                match reason {
                    MaskReason::ControlMacro => self.control_region(*span),
                    MaskReason::FirstAssignment => self.check_first_assignment(*span),
                    MaskReason::MacroArgument
                    | MaskReason::Argument
                    | MaskReason::TypeMacro
                    | MaskReason::Launch
                    | MaskReason::Members
                    | MaskReason::NewPointer
                    | MaskReason::Other => self.region_of_text(*span, RegionKind::Unmodelled),
                    // What reads like a type with a declarator may be a call: `make<P>(p)`, `table<P>[i]`.
                    MaskReason::TypeArgument => {
                        let source = self.preprocessed.sources.file(span.file).text();
                        if source[span.range()].contains(['(', '[']) {
                            self.region_of_text(*span, RegionKind::Unmodelled);
                        }
                    }
                    // Seen by the lowering of the declaration, or meaningless to it.
                    MaskReason::Specifier { .. }
                    | MaskReason::Attribute { .. }
                    | MaskReason::Name { .. }
                    | MaskReason::Semicolon => {}
                }
            }
            // Clauses of parallel regions name variables; a rewrite would not follow.
            for directive in &file.directives {
                let source = self.preprocessed.sources.file(directive.span.file).text();
                let is_parallel = directive.kind == DirectiveKind::Pragma
                    && pasted::identifiers(&source[directive.span.range()])
                        .nth(1)
                        .is_some_and(|word| matches!(word, "omp" | "acc"));
                if is_parallel {
                    self.region_of_text(directive.span, RegionKind::Unmodelled);
                }
            }
            if let Some(parsed) = self.trees.of(FileId(at as u32)) {
                self.program.files[at].unparsed = parsed.error_regions.len();
                for range in &parsed.error_regions {
                    let span = Span::new(FileId(at as u32), range.start, range.end);
                    self.region_of_text(span, RegionKind::Unparsed);
                }
            }
        }
        let identifiers: BTreeSet<String> = self
            .program
            .regions
            .iter()
            .flat_map(|region| region.identifiers.iter().cloned())
            .collect();
        self.program.identifiers.extend(identifiers);
    }

    /// A comma that stands for an assignment is one only in a comma operator; anywhere else, what is around it is not
    /// known.
    fn check_first_assignment(&mut self, operator: Span) {
        let Some(root) = self.trees.of(operator.file).map(|parsed| parsed.tree.root_node()) else {
            return;
        };
        let at = operator.range().start;
        let comma = root.descendant_for_byte_range(at, at + 1);
        let Some(around) = comma.and_then(|comma| comma.parent()) else {
            return self.region_of_text(operator, RegionKind::Unmodelled);
        };
        if around.kind() != "comma_expression" || around.has_error() {
            let span = Span::new(operator.file, around.start_byte(), around.end_byte());
            self.region_of_text(span, RegionKind::Unmodelled);
        }
    }

    pub(crate) fn type_of_reference(&mut self, reference: &NameRef) -> QualType {
        match reference {
            NameRef::Variable(id) => {
                let ty = self.program.variable(*id).ty;
                self.program.types.strip_reference(ty)
            }
            NameRef::Constant(_) => self.program.types.scalar(crate::types::Scalar::Int),
            NameRef::Functions(_) => {
                QualType::plain(self.program.types.intern(crate::types::TypeKind::Function))
            }
            NameRef::Macro(name) => self.type_of_macro(&name.clone()),
            NameRef::Unknown(_) => self.program.types.unknown(),
        }
    }
}
