//! Names inside generated text: no local hides what the text means, and no macro stands for one.
//!
//! # Terms
//!
//! - A *mention* is a name of the program in generated text: a type of a member, the element's record.
//!   [`mention`] marks it. Whatever is inside keeps its spelling.
//! - A *local* is a name that the text declares for itself: a parameter, a variable, a parameter of a
//!   template. It comes from the vocabulary [`LOCALS`], or was made of a name of the program and is
//!   marked by [`local`].
//! - A *member* is a name that user code reaches behind `.`: members of generated structs, marked by
//!   [`member`]. What stands behind `.` or `->` is a member without a mark.
//! - A *foreign word* is one of CUDA, C++ or the C library: [`FOREIGN`].
//! - An *issued* name is one that [`crate::names::Names`] gave out.
//!
//! # Invariant
//!
//! Every generated block goes through [`settle`] before it becomes an edit. In what comes out
//!
//! 1. no local is spelled like a name that the block mentions, so each mention means outside of the
//!    block's functions what it means inside of them; no parameter of a struct template is spelled like
//!    a member;
//! 2. no local is spelled like a macro of the program (or a macro that an option of the kernels'
//!    compiler defines), wherever that is defined;
//! 3. every other word is a foreign word or an issued name: nothing else can be in the text. A macro
//!    that stands for one of these, or a declaration of the same namespace that hides it, is a
//!    [`Clash`], and the arrays stay.
//!
//! Together with [`crate::names::Names`], which gives out no word of the program, of [`LOCALS`] or of
//! [`FOREIGN`], this is the only place where names of generated text are decided.

use crate::names::Names;
use layoutc_dataflow::classes::Pin;
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{Program, RecordId, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// Marks in front of what is marked, and behind it. They are control characters, which no name holds;
/// string literals of generated text hold none.
const MENTION: char = '\u{1}';
const MEMBER: char = '\u{2}';
const LOCAL: char = '\u{3}';
const END: char = '\u{4}';

fn marked(mark: char, text: &str) -> String {
    format!("{mark}{text}{END}")
}

/// A name of the program, or a type made of such names.
pub(crate) fn mention(text: &str) -> String {
    marked(MENTION, text)
}

/// The name of a member.
pub(crate) fn member(text: &str) -> String {
    marked(MEMBER, text)
}

/// A local that was made of a name of the program.
pub(crate) fn local(text: &str) -> String {
    marked(LOCAL, text)
}

/// The text without marks.
pub(crate) fn unmarked(text: &str) -> String {
    text.chars().filter(|letter| !matches!(*letter, MENTION | MEMBER | LOCAL | END)).collect()
}

/// The parameter of the struct template that holds a handle's arrays.
const ELEMENTS: &str = "Elements";

/// The locals of all templates of generated text.
pub(crate) const LOCALS: &[&str] = &[
    ELEMENTS,
    "Array",
    "Index",
    "Pointer",
    "Symbol",
    "T",
    "Tag",
    "a",
    "a0",
    "a1",
    "a2",
    "a3",
    "a4",
    "a5",
    "a6",
    "a7",
    "advice",
    "array",
    "at",
    "b",
    "base",
    "before",
    "block",
    "blocks",
    "blocks",
    "bytes",
    "c",
    "cells",
    "chunk",
    "count",
    "d",
    "device",
    "done",
    "e",
    "end",
    "error",
    "f",
    "first",
    "flags",
    "freed",
    "from",
    "fromAt",
    "fromFirst",
    "fromStep",
    "from_at",
    "from_device",
    "from_pitch",
    "height",
    "i",
    "i0",
    "i1",
    "i2",
    "i3",
    "i4",
    "i5",
    "i6",
    "i7",
    "inner",
    "kind",
    "lane",
    "n",
    "now",
    "offset",
    "own",
    "p",
    "pool",
    "rest",
    "room",
    "row",
    "rows",
    "size",
    "stage",
    "stages",
    "start",
    "step",
    "stream",
    "symbol",
    "to",
    "toAt",
    "toFirst",
    "toStep",
    "to_at",
    "to_device",
    "to_pitch",
    "value",
    "where",
    "width",
    "words",
];

/// Words of C++, CUDA, OpenCL C and the C library that generated text uses.
const FOREIGN: &[&str] = &[
    "CUDART_VERSION",
    "NULL",
    "__CUDACC__",
    "__OPENCL_VERSION__",
    "__align__",
    "__attribute__",
    "__device__",
    "__forceinline__",
    "__global",
    "__global__",
    "__host__",
    "__restrict__",
    "__shared__",
    "__syncthreads",
    "alignas",
    "aligned",
    "auto",
    "blockDim",
    "blockIdx",
    "bool",
    "calloc",
    "char",
    "class",
    "const",
    "continue",
    "cudaDeviceSynchronize",
    "cudaErrorInvalidPitchValue",
    "cudaErrorInvalidValue",
    "cudaErrorMemoryAllocation",
    "cudaError_t",
    "cudaFree",
    "cudaFreeAsync",
    "cudaGetDevice",
    "cudaGetLastError",
    "cudaGetSymbolAddress",
    "cudaHostAlloc",
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMemAdvise",
    "cudaMemLocation",
    "cudaMemPool_t",
    "cudaMemPrefetchAsync",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaMemcpyAsync",
    "cudaMemcpyDeviceToDevice",
    "cudaMemcpyDeviceToHost",
    "cudaMemcpyHostToDevice",
    "cudaMemcpyKind",
    "cudaMemcpyPeer",
    "cudaMemoryAdvise",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaPeekAtLastError",
    "cudaPointerAttributes",
    "cudaPointerGetAttributes",
    "cudaSetDevice",
    "cudaStreamSynchronize",
    "cudaStream_t",
    "cudaSuccess",
    "default",
    "define",
    "delete",
    "difference_type",
    "double",
    "else",
    "endif",
    "float",
    "for",
    "if",
    "ifdef",
    "ifndef",
    "inline",
    "int",
    "iterator_category",
    "long",
    "make_char2",
    "make_char4",
    "make_double2",
    "make_float2",
    "make_float4",
    "make_int2",
    "make_int4",
    "make_long2",
    "make_longlong2",
    "make_short2",
    "make_short4",
    "make_uchar2",
    "make_uchar4",
    "make_uint2",
    "make_uint4",
    "make_ulong2",
    "make_ulonglong2",
    "make_ushort2",
    "make_ushort4",
    "malloc",
    "memcpy",
    "memset",
    "new",
    "noexcept",
    "nv_diag_suppress",
    "nv_diagnostic",
    "offsetof",
    "operator",
    "pack",
    "pointer",
    "pop",
    "pragma",
    "ptrdiff_t",
    "push",
    "reference",
    "restrict",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "template",
    "this",
    "threadIdx",
    "thread_local",
    "typedef",
    "typename",
    "uchar",
    "uint",
    "uint2",
    "uint4",
    "ulong",
    "union",
    "unsigned",
    "ushort",
    "using",
    "value_type",
    "void",
    "while",
];

/// Words that [`Names`] never gives out: they would be taken for something else in generated text.
pub(crate) fn is_reserved(name: &str) -> bool {
    LOCALS.contains(&name) || FOREIGN.contains(&name)
}

/// What is visible where generated text stands, beyond what the text itself says.
pub(crate) struct Surroundings<'a> {
    /// Names of all macros of the program, wherever they are defined.
    pub(crate) macros: &'a BTreeSet<String>,
    /// Names that the namespaces around the text declare, if it stands in any.
    pub(crate) declared: BTreeSet<&'a str>,
    /// The names that were given out.
    pub(crate) names: &'a Names,
    /// Other names for locals, whether they are taken or not: what options of the kernels' compiler
    /// define is not always known.
    pub(crate) wished: BTreeMap<String, String>,
}

/// The names of all macros of a program, and of those that options of the kernels' compiler define.
pub(crate) fn macro_names(program: &Program) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = program.macros.iter().map(|def| def.name.clone()).collect();
    if program.files.iter().any(|file| file.is_opencl) {
        names.extend(crate::opencl::option_names(program));
    }
    names
}

impl<'a> Surroundings<'a> {
    /// What is visible behind the definition of a record, or at file scope.
    pub(crate) fn of(
        program: &'a Program,
        macros: &'a BTreeSet<String>,
        names: &'a Names,
        record: Option<RecordId>,
    ) -> Self {
        let is_inside = record.is_some_and(|id| !program.record(id).namespaces.is_empty());
        let mut declared: BTreeSet<&str> = BTreeSet::new();
        if is_inside {
            declared.extend(program.functions.iter().map(|own| own.name.as_str()));
            declared.extend(program.records.iter().map(|own| own.name.as_str()));
            declared.extend(program.aliases.iter().map(|(name, ..)| name.as_str()));
            // The parameters of prototypes belong to no function either.
            let variables = program
                .variables
                .iter()
                .filter(|own| own.function.is_none() && matches!(own.storage, Storage::Static));
            declared.extend(variables.map(|own| own.name.as_str()));
        }
        Surroundings { macros, declared, names, wished: BTreeMap::new() }
    }
}

/// A word that generated text cannot do without, and that means something else there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clash {
    /// The word.
    pub(crate) word: String,
    /// Whether it is a macro; otherwise a declaration hides it.
    pub(crate) is_macro: bool,
}

impl Clash {
    /// The reason to keep arrays that would need the text; `place` is theirs.
    pub(crate) fn pin(&self, program: &Program, place: Span) -> Pin {
        let def = program.macros.iter().find(|def| def.name == self.word);
        let what = if self.is_macro { "a macro here" } else { "declared in a namespace here" };
        Pin {
            span: def.and_then(|def| def.span).unwrap_or(place),
            code: Code::NAME_CONFLICT,
            message: format!("the generated code uses the name `{}`, which is {what}", self.word),
            related: Vec::new(),
        }
    }
}

/// What a word of the text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// The text's own.
    Own,
    /// A local that was made of a name of the program.
    Local,
    Mention,
    Member,
}

/// A run of the text: a word with its role, or what is between words.
struct Piece<'a> {
    text: &'a str,
    role: Option<Role>,
}

/// Decides all names of a generated block: gives locals names that nothing else has, and takes the
/// marks out.
///
/// # Errors
/// [`Clash`] names the first word that has no other name to go by.
pub(crate) fn settle(text: &str, around: &Surroundings) -> Result<String, Clash> {
    let pieces = pieces(text);
    let words = |role: Role| {
        pieces.iter().filter(move |piece| piece.role == Some(role)).map(|piece| piece.text)
    };
    let mentions: BTreeSet<&str> = words(Role::Mention).collect();
    let own: BTreeSet<&str> = words(Role::Own).collect();
    let locals: BTreeSet<&str> = own
        .iter()
        .copied()
        .filter(|word| LOCALS.contains(word))
        .chain(words(Role::Local))
        .collect();
    for word in own.iter().filter(|word| !locals.contains(*word)) {
        debug_assert!(
            FOREIGN.contains(word) || around.names.is_issued(word),
            "`{word}` of generated text is in no vocabulary"
        );
        if around.macros.contains(*word) {
            return Err(Clash { word: (*word).to_owned(), is_macro: true });
        }
        if around.declared.contains(word) && !around.names.is_issued(word) {
            return Err(Clash { word: (*word).to_owned(), is_macro: false });
        }
    }
    let members: BTreeSet<&str> = words(Role::Member).collect();
    let is_taken = |name: &str| mentions.contains(name) || around.macros.contains(name);
    // The parameter of a struct template is hidden by members of the struct.
    let is_hidden = |local: &str, name: &str| local == ELEMENTS && members.contains(name);
    let mut renamed: BTreeMap<&str, String> = BTreeMap::new();
    for word in &locals {
        if let Some(wished) = around.wished.get(*word) {
            renamed.insert(word, wished.clone());
            continue;
        }
        if !is_taken(word) && !is_hidden(word, word) {
            continue;
        }
        let fresh = (2..).map(|at| format!("{word}{at}")).find(|name| {
            !is_taken(name)
                && !is_hidden(word, name)
                && !own.contains(name.as_str())
                && !locals.contains(name.as_str())
                && !renamed.values().any(|other| other == name)
        });
        renamed.insert(word, fresh.unwrap_or_default());
    }
    let mut out = String::with_capacity(text.len());
    for piece in &pieces {
        let new = match piece.role {
            Some(Role::Own | Role::Local) => renamed.get(piece.text),
            Some(Role::Mention | Role::Member) | None => None,
        };
        out.push_str(new.map_or(piece.text, String::as_str));
    }
    Ok(out)
}

/// The words of a text with their roles. Words in comments and strings have none, but for those in
/// backticks, which name what the comment is about.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found: Vec<Piece> = Vec::new();
    let mut role = Role::Own;
    // Each run between marks has one role.
    let mut rest = text;
    let mut in_comment = false;
    let mut behind_dot = false;
    while !rest.is_empty() {
        let end = rest.find([MENTION, MEMBER, LOCAL, END]).unwrap_or(rest.len());
        run(&rest[..end], role, &mut in_comment, &mut behind_dot, &mut found);
        let mut letters = rest[end..].chars();
        role = match letters.next() {
            Some(MENTION) => Role::Mention,
            Some(MEMBER) => Role::Member,
            Some(LOCAL) => Role::Local,
            _ => Role::Own,
        };
        rest = letters.as_str();
    }
    found
}

/// The words of a run without marks.
fn run<'a>(
    text: &'a str,
    role: Role,
    in_comment: &mut bool,
    behind_dot: &mut bool,
    found: &mut Vec<Piece<'a>>,
) {
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if at > 0 {
            *in_comment = false;
        }
        let (code, comment) = match (*in_comment, line.find("//")) {
            (true, _) => ("", line),
            (false, Some(start)) => line.split_at(start),
            (false, None) => (line, ""),
        };
        let mut end = 0;
        for token in tokens(code) {
            found.push(Piece { text: &code[end..token.start as usize], role: None });
            let word = token.text(code);
            end = token.end as usize;
            let is_word = token.kind == TokenKind::Identifier;
            let is_member = std::mem::replace(behind_dot, matches!(word, "." | "->"));
            let role = match (is_word, is_member && role == Role::Own) {
                (false, _) => None,
                (true, true) => Some(Role::Member),
                (true, false) => Some(role),
            };
            found.push(Piece { text: word, role });
        }
        found.push(Piece { text: &code[end..], role: None });
        if !comment.is_empty() {
            *in_comment = !line.ends_with('\n');
            for part in comment.split_inclusive('`') {
                let name = part.strip_suffix('`').filter(|name| LOCALS.contains(name));
                match name.filter(|_| role == Role::Own) {
                    Some(name) => {
                        found.push(Piece { text: name, role: Some(Role::Own) });
                        found.push(Piece { text: "`", role: None });
                    }
                    None => found.push(Piece { text: part, role: None }),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str, macros: &[&str]) -> Result<String, Clash> {
        let names = Names::new(BTreeSet::new());
        let macros = macros.iter().map(|name| (*name).to_owned()).collect();
        let around = Surroundings {
            macros: &macros,
            declared: BTreeSet::new(),
            names: &names,
            wished: BTreeMap::new(),
        };
        settle(text, &around)
    }

    #[test]
    fn a_local_gives_way_to_a_type_of_the_program() {
        let text = format!(
            "static void f(int value, size_t n)\n{{\n    memset(p, value, n * sizeof({}));\n}}\n",
            mention("value")
        );
        let text = text.replace(" f(", " inline(");
        assert_eq!(
            settled(&text, &[]).expect("no clash"),
            "static void inline(int value2, size_t n)\n{\n    memset(p, value2, n * sizeof(value));\n}\n"
        );
    }

    #[test]
    fn members_and_marked_names_stay() {
        let text = format!("p.n = {}; {}[n] = {};", member("n"), local("n_at"), mention("n::m"));
        assert_eq!(settled(&text, &[]).expect("no clash"), "p.n = n; n_at[n2] = n::m;");
    }

    #[test]
    fn a_local_gives_way_to_a_macro_and_a_foreign_word_does_not() {
        assert_eq!(
            settled("// Fills `value`s: value.\nint value;", &["value"]).expect("no clash"),
            "// Fills `value2`s: value.\nint value2;"
        );
        assert_eq!(
            settled("size_t n;", &["size_t"]),
            Err(Clash { word: "size_t".to_owned(), is_macro: true })
        );
    }

    #[test]
    fn the_new_name_is_free_too() {
        let text = format!("int n; int n2; {} x;", mention("n"));
        let text = text.replace(" x;", " i;").replace("n2", &local("n2"));
        assert_eq!(settled(&text, &["n3"]).expect("no clash"), "int n4; int n2; n i;");
    }
}
