//! `#pragma layoutc grid f[ny][nx] g[ny][nx]`: dimensions of the arrays of the declaration below.
//!
//! The preprocessor blanks directives, so a pragma is read from the original text, once all else is
//! lowered: what it names is looked up among what the declaration below declares, and its extents
//! among what is in scope there.

mod layouts;

use super::Lowering;
use crate::evaluate::{constant_tokens, integer_literal};
use crate::preprocess::{Activity, DirectiveKind, Token, TokenKind, tokens};
use crate::program::{
    DeclarationId, ExtentValue, FieldId, FunctionId, GridPragma, NameRef, PragmaArray,
    PragmaExtent, Program, StmtKind, Storage, VarId,
};
use crate::types::{Scalar, TypeId, TypeKind};
use layoutc_diagnostics::{Code, Diagnostic, FileId, Span};

/// What a pragma writes: a name and the texts between the brackets behind it.
struct Written {
    name: Span,
    span: Span,
    extents: Vec<Span>,
}

/// The declaration below a pragma.
enum Below {
    /// A prototype or definition: site `site` of the function.
    Function { function: FunctionId, site: usize },
    /// Variables of one declaration.
    Variables { declaration: DeclarationId, variables: Vec<VarId> },
    /// Members of one declaration.
    Fields { declaration: DeclarationId, fields: Vec<FieldId> },
}

impl Lowering<'_> {
    /// Reads the pragmas of all files; what is wrong with them is the result.
    pub(super) fn collect_pragmas(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for at in 0..self.preprocessed.files.len() {
            let pragmas: Vec<Span> = self.preprocessed.files[at]
                .directives
                .iter()
                .filter(|directive| {
                    directive.kind == DirectiveKind::Pragma
                        && directive.activity == Activity::Active
                })
                .map(|directive| directive.span)
                .collect();
            for span in pragmas {
                if let Err(error) = self.pragma(span, &mut diagnostics) {
                    diagnostics.push(error);
                }
            }
        }
        diagnostics
    }

    /// Reads a pragma, if it is one of layoutc.
    fn pragma(&mut self, span: Span, found: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
        let source = self.preprocessed.sources.file(span.file).text();
        let text = &source[span.range()];
        let all = tokens(text);
        if all.get(2).map(|token| token.text(text)) != Some("layoutc") {
            return Ok(());
        }
        let last = all.last().map_or(span.end, |token| span.start + token.end);
        let directive = Span { end: last, ..span };
        if let Some(written) = layouts::read(text, &all, directive) {
            return self.wanted(&written?);
        }
        let written = Reader { file: span.file, from: span.start, text, tokens: &all, at: 3 };
        let written = written.arrays()?;
        let below = self.below(span);
        for array in written {
            if let Err(error) = self.declared(directive, &array, below.as_ref(), found) {
                found.push(error);
            }
        }
        Ok(())
    }

    /// The declaration that begins right below a directive.
    fn below(&self, pragma: Span) -> Option<Below> {
        let file = &self.preprocessed.files[pragma.file.index()];
        let source = self.preprocessed.sources.file(pragma.file).text();
        let rest = file.masked.get(pragma.end as usize..)?;
        let ahead = tokens(rest);
        let start = |at: usize| ahead.get(at).map(|token| pragma.end + token.start);
        let first = start(0)?;
        // `extern "C"` in front of it.
        let text = |at: usize| ahead.get(at).map(|token| token.text(rest));
        let behind_linkage = match (text(0), text(1)) {
            (Some("extern"), Some(linkage)) if linkage.starts_with('"') => start(2),
            _ => None,
        };
        // Specifiers may be blanked or not.
        let original = tokens(&source[pragma.end as usize..first as usize]);
        let original = original.iter().map(|token| pragma.end + token.start);
        let starts: Vec<u32> = original.chain([first]).chain(behind_linkage).collect();
        let is_below = |span: Span| span.file == pragma.file && starts.contains(&span.start);
        let program = &self.program;
        for function in program.function_ids() {
            let own = program.function(function);
            if own.copy_of.is_some() {
                continue;
            }
            let site = own
                .sites
                .iter()
                .position(|site| is_below(site.span) || site.template.is_some_and(is_below));
            if let Some(site) = site {
                return Some(Below::Function { function, site });
            }
        }
        let declaration = (0..program.declarations.len() as u32)
            .map(DeclarationId)
            .filter(|id| {
                program.declaration_homes.of(id.index()).is_none()
                    && is_below(program.declaration(*id).span)
            })
            .max_by_key(|id| program.declaration(*id).span.end)?;
        let whole = program.declaration(declaration).span;
        // Of what is declared inside, that of an inner declaration is another's.
        let inner: Vec<Span> = program
            .declarations
            .iter()
            .map(|other| other.span)
            .filter(|span| *span != whole && whole.contains(*span))
            .collect();
        let is_own =
            |name: Span| whole.contains(name) && !inner.iter().any(|span| span.contains(name));
        let fields: Vec<FieldId> = (0..program.fields.len() as u32)
            .map(FieldId)
            .filter(|id| {
                let field = program.field(*id);
                is_own(field.site.name) && field.inherited.is_none()
            })
            .collect();
        if !fields.is_empty() {
            return Some(Below::Fields { declaration, fields });
        }
        let variables: Vec<VarId> = program
            .variable_ids()
            .filter(|id| {
                let variable = program.variable(*id);
                is_own(variable.site.name)
                    || variable.redeclarations.iter().any(|site| is_own(site.name))
            })
            .collect();
        (!variables.is_empty()).then_some(Below::Variables { declaration, variables })
    }

    /// Adds what is said of one array.
    fn declared(
        &mut self,
        directive: Span,
        array: &Written,
        below: Option<&Below>,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let name = self.preprocessed.sources.text(array.name).to_owned();
        let Some(below) = below else {
            return Err(Diagnostic::warning(
                Code::GRID_NAME,
                format!("no declaration of `{name}` follows this pragma"),
            )
            .at(array.span, "it stands above what declares the array")
            .help("put it right above the array's declaration, or above the function whose parameter it is"));
        };
        let (arrays, place) = self.declared_as(below, &name);
        if arrays.is_empty() {
            let place = place.map(|(span, what)| (span, format!("the declaration is this {what}")));
            let mut error = Diagnostic::warning(
                Code::GRID_NAME,
                format!("`{name}` is no variable of the declaration below this pragma"),
            )
            .at(array.name, "named here");
            if let Some((span, text)) = place {
                error = error.with(span, text);
            }
            return Err(error);
        }
        for array_id in arrays {
            let ty = match array_id {
                PragmaArray::Variable(id) => self.program.variable(id).ty.id,
                PragmaArray::Field(id) => self.program.field(id).ty.id,
            };
            let message = match elements(&self.program, ty) {
                Elements::Numbers => None,
                Elements::Others => {
                    Some(format!("`{name}` holds structures, and pragmas speak of numbers"))
                }
                Elements::None => Some(format!("`{name}` is neither a pointer nor an array")),
            };
            if let Some(message) = message {
                return Err(
                    Diagnostic::warning(Code::GRID_NAME, message).at(array.name, "named here")
                );
            }
            let read: Result<Vec<PragmaExtent>, Diagnostic> = array
                .extents
                .iter()
                .map(|span| self.extent(&name, *span, below, array_id))
                .collect();
            let mut is_refused = read.is_err();
            let extents = match read {
                Ok(extents) => extents,
                Err(error) => {
                    // Once for all instances.
                    if !found.iter().any(|known| known.primary == error.primary) {
                        found.push(error);
                    }
                    Vec::new()
                }
            };
            let before =
                self.program.pragmas.iter().find(|other| {
                    other.array == array_id && other.directive.file == directive.file
                });
            if let Some(before) = before.filter(|before| !before.is_refused && !is_refused) {
                let is_same = before.extents.len() == extents.len()
                    && before
                        .extents
                        .iter()
                        .zip(&extents)
                        .all(|(one, other)| one.value == other.value);
                if !is_same {
                    let error = Diagnostic::warning(
                        Code::GRID_CONFLICT,
                        format!("two pragmas give different extents to `{name}`"),
                    )
                    .at(array.span, "this is the second")
                    .with(before.span, "this is the first");
                    if !found.iter().any(|known| known.primary == error.primary) {
                        found.push(error);
                    }
                    is_refused = true;
                }
            }
            // Only what it is in an instance has values.
            if owner(&self.program, array_id).is_some_and(|id| is_template(&self.program, id)) {
                continue;
            }
            self.program.pragmas.push(GridPragma {
                directive,
                span: array.span,
                name: name.clone(),
                array: array_id,
                extents,
                is_refused,
            });
        }
        Ok(())
    }

    /// What has a name in the declaration, and where the declaration is.
    fn declared_as(
        &self,
        below: &Below,
        name: &str,
    ) -> (Vec<PragmaArray>, Option<(Span, &'static str)>) {
        let program = &self.program;
        match below {
            Below::Function { function, site } => {
                let own = program.function(*function);
                let site = &own.sites[*site];
                let position = site
                    .parameters
                    .iter()
                    .position(|id| program.variable(*id).name == name && !name.is_empty());
                let place = Some((site.name, "function"));
                let Some(position) = position else { return (Vec::new(), place) };
                let arrays = bodies(program, *function)
                    .into_iter()
                    .filter_map(|id| program.function(id).parameters.get(position).copied())
                    .map(PragmaArray::Variable)
                    .collect();
                (arrays, place)
            }
            Below::Variables { declaration, variables } => {
                let arrays = variables
                    .iter()
                    .filter(|id| program.variable(**id).name == name)
                    .map(|id| PragmaArray::Variable(*id))
                    .collect();
                (arrays, Some((program.declaration(*declaration).span, "one")))
            }
            Below::Fields { declaration, fields } => {
                let arrays = fields
                    .iter()
                    .filter(|id| program.field(**id).name == name)
                    .map(|id| PragmaArray::Field(*id))
                    .collect();
                (arrays, Some((program.declaration(*declaration).span, "one")))
            }
        }
    }

    /// The value of an extent, in the scope of the declaration.
    fn extent(
        &mut self,
        name: &str,
        span: Span,
        below: &Below,
        array: PragmaArray,
    ) -> Result<PragmaExtent, Diagnostic> {
        let value = self.extent_value(span, below, array)?;
        if let Some(constant) = value.as_constant().filter(|value| *value < 1) {
            return Err(Diagnostic::warning(
                Code::GRID_EXTENT,
                format!("an extent of `{name}` is {constant}, and must be positive"),
            )
            .at(span, "this extent"));
        }
        Ok(PragmaExtent { span, value })
    }

    fn extent_value(
        &mut self,
        span: Span,
        below: &Below,
        array: PragmaArray,
    ) -> Result<ExtentValue, Diagnostic> {
        let text = self.preprocessed.sources.text(span);
        // What is constant may be computed in any way.
        if let Some(value) = constant_tokens(text, &mut |_| None) {
            return Ok(ExtentValue::Integer(value));
        }
        let all = tokens(text);
        let mut parser = Extent { lowering: self, span, text, tokens: &all, at: 0, below, array };
        let value = parser.sum(0)?;
        match parser.tokens.get(parser.at) {
            None => Ok(value),
            Some(token) => Err(parser.not_read(*token)),
        }
    }

    /// What an identifier of an extent means.
    fn extent_name(&mut self, name: &str, span: Span, below: &Below, array: PragmaArray) -> Named {
        let owner = owner(&self.program, array);
        if let Some(owner) = owner
            && is_template(&self.program, owner)
            && self.program.function(owner).template_parameters.iter().any(|own| own == name)
        {
            return Named::Value(ExtentValue::Integer(1));
        }
        // What a template's parameter is in this instance.
        let bound = owner
            .and_then(|owner| self.program.function(owner).copy_of.as_ref())
            .and_then(|copy| copy.values.iter().find(|(own, _)| own == name));
        if let Some(value) = bound.and_then(|(_, value)| integer_literal(value)) {
            return Named::Value(ExtentValue::Integer(value));
        }
        if let Below::Function { function, site } = below {
            let site = &self.program.function(*function).sites[*site];
            let position =
                site.parameters.iter().position(|id| self.program.variable(*id).name == name);
            if let Some(position) = position {
                // The parameter of the definition, if there is one.
                let own =
                    owner.and_then(|owner| self.program.function(owner).parameters.get(position));
                return self.variable_value(own.copied().unwrap_or(site.parameters[position]));
            }
        }
        if let Below::Variables { declaration, .. } = below
            && let Some(owner) = owner
        {
            let at = self.program.declaration(*declaration).span;
            if let Some(id) = local(&self.program, owner, name, at) {
                return self.variable_value(id);
            }
        }
        let outer = std::mem::replace(&mut self.current, span.file);
        let reference = self.resolve_name(name, &[]);
        self.current = outer;
        match reference {
            NameRef::Variable(id) => {
                let site = self.program.variable(id).site.full;
                // It must be known where the pragma stands.
                if site.file == span.file && site.start > span.end {
                    Named::Unknown
                } else {
                    self.variable_value(id)
                }
            }
            NameRef::Constant(Some(value)) => Named::Value(ExtentValue::Integer(value)),
            NameRef::Macro(name) => match self.program.macro_constant(&name) {
                Some(value) => Named::Value(ExtentValue::Integer(value)),
                None => Named::Unknown,
            },
            NameRef::Functions(_) => Named::NoInteger,
            NameRef::Constant(None) | NameRef::Unknown(_) => Named::Unknown,
        }
    }

    fn variable_value(&self, id: VarId) -> Named {
        let variable = self.program.variable(id);
        let ty = self.program.types.strip_reference(variable.ty);
        if self.program.types.as_scalar(ty.id).is_some_and(Scalar::is_integer) {
            Named::Value(ExtentValue::Variable(id))
        } else {
            Named::NoInteger
        }
    }
}

/// The function whose parameter or local an array is.
fn owner(program: &Program, array: PragmaArray) -> Option<FunctionId> {
    match array {
        PragmaArray::Variable(id) => program.variable(id).function,
        PragmaArray::Field(_) => None,
    }
}

/// Whether the function is the text of a template whose instances are in the model.
fn is_template(program: &Program, function: FunctionId) -> bool {
    !program.function(function).template_parameters.is_empty()
        && program
            .functions
            .iter()
            .any(|other| other.copy_of.as_ref().is_some_and(|copy| copy.original == function))
}

/// What an identifier in an extent is.
enum Named {
    Value(ExtentValue),
    NoInteger,
    Unknown,
}

/// The function with a body that a prototype or template stands for, and its instances.
fn bodies(program: &Program, function: FunctionId) -> Vec<FunctionId> {
    program
        .function_ids()
        .filter(|id| {
            *id == function
                || program
                    .function(*id)
                    .copy_of
                    .as_ref()
                    .is_some_and(|copy| copy.original == function)
        })
        .collect()
}

/// The innermost local or parameter of a function that a name means at a place.
fn local(program: &Program, function: FunctionId, name: &str, at: Span) -> Option<VarId> {
    let scope = |id: VarId| {
        let site = program.variable(id).site.name;
        program
            .stmts
            .iter()
            .filter(|stmt| {
                !matches!(stmt.kind, StmtKind::Declaration(..) | StmtKind::Expr(_))
                    && stmt.span.contains(site)
            })
            .map(|stmt| stmt.span)
            .min_by_key(|span| span.end - span.start)
    };
    program
        .variable_ids()
        .filter(|id| {
            let variable = program.variable(*id);
            variable.function == Some(function) && variable.name == name
        })
        .filter(|id| match program.variable(*id).storage {
            Storage::Parameter { .. } => program.function(function).parameters.contains(id),
            Storage::Local | Storage::Static => {
                program.variable(*id).site.full.end <= at.start
                    && scope(*id).is_some_and(|scope| scope.contains(at))
            }
        })
        .max_by_key(|id| match program.variable(*id).storage {
            Storage::Parameter { .. } => (0, 0),
            // The one that begins last is the innermost.
            Storage::Local | Storage::Static => (1, program.variable(*id).site.full.start),
        })
}

/// What pointers and arrays of a type lead to.
enum Elements {
    /// Numbers, or what is not known.
    Numbers,
    /// Structures and the like.
    Others,
    /// The type is no pointer and no array.
    None,
}

fn elements(program: &Program, ty: TypeId) -> Elements {
    match *program.types.kind(ty) {
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => match *program.types.kind(to.id) {
            TypeKind::Record(_) | TypeKind::Vector(_) | TypeKind::Opaque(_) => Elements::Others,
            TypeKind::Pointer(_) | TypeKind::Array(..) => elements(program, to.id),
            TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Enum(..)
            | TypeKind::Function
            | TypeKind::Reference(..)
            | TypeKind::Named(..)
            | TypeKind::Unknown
            | TypeKind::TemplateParameter(_) => Elements::Numbers,
        },
        TypeKind::Reference(to, _) => elements(program, to.id),
        // Smart pointers, buffers, types of templates: nothing is known against it.
        TypeKind::Named(..) | TypeKind::Unknown | TypeKind::TemplateParameter(_) => {
            Elements::Numbers
        }
        TypeKind::Void
        | TypeKind::Scalar(_)
        | TypeKind::Vector(_)
        | TypeKind::Enum(..)
        | TypeKind::Record(_)
        | TypeKind::Opaque(_)
        | TypeKind::Function => Elements::None,
    }
}

/// Reads the tokens of a pragma.
struct Reader<'a> {
    file: FileId,
    /// The offset of the text in the file.
    from: u32,
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| token.text(self.text))
    }

    /// The span of a token, or of the last one.
    fn place(&self, at: usize) -> Span {
        let token = self.tokens.get(at).or(self.tokens.last());
        let (start, end) = token.map_or((0, 0), |token| (token.start, token.end));
        Span { file: self.file, start: self.from + start, end: self.from + end }
    }

    fn wrong(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(text) => format!("found `{text}`"),
            None => "the pragma ends here".to_owned(),
        };
        Diagnostic::warning(Code::GRID_SYNTAX, "this pragma cannot be read")
            .at(self.place(self.at), format!("expected {expected}, {found}"))
            .help("write it as `#pragma layoutc grid f[ny][nx]`, where several arrays may follow each other, as `#pragma layoutc layout(soa)`, or as `#pragma layoutc keep`")
    }

    /// `grid f[ny][nx] g[ny][nx]`, perhaps with commas.
    fn arrays(mut self) -> Result<Vec<Written>, Diagnostic> {
        if self.peek() != Some("grid") {
            return Err(self.wrong("`grid`, `layout` or `keep`"));
        }
        self.at += 1;
        let mut found = Vec::new();
        loop {
            if self.at >= self.tokens.len() && !found.is_empty() {
                return Ok(found);
            }
            let is_name =
                self.tokens.get(self.at).is_some_and(|token| token.kind == TokenKind::Identifier);
            if !is_name {
                return Err(self.wrong("the name of an array"));
            }
            let name = self.place(self.at);
            self.at += 1;
            let mut extents = Vec::new();
            while self.peek() == Some("[") {
                extents.push(self.brackets()?);
            }
            if extents.is_empty() {
                return Err(self.wrong("an extent in square brackets"));
            }
            let end = self.place(self.at - 1).end;
            found.push(Written { name, span: Span { end, ..name }, extents });
            if self.peek() == Some(",") {
                self.at += 1;
                if self.at >= self.tokens.len() {
                    return Err(self.wrong("the name of an array"));
                }
            }
        }
    }

    /// What stands between two square brackets.
    fn brackets(&mut self) -> Result<Span, Diagnostic> {
        self.at += 1;
        let first = self.at;
        let mut depth = 0usize;
        loop {
            match self.peek() {
                None => return Err(self.wrong("`]`")),
                Some("]") if depth == 0 => break,
                Some("(") => depth += 1,
                Some(")") if depth > 0 => depth -= 1,
                Some("[" | "]" | ")" | ";" | "{" | "}" | ",") => return Err(self.wrong("`]`")),
                Some(_) => {}
            }
            self.at += 1;
        }
        if self.at == first {
            return Err(self.wrong("an extent"));
        }
        let span = Span { end: self.place(self.at - 1).end, ..self.place(first) };
        self.at += 1;
        Ok(span)
    }
}

/// Reads an extent.
struct Extent<'a, 'b, 't> {
    lowering: &'a mut Lowering<'t>,
    span: Span,
    text: &'b str,
    tokens: &'b [Token],
    at: usize,
    below: &'b Below,
    array: PragmaArray,
}

impl Extent<'_, '_, '_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| token.text(self.text))
    }

    fn place(&self, token: Token) -> Span {
        Span { start: self.span.start + token.start, end: self.span.start + token.end, ..self.span }
    }

    fn not_read(&self, token: Token) -> Diagnostic {
        Diagnostic::warning(Code::GRID_EXTENT, format!("the extent `{}` cannot be read", self.text))
            .at(self.place(token), "sums and products of integers and variables are understood")
    }

    fn sum(&mut self, depth: usize) -> Result<ExtentValue, Diagnostic> {
        let mut left = self.product(depth)?;
        loop {
            let is_sum = match self.peek() {
                Some("+") => true,
                Some("-") => false,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = Box::new(self.product(depth)?);
            left = if is_sum {
                ExtentValue::Sum(Box::new(left), right)
            } else {
                ExtentValue::Difference(Box::new(left), right)
            };
        }
    }

    fn product(&mut self, depth: usize) -> Result<ExtentValue, Diagnostic> {
        let mut left = self.operand(depth)?;
        while self.peek() == Some("*") {
            self.at += 1;
            let right = self.operand(depth)?;
            left = ExtentValue::Product(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<ExtentValue, Diagnostic> {
        let Some(token) = self.tokens.get(self.at).copied().filter(|_| depth < 32) else {
            let last = self.tokens[self.tokens.len() - 1];
            return Err(self.not_read(last));
        };
        self.at += 1;
        let text = token.text(self.text);
        match (token.kind, text) {
            (TokenKind::Number, _) => match integer_literal(text) {
                Some(value) => Ok(ExtentValue::Integer(value)),
                None => Err(self.no_integer(token)),
            },
            (TokenKind::Punct, "(") => {
                let value = self.sum(depth + 1)?;
                if self.peek() != Some(")") {
                    return Err(self.not_read(token));
                }
                self.at += 1;
                Ok(value)
            }
            (TokenKind::Punct, "-") => {
                let value = Box::new(self.operand(depth + 1)?);
                Ok(ExtentValue::Difference(Box::new(ExtentValue::Integer(0)), value))
            }
            (TokenKind::Identifier, name) => {
                let place = self.place(token);
                match self.lowering.extent_name(name, place, self.below, self.array) {
                    Named::Value(value) => Ok(value),
                    Named::NoInteger => Err(self.no_integer(token)),
                    Named::Unknown => Err(Diagnostic::warning(
                        Code::GRID_EXTENT,
                        format!("the extent `{name}` is not known here"),
                    )
                    .at(place, "no integer of this name is in scope at the declaration below")),
                }
            }
            _ => Err(self.not_read(token)),
        }
    }

    fn no_integer(&self, token: Token) -> Diagnostic {
        let message = format!("the extent `{}` is no integer", token.text(self.text));
        Diagnostic::warning(Code::GRID_EXTENT, message).at(self.place(token), "used here")
    }
}
