//! The textual notation of layouts, which the command line, configuration files, pragmas,
//! diagnostics and reports share.
//!
//! ```text
//! Particle = {x y z m} align(16), {vx vy vz} tiled(32), {id}
//! f = [y/32, x/128, q, y%32, x%128]
//! * = soa
//! ```
//!
//! # Grammar
//!
//! ```text
//! spec    = target "=" body
//! target  = name { "::" name } | "*"        a record, an array, function::variable, T::member;
//!                                           a name may carry template arguments; `*` is every array
//! body    = "soa" | form | group { "," group }
//! group   = "{" field { [","] field } "}" [form]
//! form    = one of "aos", "tiled" "(" T ")", digits, and at most one "align" "(" A ")"
//! field   = name { "." name } | "*"
//! digits  = "[" digit { "," digit } "]"
//! digit   = name ["/" N] ["%" N] | "(" name "/" N ")" "%" N
//! ```
//!
//! # Meaning
//!
//! - `*` speaks of every array that no other specification names. An array that the layout does not
//!   fit, because its record lacks a field that is named, stays as it is.
//! - A body without groups speaks of all fields: `aos` is the source's layout, `tiled(T)` tiles of
//!   `T` elements, `soa` one array per leaf.
//! - A group is stored as an array of structs unless it says otherwise; a group of one leaf as a
//!   plain array, unless `aos` or `align` asks for a struct. The order of the fields is the order of
//!   the struct's members.
//! - A field is the path of a leaf, or of a nested struct or vector, which stands for all leaves
//!   below it. `*` stands for all leaves named nowhere else, in source order; a group in which it
//!   stands alone vanishes if nothing is left.
//! - Every leaf must be in exactly one group. A field that was forgotten is an error, because a
//!   layout that silently keeps a hot field somewhere else is not what its author measured; `{*}`
//!   says it in one word.
//! - Digits are listed slowest first; `field` is the field digit and `i` the element index. Grids
//!   have their own names for both. The subscripts of a member array follow the field digit and are
//!   not written.
//!
//! Tile sizes go from 1 to [`MAX_TILE`](super::MAX_TILE), alignments are powers of two from the
//! natural alignment to [`MAX_ALIGNMENT`](super::MAX_ALIGNMENT).
//!
//! # Claims
//!
//! Printing and parsing a [`LayoutSpec`] gives the same specification. [`Layout::display`] prints
//! the shortest form in which every field is named, and [`SpecBody::parse`] followed by
//! [`LayoutSpec::resolve`] gives an equal layout.
//!
//! [`Layout::display`]: super::Layout::display

mod display;
mod lexer;
mod parser;
mod resolve;
mod suggest;

use std::fmt;
use std::ops::Range;

use layoutc_diagnostics::{Code, Diagnostic, Span};

use super::Bytes;
pub use display::LayoutDisplay;
pub use suggest::nearest;

/// The target that means every array no other specification names.
pub const EVERY_ARRAY: &str = "*";

/// A value and where it stands in the text of its specification.
///
/// Two values are equal wherever they stand.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// The byte range in the text.
    pub at: Range<usize>,
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Located<T> {}

/// What is to be laid out, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutSpec {
    /// The name of a record or an array, perhaps qualified: `ns::T`, `function::variable`,
    /// `T::member`, or [`EVERY_ARRAY`]. Without blanks around `::`.
    pub target: String,
    /// Separate arrays that are put together with the target: `x + vx = aos`.
    pub with: Vec<String>,
    /// The layout.
    pub body: SpecBody,
    /// Who asks for it.
    pub authority: Authority,
}

/// Who asks for a layout. Of several who name an array, the last one in this list counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Authority {
    /// An earlier run, which chose it.
    Chosen,
    /// A pragma of the source.
    Pragma {
        /// Where the layout is written.
        text: Span,
        /// Which one of the program's, by its position: that says what is meant, and the target is its name.
        index: usize,
    },
    /// The command line, or the project's file.
    #[default]
    Asked,
}

impl Authority {
    /// The place in the list.
    #[must_use]
    pub fn rank(self) -> usize {
        match self {
            Authority::Chosen => 0,
            Authority::Pragma { .. } => 1,
            Authority::Asked => 2,
        }
    }
}

/// The part of a specification behind the `=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecBody {
    /// `soa`: a group per leaf.
    Soa(Located<()>),
    /// All leaves in one group of this form.
    Uniform(FormSpec),
    /// The groups, at least one.
    Groups(Vec<GroupSpec>),
}

/// One group: its fields and its form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupSpec {
    /// The fields as written, at least one.
    pub fields: Vec<Located<FieldPattern>>,
    /// The form.
    pub form: FormSpec,
}

/// How a group is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormSpec {
    /// The order of its digits; where nothing is written, it stands behind the fields.
    pub order: Located<Order>,
    /// The alignment of the struct.
    pub align: Option<Located<Bytes>>,
}

/// The order of a group's digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nothing is written: a struct for several leaves, a plain array for one.
    Default,
    /// `aos`: a struct.
    Aos,
    /// `tiled(T)`: a struct of arrays of `T` slots.
    Tiled(u64),
    /// The digits, slowest first, without those of member arrays. Every name is covered exactly once.
    Digits(Vec<GridDigit>),
}

/// A digit with the name of its dimension (or of the field digit): `(name / divisor) % modulus`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridDigit {
    /// The name of a dimension, or of the field digit.
    pub name: Located<String>,
    /// At least 1.
    pub divisor: u64,
    /// At least 1; `None`: unbounded.
    pub modulus: Option<u64>,
}

/// What a group names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FieldPattern {
    /// A leaf, or all leaves below this path.
    Path(String),
    /// `*`: all leaves named nowhere else.
    Rest,
}

/// Why a specification cannot be read, or does not fit its record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// LC0040, LC0041, LC0043 or LC0044.
    pub code: Code,
    /// The byte range in the specification that shows it; empty at the end of the text.
    pub at: Range<usize>,
    /// One lowercase sentence without a final stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl SpecError {
    fn new(code: Code, at: Range<usize>, message: impl Into<String>) -> Self {
        SpecError { code, at, message: message.into(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        SpecError { help: Some(help.into()), ..self }
    }

    /// The byte offset in the specification.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at.start
    }

    /// An error that quotes the specification, for where it has no place in a source file.
    #[must_use]
    pub fn diagnostic(&self, spec: &str) -> Diagnostic {
        let message = format!("{} at byte {} of layout `{spec}`", self.message, self.at.start);
        let diagnostic = Diagnostic::error(self.code, message);
        match &self.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }

    /// An error in the text of a source file that is the specification's.
    #[must_use]
    pub fn diagnostic_in(&self, text: Span) -> Diagnostic {
        let place = |at: usize| text.start + u32::try_from(at).unwrap_or(u32::MAX);
        let (start, end) = (place(self.at.start), place(self.at.end).min(text.end));
        // At the end of the text there is nothing to point at.
        let span = if start < end { Span { start, end, ..text } } else { text };
        let diagnostic = Diagnostic::error(self.code, self.message.clone());
        let diagnostic = diagnostic.at(span, "in the layout of this pragma");
        match &self.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at byte {}: {}", self.code, self.at.start, self.message)
    }
}

impl std::error::Error for SpecError {}

impl LayoutSpec {
    /// Reads a specification.
    ///
    /// # Errors
    /// LC0040 for what does not follow the grammar, unknown words and invalid alignments, LC0044
    /// for invalid tile sizes; each with its place in `text`.
    pub fn parse(text: &str) -> Result<LayoutSpec, SpecError> {
        parser::parse_spec(text)
    }

    /// The layout of a pragma, where the source has it.
    #[must_use]
    pub fn place(&self) -> Option<Span> {
        match self.authority {
            Authority::Pragma { text, .. } => Some(text),
            Authority::Chosen | Authority::Asked => None,
        }
    }

    /// What is wrong with it, where it was written.
    #[must_use]
    pub fn diagnostic(&self, error: &SpecError) -> Diagnostic {
        match self.place() {
            Some(span) => error.diagnostic_in(span),
            None => error.diagnostic(&self.to_string()),
        }
    }

    /// A message about it, with its place in the source if it has one.
    #[must_use]
    pub fn located(&self, diagnostic: Diagnostic) -> Diagnostic {
        match (self.place(), &diagnostic.primary) {
            (Some(span), None) => diagnostic.at(span, "this pragma asks for it"),
            (Some(span), Some(_)) => diagnostic.with(span, "this pragma asks for it"),
            (None, _) => diagnostic,
        }
    }
}

impl SpecBody {
    /// Reads the part of a specification behind the `=`.
    ///
    /// # Errors
    /// As [`LayoutSpec::parse`].
    pub fn parse(text: &str) -> Result<SpecBody, SpecError> {
        parser::parse_body(text)
    }

    /// The byte range of the text in which the layout begins, for messages about all of it.
    pub(super) fn at(&self) -> Range<usize> {
        match self {
            SpecBody::Soa(word) => word.at.clone(),
            SpecBody::Uniform(form) => form.order.at.clone(),
            SpecBody::Groups(groups) => {
                let fields = || groups.iter().flat_map(|group| &group.fields);
                let start = fields().map(|field| field.at.start).min().unwrap_or(0);
                start..fields().map(|field| field.at.end).max().unwrap_or(start)
            }
        }
    }
}
