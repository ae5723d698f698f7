//! Type specifiers and declarators.

use super::Lowering;
use super::enclosing::visible_part;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use crate::measured;
use crate::opaque::OpaqueType;
use crate::program::{Declaration, DeclarationId, DeclaratorSite, RegionKind};
use crate::types::{QualType, Scalar, TypeId, TypeKind, TypeTable, VectorFamily, VectorType};
use layoutc_diagnostics::Span;
use std::collections::BTreeSet;
use thin_vec::ThinVec;
use tree_sitter::Node;

/// A lowered declarator.
pub(crate) struct Declarator<'t> {
    pub(crate) ty: QualType,
    pub(crate) name: String,
    pub(crate) site: DeclaratorSite,
    /// The parameter list, if the declared thing is a function.
    pub(crate) parameters: Option<Node<'t>>,
    /// The name is qualified, or is an operator, destructor or structured binding.
    pub(crate) is_special: bool,
    /// Every `*` came after the parameter list: the function's result type.
    pub(crate) result: QualType,
    /// Where a function's result type stands, if that is behind its parameters.
    pub(crate) trailing: Option<DeclaratorSite>,
}

/// A name of the number, or vector of numbers, that words are a type of for kernels and for the host, if it is the same for
/// both: `uint` there is `cl_uint` or `unsigned` here.
pub(crate) fn number_of_both(text: &str) -> Option<String> {
    let text = words_of_number(text);
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["float"] => Some("float".to_owned()),
        [vector] if VectorType::parse_opencl(vector).is_some() => Some(vector.to_owned()),
        _ => scalar_of_words(&words).map(|scalar| format!("{scalar:?}")),
    }
}

/// The words of a type as C has them.
pub(crate) fn words_of_number(text: &str) -> String {
    let words = text.split_whitespace();
    let words: Vec<&str> =
        words.map(|word| crate::preprocess::number_words(word).unwrap_or(word)).collect();
    words.join(" ")
}

/// The scalar type of a specifier made of keywords.
pub(crate) fn scalar_of_words(words: &[&str]) -> Option<Scalar> {
    let has = |word: &str| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let unsigned = has("unsigned");
    if words.iter().any(|word| {
        !matches!(
            *word,
            "unsigned" | "signed" | "long" | "short" | "int" | "char" | "double" | "__signed__"
        )
    }) {
        return None;
    }
    Some(if has("char") {
        match (unsigned, has("signed")) {
            (true, _) => Scalar::UnsignedChar,
            (_, true) => Scalar::SignedChar,
            _ => Scalar::Char,
        }
    } else if has("double") {
        if longs > 0 {
            return None;
        }
        Scalar::Double
    } else if has("short") {
        if unsigned { Scalar::UnsignedShort } else { Scalar::Short }
    } else if longs >= 2 {
        if unsigned { Scalar::UnsignedLongLong } else { Scalar::LongLong }
    } else if longs == 1 {
        if unsigned { Scalar::UnsignedLong } else { Scalar::Long }
    } else if unsigned {
        Scalar::UnsignedInt
    } else {
        Scalar::Int
    })
}

/// The scalar behind a keyword or a typedef of the standard headers.
fn scalar_of_name(name: &str) -> Option<Scalar> {
    Some(match name {
        "bool" | "_Bool" => Scalar::Bool,
        "char" => Scalar::Char,
        "int" | "int32_t" => Scalar::Int,
        "unsigned" | "uint" | "uint32_t" | "char32_t" => Scalar::UnsignedInt,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        "short" | "int16_t" => Scalar::Short,
        "ushort" | "uint16_t" | "char16_t" => Scalar::UnsignedShort,
        "int8_t" => Scalar::SignedChar,
        "uint8_t" | "char8_t" | "u_char" => Scalar::UnsignedChar,
        "long" | "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" => Scalar::Long,
        "ulong" | "size_t" | "uint64_t" | "uintptr_t" => Scalar::UnsignedLong,
        "__half" | "half" => Scalar::Half,
        "wchar_t" => Scalar::WChar,
        _ => return None,
    })
}

/// The type behind a typedef of the CUDA toolkit's headers.
fn toolkit_typedef(name: &str) -> Option<TypeKind> {
    let pair =
        |scalar| TypeKind::Vector(VectorType { scalar, lanes: 2, family: VectorFamily::Cuda });
    Some(match name {
        "cuComplex" | "cuFloatComplex" | "cufftComplex" => pair(Scalar::Float),
        "cuDoubleComplex" | "cufftDoubleComplex" => pair(Scalar::Double),
        "half2" | "__half2" => pair(Scalar::Half),
        "cufftReal" => TypeKind::Scalar(Scalar::Float),
        "cufftDoubleReal" => TypeKind::Scalar(Scalar::Double),
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => TypeKind::Scalar(Scalar::UnsignedLongLong),
        "clock_t" | "time_t" => TypeKind::Scalar(Scalar::Long),
        _ => return None,
    })
}

impl<'t> Lowering<'t> {
    /// What a name of types stands for, without classes that are only declared where one of their namespace is defined:
    /// they are that one, in a file that does not see its body.
    fn without_declarations(
        &self,
        found: Option<Option<QualType>>,
        mut types: BTreeSet<QualType>,
    ) -> (Option<Option<QualType>>, BTreeSet<QualType>) {
        let record = |ty: &QualType| {
            self.program.types.as_record(ty.id).map(|record| self.program.record(record))
        };
        let defined: Vec<QualType> = types
            .iter()
            .copied()
            .filter(|ty| record(ty).is_some_and(|own| own.body.is_some()))
            .collect();
        let [one] = defined[..] else { return (found, types) };
        let Some(whole) = record(&one) else { return (found, types) };
        let is_declaration = |ty: &QualType| {
            record(ty).is_some_and(|own| {
                own.body.is_none()
                    && own.instance.is_none()
                    && own.traits.is_empty()
                    && own.namespaces == whole.namespaces
                    && !own.is_local
                    && visible_part(&own.namespaces).len() == own.namespaces.len()
            })
        };
        types.retain(|ty| !is_declaration(ty));
        let found = found.map(|ty| ty.map(|ty| if is_declaration(&ty) { one } else { ty }));
        (found, types)
    }

    /// The type of a name, from scopes, macros and the types that CUDA brings along.
    pub(crate) fn type_of_name(&mut self, name: &str, scope: &[&str]) -> QualType {
        if scope.is_empty()
            && let Some(bound) = self.bound_type(name)
        {
            return bound;
        }
        // A parameter of the template around hides a type of that name.
        let is_parameter = self.template_parameters.iter().flatten().any(|own| own == name);
        if scope.is_empty() && is_parameter && !self.has_local(name) {
            return QualType::plain(
                self.program.types.intern(TypeKind::TemplateParameter(name.to_owned())),
            );
        }
        if scope.is_empty() && !self.has_local(name) {
            if let Some(inherited) = self.inherited_type(name) {
                return inherited;
            }
            if self.may_be_inherited(name) {
                return self.program.types.unknown();
            }
        }
        let is_unclear = scope.is_empty() && self.is_of_unclear_namespace(name);
        let found = self.symbols(name, scope).into_iter().find_map(|symbol| match symbol {
            Symbol::Type(ty) => Some(Some(*ty)),
            Symbol::ClassTemplate(_) | Symbol::AliasTemplate(_) | Symbol::TemplateType => {
                Some(None)
            }
            Symbol::Variable(_) | Symbol::Function(_) | Symbol::Constant(_) => None,
        });
        let distinct: BTreeSet<QualType> = self
            .symbols(name, scope)
            .into_iter()
            .filter_map(|symbol| match symbol {
                Symbol::Type(ty) => Some(*ty),
                _ => None,
            })
            .collect();
        let (found, distinct) = self.without_declarations(found, distinct);
        if let Some(opaque) = self.opaque_type(name, scope, &distinct) {
            return opaque;
        }
        if let Some(found) = found {
            return match found {
                Some(_) if is_unclear && distinct.len() > 1 => {
                    self.enclosing_type(name).unwrap_or(self.program.types.unknown())
                }
                Some(ty) if distinct.len() <= 1 || !scope.is_empty() => ty,
                Some(ty) if self.is_innermost_type(name, ty) => ty,
                // Two types of one name in translation units that share this header: neither is meant.
                Some(_) => self.enclosing_type(name).unwrap_or(self.program.types.unknown()),
                None => self.program.types.unknown(),
            };
        }
        if is_parameter {
            return QualType::plain(
                self.program.types.intern(TypeKind::TemplateParameter(name.to_owned())),
            );
        }
        if scope.is_empty() || scope == ["std"] {
            // The host's headers of OpenCL have the types of the device with a prefix.
            let is_opencl = self.in_opencl();
            let own = name.strip_prefix("cl_").filter(|_| !is_opencl);
            let (word, is_opencl) = own.map_or((name, is_opencl), |word| (word, true));
            let scalar = match word {
                "uchar" if is_opencl => Some(Scalar::UnsignedChar),
                // It is as large as an integer there.
                "bool" if own.is_some() => Some(Scalar::UnsignedInt),
                _ => scalar_of_name(word),
            };
            if let Some(scalar) = scalar {
                return self.program.types.scalar(scalar);
            }
            let vector =
                if is_opencl { VectorType::parse_opencl(word) } else { VectorType::parse(word) };
            if let Some(vector) = vector {
                return QualType::plain(self.program.types.intern(TypeKind::Vector(vector)));
            }
            if let Some(ty) = self.type_of_macro_name(name) {
                return ty;
            }
            if let Some(scalar) = self.scalar_of_microsoft(&[name]).filter(|_| !is_opencl) {
                return self.program.types.scalar(scalar);
            }
            if let Some(kind) = toolkit_typedef(name).filter(|_| !is_opencl) {
                return QualType::plain(self.program.types.intern(kind));
            }
        }
        if let Some(ty) = self.type_of_class(name, scope) {
            return ty;
        }
        let mut full = scope.join("::");
        if !full.is_empty() {
            full.push_str("::");
        }
        full.push_str(name);
        QualType::plain(self.program.types.intern(TypeKind::Named(full, Vec::new())))
    }

    /// The type of words with one of Microsoft's names of integers, if nothing gives that name another meaning.
    fn scalar_of_microsoft(&self, words: &[&str]) -> Option<Scalar> {
        let of_name = |word: &str| -> Option<&[&'static str]> {
            Some(match word {
                "__int8" => &["char"],
                "__int16" => &["short"],
                "__int32" => &["int"],
                "__int64" => &["long", "long"],
                _ => return None,
            })
        };
        let mut named = words.iter().filter(|word| of_name(word).is_some());
        let (Some(name), None) = (named.next(), named.next()) else { return None };
        if self.is_macro(name) || !self.symbols(name, &[]).is_empty() {
            return None;
        }
        let mut meant = Vec::new();
        for word in words {
            match (of_name(word), *word) {
                (Some(own), _) => meant.extend(own),
                (None, "signed" | "unsigned") => meant.push(*word),
                _ => return None,
            }
        }
        scalar_of_words(&meant)
    }

    /// The type that a library's name has, if its objects stay whole; `found` are the types that text
    /// gives the name, and only text of libraries may.
    fn opaque_type(
        &mut self,
        name: &str,
        scope: &[&str],
        found: &BTreeSet<QualType>,
    ) -> Option<QualType> {
        let types = &self.program.types;
        let is_librarys = |ty: &QualType| match *types.kind(ty.id) {
            TypeKind::Record(record) => {
                let file = self.program.record(record).name_span.file;
                self.preprocessed.files[file.index()].foreign.is_some()
            }
            TypeKind::Named(..) | TypeKind::Unknown | TypeKind::Opaque(_) => true,
            _ => false,
        };
        if !found.iter().all(is_librarys) {
            return None;
        }
        // What a using-declaration made of the name.
        let used = found.iter().find(|ty| matches!(types.kind(ty.id), TypeKind::Opaque(_)));
        if let Some(used) = used {
            return Some(*used);
        }
        let known = match scope {
            [] => self.opaque.get(name),
            _ => self.opaque.get(&format!("{}::{name}", scope.join("::"))),
        };
        let kind = TypeKind::Opaque(known?.clone());
        Some(QualType::plain(self.program.types.intern(kind)))
    }

    /// `using glm::vec3;` and `using namespace glm;`, of types whose objects stay whole. Other names are
    /// found in every namespace.
    pub(crate) fn using_declaration(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let is_namespace = node.children(&mut cursor).any(|child| child.kind() == "namespace");
        let Some(named) = node.named_child(0) else { return };
        if self.using_enumeration(node, named) {
            return;
        }
        let text = self.text_of(named);
        let used: Vec<OpaqueType> = match is_namespace {
            true => self.opaque.in_namespace(text).cloned().collect(),
            false => self.opaque.get(text).cloned().into_iter().collect(),
        };
        for own in used {
            let Some(name) = own.name.rsplit("::").next().map(str::to_owned) else { continue };
            let ty = QualType::plain(self.program.types.intern(TypeKind::Opaque(own)));
            self.declare(&name, Symbol::Type(ty));
        }
    }

    /// `using enum Mode;`: the scope has the enumerators of an enumeration that is known.
    pub(crate) fn using_enumeration(&mut self, node: Node<'t>, named: Node<'t>) -> bool {
        let original = self.original(node.start_byte(), named.start_byte());
        if !super::pasted::identifiers(original).any(|word| word == "enum") {
            return false;
        }
        let (scope, name) = match named.kind() {
            "qualified_identifier" => {
                let (scope, last) = self.qualified_parts(named);
                (scope, last.map_or("", |last| self.text_of(last)))
            }
            _ => (Vec::new(), self.text_of(named)),
        };
        let ty = self.type_of_name(name, &scope);
        for (name, value) in self.enumerators.get(&ty.id).cloned().unwrap_or_default() {
            self.declare(&name, Symbol::Constant(value));
        }
        true
    }

    fn is_innermost_type(&self, name: &str, ty: QualType) -> bool {
        // A local type, or one of this file, hides those of other files.
        self.symbols(name, &[]).len() == 1
            || self
                .program
                .types
                .as_record(ty.id)
                .is_some_and(|record| self.program.record(record).name_span.file == self.current)
    }

    /// The type of a type specifier node, without the qualifiers around it.
    pub(crate) fn specifier(&mut self, node: Node<'t>) -> QualType {
        match node.kind() {
            "primitive_type" => {
                let name = self.text_of(node);
                if name == "void" {
                    return QualType::plain(TypeTable::VOID);
                }
                match scalar_of_name(name) {
                    Some(scalar) => self.program.types.scalar(scalar),
                    None => self.named(name, Vec::new()),
                }
            }
            "sized_type_specifier" => {
                let words: Vec<&str> = self.text_of(node).split_ascii_whitespace().collect();
                let known = scalar_of_words(&words)
                    .or_else(|| self.scalar_of_macros(&words))
                    .or_else(|| self.scalar_of_microsoft(&words));
                match known {
                    Some(scalar) => self.program.types.scalar(scalar),
                    None => self.named(&words.join(" "), Vec::new()),
                }
            }
            "type_identifier" | "identifier" => {
                if let Some(ty) = self.parameter_type(node) {
                    return ty;
                }
                let name = self.text_of(node);
                self.note_type_use(name, self.span(node));
                self.type_of_name(name, &[])
            }
            "qualified_identifier" => self.qualified_type(node),
            "template_type" | "template_function" => self.template_type(node, &[]),
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                self.record_specifier(node)
            }
            "enum_specifier" => self.enum_specifier(node),
            // What it names is not followed, nor what it declares: `decltype(host) device = make(n)`.
            "decltype" if self.library_function_in(node).is_some() => {
                let function = self.library_function_in(node).unwrap_or_default();
                self.named(&format!("decltype(&{function})"), Vec::new())
            }
            "decltype" => {
                let declares = |at: &Node<'_>| {
                    matches!(at.kind(), "declaration" | "field_declaration" | "for_range_loop")
                        && !declares_function(*at)
                };
                let whole = node.parent().filter(declares).unwrap_or(node);
                self.region(whole, RegionKind::Unmodelled);
                self.program.types.unknown()
            }
            "placeholder_type_specifier" if self.text_of(node).contains("decltype") => {
                self.region(declaration_around(node), RegionKind::Unmodelled);
                self.program.types.unknown()
            }
            // `auto`, `typename T::x`: the initializer decides, or nobody here does.
            _ => self.program.types.unknown(),
        }
    }

    /// The function in `decltype(&cudaFree)`, if the program does not declare it.
    fn library_function_in(&self, node: Node<'t>) -> Option<String> {
        let text = self.text_of(node);
        let tokens = crate::preprocess::tokens(text);
        let words: Vec<&str> = tokens.iter().map(|token| token.text(text)).collect();
        match words[..] {
            ["decltype", "(", "&", name, ")"] if self.symbols(name, &[]).is_empty() => {
                Some(name.to_owned())
            }
            _ => None,
        }
    }

    fn named(&mut self, name: &str, mentioned: Vec<TypeId>) -> QualType {
        QualType::plain(self.program.types.intern(TypeKind::Named(name.to_owned(), mentioned)))
    }

    /// `Name<…>`.
    pub(crate) fn template_type(&mut self, node: Node<'t>, scope: &[&str]) -> QualType {
        let name = node.field(FieldName::Name).map_or("", |name| self.text_of(name));
        let arguments = node.field(FieldName::Arguments);
        // In its own class the name is bound; with arguments it is the template's.
        if let Some(name_node) = node.field(FieldName::Name).filter(|_| scope.is_empty()) {
            self.note_type_use(name, self.span(name_node));
        }
        if let Some(arguments) = arguments
            && let Some(ty) = self.template_id(name, scope, arguments)
        {
            return ty;
        }
        if let Some(arguments) = arguments
            && let Some(ty) = self.array_of_library(name, scope, arguments)
        {
            return ty;
        }
        if let Some(ty) = self.measured_instance(node, scope) {
            return ty;
        }
        let mut mentioned = Vec::new();
        if let Some(arguments) = arguments {
            self.mentioned_types(arguments, &mut mentioned);
        }
        if let (["thrust"], "device_ptr", Some(list)) = (scope, name, arguments)
            && let Some(ty) = self.device_pointer(list)
        {
            return ty;
        }
        self.named(name, mentioned)
    }

    /// An instance of a library's template that a compiler measured.
    fn measured_instance(&mut self, node: Node<'t>, scope: &[&str]) -> Option<QualType> {
        let mut spelled = scope.join("::");
        if !spelled.is_empty() {
            spelled.push_str("::");
        }
        spelled.push_str(self.text_of(node));
        let known = self.opaque.get(&measured::key(&spelled)?)?;
        Some(QualType::plain(self.program.types.intern(TypeKind::Opaque(known.clone()))))
    }

    fn qualified_type(&mut self, node: Node<'t>) -> QualType {
        let (scope, last) = self.qualified_parts(node);
        match last {
            Some(last) if last.kind() == "template_type" || last.kind() == "template_function" => {
                self.template_type(last, &scope)
            }
            Some(last) => {
                let name = self.text_of(last);
                self.type_of_name(name, &scope)
            }
            None => self.program.types.unknown(),
        }
    }

    /// The scopes and the last name of `a::b::name`.
    pub(crate) fn qualified_parts(&self, node: Node<'t>) -> (Vec<&'t str>, Option<Node<'t>>) {
        let mut scope = Vec::new();
        let mut at = node;
        while at.kind() == "qualified_identifier" {
            if let Some(part) = at.field(FieldName::Scope) {
                scope.push(self.text_of(part));
            }
            match at.field(FieldName::Name) {
                Some(name) => at = name,
                None => return (scope, None),
            }
        }
        (scope, Some(at))
    }

    /// Every type named below a template argument list.
    fn mentioned_types(&mut self, arguments: Node<'t>, out: &mut Vec<TypeId>) {
        let mut cursor = arguments.walk();
        let children: Vec<_> = arguments.named_children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "type_descriptor" => out.push(self.type_descriptor(child).id),
                "identifier" | "type_identifier" => {
                    let name = self.text_of(child);
                    if self.names_type(name) {
                        out.push(self.type_of_name(name, &[]).id);
                    }
                }
                _ => {}
            }
        }
    }

    /// The type of a `type_descriptor`: a specifier, qualifiers and an abstract declarator.
    pub(crate) fn type_descriptor(&mut self, node: Node<'t>) -> QualType {
        let Some(specifier) = node.field(FieldName::Type) else {
            return self.program.types.unknown();
        };
        let mut ty = self.specifier(specifier);
        ty = self.qualify(node, specifier, ty);
        match node.field(FieldName::Declarator) {
            Some(declarator) => self.declarator(Some(declarator), ty, None, 0, self.span(node)).ty,
            None => ty,
        }
    }

    /// Adds the qualifiers that stand beside `specifier` as children of `node`.
    pub(crate) fn qualify(
        &self,
        node: Node<'t>,
        specifier: Node<'t>,
        mut ty: QualType,
    ) -> QualType {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == "type_qualifier" && child != specifier {
                match self.text_of(child) {
                    "const" => ty.is_const = true,
                    // What a function gives back is as constant as its type says.
                    "constexpr" => ty.is_const |= !declares_function(node),
                    "volatile" => ty.is_volatile = true,
                    _ => {}
                }
            }
        }
        ty
    }

    /// Walks a declarator from the outside in and builds its type.
    pub(crate) fn declarator(
        &mut self,
        node: Option<Node<'t>>,
        base: QualType,
        declaration: Option<DeclarationId>,
        index: usize,
        around: Span,
    ) -> Declarator<'t> {
        let empty = node.map_or(around.at_end(), |node| self.span(node));
        let mut out = Declarator {
            ty: base,
            name: String::new(),
            site: DeclaratorSite {
                declaration,
                index,
                span: empty,
                pointers: ThinVec::new(),
                reference: None,
                name: empty.at_end(),
                full: empty,
            },
            parameters: None,
            is_special: false,
            result: base,
            trailing: None,
        };
        let mut next = node;
        while let Some(node) = next {
            let inner = node.field(FieldName::Declarator).or_else(|| {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| {
                    child.kind().ends_with("declarator") || is_declared_name(child.kind())
                })
            });
            match node.kind() {
                "init_declarator"
                | "parenthesized_declarator"
                | "abstract_parenthesized_declarator"
                | "attributed_declarator" => next = inner,
                "pointer_declarator"
                | "abstract_pointer_declarator"
                | "pointer_type_declarator" => {
                    let mut ty = self.program.types.pointer(out.ty);
                    let mut cursor = node.walk();
                    for child in node.children(&mut cursor) {
                        if Some(child) == inner {
                            break;
                        }
                        let text = self.text_of(child);
                        match text {
                            "const" => ty.is_const = true,
                            "volatile" => ty.is_volatile = true,
                            "restrict" | "__restrict__" | "__restrict" => ty.is_restrict = true,
                            _ => {}
                        }
                    }
                    let end = inner.map_or(node.end_byte(), |inner| inner.start_byte());
                    let written = self.original(node.start_byte(), end);
                    ty.is_restrict |= written.contains("restrict");
                    let end = node.start_byte() + written.trim_end().len();
                    out.site.pointers.insert(0, self.span_of(node.start_byte(), end));
                    out.ty = ty;
                    next = inner;
                }
                "reference_declarator" | "abstract_reference_declarator" => {
                    let rvalue = self.text_of(node).starts_with("&&");
                    let length = if rvalue { 2 } else { 1 };
                    out.site.reference =
                        Some(self.span_of(node.start_byte(), node.start_byte() + length));
                    let kind = TypeKind::Reference(out.ty, rvalue);
                    out.ty = QualType::plain(self.program.types.intern(kind));
                    next = inner.filter(|inner| !matches!(inner.kind(), "&" | "&&"));
                }
                "array_declarator" | "abstract_array_declarator" => {
                    let size = node.field(FieldName::Size).map(|size| {
                        let size = self.expression(size);
                        self.program.file_scope_exprs.push(size);
                        size
                    });
                    let mut cursor = node.walk();
                    let open =
                        node.children(&mut cursor).filter(|child| child.kind() == "[").last();
                    if let Some(open) = open {
                        let brackets = self.span_of(open.start_byte(), node.end_byte());
                        self.program.brackets.insert(brackets, size);
                    }
                    let length =
                        size.and_then(|size| crate::evaluate::constant(&self.program, size));
                    let kind = TypeKind::Array(
                        out.ty,
                        length.and_then(|length| u64::try_from(length).ok()),
                    );
                    out.ty = QualType::plain(self.program.types.intern(kind));
                    next = inner;
                }
                "function_declarator" | "abstract_function_declarator" => {
                    out.parameters = node.field(FieldName::Parameters);
                    let mut cursor = node.walk();
                    let trailing = node
                        .named_children(&mut cursor)
                        .find(|child| child.kind() == "trailing_return_type");
                    if let Some(trailing) = trailing {
                        match self.trailing_type(trailing, inner) {
                            Some(found) => {
                                out.ty = found.ty;
                                out.trailing = Some(found.site);
                            }
                            None => {
                                let text = self.text_of(trailing);
                                let is_deduced = text.contains("decltype") && text.contains("auto");
                                let whole = if is_deduced {
                                    declaration_around(trailing)
                                } else {
                                    trailing
                                };
                                self.region(whole, RegionKind::Unmodelled);
                            }
                        }
                    }
                    out.result = out.ty;
                    out.ty = QualType::plain(self.program.types.intern(TypeKind::Function));
                    next = inner;
                    // A pointer to a function is not a function.
                    if inner.is_some_and(|inner| inner.kind().contains("parenthesized")) {
                        out.parameters = None;
                        out.site.pointers.clear();
                    }
                }
                "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                    out.name = self.text_of(node).to_owned();
                    out.site.name = self.span(node);
                    next = None;
                }
                "qualified_identifier" => {
                    let (_, last) = self.qualified_parts(node);
                    out.name = last.map_or("", |last| self.text_of(last)).to_owned();
                    out.site.name = self.span(node);
                    out.is_special = true;
                    next = None;
                }
                "operator_cast" if is_pure_conversion(node) => {
                    let head = node.field(FieldName::Declarator);
                    out.parameters = head.and_then(|head| head.field(FieldName::Parameters));
                    if let Some(target) = node.field(FieldName::Type) {
                        out.result = self.specifier(target);
                        out.name = format!("operator {}", self.text_of(target));
                    }
                    out.ty = QualType::plain(self.program.types.intern(TypeKind::Function));
                    out.site.name = self.span(node);
                    next = None;
                }
                _ => {
                    // Structured bindings, operators, destructors, template specialisations.
                    out.name = self.text_of(node).to_owned();
                    out.site.name = self.span(node);
                    out.is_special = true;
                    next = None;
                }
            }
        }
        if out.name.is_empty() {
            out.site.name = out.site.span.at_end();
        }
        out
    }

    /// The type in `auto f() -> T *`, for a function that `name` declares.
    ///
    /// That of a pointer to a function, and `-> decltype(p[0].x)`, are not followed.
    fn trailing_type(&mut self, node: Node<'t>, name: Option<Node<'t>>) -> Option<Declarator<'t>> {
        let name = name.filter(|name| !name.kind().contains("parenthesized"))?;
        let descriptor = super::expressions::only_named(node)
            .filter(|inner| inner.kind() == "type_descriptor" && !inner.has_error())?;
        let specifier = descriptor.field(FieldName::Type)?;
        if is_definition(specifier) || is_deduced(specifier) {
            return None;
        }
        // Behind `T::f` names are looked up in the class first.
        let around = match name.kind() {
            "qualified_identifier" => self.record_of_qualified(name).or(self.record),
            _ => self.record,
        };
        let outer = std::mem::replace(&mut self.record, around);
        let base = self.specifier(specifier);
        let base = self.qualify(descriptor, specifier, base);
        let declaration = self.add_declaration(Declaration {
            span: self.span(descriptor),
            specifier: self.span(specifier),
            specifier_type: base,
            is_plain: self.is_spelled(specifier),
            count: 1,
            namespaces: self.namespaces.clone(),
        });
        let found = self.declarator(
            descriptor.field(FieldName::Declarator),
            base,
            Some(declaration),
            0,
            self.span(descriptor),
        );
        self.record = outer;
        Some(found)
    }

    fn enum_specifier(&mut self, node: Node<'t>) -> QualType {
        let name = node.field(FieldName::Name).map_or("", |name| self.text_of(name)).to_owned();
        let mut size = match node.field(FieldName::Base) {
            Some(base) => {
                let base = self.specifier(base);
                self.program.types.as_scalar(base.id).map(|scalar| scalar.size() as u8)
            }
            None => Some(4),
        };
        let mut declared = Vec::new();
        if let Some(body) = node.field(FieldName::Body) {
            let mut next = Some(0i64);
            let mut enumerators = Vec::new();
            let mut values = Some((0i64, 0i64));
            let mut cursor = body.walk();
            let children: Vec<_> = body.named_children(&mut cursor).collect();
            let has_scope = is_scoped(node);
            if has_scope {
                self.locals.push();
            }
            for child in children {
                if child.kind() != "enumerator" {
                    if child.kind() != "comment" {
                        self.region(child, RegionKind::Unmodelled);
                    }
                    continue;
                }
                if let Some(value) = child.field(FieldName::Value) {
                    let value = self.expression(value);
                    self.program.file_scope_exprs.push(value);
                    next = crate::evaluate::constant(&self.program, value);
                }
                if let Some(name) = child.field(FieldName::Name) {
                    let name = self.text_of(name).to_owned();
                    self.declare(&name, Symbol::Constant(next));
                    enumerators.push((name, next));
                }
                values = values
                    .zip(next)
                    .map(|((least, most), value)| (least.min(value), most.max(value)));
                next = next.and_then(|value| value.checked_add(1));
            }
            if has_scope {
                self.locals.pop();
            }
            if node.field(FieldName::Base).is_none() && !is_scoped(node) {
                size = values.and_then(|(least, most)| enum_size(least, most));
            }
            if self.changes_enum(node) {
                size = None;
            }
            declared = enumerators;
        }
        let has_body = node.field(FieldName::Body).is_some();
        // `enum Mood mood;` means the enumeration that was declared.
        if !has_body
            && node.field(FieldName::Base).is_none()
            && let Some(known) = self.tags(&name).into_iter().find_map(|symbol| match symbol {
                Symbol::Type(ty) => {
                    matches!(self.program.types.kind(ty.id), TypeKind::Enum(..)).then_some(*ty)
                }
                _ => None,
            })
        {
            return known;
        }
        let kind = TypeKind::Enum(self.scoped_name(&name), size);
        let ty = QualType::plain(self.program.types.intern(kind));
        if !name.is_empty() && has_body {
            self.declare(&name, Symbol::Type(ty));
            // One name with two lists may mean either.
            let known = self.enumerators.entry(ty.id).or_insert_with(|| declared.clone());
            if *known != declared {
                known.extend(declared);
                known.iter_mut().for_each(|(_, value)| *value = None);
            }
        }
        ty
    }

    /// A name declared here, with its scopes; in parentheses if it has no name outside.
    fn scoped_name(&self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let around = match self.record {
            _ if !self.locals.is_empty() => None,
            Some(record) => self.program.qualified_name(record),
            None => Some(
                self.namespaces
                    .iter()
                    .filter(|own| !own.starts_with('('))
                    .cloned()
                    .collect::<Vec<_>>()
                    .join("::"),
            ),
        };
        match around {
            Some(scope) if scope.is_empty() => name.to_owned(),
            Some(scope) => format!("{scope}::{name}"),
            None => format!("({name})"),
        }
    }
}

/// The size of an enumeration without an underlying type that has these least and largest values: g++ takes `int`
/// or `unsigned`, and wider types where these do not hold all.
fn enum_size(least: i64, most: i64) -> Option<u8> {
    let fits = match least < 0 {
        true => i32::try_from(least).is_ok() && i32::try_from(most).is_ok(),
        false => u32::try_from(most).is_ok(),
    };
    fits.then_some(4)
}

/// Whether an enumeration is `enum class` or `enum struct`: its values are of the type `int`.
fn is_scoped(specifier: Node<'_>) -> bool {
    let mut cursor = specifier.walk();
    specifier.children(&mut cursor).any(|child| matches!(child.kind(), "class" | "struct"))
}

fn is_declared_name(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
    )
}

/// Whether a conversion function gives a number and does nothing else: it is called where nobody names it.
pub(super) fn is_pure_conversion(node: Node<'_>) -> bool {
    let is_number = node
        .field(FieldName::Type)
        .is_some_and(|target| matches!(target.kind(), "primitive_type" | "sized_type_specifier"));
    let is_plain = node
        .field(FieldName::Declarator)
        .is_some_and(|head| head.kind() == "abstract_function_declarator");
    let body = node.parent().and_then(|around| around.field(FieldName::Body));
    let only = body.and_then(super::expressions::only_named);
    let Some(only) = only.filter(|only| only.kind() == "return_statement") else { return false };
    let mut stack = vec![only];
    while let Some(at) = stack.pop() {
        let does_more = matches!(
            at.kind(),
            "call_expression"
                | "assignment_expression"
                | "update_expression"
                | "lambda_expression"
                | "new_expression"
                | "delete_expression"
                | "co_await_expression"
        );
        if does_more || at.is_error() {
            return false;
        }
        let mut cursor = at.walk();
        stack.extend(at.named_children(&mut cursor));
    }
    is_number && is_plain
}

/// The declaration that `decltype(auto)` is a part of: with another form of its value it would be another type.
fn declaration_around(node: Node<'_>) -> Node<'_> {
    let holds = |kind: &str| {
        matches!(
            kind,
            "function_definition" | "lambda_expression" | "declaration" | "field_declaration"
        )
    };
    std::iter::successors(Some(node), |at| at.parent()).find(|at| holds(at.kind())).unwrap_or(node)
}

/// Whether a specifier leaves its type to an expression.
fn is_deduced(specifier: Node<'_>) -> bool {
    matches!(specifier.kind(), "placeholder_type_specifier" | "auto" | "decltype")
}

/// Whether a specifier defines its type in place.
pub(crate) fn is_definition(specifier: Node<'_>) -> bool {
    specifier.field(FieldName::Body).is_some()
}

/// Whether what a declaration declares first is a function.
fn declares_function(node: Node<'_>) -> bool {
    let mut declarator = node.field(FieldName::Declarator);
    while let Some(at) = declarator {
        if at.kind() == "function_declarator" {
            return true;
        }
        declarator = at.field(FieldName::Declarator).or_else(|| {
            // A reference has its declarator as a plain child.
            let mut cursor = at.walk();
            at.named_children(&mut cursor).find(|child| child.kind().ends_with("declarator"))
        });
    }
    false
}
