//! The preprocessor and the parse, on small programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use layoutc_diagnostics::Code;
use layoutc_syntax::parse::{BRACKET_DEPTH_LIMIT, ParseFailure, parse};
use layoutc_syntax::preprocess::{
    Activity, DirectiveKind, LoadResult, MaskReason, NoHeaders, PreprocessOptions, Preprocessed,
    PreprocessedFile, SourceLoader, preprocess_program,
};
use proptest::prelude::*;

/// Headers by path; a text of `!` cannot be read.
#[derive(Default)]
struct Headers(BTreeMap<PathBuf, String>);

impl SourceLoader for Headers {
    fn load(&mut self, path: &Path) -> LoadResult {
        match self.0.get(path) {
            None => LoadResult::Missing,
            Some(text) if text == "!" => LoadResult::NotReadable("is binary".to_owned()),
            Some(text) => LoadResult::Text(text.clone()),
        }
    }
}

fn program(files: &[(&str, &str)]) -> Preprocessed {
    program_with(files, &PreprocessOptions::default())
}

/// The first file is the root, the others are headers.
fn program_with(files: &[(&str, &str)], options: &PreprocessOptions) -> Preprocessed {
    let mut headers = Headers::default();
    for (path, text) in &files[1..] {
        headers.0.insert(PathBuf::from(path), (*text).to_owned());
    }
    preprocess_program(
        vec![(PathBuf::from(files[0].0), files[0].1.to_owned())],
        &mut headers,
        options,
    )
}

fn root(text: &str) -> PreprocessedFile {
    let mut done = program(&[("a.cu", text)]);
    assert_same_shape(text, &done.files[0]);
    done.files.remove(0)
}

/// Same length, and line breaks at the same places but for those that a `;` took.
fn assert_same_shape(text: &str, file: &PreprocessedFile) {
    assert_eq!(file.masked.len(), text.len());
    for (at, (before, after)) in text.bytes().zip(file.masked.bytes()).enumerate() {
        let taken = || {
            let covers = |(span, reason): &(layoutc_diagnostics::Span, MaskReason)| {
                span.range().contains(&at) && *reason == MaskReason::Semicolon
            };
            file.masked_spans.iter().any(covers)
        };
        assert!((before == b'\n') == (after == b'\n') || taken(), "line break at {at} in {text:?}");
    }
}

/// The masked text with runs of white space shortened to one blank.
fn squeezed(text: &str) -> String {
    root(text).masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn reasons(text: &str) -> Vec<(String, MaskReason)> {
    let done = program(&[("a.cu", text)]);
    done.files[0]
        .masked_spans
        .iter()
        .map(|(span, reason)| (done.sources.text(*span).to_owned(), reason.clone()))
        .collect()
}

fn specifier(expansion: &str) -> MaskReason {
    MaskReason::Specifier { expansion: expansion.to_owned() }
}

fn parses(text: &str) {
    let masked = root(text).masked;
    let parsed = parse(&masked).expect("within all limits");
    assert!(
        parsed.error_regions.is_empty(),
        "{text}\n--- masked:\n{masked}\n--- {}",
        parsed.tree.root_node().to_sexp()
    );
}

fn codes(done: &Preprocessed) -> Vec<Code> {
    done.diagnostics.iter().map(|found| found.code).collect()
}

// Directives and conditionals.

#[test]
fn directives_become_white_space() {
    assert_eq!(
        squeezed(
            "#include <a.h> // x\n#define A 1\nint x;\n  # pragma once \r\n#\n#line 3\n#error don't\nint y;"
        ),
        "int x; int y;"
    );
    let done = root(
        "#include <a>\n#define A\n#undef A\n#if 1\n#elif 2\n#else\n#endif\n#pragma once\n#pragma unroll\n#error\n",
    );
    use DirectiveKind as K;
    let kinds: Vec<_> = done.directives.iter().map(|found| found.kind).collect();
    assert_eq!(
        kinds,
        [
            K::Include,
            K::Define,
            K::Undef,
            K::If,
            K::Elif,
            K::Else,
            K::Endif,
            K::PragmaOnce,
            K::Pragma,
            K::Other
        ]
    );
}

#[test]
fn carriage_returns_stay() {
    let text = "#define A \\\r\n 1\r\nint x;\r\n#if 0\r\nint y;\r\n#endif\r\n";
    let breaks =
        |text: &str| -> Vec<usize> { text.match_indices("\r\n").map(|(at, _)| at).collect() };
    assert_eq!(breaks(&root(text).masked), breaks(text));
}

#[test]
fn a_directive_goes_on_over_spliced_lines_and_comments() {
    assert_eq!(squeezed("#define F(x) \\\n  g(x); \\\r\n  h(x)\nint x;"), "int x;");
    assert_eq!(squeezed("#define A /* one\n two */ 3\nint x;"), "int x;");
    assert_eq!(squeezed("#define A 3 // one \\\n still a comment\nint x;"), "int x;");
    assert_eq!(squeezed("#define A 3 /* one\n two */\nint x;"), "int x;");
}

#[test]
fn no_directive_in_comments_and_strings() {
    let text = "/*\n#if 0\n*/ const char *s = R\"(\n#else\n)\"; int x;";
    let done = root(text);
    assert!(done.directives.is_empty());
    assert_eq!(done.masked, text);
}

#[test]
fn one_branch_of_each_conditional_stays() {
    assert_eq!(squeezed("#if 0\na;\n#elif 1\nb;\n#elif 1\nc;\n#else\nd;\n#endif\ne;"), "b; e;");
    assert_eq!(squeezed("#ifdef __CUDACC__\na;\n#else\nb;\n#endif"), "a;");
    assert_eq!(squeezed("#ifndef _WIN32\na;\n#endif"), "a;");
    assert_eq!(
        squeezed(
            "#define A 2\n#if A > 1 && defined(A)\na;\n#endif\n#undef A\n#ifdef A\nb;\n#endif"
        ),
        "a;"
    );
    assert_eq!(squeezed("#if 0\n#if 1\na;\n#else\nb;\n#endif\nc;\n#else\nd;\n#endif"), "d;");
    assert_eq!(squeezed("#ifdef A\na;\n#elifdef __CUDACC__\nb;\n#elifndef A\nc;\n#endif"), "b;");
    assert_eq!(
        squeezed(
            "#if CUDART_VERSION >= 11000 && __cplusplus >= 201103L && !defined(__APPLE__)\na;\n#endif"
        ),
        "a;"
    );
}

#[test]
fn branches_not_taken_are_recorded() {
    let text = "#if 0\nx;\n#if 1\ny;\n#endif\n#endif\n#if 1\nz;\n#else\nw;\n#endif\n";
    let done = program(&[("a.cu", text)]);
    let regions: Vec<_> = done.files[0]
        .inactive
        .iter()
        .map(|region| (done.sources.text(region.span), region.dual))
        .collect();
    assert_eq!(regions, [("\nx;\n#if 1\ny;\n#endif\n", false), ("\nw;\n", false)]);
}

#[test]
fn both_sides_of_an_architecture_condition_are_live() {
    let text = "#ifdef __CUDA_ARCH__\ndevice;\n#define D 1\n#else\nhost;\n#define H 1\n#if 0\nnobody;\n#endif\n#endif\n\
                #ifdef H\nhost2;\n#endif\n#if __CUDA_ARCH__ >= 700 || 1\nboth;\n#endif\n";
    let done = program(&[("a.cu", text)]);
    assert_eq!(done.files[0].masked.split_whitespace().collect::<Vec<_>>(), ["device;", "both;"]);
    let regions: Vec<_> = done.files[0]
        .inactive
        .iter()
        .map(|region| (done.sources.text(region.span).trim(), region.dual))
        .collect();
    assert_eq!(
        regions,
        [("host;\n#define H 1", true), ("nobody;", false), ("", true), ("host2;", true)]
    );
    assert_eq!(done.macros.lookup("D").next().map(|def| def.activity), Some(Activity::Active));
    assert_eq!(done.macros.lookup("H").next().map(|def| def.activity), Some(Activity::Dual));
}

#[test]
fn a_c_root_is_no_cuda() {
    let text = "#ifdef __CUDACC__\ncuda;\n#elif defined(__cplusplus)\ncpp;\n#else\nc;\n#endif";
    for (name, expected) in
        [("a.cu", "cuda;"), ("a.cuh", "cuda;"), ("a.cpp", "cpp;"), ("a.c", "c;")]
    {
        assert_eq!(program(&[(name, text)]).files[0].masked.trim(), expected, "{name}");
    }
}

#[test]
fn command_line_defines_hold() {
    let options = PreprocessOptions {
        defines: vec![("N".to_owned(), "4".to_owned()), ("F(x)".to_owned(), "((x)+1)".to_owned())],
        ..PreprocessOptions::default()
    };
    let done = program_with(&[("a.cu", "#if F(N) == 5\nyes;\n#endif")], &options);
    assert_eq!(done.files[0].masked.trim(), "yes;");
    let def = done.macros.lookup("F").next().expect("it is defined");
    assert_eq!((def.name_span, def.params.as_deref()), (None, Some(&["x".to_owned()][..])));
}

#[test]
fn the_command_line_wins_over_the_compiler() {
    let options = PreprocessOptions {
        defines: vec![("CUDART_VERSION".to_owned(), "9000".to_owned())],
        ..PreprocessOptions::default()
    };
    let text = "#if CUDART_VERSION < 10000\nold;\n#endif";
    assert_eq!(program_with(&[("a.cu", text)], &options).files[0].masked.trim(), "old;");
    assert_eq!(program(&[("a.cu", text)]).files[0].masked.trim(), "");
}

#[test]
fn unbalanced_conditionals_are_reported() {
    for text in [
        "#if 1\nint x;",
        "#endif\nint x;",
        "#else\nint x;",
        "#if 1\n#endif\n#endif\n",
        "#if 1 +\n#endif\n",
    ] {
        assert_eq!(codes(&program(&[("a.cu", text)])), [Code::UNPARSED_REGION], "{text:?}");
    }
    assert_eq!(squeezed("#if 0\nint x; /* unterminated"), "");
    assert_eq!(squeezed("int x; /* unterminated\n#define A"), "int x; /* unterminated #define A");
    assert_eq!(
        squeezed("const char *s = \"open\n#define A\nint x;"),
        "const char *s = \"open int x;"
    );
}

// Macros.

#[test]
fn definitions_are_kept_in_order() {
    let text = "#define A 1\n#define A \\\n  2\n#if 0\n#define A 3\n#endif\n#define F(a, b...) a b\n#define G(...) __VA_ARGS__\n#define E\n#define P (x)\n";
    let done = program(&[("a.cu", text)]);
    let texts: Vec<_> = done.macros.lookup("A").map(|def| def.text.as_str()).collect();
    assert_eq!(texts, ["1", "2"]);
    let all: Vec<_> = done.macros.all("A").map(|def| (def.text.as_str(), def.activity)).collect();
    assert_eq!(all[2], ("3", Activity::Inactive));
    let def = |name: &str| done.macros.lookup(name).next().expect("it is defined");
    assert_eq!(
        (def("F").params.clone(), def("F").variadic),
        (Some(vec!["a".to_owned(), "b".to_owned()]), true)
    );
    assert_eq!((def("G").params.clone(), def("G").variadic), (Some(vec![]), true));
    assert_eq!(
        (def("E").text.as_str(), def("P").text.as_str(), def("P").is_function_like()),
        ("", "(x)", false)
    );
    for (_, def) in done.macros.iter().filter(|(_, def)| def.file.is_some()) {
        assert_eq!(done.sources.text(def.body.expect("from a file")), def.text);
        assert_eq!(done.sources.text(def.name_span.expect("from a file")), def.name);
    }
}

#[test]
fn a_use_means_the_definition_in_force() {
    let text = "#define A 1\nint x = A;\n#undef A\n#define A 2\nint y = A; int z = F(3);\n#define F(x) x\nint f = F; int w = F (A);\n";
    let done = program(&[("a.cu", text)]);
    let uses: Vec<_> = done.files[0]
        .macro_uses
        .iter()
        .map(|found| {
            (
                done.sources.text(found.name),
                found.args.map(|args| done.sources.text(args)),
                done.macros.get(found.def).text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        uses,
        [("A", None, "1"), ("A", None, "2"), ("F", Some("(A)"), "x"), ("A", None, "2")]
    );
}

// Includes.

#[test]
fn headers_are_found_beside_the_includer_and_then_in_the_folders() {
    let options = PreprocessOptions {
        include_dirs: vec![PathBuf::from("inc")],
        ..PreprocessOptions::default()
    };
    let done = program_with(
        &[
            (
                "src/a.cu",
                "#include \"sub/x.h\"\n#include \"y.h\"\n#include <z.h>\n#include <none.h>\n",
            ),
            ("src/sub/x.h", "#include \"../w.h\"\n#include \"y.h\""),
            ("src/w.h", ""),
            ("inc/y.h", ""),
            ("inc/z.h", ""),
        ],
        &options,
    );
    let paths: Vec<_> =
        done.sources.iter().map(|(_, file)| file.path().to_str().unwrap_or("")).collect();
    assert_eq!(paths, ["src/a.cu", "src/sub/x.h", "src/w.h", "inc/y.h", "inc/z.h"]);
    assert_eq!(codes(&done), []);
    let targets: Vec<_> = done.files[0]
        .includes
        .iter()
        .map(|found| (found.system, found.target.map(|id| id.0)))
        .collect();
    assert_eq!(targets, [(false, Some(1)), (false, Some(3)), (true, Some(4)), (true, None)]);
    assert!(done.files[0].is_root && !done.files[1].is_root);
}

#[test]
fn a_missing_local_header_is_reported_unless_it_is_the_toolkits() {
    let done = program(&[(
        "a.cu",
        "#include \"missing.h\"\n#include \"helper_cuda.h\"\n#include \"cuda_runtime.h\"\n#include \"cutil.h\"\n#include <other.h>\n#include \"k.cl\"\n#if 0\n#include \"hidden.h\"\n#endif\n",
    )]);
    assert_eq!(codes(&done), [Code::MISSING_INCLUDE]);
    assert!(done.diagnostics[0].message.contains("missing.h"));
    let done = program(&[("a.cu", "#include \"x.h\"\n"), ("x.h", "!")]);
    assert_eq!(codes(&done), [Code::UNREADABLE_INPUT]);
    assert!(done.diagnostics[0].message.contains("is binary"));
}

#[test]
fn guards_and_pragma_once_end_cycles() {
    for (first, second) in [
        ("#ifndef A_H\n#define A_H\n", "#endif\n"),
        ("#pragma once\n", ""),
        ("#if !defined(A_H)\n#define A_H\n", "#endif"),
    ] {
        let header = format!("{first}#include \"b.h\"\nint a;\n{second}");
        let done = program(&[
            ("a.cu", "#include \"a.h\"\n#include \"a.h\"\n"),
            ("a.h", &header),
            ("b.h", "#include \"a.h\"\nint b;\n"),
        ]);
        assert_eq!(codes(&done), [], "{first}");
        assert_eq!(done.files[1].masked.trim(), "int a;");
        assert!(done.files[1].inactive.is_empty());
    }
}

#[test]
fn a_cycle_without_guard_is_cut_and_reported() {
    let done = program(&[
        ("a.cu", "#include \"a.h\"\n"),
        ("a.h", "#include \"b.h\"\nint a;\n"),
        ("b.h", "#include \"a.h\"\nint b;\n"),
    ]);
    assert_eq!(codes(&done), [Code::NESTING_TOO_DEEP]);
    assert_eq!((done.files[1].masked.trim(), done.files[2].masked.trim()), ("int a;", "int b;"));
}

#[test]
fn each_compilation_may_include_many_headers() {
    let text = "#include \"h.h\"\n".repeat(8000);
    let roots = ["a.cu", "b.cu", "c.cu"].map(|path| (PathBuf::from(path), text.clone()));
    let mut headers = Headers(BTreeMap::from([(PathBuf::from("h.h"), "int x;".to_owned())]));
    let done = preprocess_program(roots.into(), &mut headers, &PreprocessOptions::default());
    assert_eq!(codes(&done), []);
}

#[test]
fn headers_that_multiply_are_cut() {
    let texts: Vec<_> = (0..40)
        .map(|at| {
            (format!("h{at}.h"), format!("#include \"h{0}.h\"\n#include \"h{0}.h\"\n", at + 1))
        })
        .collect();
    let mut files: Vec<_> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("h40.h", "int x;"));
    let done = program(&files);
    assert!(codes(&done).contains(&Code::NESTING_TOO_DEEP));
}

#[test]
fn a_header_seen_again_under_other_macros_is_live_twice() {
    let header = "#ifdef PASS2\nsecond;\n#else\nfirst;\n#endif\n";
    let done = program(&[
        ("a.cu", "#include \"x.h\"\n#define PASS2\n#include \"x.h\"\n"),
        ("x.h", header),
    ]);
    assert_eq!(done.files[1].masked.trim(), "first;");
    let regions: Vec<_> = done.files[1]
        .inactive
        .iter()
        .map(|region| (done.sources.text(region.span).trim(), region.dual))
        .collect();
    assert_eq!(regions, [("second;", true)]);
}

#[test]
fn macros_of_a_header_reach_its_includer_and_later_roots() {
    let mut headers = Headers::default();
    headers.0.insert(
        PathBuf::from("x.h"),
        "#ifndef X_H\n#define X_H\n#define LEVEL 2\n#endif\n".to_owned(),
    );
    let text = "#include \"x.h\"\n#if LEVEL == 2\nyes;\n#endif\n#ifdef ONLY_A\nno;\n#endif\n#define ONLY_A\n";
    let roots =
        vec![(PathBuf::from("a.cu"), text.to_owned()), (PathBuf::from("b.cu"), text.to_owned())];
    let done = preprocess_program(roots, &mut headers, &PreprocessOptions::default());
    assert_eq!(done.files[0].masked.trim(), "yes;");
    assert_eq!(done.files[1].masked.trim(), "yes;");
}

#[test]
fn a_root_that_another_root_includes_is_met_there() {
    let roots = vec![
        (PathBuf::from("kernel.cu"), "#ifdef FROM_MAIN\nyes;\n#endif".to_owned()),
        (PathBuf::from("main.cu"), "#define FROM_MAIN\n#include \"kernel.cu\"\n".to_owned()),
    ];
    let done = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    assert_eq!(done.files[0].masked.trim(), "yes;");
    assert_eq!(done.files.len(), 2);
    assert!(done.files[0].is_root);
}

// Masking.

#[test]
fn specifier_macros_are_blanked_or_expanded_in_place() {
    let text = "#define DI static __device__ __forceinline__\n#define A_KERNEL_OF_OURS __global__\n#define API\nDI float f(float);\nA_KERNEL_OF_OURS void k();\nAPI void g();\n";
    assert_eq!(squeezed(text), "float f(float); __global__ void k(); void g();");
    assert_eq!(
        reasons(text),
        [
            ("DI".to_owned(), specifier("static __device__ __forceinline__")),
            ("A_KERNEL_OF_OURS".to_owned(), specifier("__global__")),
            ("API".to_owned(), specifier("")),
        ]
    );
    parses(text);
}

#[test]
fn specifier_macros_are_followed_through_macros() {
    let text = "#define HD __host__ __device__\n#define INL HD inline\n#define BOUNDS(n) __launch_bounds__(n)\n__global__ void BOUNDS(256) k();\nINL int f();\nstruct S { HD S(); INL int g() const; };\n";
    parses(text);
    assert_eq!(
        reasons(text).iter().map(|(spelled, _)| spelled.as_str()).collect::<Vec<_>>(),
        ["BOUNDS(256)", "INL", "HD", "INL"]
    );
    assert_eq!(reasons(text)[0].1, specifier("__launch_bounds__ ( 256 )"));
    assert_eq!(reasons(text)[1].1, specifier("__host__ __device__ inline"));
}

#[test]
fn a_macro_of_specifiers_and_a_type_leaves_the_type() {
    let text = "#define KERNEL __global__ void\nKERNEL k(int *p) { *p = 1; }\n";
    assert_eq!(squeezed(text), "void k(int *p) { *p = 1; }");
    assert_eq!(reasons(text), [("KERNEL".to_owned(), specifier("__global__ void"))]);
}

#[test]
fn undefined_specifiers_go_where_only_specifiers_stand() {
    for text in [
        "void CUDART_CB f(int x);",
        "DLL_EXPORT void f();",
        "DLL_EXPORT static float4 f();",
        "class DLL_EXPORT C { int x; };",
        "template <typename T> __global__ void C10_LAUNCH_BOUNDS_1(256) k(T *p) {}",
        "HOST_DEVICE inline int f() { return 1; }",
        "typedef void (CALLBACK *Handler)(int);",
        "static VKAPI_ATTR Bool VKAPI_CALL f(int x) { return x; }",
        "void *FGAPIENTRY f(void);",
    ] {
        parses(text);
        assert!(!reasons(text).is_empty(), "{text}");
    }
}

#[test]
fn uppercase_types_are_no_specifiers() {
    for text in [
        "typedef struct { int x; } FOUR_VECTOR; __global__ void k() { __shared__ FOUR_VECTOR a[10]; FOUR_VECTOR b; }",
        "__global__ void k(FOUR_VECTOR *p) { __shared__ FOUR_VECTOR a[10]; const FOUR_VECTOR c = p[0]; }",
        "static FLOAT4 f(REAL x); REAL __device__ g(); FLOAT4 const &h(); extern REAL y;",
        "struct NODE; struct NODE *n; NODE *m; unsigned REAL_T(x);",
        "typedef float REAL; void f() { REAL\n  x = 3; FILE *g = fopen(A, B); }",
    ] {
        assert_eq!(root(text).masked, text);
    }
}

#[test]
fn statement_macros_get_their_semicolon() {
    let text = "#define CHECK(x) if (x) { fail(); }\n#define CUERR check();\nvoid f() {\n  CHECK( g() )\n  CUERR\n  h();\n  if (a) CHECK(b) else c();\n}\nvoid g() { CUERR }\n";
    assert_eq!(
        squeezed(text),
        "void f() { CHECK( g() ) ; CUERR ; h(); if (a) CHECK(b);else c(); } void g() { CUERR;}"
    );
    parses(text);
    assert!(reasons(text).iter().all(|(_, reason)| *reason == MaskReason::Semicolon));
    // Unknown ones by how they look, and only on a line of their own.
    for (text, expected) in [
        ("void f() {\n  CUDA_CHECK(g())\n  h();\n}", "void f() { CUDA_CHECK(g()) ; h(); }"),
        ("void f() {\n  CUDA_CHECK(g());\n  h();\n}", "void f() { CUDA_CHECK(g()); h(); }"),
        ("void f() {\n  TIMER(a)\n}", "void f() { TIMER(a);}"),
        ("void f() {\n  x = MAX(a, b)\n    + 1;\n}", "void f() { x = MAX(a, b) + 1; }"),
        ("void f() {\n  CUERR // why\n  g();\n}", "void f() { CUERR;// why g(); }"),
    ] {
        assert_eq!(squeezed(text), expected);
    }
}

#[test]
fn a_semicolon_finds_its_place() {
    let define = "#define E(x) x;\n";
    for (text, expected) in [
        ("void f() {E(a)// note\ng();}", "void f() {E(a);      \ng();}"),
        ("void f() {E(a)/* n */g();}", "void f() {E(a);      g();}"),
        ("void f() {E(a)\ng();}", "void f() {E(a);g();}"),
        ("void f() {E(a)\r\ng();}", "void f() {E(a);\ng();}"),
        ("void f() {E(a)\t\ng();}", "void f() {E(a);\ng();}"),
    ] {
        let whole = format!("{define}{text}");
        assert_eq!(&root(&whole).masked[define.len()..], expected, "{text:?}");
    }
}

#[test]
fn declaration_macros_at_file_level() {
    parses(
        "#define INST(T) template void f<T>(T);\ntemplate <typename T> void f(T);\nINST(float)\nINST(double)\nint x;\n",
    );
    parses("PYBIND_THING(a, b)\nint main() { return 0; }\n");
    parses("TEST(a, b)\n{\n  f();\n}\n");
}

#[test]
fn type_arguments_become_names() {
    let text = "#define talloc(T, n) ((T *)malloc((n) * sizeof(T)))\nvoid f() { int *a = talloc(int, k); char **b = talloc(char*, n); S *c = talloc(struct S, 2); D *d = talloc(D, 1); V *v = talloc(vec<int>, 1); }\n";
    parses(text);
    assert_eq!(
        reasons(text),
        ["int", "char*", "struct S", "vec<int>"]
            .map(|ty| (ty.to_owned(), MaskReason::TypeArgument))
    );
    let text = "void f(va_list ap) { char *s = va_arg(ap, char*); bool b = typeid(int) == typeid(x); float y = MAX(a * b, c); }";
    parses(text);
    assert_eq!(
        reasons(text),
        [
            ("char*".to_owned(), MaskReason::TypeArgument),
            ("int".to_owned(), MaskReason::TypeArgument)
        ]
    );
    // Declarations of functions keep their types.
    let text =
        "void f(int, char *); struct S { S(int); }; struct RGB { RGB(int, float); }; int RGB(int);";
    assert_eq!(root(text).masked, text);
}

#[test]
fn arguments_that_are_no_expressions() {
    parses(
        "#define OP(a, o, b) ((a) o (b))\n#define DECL(d) d;\n#define DEBUG(x) x\nvoid f() { int x = OP(1, +, 2); DECL(int y)\n DEBUG(g(); h();)\n DEBUG(if (a) g(););\n}\n",
    );
    let text = "#define DEBUG(x) x\nvoid f() {\n  DEBUG(g(); h();)\n}\n";
    assert_eq!(squeezed(text), "void f() { g(); h(); }");
}

#[test]
fn loop_and_block_macros() {
    let text = "#define FOR_EACH(i, n) for (int i = 0; i < n; i++)\n#define BEGIN_ALL(n) for (int i = 0; i < n; i++) { {\n#define END_ALL } }\nvoid f() {\n  FOR_EACH(i, n) { g(i); }\n  FOR_EACH(i, n)\n    h(i);\n  BEGIN_ALL(10)\n  g(1);\n  END_ALL\n}\nint after;\n";
    parses(text);
    assert_eq!(
        reasons(text).iter().filter(|(_, reason)| *reason == MaskReason::ControlMacro).count(),
        4
    );
}

#[test]
fn attributes_are_masked_and_recorded() {
    for text in [
        "struct __align__(8) S { int x; };",
        "typedef struct { int x; } __align__(4) S;",
        "struct S { alignas(16) float x[4]; int y __attribute__((aligned(64))); } __attribute__((packed));",
        "__declspec(dllexport) void f();",
        "__shared__ __align__(16) float tile[4];",
    ] {
        parses(text);
        assert!(
            reasons(text).iter().any(|(spelled, reason)| *reason
                == MaskReason::Attribute {
                    text: spelled.clone()
                }),
            "{text}"
        );
    }
}

#[test]
fn constructs_that_the_grammar_lacks() {
    for text in [
        "void f(const float * const __restrict p, float * __restrict q, float *__restrict__ r);",
        "void f() { float **a = new float *[n]; const int **b = new const int *[n]; }",
        "void f() { auto g = [=] __device__ (int i) { return i; }; auto h = [=] __host__ __device__ (int i) mutable { return i; }; }",
        "template <class T> struct X {}; template class X<float>; template struct ns::X<int>;",
        "__global__ void __launch_bounds__(256, 2, 1) k() {}",
        "void f() { printf(\"%\"PRIu64\"\\n\", x); }",
        "template <class T> float f() { return typename T::value_type(3); }",
        "#include <cstdlib> \r\n#pragma unroll \nint x;",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif\n",
        "void f() { if (a) {\n#ifdef X\n} else if (b) {\n#else\n} else {\n#endif\n} }",
        "int a[] = {\n#include <table.inc>\n};",
    ] {
        parses(text);
    }
}

#[test]
fn built_names_stand_in_place() {
    let text = "#define NAME(x) x##_t\n#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define PRE my\nstruct NAME(foo) { int x; }; NAME(foo) *p; int CAT(PRE, 3); void NAME(bar)(int x) {}\n";
    assert_eq!(
        squeezed(text),
        "struct foo_t { int x; }; foo_t *p; int my3 ; void bar_t (int x) {}"
    );
    parses(text);
}

#[test]
fn type_macros_become_names() {
    let text = "#define VEC(T) std::vector<T>\n#define SQR(x) ((x) * (x))\nVEC(float) f(int n) { VEC(int) v; typeof(n) m; return SQR(n) * m; }\n";
    parses(text);
    let found = reasons(text).into_iter().filter(|(_, reason)| *reason == MaskReason::TypeMacro);
    let spelled: Vec<_> = found.map(|(spelled, _)| spelled).collect();
    assert_eq!(spelled, ["VEC(float)", "VEC(int)", "typeof(n)"]);
}

#[test]
fn members_from_macros_are_recorded() {
    for (text, count) in [
        ("#define DECL(n) int n\nstruct T { DECL(a); DECL(b); int c; };", 2),
        ("#define FIELDS int x; int y;\nstruct T { FIELDS };", 1),
        ("#define D(n) int n;\n#define LIST(X) X(a) X(b)\nstruct T { LIST(D) };", 1),
        ("struct T { DEFINE_FIELD(int, x) DEFINE_FIELD(float*, y) };", 2),
        ("#define D(n) n,\n#define LIST(X) X(a) X(b)\nenum T { LIST(D) LAST };", 1),
        ("struct VEC3 { VEC3(float x) : x_(x) {} VEC3(); float x_; };", 0),
        ("#define REAL float\n#define VEC(T) T *\nstruct T { REAL x; VEC(int) y; REAL f(); };", 0),
    ] {
        parses(text);
        let found =
            reasons(text).iter().filter(|(_, reason)| *reason == MaskReason::Members).count();
        assert_eq!(found, count, "{text}");
    }
}

#[test]
fn arguments_that_no_grammar_takes_are_recorded() {
    for (text, expected) in [
        ("int f(int n, const v<p<A, B>> &more = {});", &["{}"][..]),
        (
            "struct S { S(A a = {1, 2}, int b = {}); void g(T *p = {}, U = 3); };",
            &["{1, 2}", "{}", "{}"],
        ),
        ("void f(T *p) { g(*p = {1, 2}, 3); T q = {}; h({1}, {2}); }", &[]),
        ("template <class T, class A = const T &> struct S {};", &["const T &"]),
        ("template <class P = T *, class F = T (*)(int)> struct S {};", &["T *", "T (*)(int)"]),
        ("template <int N, bool = N >= 2, class V = v<N>> struct S {};", &["N >= 2"]),
        (
            "int f() { return c<sizeof(T) * 8 >= 2>::call(1) + (a < b && b >= c); }",
            &["sizeof(T) * 8 >= 2"],
        ),
        ("template <class... Ts> struct O : Ts... { using Ts::operator()...; };", &["..."]),
        ("template <class... Ts> struct O : Ts... { using Ts::f...; };", &["..."]),
    ] {
        parses(text);
        let found = reasons(text);
        let spelled: Vec<_> = found.iter().map(|(spelled, _)| spelled.as_str()).collect();
        assert_eq!(spelled, expected, "{text}");
    }
}

#[test]
fn a_hidden_launch_looks_like_a_call() {
    let text = "#define LAUNCH(g, b) <<<g, b>>>\nvoid f() { k LAUNCH(1, 2)(a, b); }\n";
    assert_eq!(squeezed(text), "void f() { k (a, b); }");
    assert_eq!(reasons(text), [("LAUNCH(1, 2)".to_owned(), MaskReason::Launch)]);
}

#[test]
fn macros_in_places_of_their_own() {
    for text in [
        // Labels, parameters, string pasting.
        "#define CASE(x) case x:\n#define STR(x) case x: return #x;\nint f(int v) { switch (v) { CASE(1) g(); STR(2) STR(3)\n default: h(); } }",
        "#define P(x) x\nint f P((int, char *)); int g() { return P((x)); }",
        "#define F \"f\"\nvoid f() { printf(\"%d\" F \"\\n\", x); printf(\"%d\" F, x); }",
        // Calls without semicolon need no capitals when they stand alone.
        "void f() {\n  errorCheck(g(a))\n  if (x)\n    errorCheck(h())\n  else\n    i();\n  errorCheck(j())\n}",
        // Braces of values are no blocks.
        "struct A { A() : a{ F(x) }, b(2) { } int a, b; };\nvoid f() { g(B{ F(x) }, [&](int i) -> T { return 1; }); T v{ F(1) }; }",
        // Undefined specifiers before types of any form.
        "INLINE uchar* f(uchar *p);\nALWAYS_INLINE std::pair<int, B> g();\nconst A* MY_RESTRICT const x = &y[0];",
        // Specifiers behind the type.
        "template <typename T> T const & __device__ __host__ f(const T &a) { return a; }",
        // Arrays of pointers to instances of templates; deletes that look like lambdas.
        "void f() { a = new ns::B<K> *[n]; delete[](a); }",
        "\u{feff}#include <a>\nint x;\n",
    ] {
        parses(text);
    }
}

#[test]
fn a_block_given_to_a_macro_can_be_seen() {
    let text = "void f() {\n  DISPATCH(x, T, { g(); k<T><<<1, 2>>>(p); });\n  h();\n}\n";
    assert_eq!(squeezed(text), "void f() { { g(); k<T><<<1, 2>>>(p); } ; h(); }");
    parses(text);
}

// The parse and its bounds.

#[test]
fn error_regions_cover_the_statement() {
    let text = "void f() { a = 1; b = ) 2; c = 3; }\nvoid g() { d = 4; }\n";
    let parsed = parse(text).expect("within all limits");
    let covers = |word: &str| parsed.is_suspect(text.find(word).map_or(0..0, |at| at..at + 1));
    assert!(covers("b = )"));
    assert!(!covers("d = 4"));
    let clean = parse("#include <a> \nint x;\n").expect("within all limits");
    assert!(clean.error_regions.is_empty());
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |count: usize| format!("int x = {}1{};", "(".repeat(count), ")".repeat(count));
    assert!(parse(&deep(BRACKET_DEPTH_LIMIT - 10)).is_ok());
    let failure = parse(&deep(BRACKET_DEPTH_LIMIT + 1)).expect_err("too deep");
    assert!(matches!(failure, ParseFailure::TooDeep(_)));
    assert_eq!(failure.diagnostic(layoutc_diagnostics::FileId(0)).code, Code::NESTING_TOO_DEEP);
    let chain = format!("int x = 1{};", " + 1".repeat(5000));
    assert!(matches!(parse(&chain), Err(ParseFailure::TooDeep(_))));
    assert!(matches!(parse(&"{".repeat(1_000_000)), Err(ParseFailure::TooDeep(_))));
}

/// A bound that quadratic work on these sizes would miss by far, even on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn long_texts_take_linear_time() {
    let repeated = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    let repeats = |piece: &str| repeated(piece, 200_000);
    for text in [
        repeated("a ", 1_000_000),
        repeated("CHECK(x) ", 1_000_000),
        repeats("A(b)\n"),
        repeats("CHECK(x)"),
        repeats("("),
        repeats("{"),
        repeats("a{"),
        repeats("x={"),
        repeats("/*"),
        repeats("\"\\"),
        repeats("R\"x("),
        repeats("#if 1\n"),
        repeats("#define A(x) x\n"),
        repeats("new T*"),
        repeats("template<"),
        repeats("__align__("),
        repeats("1'"),
        repeats("\\\n"),
        repeats("F(F("),
        repeats("A<"),
        repeats("f(a,"),
        format!("#if {}\n#endif\n", repeats("!")),
        format!("#if {}1\n#endif\n", repeats("1+")),
        format!("#define M(x) x\nvoid f() {{ M({}) }}", repeats("a,")),
        format!("#define M(x) x\nvoid f() {{ {} }}", repeats("M(")),
    ] {
        let start = Instant::now();
        root(&text);
        let head: String = text.chars().take(40).collect();
        assert!(start.elapsed() < PATIENCE, "{:?} for {head:?}", start.elapsed());
    }
}

#[test]
fn macro_bombs_are_defused() {
    let mut text = String::from("#define A0 1+1\n");
    for level in 1..60 {
        text.push_str(&format!("#define A{level} A{0} + A{0}\n", level - 1));
    }
    text.push_str("#if A59\nint x;\n#endif\nA59 int y;\n");
    let done = program(&[("a.cu", &text)]);
    assert_eq!(codes(&done), [Code::UNPARSED_REGION]);
}

fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "#if 1\n",
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "#ifdef __CUDA_ARCH__\n",
        "#define M(x) x;\n",
        "#define D __device__\n",
        "#define O {\n",
        "#define C }\n",
        "#include \"a.h\"\n",
        "M(",
        "M(a)",
        "O ",
        "C\n",
        "D ",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ";",
        ",",
        "int ",
        "x",
        " ",
        "\n",
        "\r\n",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\\\n",
        "R\"(",
        ")\"",
        "new T *[",
        "__align__(8) ",
        "struct ",
        "template ",
        "typeid(int)",
        "CHECK(x)\n",
        "é",
        "typedef ",
        "F(int*, +)",
        "[=] __device__ (",
        "\u{1F600}",
        "\0",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_keeps_its_shape(text in any::<String>()) {
        root(&text);
    }

    #[test]
    fn any_soup_of_pieces_keeps_its_shape(text in soup()) {
        let masked = root(&text).masked;
        let _ = parse(&masked);
    }

    #[test]
    fn any_header_is_walked(first in soup(), second in soup()) {
        let done = program(&[("a.cu", &first), ("a.h", &second)]);
        for (file, (_, source)) in done.files.iter().zip(done.sources.iter()) {
            assert_same_shape(source.text(), file);
            prop_assert!(file.inactive.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        }
    }
}
