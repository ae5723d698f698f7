//! Sizes, alignments and offsets against a real C++ compiler, over generated records.

use layoutc_syntax::preprocess::{NoHeaders, PreprocessOptions, preprocess_program};
use layoutc_syntax::{abi, lower_program};
use std::fmt::Write as _;
use std::process::Command;

/// Types that the generated records are made of; those of CUDA come from the runtime's headers.
const TYPES: &[&str] = &[
    "char",
    "unsigned char",
    "bool",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "long long",
    "float",
    "double",
    "size_t",
    "int8_t",
    "uint16_t",
    "int64_t",
    "float *",
    "void *",
    "float2",
    "float3",
    "float4",
    "double2",
    "double3",
    "int3",
    "uchar4",
    "short2",
    "longlong2",
    "Kind",
    "Small",
    "real",
];

/// Class templates, and instances of them.
const TEMPLATES: &str = "template <class T, int M = sizeof(T)> struct Row {\n    enum { LAST = M + 1 };\n    \
     char c;\n    T v[M];\n    bool b[LAST];\n};\ntemplate <typename T, typename U = Row<T, 2>> class Box {\npublic:\n    \
     U b;\n    T a;\n    Box *next;\n};\ntemplate <typename T> struct __align__(16) Wide { T a[N]; };\n\
     template <class T> using Twice = Row<T, 2>;\n";
const INSTANCES: &[&str] = &[
    "Row<short>",
    "Row<double, N>",
    "Row<Small, 1>",
    "Box<float3>",
    "Box<char, Small>",
    "Box<Row<int>>",
    "Wide<uchar4>",
    "Twice<Wide<short>>",
];

/// A small generator of the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// `count` records, each with up to nine members, some aligned or packed, some nested, some with arrays.
fn records(count: usize) -> String {
    let mut numbers = Numbers(7);
    let mut text = String::from(
        "#define real double\n#define N 3\nconstexpr int twice(int n) { return n * 2; }\ntypedef struct tag_s { char c; double d; } Pair;\n\
         enum Kind { FIRST, SECOND };\nenum class Narrow : unsigned char { A };\nstruct Small { short s; char c; };\n\
         union Either { double d; char c[12]; };\nstruct Empty {};\n",
    );
    text.push_str(TEMPLATES);
    for at in 0..count {
        let align = match numbers.below(8) {
            0 => "__align__(8) ",
            1 => "alignas(16) ",
            2 => "__attribute__((packed)) ",
            _ => "",
        };
        let _ = writeln!(text, "struct {align}R{at} {{");
        for member in 0..=numbers.below(9) {
            let ty = match numbers.below(12) {
                0 if at > 0 => format!("R{}", numbers.below(at)),
                1 => "Pair".to_owned(),
                2 => "Narrow".to_owned(),
                3 => "Either".to_owned(),
                4 => INSTANCES[numbers.below(INSTANCES.len())].to_owned(),
                _ => TYPES[numbers.below(TYPES.len())].to_owned(),
            };
            let extent = match numbers.below(6) {
                0 => "[N + 2]",
                1 => "[2][3]",
                2 => ["[sizeof(\"ABCD\") + 1]", "[twice(N) - 1]"][member % 2],
                _ => "",
            };
            let is_packed = align.contains("packed");
            let own = match numbers.below(12) {
                _ if is_packed => "",
                0 => "alignas(16) ",
                1 => "__attribute__((aligned(32))) ",
                _ => "",
            };
            let behind = match numbers.below(20) {
                _ if is_packed => "",
                0 => " __attribute__((aligned(16)))",
                _ => "",
            };
            let _ = writeln!(text, "    {own}{ty} m{member}{extent}{behind};");
        }
        text.push_str("};\n");
    }
    text
}

/// `count` records of which most inherit from earlier ones, some with constructors, private members
/// or default member initializers, so that not all are plain old data.
fn derived_records(count: usize) -> String {
    let mut numbers = Numbers(11);
    let mut text = String::from(
        "enum Kind { FIRST, SECOND };\nstruct Small { short s; char c; };\n\
         struct Empty {};\nstruct Other {};\n#define real double\n",
    );
    for at in 0..count {
        let align = match numbers.below(12) {
            0 => "__align__(8) ",
            1 => "alignas(16) ",
            _ => "",
        };
        let keyword = if numbers.below(5) == 0 { "class" } else { "struct" };
        let mut bases: Vec<String> = Vec::new();
        for _ in 0..[0, 1, 1, 1, 2, 3][numbers.below(6)] {
            let base = match numbers.below(8) {
                0 => "Empty".to_owned(),
                1 => "Other".to_owned(),
                _ if at > 0 => format!("R{}", numbers.below(at)),
                _ => "Small".to_owned(),
            };
            if !bases.iter().any(|known| known.ends_with(&base)) {
                let public = keyword == "class" || numbers.below(2) == 0;
                bases.push(format!("{}{base}", if public { "public " } else { "" }));
            }
        }
        let clause =
            if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
        let _ = writeln!(text, "{keyword} {align}R{at}{clause} {{");
        match numbers.below(8) {
            0 | 1 => {
                let _ = writeln!(text, "    int p{at};");
            }
            _ => {}
        }
        let _ = writeln!(text, "public:");
        match numbers.below(10) {
            0 | 1 => {
                let _ = writeln!(text, "    R{at}() {{}}");
            }
            2 => {
                let _ = writeln!(text, "    R{at}() = default;");
            }
            3 => {
                let _ = writeln!(text, "    int get() const {{ return 1; }}");
            }
            _ => {}
        }
        for member in 0..numbers.below(4) {
            let ty = match numbers.below(9) {
                0 if at > 0 => format!("R{}", numbers.below(at)),
                _ => TYPES[numbers.below(TYPES.len())].to_owned(),
            };
            let default = if ty == "int" && numbers.below(3) == 0 { " = 1" } else { "" };
            let extent = if numbers.below(6) == 0 && default.is_empty() { "[3]" } else { "" };
            let _ = writeln!(text, "    {ty} m{at}_{member}{extent}{default};");
        }
        text.push_str("};\n");
    }
    text
}

/// What the model says of the records, and what a program prints that asks the compiler.
fn compare(text: &str, standard: &str, all: bool) -> usize {
    let preprocessed = preprocess_program(
        vec![("records.cu".into(), text.to_owned())],
        &mut NoHeaders,
        &PreprocessOptions::default(),
    );
    let (program, diagnostics) = lower_program(preprocessed);
    for label in diagnostics.iter().filter_map(|own| own.primary.as_ref()) {
        println!("does not parse: {}", &text[label.span.range()]);
    }
    assert!(diagnostics.is_empty());
    let mut ours = String::new();
    let mut source = format!(
        "#include <cuda_runtime.h>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n{text}\nint main() {{\n"
    );
    let mut checked = 0;
    for id in program.record_ids() {
        let record = program.record(id);
        if !record.name.starts_with('R') || record.name == "Row" {
            continue;
        }
        let Some(layout) = abi::record_layout(&program, id) else {
            assert!(!all, "{} has no layout: {:?}", record.name, record.traits);
            continue;
        };
        let name = &record.name;
        let _ = writeln!(source, "printf(\"{name} %zu %zu\", sizeof({name}), alignof({name}));");
        let _ = write!(ours, "{name} {} {}", layout.size, layout.align);
        for (field, offset) in record.fields.iter().zip(&layout.offsets) {
            let field = &program.field(*field).name;
            // Private ones.
            if field.starts_with('p') {
                continue;
            }
            let _ = writeln!(source, "printf(\" %zu\", offsetof({name}, {field}));");
            let _ = write!(ours, " {offset}");
        }
        source.push_str("puts(\"\");\n");
        ours.push('\n');
        checked += 1;
    }
    source.push_str("}\n");
    let theirs = printed_by(&source, standard);
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "ours, then the compiler's: name size align offsets…");
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
    checked
}

/// `count` records with bit-fields among other members, some in each other.
fn bit_records(count: usize) -> String {
    const UNITS: &[(&str, usize)] = &[
        ("bool", 1),
        ("unsigned char", 8),
        ("short", 16),
        ("unsigned", 32),
        ("int", 32),
        ("long", 64),
        ("unsigned long long", 64),
    ];
    let mut numbers = Numbers(11);
    let mut text = String::from("#define WIDTH 3\n");
    for at in 0..count {
        let align = if numbers.below(8) == 0 { "alignas(16) " } else { "" };
        let _ = writeln!(text, "struct {align}R{at} {{");
        for member in 0..=numbers.below(9) {
            let (unit, most) = UNITS[numbers.below(UNITS.len())];
            let bits = numbers.below(most) + 1;
            let _ = match numbers.below(9) {
                0 if at > 0 => writeln!(text, "    R{} m{member};", numbers.below(at)),
                1 => writeln!(text, "    float m{member}[2];"),
                2 => writeln!(text, "    {unit} m{member};"),
                3 => {
                    writeln!(text, "    unsigned b{member}a : {bits} % 32 + 1, b{member}b : WIDTH;")
                }
                _ => writeln!(text, "    {unit} b{member} : {bits};"),
            };
        }
        text.push_str("};\n");
    }
    text
}

/// First and last bit of each bit-field as the compiler has them, by setting all of it.
#[test]
fn bit_fields_are_laid_out_as_the_compiler_does() {
    const COUNT: usize = 300;
    let text = bit_records(COUNT);
    let preprocessed = preprocess_program(
        vec![("records.cu".into(), text.clone())],
        &mut NoHeaders,
        &PreprocessOptions::default(),
    );
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut ours = String::new();
    let mut source = format!(
        "#include <cstddef>\n#include <cstdio>\n#include <cstring>\n{text}\n\
         static void bits(const void *of, unsigned long size) {{\n    int first = -1, all = 0;\n    \
         for (unsigned long n = 0; n < 8 * size; n++)\n        if (((const unsigned char *)of)[n / 8] >> n % 8 & 1) \
         {{ if (first < 0) first = n; all++; }}\n    printf(\" %d+%d\", first, all);\n}}\nint main() {{\n"
    );
    for id in program.record_ids() {
        let record = program.record(id);
        let layout = abi::bit_layout(&program, id).expect("a layout");
        let has_bits = record.fields.iter().any(|field| program.field(*field).is_bit_field);
        assert!(!has_bits || abi::record_layout(&program, id).is_none());
        let name = &record.name;
        let _ = writeln!(source, "printf(\"{name} %zu %zu\", sizeof({name}), alignof({name}));");
        let _ = write!(ours, "{name} {} {}", layout.size, layout.align);
        for (field, (first, bits)) in record.fields.iter().zip(&layout.fields) {
            let field = program.field(*field);
            let own = &field.name;
            let _ = match field.is_bit_field {
                true => writeln!(
                    source,
                    "{{ {name} r; memset(&r, 0, sizeof r); r.{own} = -1; bits(&r, sizeof r); }}"
                ),
                false => writeln!(
                    source,
                    "printf(\" %zu+%zu\", 8 * offsetof({name}, {own}), 8 * sizeof({name}::{own}));"
                ),
            };
            let _ = write!(ours, " {first}+{bits}");
        }
        source.push_str("puts(\"\");\n");
        ours.push('\n');
    }
    source.push_str("}\n");
    let theirs = printed_by(&source, "c++17");
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "ours, then the compiler's: name size align bits…");
    }
    assert_eq!((ours.lines().count(), theirs.lines().count()), (COUNT, COUNT));
}

fn printed_by(source: &str, standard: &str) -> String {
    static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("layoutc-abi-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (file, program) = (folder.join("records.cpp"), folder.join("records"));
    std::fs::write(&file, source).expect("writable");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../layoutc-runtime/include");
    // Only the types are wanted: nothing of the runtime is called, so nothing of it is linked.
    let built = Command::new(compiler)
        .arg(format!("-std={standard}"))
        .args(["-w", "-O0", "-I", include, "-Wl,--unresolved-symbols=ignore-all", "-o"])
        .arg(&program)
        .arg(&file)
        .output()
        .expect("a C++ compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().expect("it runs");
    std::fs::remove_dir_all(&folder).expect("removable");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

#[test]
fn records_are_laid_out_as_the_compiler_does() {
    const COUNT: usize = 300;
    assert_eq!(compare(&records(COUNT), "c++17", true), COUNT);
}

#[test]
fn records_that_inherit_are_laid_out_as_the_compiler_does() {
    const COUNT: usize = 300;
    let text = derived_records(COUNT);
    for standard in ["c++14", "c++17", "c++20"] {
        let checked = compare(&text, standard, false);
        assert!(checked > COUNT / 3, "only {checked} have a layout");
    }
}

/// Enumerations and types with attributes in unusual places: a layout is right or not known.
#[test]
fn attributes_and_enumerations_give_no_wrong_layout() {
    const ATTRIBUTES: [&str; 17] = [
        "",
        "",
        "__attribute__((unused))",
        "[[maybe_unused]]",
        "[[maybe_unused, gnu::aligned(16)]]",
        "__attribute__((unused, aligned(8)))",
        "__attribute__((aligned(8), aligned(4)))",
        "__attribute__((aligned(4))) __attribute__((__aligned__(16)))",
        "alignas(8) /* why */",
        "alignas(8) alignas(16)",
        "__attribute__((aligned))",
        "__attribute__((packed))",
        "__attribute__((packed, aligned(4)))",
        "WIDE",
        "HARMLESS",
        "CLOSE",
        "EIGHT",
    ];
    const VALUES: [&str; 8] =
        ["", "= 7", "= -1", "= 255", "= 0x80000000", "= 1ll << 40", "= COUNT", "= -2147483647 - 1"];
    const BASES: [&str; 6] = ["", "", "", " : unsigned char", " : long", " : real_t"];
    let mut numbers = Numbers(23);
    let mut text = String::from(
        "#define WIDE __attribute__((aligned(32)))\n#define HARMLESS __attribute__((unused))\n\
         #define CLOSE __attribute__((packed))\n#define EIGHT __align__(8)\n#define COUNT (3 + 4)\n\
         typedef unsigned short real_t;\n",
    );
    for at in 0..400 {
        let mut pick = |of: &[&'static str]| of[numbers.below(of.len())];
        // On an enumeration `aligned` counts, but not for g++'s `sizeof`; nobody writes it.
        let own = Some(pick(&ATTRIBUTES)).filter(|own| !own.contains("lign") && *own != "EIGHT");
        let own = own.filter(|own| *own != "WIDE").unwrap_or_default();
        let is_first = numbers.below(2) == 0 || own.contains("[[");
        let (first, second) = if is_first { (own, "") } else { ("", own) };
        let mut pick = |of: &[&'static str]| of[numbers.below(of.len())];
        let (base, one, two) = (pick(&BASES), pick(&VALUES), pick(&VALUES));
        let is_small = |value: &str| !value.contains('-') && value.len() < 8;
        let base = if is_small(one) && is_small(two) { base } else { "" };
        let _ = writeln!(text, "enum {first} E{at}{base} {{ A{at} {one}, B{at} {two} }} {second};");
        let (own, of_member, of_type) = (pick(&ATTRIBUTES), pick(&ATTRIBUTES), pick(&ATTRIBUTES));
        let behind =
            if of_type.contains("alignas") || of_type.contains("[[") { "" } else { of_type };
        let _ = writeln!(
            text,
            "struct {own} R{at} {{ char a; {of_member} int b; E{at} e; short c; }} {behind};\n\
             typedef int T{at} {behind};\nstruct R{at}t {{ char a; T{at} b; char c; }};"
        );
    }
    let checked = compare(&text, "gnu++17", false);
    assert!(checked > 250, "{checked} of 800 records have a known layout");
}

#[test]
fn integers_of_microsoft_have_their_sizes() {
    let text = "struct A { __int8 a; unsigned __int16 b; __int32 c; signed __int64 d; unsigned __int64 e; };\n\
        struct B { __int64 *a; __int16 b[3]; };\n\
        #define __int32 short\nstruct C { __int32 a; };\n";
    let preprocessed = preprocess_program(
        vec![("records.cu".into(), text.to_owned())],
        &mut NoHeaders,
        &PreprocessOptions::default(),
    );
    let (program, diagnostics) = lower_program(preprocessed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let size = |name: &str| {
        let id = program.record_ids().find(|id| program.record(*id).name == name)?;
        abi::record_layout(&program, id).map(|layout| (layout.size, layout.offsets))
    };
    assert_eq!(size("B"), Some((16, vec![0, 8])));
    assert_eq!(size("C"), Some((2, vec![0])));
    assert_eq!(size("A"), Some((24, vec![0, 2, 4, 8, 16])));
}
