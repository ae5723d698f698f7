//! Uses of macros whose bodies are expressions or statements.
//!
//! Such a body is lowered for each use, at the place of the use, with the arguments where the
//! parameters stand; see [`Expansion`]. The check that this is what the compiler reads
//! comes first and looks at the syntax trees only: a use that fails it is lowered as a
//! [`ExprKind::MacroCall`] and treated conservatively later.

use super::Lowering;
use super::bodies::{Body, Form};
use super::fields::{FieldName, Fields};
use super::precedence::{ASSIGNMENT, COMMA, PRIMARY, level, needed};
use crate::preprocess::{
    Activity, DirectiveKind, MacroDef, MacroId, TokenKind, each_token, tokens,
};
use crate::program::{Expansion, ExpansionId, ExprId, ExprKind, MacroRole, StmtId, StmtKind};
use crate::types::QualType;
use layoutc_diagnostics::{FileId, Span};
use std::collections::BTreeSet;
use std::rc::Rc;
use tree_sitter::Node;

/// How deep bodies use macros before the front end gives up.
const DEPTH: usize = 12;
/// No macro is expanded in a program with more expressions than this.
const EXPRESSIONS: usize = 1_000_000;
/// Most expressions that one use may add.
const EXPRESSIONS_OF_USE: usize = 20_000;

/// Where text that is lowered comes from.
#[derive(Clone)]
struct Context<'t> {
    current: FileId,
    text: &'t str,
    offset: usize,
    frame: Option<Rc<Frame<'t>>>,
}

/// The use of a macro whose body is being lowered.
pub(crate) struct Frame<'t> {
    pub(crate) expansion: ExpansionId,
    id: MacroId,
    params: &'t [String],
    /// The name of what stands for all arguments behind those of the parameters.
    rest: Option<&'t str>,
    arguments: Vec<Argument<'t>>,
    /// Where the arguments stand.
    outside: Context<'t>,
    /// How many bodies are open.
    depth: usize,
    /// Number of expressions when the outermost use began.
    began: usize,
}

/// One argument of a use.
#[derive(Clone, Copy)]
struct Argument<'t> {
    /// What the parser saw; nothing for a type that was masked.
    node: Option<Node<'t>>,
    span: Span,
    /// Its only token, if that is a name.
    word: Option<&'t str>,
    /// Its original text.
    source: &'t str,
}

impl<'t> Frame<'t> {
    /// The name that is given for a parameter.
    pub(crate) fn word(&self, name: &str) -> Option<&'t str> {
        self.arguments[self.position(name)?].word
    }

    /// The one argument that a name stands for.
    fn position(&self, name: &str) -> Option<usize> {
        let fixed = self.params.len();
        let is_rest = self.rest == Some(name) && self.arguments.len() == fixed + 1;
        self.params.iter().position(|param| param == name).or(is_rest.then_some(fixed))
    }

    /// The arguments that a name stands for, if they are not one.
    fn several(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let fixed = self.params.len();
        let is_several = self.rest == Some(name) && self.arguments.len() != fixed + 1;
        is_several.then_some(fixed..self.arguments.len())
    }
}

impl<'t> Lowering<'t> {
    /// The parameter that a name in a macro body is.
    pub(crate) fn parameter(&self, node: Node<'t>) -> Option<usize> {
        let frame = self.frame.as_ref()?;
        frame.position(&self.text[node.byte_range()])
    }

    /// The arguments that a name in a macro body stands for, if it is `__VA_ARGS__` and they are not one.
    pub(crate) fn several_parameters(&self, node: Node<'t>) -> Option<std::ops::Range<usize>> {
        let frame = self.frame.as_ref().filter(|_| node.kind() == "identifier")?;
        frame.several(&self.text[node.byte_range()])
    }

    /// Whether the name is a parameter that stands for a value.
    pub(crate) fn is_value_parameter(&self, name: Node<'t>) -> bool {
        let (Some(frame), Some(at)) = (&self.frame, self.parameter(name)) else { return false };
        let argument = &frame.arguments[at];
        argument.node.is_some() && argument.word.is_none()
    }

    /// The type that a parameter stands for, if the argument is more than a name.
    pub(crate) fn parameter_type(&mut self, node: Node<'t>) -> Option<QualType> {
        let frame = Rc::clone(self.frame.as_ref()?);
        let argument = frame.arguments[self.parameter(node)?];
        if argument.word.is_some() {
            return None;
        }
        if let Some(inner) = argument.node {
            // A parameter of the macro around that is itself such a type.
            return self.outside(&frame, |this| {
                (inner.child_count() == 0).then(|| this.parameter_type(inner)).flatten()
            });
        }
        let found = tokens(argument.source);
        let mut words: Vec<&str> = found.iter().map(|token| token.text(argument.source)).collect();
        let mut stars = 0;
        while words.pop_if(|word| *word == "*").is_some() {
            stars += 1;
        }
        let is_const = words.contains(&"const");
        words.retain(|word| *word != "const");
        let mut ty = match words[..] {
            ["struct" | "class" | "union" | "enum", name] | [name] => self.type_of_name(name, &[]),
            _ => match super::types::scalar_of_words(&words) {
                Some(scalar) => self.program.types.scalar(scalar),
                None => self.program.types.unknown(),
            },
        };
        ty.is_const |= is_const;
        for _ in 0..stars {
            ty = self.program.types.pointer(ty);
        }
        Some(ty)
    }

    /// A parameter in an expression: the argument, lowered where it stands.
    pub(crate) fn parameter_expression(&mut self, node: Node<'t>) -> ExprId {
        let Some(at) = self.parameter(node) else { return self.opaque(node) };
        self.argument_expression(node, at)
    }

    /// An argument, lowered where it stands, for a name in a body.
    pub(crate) fn argument_expression(&mut self, node: Node<'t>, at: usize) -> ExprId {
        let span = self.span(node);
        let unknown = self.program.types.unknown();
        let found = self.frame.clone().and_then(|frame| Some((frame.arguments[at].node?, frame)));
        let Some((argument, frame)) = found else {
            return self.add_expr(ExprKind::Opaque(Vec::new().into()), span, unknown);
        };
        let inner = self.outside(&frame, |this| this.expression(argument));
        let ty = self.program.expr(inner).ty;
        let id = self.add_expr(ExprKind::Paren(inner), span, ty);
        self.program.macro_roles.insert(id, MacroRole::Parameter(frame.expansion, at));
        id
    }

    /// Does something where the arguments of a use stand.
    fn outside<T>(&mut self, frame: &Frame<'t>, body: impl FnOnce(&mut Self) -> T) -> T {
        self.within(frame.outside.clone(), body)
    }

    fn within<T>(&mut self, context: Context<'t>, body: impl FnOnce(&mut Self) -> T) -> T {
        let kept = self.context();
        self.enter(context);
        let result = body(self);
        self.enter(kept);
        result
    }

    fn context(&self) -> Context<'t> {
        Context {
            current: self.current,
            text: self.text,
            offset: self.offset,
            frame: self.frame.clone(),
        }
    }

    fn enter(&mut self, context: Context<'t>) {
        let Context { current, text, offset, frame } = context;
        (self.current, self.text, self.offset, self.frame) = (current, text, offset, frame);
    }

    /// The file from which names are looked up.
    pub(crate) fn viewer(&self) -> FileId {
        let mut frame = self.frame.as_deref();
        let mut file = self.current;
        while let Some(at) = frame {
            file = at.outside.current;
            frame = at.outside.frame.as_deref();
        }
        file
    }

    /// The use of a macro as an expression: `whole` is the use, `name` its name.
    pub(crate) fn expand(
        &mut self,
        whole: Node<'t>,
        name: Node<'t>,
        arguments: Option<Node<'t>>,
    ) -> Option<ExprId> {
        let (frame, body) = self.usage(whole, name, arguments)?;
        let expression = body.expression().filter(|_| body.form == Form::Expression)?;
        if self.level_of_body(body, expression, &frame) < needed(whole, self.text) {
            return None;
        }
        let span = self.span(whole);
        let id = self.record_expansion(&frame, body, name, span, false);
        let frame = Frame { expansion: id, ..frame };
        let inner = self.within(Self::context_of(frame, body), |this| this.expression(expression));
        let ty = self.program.expr(inner).ty;
        let outer = self.add_expr(ExprKind::Paren(inner), span, ty);
        self.program.macro_roles.insert(outer, MacroRole::Use(id));
        Some(outer)
    }

    /// The use of a macro as a statement.
    pub(crate) fn expand_statement(
        &mut self,
        statement: Node<'t>,
        inner: Node<'t>,
    ) -> Option<StmtId> {
        let (name, arguments) = match inner.kind() {
            "identifier" => (inner, None),
            "call_expression" if inner.named_child_count() == 2 => (
                inner.field(FieldName::Function).filter(|name| name.kind() == "identifier")?,
                Some(inner.field(FieldName::Arguments)?),
            ),
            _ => return None,
        };
        let text = &self.text[name.byte_range()];
        if arguments.is_none() && !self.symbols(text, &[]).is_empty() {
            return None;
        }
        let (frame, body) = self.usage(inner, name, arguments)?;
        if !self.is_statements(body, 0) || !is_whole(statement, &body.statements()) {
            return None;
        }
        let span = self.span(inner);
        let id = self.record_expansion(&frame, body, name, span, true);
        let frame = Frame { expansion: id, ..frame };
        let statements = body.statements();
        let lowered = self.within(Self::context_of(frame, body), |this| {
            statements.into_iter().filter_map(|node| this.maybe_statement(node)).collect()
        });
        let span = self.span(statement);
        Some(self.add_stmt(StmtKind::Block(lowered), span))
    }

    /// Whether a body is statements, or the use of a macro whose body is.
    fn is_statements(&self, body: &Body, depth: usize) -> bool {
        let name = body.expression().filter(|_| body.form == Form::Expression && depth < DEPTH);
        let name = match name.map(|node| (node.kind(), node)) {
            Some(("call_expression", node)) => node.field(FieldName::Function),
            Some(_) => None,
            None => return body.form == Form::Statements,
        };
        let Some(name) = name.filter(|name| name.kind() == "identifier") else { return false };
        let mut known = self.preprocessed.macros.lookup(&body.text[name.byte_range()]);
        let (Some(def), None) = (known.next(), known.next()) else { return false };
        self.bodies.of(MacroId(def.order)).is_some_and(|inner| self.is_statements(inner, depth + 1))
    }

    fn context_of(frame: Frame<'t>, body: &'t Body) -> Context<'t> {
        Context {
            current: body.file,
            text: &body.text,
            offset: body.offset,
            frame: Some(Rc::new(frame)),
        }
    }

    fn record_expansion(
        &mut self,
        frame: &Frame<'t>,
        body: &Body,
        name: Node<'t>,
        span: Span,
        is_statement: bool,
    ) -> ExpansionId {
        let id = ExpansionId(self.program.expansions.len() as u32);
        let name_span = self.span(name);
        let others = self.preprocessed.macros.all(&self.text[name.byte_range()]);
        let others = others.filter(|def| def.activity == Activity::Inactive);
        let closed = others.filter_map(|def| self.closed_branch_of(def)).collect();
        let has_unused = Self::has_unused(frame, body);
        self.program.expansions.push(Expansion {
            closed,
            has_unused,
            name: self.text[name.byte_range()].to_owned(),
            name_span,
            span,
            home: self.frame.as_ref().map(|frame| frame.expansion),
            parameters: frame.params.to_vec(),
            rest: frame.rest.map(str::to_owned),
            arguments: frame.arguments.iter().map(|argument| argument.span).collect(),
            body: body.span,
            definition: body.definition,
            definition_name: body.name,
            is_statement,
            copy: None,
        });
        id
    }

    /// Whether the body does not mention a parameter: its argument is text that no compiler reads, and has no expression.
    fn has_unused(frame: &Frame<'t>, body: &Body) -> bool {
        let mentioned: BTreeSet<&str> = super::pasted::identifiers(&body.text).collect();
        frame.params.iter().any(|param| !mentioned.contains(param.as_str()))
    }

    /// The macro that is used, if its body can be lowered here.
    fn usage(
        &self,
        whole: Node<'t>,
        name: Node<'t>,
        arguments: Option<Node<'t>>,
    ) -> Option<(Frame<'t>, &'t Body)> {
        let text = &self.text[name.byte_range()];
        let depth = self.frame.as_ref().map_or(0, |frame| frame.depth + 1);
        if self.parameter(name).is_some()
            || depth > DEPTH
            || self.is_open(text)
            || whole.has_error()
        {
            return None;
        }
        let count = self.program.exprs.len();
        let began = self.frame.as_ref().map_or(count, |frame| frame.began);
        if count > EXPRESSIONS || count - began > EXPRESSIONS_OF_USE {
            return None;
        }
        let id = self.definition_of(name, text)?;
        let body = self.bodies.of(id)?;
        let def = self.preprocessed.macros.get(id);
        if def.params.is_some() != arguments.is_some() {
            return None;
        }
        let (params, rest) = (&body.parameters[..], body.rest.as_deref());
        if arguments.is_none() && self.is_plain_word(text, body) {
            return None;
        }
        let arguments = match arguments {
            Some(list) => self.arguments_of_use(list, params.len(), rest.is_some())?,
            None => Vec::new(),
        };
        let frame = Frame {
            expansion: ExpansionId(u32::MAX),
            id,
            params,
            rest,
            arguments,
            outside: self.context(),
            depth,
            began,
        };
        let fits =
            body.statements().into_iter().all(|node| self.parameters_fit(node, body, &frame));
        fits.then_some((frame, body))
    }

    /// Whether an object-like macro is a constant or a type, which are looked up by name.
    fn is_plain_word(&self, name: &str, body: &Body) -> bool {
        if self.constant_of_macro(name, 0).is_some() {
            return true;
        }
        let Some(only) = body.expression().filter(|node| node.kind() == "identifier") else {
            return false;
        };
        let word = &body.text[only.byte_range()];
        self.names_type(word) || self.symbols(word, &[]).is_empty()
    }

    /// Whether the macro is being expanded, so that its name means something else now.
    fn is_open(&self, name: &str) -> bool {
        let mut frame = self.frame.as_deref();
        while let Some(at) = frame {
            if self.preprocessed.macros.get(at.id).name == name {
                return true;
            }
            frame = at.outside.frame.as_deref();
        }
        false
    }

    /// The closed branch that holds a definition.
    fn closed_branch_of(&self, def: &MacroDef) -> Option<Span> {
        let place = def.name_span?;
        let mut branches = self.program.closed_branches.iter().copied();
        branches.find(|branch| branch.contains(place))
    }

    /// The one definition that a macro's name can mean here.
    fn definition_of(&self, name: Node<'t>, text: &str) -> Option<MacroId> {
        // Under other conditions it is something else, which must not be left behind: a closed branch says so.
        let is_left = |def: &MacroDef| {
            def.activity == Activity::Inactive && self.closed_branch_of(def).is_none()
        };
        if self.preprocessed.macros.all(text).any(is_left) {
            return None;
        }
        let mut known =
            self.preprocessed.macros.lookup(text).map(|def| (MacroId(def.order), def.activity));
        if self.frame.is_some() {
            // In a body it means what it means at the use; only one definition is sure.
            let (id, activity) = known.next()?;
            return (known.next().is_none() && activity == Activity::Active).then_some(id);
        }
        if known.any(|(_, activity)| activity == Activity::Dual) {
            return None;
        }
        self.bodies.used_at(self.span(name))
    }

    /// The arguments of a use: as many as there are parameters, or more if it takes any number, and divided as the
    /// preprocessor divides them.
    fn arguments_of_use(
        &self,
        list: Node<'t>,
        count: usize,
        has_rest: bool,
    ) -> Option<Vec<Argument<'t>>> {
        let source = self.original(list.start_byte(), list.end_byte());
        let first = list.start_byte();
        let inner = source.strip_prefix('(')?.strip_suffix(')')?;
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        let mut depth = 0usize;
        let mut from: Option<usize> = None;
        let mut to = 0;
        let mut commas = 0;
        for token in tokens(inner) {
            let word = token.text(inner);
            match word {
                "(" => depth += 1,
                ")" => depth = depth.checked_sub(1)?,
                "," if depth == 0 => {
                    pieces.push((from?, to));
                    from = None;
                    commas += 1;
                    continue;
                }
                "#" | "##" => return None,
                _ => {}
            }
            from.get_or_insert(token.start as usize);
            to = token.end as usize;
        }
        if let Some(from) = from {
            pieces.push((from, to));
        }
        let is_enough = if has_rest { pieces.len() >= count } else { pieces.len() == count };
        // An empty argument behind a comma is no piece.
        let is_divided = commas + 1 == pieces.len() || (pieces.is_empty() && commas == 0);
        if !is_enough || !is_divided {
            return None;
        }
        let count = pieces.len();
        let mut cursor = list.walk();
        let nodes: Vec<_> =
            list.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
        if nodes.len() != count {
            return None;
        }
        let mut found = Vec::new();
        for (node, (from, to)) in nodes.into_iter().zip(pieces) {
            let (start, end) = (first + 1 + from, first + 1 + to);
            if node.start_byte() != start || node.end_byte() != end {
                return None;
            }
            let source = self.original(start, end);
            let shown = &self.text[start..end];
            // What was masked inside an argument cannot be seen; a whole argument is a type.
            let same = shown == source || without_splice(shown) == without_splice(source);
            if !same && tokens(shown).len() != 1 {
                return None;
            }
            let words = tokens(source);
            // `P &` and `auto &&` refer to what the body gives them.
            if !same && !is_plain_type(source) {
                return None;
            }
            let word = (words.len() == 1 && words[0].kind == TokenKind::Identifier)
                .then(|| self.text_of(node));
            found.push(Argument {
                node: same.then_some(node),
                span: self.span_of(start, end),
                word,
                source,
            });
        }
        Some(found)
    }

    /// Whether each parameter below a node of a body can stand for its argument.
    fn parameters_fit(&self, node: Node<'t>, body: &'t Body, frame: &Frame<'t>) -> bool {
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            if is_foreign(at.kind()) {
                return false;
            }
            if at.child_count() > 0 {
                let mut cursor = at.walk();
                stack.extend(at.children(&mut cursor));
                continue;
            }
            let text = &body.text[at.byte_range()];
            if let Some(all) = frame.several(text) {
                if !self.several_fit(at, body, &frame.arguments[all], frame) {
                    return false;
                }
                continue;
            }
            let Some(index) = frame.position(text) else { continue };
            if !self.parameter_fits(at, body, &frame.arguments[index]) {
                return false;
            }
        }
        true
    }

    /// Whether `__VA_ARGS__` in a body is arguments of a function: those of a macro would be divided anew.
    fn several_fit(
        &self,
        at: Node<'t>,
        body: &'t Body,
        arguments: &[Argument<'t>],
        frame: &Frame<'t>,
    ) -> bool {
        let list = at.parent().filter(|parent| parent.kind() == "argument_list");
        let call = list.and_then(|list| list.parent());
        let callee = call
            .filter(|call| call.kind() == "call_expression")
            .and_then(|call| call.field(FieldName::Function));
        callee.is_some_and(|callee| {
            let name = &body.text[callee.byte_range()];
            let name = frame.position(name).map_or(Some(name), |at| frame.arguments[at].word);
            at.kind() == "identifier" && name.is_none_or(|name| !self.is_function_macro(name))
        }) && arguments
            .iter()
            .all(|argument| argument.node.is_some_and(|node| self.level_of(node) >= ASSIGNMENT))
    }

    /// Whether an argument of a call is a macro that stands for several: `#define PAIR 1, 2`.
    pub(crate) fn stands_for_several(&self, argument: Node<'t>) -> bool {
        let name = match argument.kind() {
            "identifier" => Some(argument),
            "call_expression" => argument.field(FieldName::Function),
            _ => None,
        };
        name.is_some_and(|name| self.has_loose_comma(&self.text[name.byte_range()], DEPTH))
    }

    /// Whether what a macro stands for has a comma that divides arguments.
    fn has_loose_comma(&self, name: &str, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        self.preprocessed.macros.lookup(name).any(|def| {
            let mut open = 0usize;
            tokens(&def.text).into_iter().any(|token| {
                let word = token.text(&def.text);
                match word {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" => open = open.saturating_sub(1),
                    "," if open == 0 => return true,
                    _ => {}
                }
                open == 0
                    && token.kind == TokenKind::Identifier
                    && word != name
                    && self.is_macro(word)
                    && self.has_loose_comma(word, depth)
            })
        })
    }

    fn parameter_fits(&self, at: Node<'t>, body: &Body, argument: &Argument<'t>) -> bool {
        let parent = at.parent();
        let parent_kind = parent.map_or("", |parent| parent.kind());
        let has_value = |parent: Node<'_>| parent.field(FieldName::Value).is_some();
        match at.kind() {
            "identifier" if argument.word.is_some() => {
                // The name of a macro is not what it stands for.
                argument.node.is_none_or(|node| {
                    self.level_of(node) >= needed(at, &body.text)
                        || !is_expression_holder(parent_kind)
                })
            }
            "identifier" => match argument.node {
                Some(node) => {
                    is_expression_holder(parent_kind)
                        && self.level_of(node) >= needed(at, &body.text)
                }
                None => {
                    parent_kind == "parenthesized_expression"
                        && parent
                            .and_then(|parent| parent.parent())
                            .is_some_and(|outer| outer.kind() == "sizeof_expression")
                }
            },
            "type_identifier" => match (argument.word, argument.node) {
                (Some(_), _) => true,
                // `(n) * x` reads like a cast.
                (None, Some(_)) => {
                    parent_kind == "type_descriptor"
                        && parent.is_some_and(|parent| parent.named_child_count() == 1)
                        && parent.and_then(|parent| parent.parent()).is_some_and(|outer| {
                            outer.kind() == "cast_expression" && has_value(outer)
                        })
                }
                (None, None) => true,
            },
            "field_identifier" => argument.word.is_some(),
            _ => false,
        }
    }

    /// How tightly an expression holds together, macros and parameters in it looked through.
    fn level_of(&self, node: Node<'t>) -> u8 {
        let name = match node.kind() {
            "identifier" => node,
            "call_expression" => match node.field(FieldName::Function) {
                Some(function) if function.kind() == "identifier" => function,
                _ => return PRIMARY,
            },
            _ => return level(node, self.text),
        };
        if let (Some(frame), Some(at)) = (&self.frame, self.parameter(name)) {
            return match frame.arguments[at].node {
                Some(argument) if name == node => {
                    let outside = &frame.outside;
                    level_in(argument, outside, self)
                }
                _ => PRIMARY,
            };
        }
        self.level_of_name(&self.text[name.byte_range()])
    }

    /// The same for a name that may be a macro's.
    fn level_of_name(&self, name: &str) -> u8 {
        if !self.is_macro(name) || !self.symbols(name, &[]).is_empty() {
            return PRIMARY;
        }
        let mut lowest = PRIMARY;
        for def in self.preprocessed.macros.lookup(name) {
            let atomic = super::macros::is_atomic(&def.text);
            lowest = lowest.min(if atomic && !def.text.starts_with('-') { PRIMARY } else { COMMA });
        }
        if lowest == PRIMARY {
            return PRIMARY;
        }
        // One definition that is an expression: its own operators count.
        let mut found = self.preprocessed.macros.lookup(name);
        match (found.next(), found.next()) {
            (Some(def), None) => match self.bodies.of(MacroId(def.order)) {
                Some(body) if body.form == Form::Expression => body
                    .expression()
                    .filter(|node| !matches!(node.kind(), "identifier" | "call_expression"))
                    .map_or(COMMA, |node| level(node, &body.text)),
                _ => COMMA,
            },
            _ => COMMA,
        }
    }

    /// How tightly a body holds together with the arguments of a use.
    fn level_of_body(&self, body: &'t Body, expression: Node<'t>, frame: &Frame<'t>) -> u8 {
        let text = &body.text[expression.byte_range()];
        match expression.kind() {
            "identifier" => match frame.position(text) {
                Some(at) => frame.arguments[at].node.map_or(COMMA, |node| self.level_of(node)),
                None => self.level_of_name(text),
            },
            "call_expression" => {
                let callee = expression.field(FieldName::Function);
                callee.map_or(COMMA, |callee| self.level_of_name(&body.text[callee.byte_range()]))
            }
            _ => level(expression, &body.text),
        }
    }

    /// Notes every mention of an expanded macro's name.
    pub(crate) fn collect_mentions(&mut self) {
        let names: BTreeSet<String> =
            self.program.expansions.iter().map(|expansion| expansion.name.clone()).collect();
        if names.is_empty() {
            return;
        }
        for (at, file) in self.preprocessed.files.iter().enumerate() {
            let id = FileId(at as u32);
            let source = self.preprocessed.sources.file(id).text();
            let asks: Vec<Span> = file
                .directives
                .iter()
                .filter(|directive| {
                    matches!(
                        directive.kind,
                        DirectiveKind::Ifdef
                            | DirectiveKind::Ifndef
                            | DirectiveKind::Elifdef
                            | DirectiveKind::Elifndef
                            | DirectiveKind::Undef
                    )
                })
                .map(|directive| directive.span)
                .collect();
            for token in each_token(source) {
                if token.kind != TokenKind::Identifier {
                    continue;
                }
                let name = token.text(source);
                let span = Span::new(id, token.start as usize, token.end as usize);
                if !names.contains(name) || asks.iter().any(|ask| ask.contains(span)) {
                    continue;
                }
                let defines =
                    self.preprocessed.macros.all(name).any(|def| def.name_span == Some(span));
                if !defines {
                    self.program.macro_mentions.entry(name.to_owned()).or_default().push(span);
                }
            }
        }
    }
}

/// The level of an argument where it stands.
fn level_in<'t>(argument: Node<'t>, outside: &Context<'t>, lowering: &Lowering<'t>) -> u8 {
    let text = &outside.text[argument.byte_range()];
    match argument.kind() {
        "identifier" => {
            if let Some(frame) = &outside.frame
                && let Some(at) = frame.position(text)
            {
                return match frame.arguments[at].node {
                    Some(node) => level_in(node, &frame.outside, lowering),
                    None => COMMA,
                };
            }
            lowering.level_of_name(text)
        }
        "call_expression" => match argument.field(FieldName::Function) {
            Some(function) if function.kind() == "identifier" => {
                lowering.level_of_name(&outside.text[function.byte_range()])
            }
            _ => PRIMARY,
        },
        _ => level(argument, outside.text),
    }
}

/// Whether statements that stand where `statement` stands belong together as one.
fn is_whole(statement: Node<'_>, body: &[Node<'_>]) -> bool {
    let parent = statement.parent().map_or("", |parent| parent.kind());
    if matches!(parent, "compound_statement" | "case_statement") {
        return true;
    }
    match body {
        [only] => {
            only.kind() != "declaration"
                && !(only.kind() == "if_statement"
                    && only.field(FieldName::Alternative).is_none()
                    && matches!(parent, "if_statement" | "else_clause"))
        }
        _ => false,
    }
}

/// Kinds of nodes in which an operand is an expression whatever it is made of.
fn is_expression_holder(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "condition_clause"
            | "expression_statement"
            | "return_statement"
            | "argument_list"
            | "subscript_argument_list"
            | "initializer_list"
            | "init_declarator"
            | "kernel_call_syntax"
            | "binary_expression"
            | "assignment_expression"
            | "conditional_expression"
            | "comma_expression"
            | "unary_expression"
            | "pointer_expression"
            | "cast_expression"
            | "update_expression"
            | "field_expression"
            | "subscript_expression"
            | "call_expression"
            | "for_statement"
            | "while_statement"
            | "do_statement"
            | "sizeof_expression"
    )
}

/// Constructs that are lowered with more than their own text.
fn is_foreign(kind: &str) -> bool {
    matches!(
        kind,
        "lambda_expression"
            | "function_definition"
            | "field_declaration_list"
            | "enumerator_list"
            | "template_declaration"
            | "type_definition"
            | "using_declaration"
            | "alias_declaration"
            | "gnu_asm_expression"
            | "labeled_statement"
            | "ERROR"
    )
}

fn without_splice(text: &str) -> String {
    text.replace("\\\n", " \n").replace("\\\r\n", " \r\n")
}

/// Whether a type is words alone, or a pointer to what they name: as far as [`Lowering::parameter_type`] reads it.
fn is_plain_type(source: &str) -> bool {
    let found = tokens(source);
    let words = found.iter().rev().skip_while(|token| token.text(source) == "*");
    words.into_iter().all(|token| token.kind == TokenKind::Identifier)
}
