//! OpenCL buffers through host programs: which parameters of kernels share a class, and what keeps it.

use layoutc_dataflow::classes::{Classes, Slot, find_classes};
use layoutc_diagnostics::Code;
use layoutc_syntax::preprocess::{NoHeaders, PreprocessOptions, preprocess_program};
use layoutc_syntax::{Program, lower_program};
use std::collections::BTreeSet;

const KERNELS: &str = "typedef struct { float x, y; } P;\n\
    __kernel void move(__global P *p, __global P *q, int n) { p[0].x = q[0].y; }\n\
    __kernel void sum(int n, __global const P *r, __global float *s) { s[0] = r[0].x; }\n";

fn classes(host: &str) -> (Program, Classes) {
    let roots = vec![
        ("host.cpp".into(), format!("const char *name = \"k.cl\";\n{host}")),
        ("k.cl".into(), KERNELS.to_owned()),
    ];
    let options = PreprocessOptions::default();
    let (program, _) = lower_program(preprocess_program(roots, &mut NoHeaders, &options));
    let classes = find_classes(&program);
    (program, classes)
}

/// The parameters of the classes that nothing keeps, and the codes of what keeps the others.
fn found(host: &str) -> (Vec<Vec<String>>, BTreeSet<Code>) {
    let (program, classes) = classes(host);
    let (mut free, mut codes) = (Vec::new(), BTreeSet::new());
    for class in &classes.classes {
        codes.extend(class.pins.iter().map(|pin| pin.code));
        if class.is_free() && class.is_of_buffers {
            let names = class.slots.iter().filter_map(|slot| match slot {
                Slot::Variable(id) => Some(program.variable(*id).name.clone()),
                Slot::Field(_) | Slot::Result(_) => None,
            });
            free.push(names.collect());
        }
    }
    (free, codes)
}

fn main_with(body: &str) -> String {
    format!(
        "int main() {{ cl_int e; cl_kernel m = clCreateKernel(program, \"move\", &e);\n\
         cl_kernel s = clCreateKernel(program, \"sum\", &e);\n\
         cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, 800, NULL, &e);\n\
         cl_mem b = clCreateBuffer(c, CL_MEM_READ_WRITE, 800, NULL, &e);\n{body}\n}}"
    )
}

#[test]
fn parameters_share_a_class_if_they_get_one_buffer() {
    let apart = main_with(
        "clSetKernelArg(m, 0, sizeof a, &a); clSetKernelArg(m, 1, sizeof b, (void *)&b);\n\
         clSetKernelArg(s, 1, sizeof(cl_mem), &a);",
    );
    assert_eq!(found(&apart).0, [vec!["p", "r"], vec!["q"]]);
    let swapped = main_with(
        "clSetKernelArg(m, 0, sizeof a, &a); clSetKernelArg(m, 1, sizeof b, &b);\n\
         cl_mem t = a; a = b; b = t;",
    );
    assert_eq!(found(&swapped).0, [vec!["p", "q"]]);
}

/// A loop with few rounds sets each argument that its counter names; the items of an array are not told apart.
#[test]
fn counters_of_loops_name_arguments() {
    let both = "cl_mem all[2] = {a, b};";
    for set in [
        "for (int i = 0; i < 2; i++) clSetKernelArg(m, i, sizeof(cl_mem), &all[i]);",
        "int n = 2; for (cl_uint i = 0; i != n; ++i) { e = clSetKernelArg(m, i, sizeof all[i], all + i); if (e) break; }",
        "for (int i = 1; i <= 2; i += 1) { clSetKernelArg(m, i - 1, sizeof(cl_mem), (void *)&all[i - 1]); }",
    ] {
        let (free, codes) = found(&main_with(&format!("{both} {set}")));
        assert_eq!(free, [vec!["p", "q"]], "{set}: {codes:?}");
    }
}

/// What changes an index, or the name of a kernel, through something else than its own name keeps the layout.
#[test]
fn variables_that_change_unseen_name_nothing() {
    let records = "struct Kept { int &r; }; struct Made { int &r; Made(int &x); };\n";
    for change in [
        "Kept k{i}; k.r = 1;",
        "Kept k = {i}; k.r = 1;",
        "Made *k = new Made(i); k->r = 1;",
        "int &r = i; r = 1;",
        "int *r = &i; *r = 1;",
        "(e ? i : j) = 1;",
        "(j, i) = 1;",
        "++(++i);",
        "asm(\"movl $1, %0\" : \"=r\"(i));",
        "[&] { i = 1; }();",
    ] {
        let body = format!("int i = 0, j = 0; {change} clSetKernelArg(m, i, sizeof a, &a);");
        let (free, codes) = found(&format!("{records}{}", main_with(&body)));
        assert!(free.is_empty(), "{change}: {free:?}");
        assert!(codes.contains(&Code::OPENCL_ARGUMENT), "{change}: {codes:?}");
    }
    let names = "const char *names[1] = {\"sum\"}; names[0] = \"move\";";
    let body = format!(
        "{names} cl_kernel k = clCreateKernel(program, names[0], &e); clSetKernelArg(k, 0, sizeof a, &a);"
    );
    assert!(found(&main_with(&body)).0.is_empty());
}

#[test]
fn each_call_of_a_wrapper_is_a_call_of_its_own() {
    let host = format!(
        "static cl_mem make(size_t n) {{ cl_int e; return clCreateBuffer(c, CL_MEM_READ_WRITE, n, NULL, &e); }}\n\
         static void set(cl_kernel k, int at, void *what) {{ clSetKernelArg(k, at, sizeof what, &what); }}\n{}",
        main_with(
            "int at = 0; cl_mem x = make(8), y = make(16);\n\
             set(m, at++, x); set(m, at++, y); at = 0; set(s, ++at, y);",
        )
    );
    assert_eq!(found(&host).0, [vec!["p"], vec!["q", "r"]]);
}

#[test]
fn kernels_of_a_table_are_told_by_their_place() {
    let host = "std::string names[] = {\"move\", \"sum\"}; std::vector<cl_kernel> all;\n\
        int main() { cl_int e;\n\
        for (int k = 0; k < 2; k++) { cl_kernel one = clCreateKernel(program, names[k].c_str(), &e); all.push_back(one); }\n\
        cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, 800, NULL, &e);\n\
        clSetKernelArg(all[0], 1, sizeof a, &a); clSetKernelArg(all[1], 1, sizeof a, &a); }";
    assert_eq!(found(host).0, [vec!["q", "r"]]);
}

/// Each of these may give a kernel memory that is not followed, or use a buffer otherwise.
#[test]
fn what_is_not_followed_keeps_the_layout() {
    let both = "clSetKernelArg(m, 0, sizeof a, &a); clSetKernelArg(m, 1, sizeof b, &b);";
    let cases = [
        (
            Code::OPENCL_ARGUMENT,
            "for (int i = 0; i < count; i++) clSetKernelArg(m, i, sizeof a, &a);",
        ),
        (
            Code::OPENCL_ARGUMENT,
            "for (int i = 0; i < 2; i++) { clSetKernelArg(m, i, sizeof a, &a); i = pick(); }",
        ),
        (Code::OPENCL_ARGUMENT, "for (int i = 0; i < 4; i++) clSetKernelArg(m, i, sizeof a, &a);"),
        (
            Code::INCOMPATIBLE_CAST,
            "for (int i = 0; i <= 2; i++) clSetKernelArg(s, i, sizeof a, &a);",
        ),
        (
            Code::UNKNOWN_MEMORY,
            "cl_mem all[2] = {a, somewhere()}; for (int i = 0; i < 2; i++) clSetKernelArg(m, i, sizeof a, &all[i]);",
        ),
        (Code::OPENCL_ARGUMENT, "clSetKernelArg(m, 0, 4, &a);"),
        (Code::OPENCL_KERNEL, "clSetKernelArg(pick(), 0, sizeof a, &a);"),
        (
            Code::OPENCL_KERNEL,
            "cl_kernel k = clCreateKernel(program, argv[1], &e); clSetKernelArg(k, 0, sizeof a, &a);",
        ),
        (
            Code::OPENCL_SOURCE,
            "cl_kernel k = clCreateKernel(program, \"other\", &e); clSetKernelArg(k, 0, sizeof a, &a);",
        ),
        (Code::OPENCL_SOURCE, "program = clCreateProgramWithBinary(c, 1, d, n, t, NULL, &e);"),
        (Code::OPENCL_BUFFER, "cl_mem part = clCreateSubBuffer(a, 0, t, &r, &e);"),
        (Code::OPENCL_BUFFER, "a = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, 8, host, &e);"),
        (Code::UNKNOWN_MEMORY, "a = somewhere();"),
        (Code::INCOMPATIBLE_CAST, "clSetKernelArg(s, 2, sizeof a, &a);"),
        (Code::UNTYPED_POINTER, "void *kept = a;"),
        (Code::ESCAPING_POINTER, "table[0](a);"),
        (Code::OPENCL_BUFFER, "memcpy(&a, from, sizeof a);"),
    ];
    for (code, text) in cases {
        let (free, codes) = found(&main_with(&format!("{both} {text}")));
        assert!(codes.contains(&code), "{text}: {codes:?}");
        assert!(!free.iter().flatten().any(|name| name == "p"), "{text}: {free:?}");
    }
    let (free, _) = found(&main_with(both));
    assert_eq!(free, [vec!["p"], vec!["q"]]);
}

/// Lists that fill the members of a record one by one.
#[test]
fn lists_put_handles_into_records() {
    let with = |body: &str| {
        let text = format!(
            "{body} clSetKernelArg(m, 0, sizeof(cl_mem), &h.mem); clSetKernelArg(m, 1, sizeof b, &b);"
        );
        let types = "struct Held { cl_mem mem; int n; }; struct Both { Held first; cl_mem rest[2]; int n; };\n\
            static Held hold(cl_mem mem, int n) { return {mem, n}; }\n";
        found(&format!("{types}{}", main_with(&text)))
    };
    for body in [
        "Held h = {a, 3};",
        "Held h; h = (Held){a, 3};",
        "Held h = hold(a, 3);",
        "Held all[2] = {{a, 1}, {a, 2}}; Held h = all[1];",
        "Both x = {{a, 1}, {a, a}, 2}; Held h = x.first;",
    ] {
        let (free, codes) = with(body);
        assert_eq!(free, [vec!["p"], vec!["q"]], "{body}: {codes:?}");
    }
    // The braces of what is not known may be left out.
    let (free, codes) = found(&format!(
        "struct Held {{ timeval since; cl_mem mem; }};\n{}",
        main_with(
            "Held h = {0, a}; clSetKernelArg(m, 0, sizeof(cl_mem), &h.mem); clSetKernelArg(m, 1, sizeof b, &b);"
        )
    ));
    assert_eq!(free, [vec!["q"]], "{codes:?}");
    // One member is one, whichever object it is of, and so is an array.
    assert_eq!(with("Held h = {a, 3}, g = {b, 4};").0, [vec!["p", "q"]]);
    assert_eq!(with("Both x = {{a, 1}, {a, b}, 2}; Held h = {a, 1};").0, [vec!["p", "q"]]);
}

/// Constructors of the program are functions that anybody may call, and fill the members as they say.
#[test]
fn constructors_make_buffers() {
    let with = |record: &str, body: &str| {
        let text = format!(
            "{body} clSetKernelArg(m, 0, sizeof(cl_mem), &h.mem); clSetKernelArg(m, 1, sizeof b, &b);"
        );
        found(&format!("{record};\n{}", main_with(&text)))
    };
    let make = "mem = clCreateBuffer(c, CL_MEM_READ_WRITE, bytes, NULL, NULL);";
    let class =
        format!("class Held {{ public: cl_mem mem; explicit Held(size_t bytes) {{ {make} }} }}");
    assert_eq!(with(&class, "Held h(800);").0, [vec!["p"], vec!["q"]]);
    assert_eq!(with(&class, "Held h{800};").0, [vec!["p"], vec!["q"]]);
    for (class, body) in [
        (
            "class Held { public: cl_mem mem; explicit Held(size_t bytes); }".to_owned(),
            "Held h(800);",
        ),
        (
            "struct Held { cl_mem mem; Held(cl_mem given) { mem = given; } }".to_owned(),
            "Held h(a);",
        ),
        (
            format!(
                "struct Base {{ cl_mem mem; Base(); }}; struct Held : Base {{ Held(size_t bytes) {{ {make} }} }}"
            ),
            "Held h(800);",
        ),
        (
            format!(
                "template <class T> struct Some {{ cl_mem mem; Some(size_t bytes) {{ {make} }} }}"
            ),
            "Some<P> h(800);",
        ),
    ] {
        let (free, codes) = with(&class, body);
        assert!(!free.iter().flatten().any(|name| name == "p"), "{class}: {free:?} {codes:?}");
    }
}

/// Members of the host's records get handles by lists, and by what has no form in the model.
#[test]
fn handles_that_lists_put_into_records_keep_the_layout() {
    let with = |declared: &str, body: &str| {
        let text = format!(
            "{body} clSetKernelArg(m, 0, sizeof a, &a); clSetKernelArg(m, 1, sizeof b, &b);"
        );
        found(&format!("struct Held {{ cl_mem mem; int n; {declared} }};\n{}", main_with(&text)))
    };
    for (declared, body) in [
        (
            "",
            "Held h; h.mem = a; Held g = {somewhere(), 3}; clSetKernelArg(s, 1, sizeof(cl_mem), &h.mem);",
        ),
        (
            "",
            "Held h; h.mem = a; h = (Held){somewhere(), 3}; clSetKernelArg(s, 1, sizeof(cl_mem), &h.mem);",
        ),
        (
            "Held() : mem(somewhere()), n(0) {}",
            "Held h; h.mem = a; clSetKernelArg(s, 1, sizeof(cl_mem), &h.mem);",
        ),
        ("", "Held h; h.mem = a; clSetKernelArg(m, 0, sizeof(cl_mem), &h);"),
        (
            "void bind(cl_kernel); void bind(int);",
            "unsigned long raw = bits(); clSetKernelArg(m, 0, 8, &raw);",
        ),
    ] {
        let (free, codes) = with(declared, body);
        assert!(
            !free.iter().flatten().any(|name| name == "p"),
            "{declared} {body}: {free:?} {codes:?}"
        );
    }
}

/// What is called from where nothing is walked may be given anything.
#[test]
fn calls_that_are_not_walked_keep_the_layout() {
    let set = "static cl_kernel all; static void set(cl_mem what) { clSetKernelArg(all, 0, sizeof what, &what); }\n";
    let direct = main_with("all = m; set(a); clSetKernelArg(m, 1, sizeof b, &b);");
    assert_eq!(found(&format!("{set}{direct}")).0, [vec!["p"], vec!["q"]]);
    let template = "template <typename T> void give(T &t) { set(t.memory()); }\n";
    assert!(!found(&format!("{set}{template}{direct}")).0.iter().flatten().any(|name| name == "p"));
}

#[test]
fn records_of_host_and_kernel_must_be_the_same_bytes() {
    let host = |record: &str| {
        format!(
            "struct H {{ {record} }}; H *h;\n{}",
            main_with(
                "clSetKernelArg(m, 0, sizeof a, &a);\n\
                 clEnqueueWriteBuffer(q, a, CL_TRUE, 0, 800, h, 0, NULL, NULL);",
            )
        )
    };
    assert_eq!(found(&host("cl_float u, v;")).0, [vec!["p"]]);
    for other in ["float u; double v;", "float u;", "cl_float3 u;"] {
        let (free, codes) = found(&host(other));
        assert!(free.is_empty() && codes.contains(&Code::OPENCL_RECORD), "{other}: {codes:?}");
    }
}

/// Words of a branch that is not compiled mean locals of their own function, and members behind an object or in a member
/// function.
#[test]
fn inactive_text_names_what_it_can_reach() {
    let program = |record: &str, before: &str, text: &str| {
        let body = "h.kernel = m; clSetKernelArg(h.kernel, 0, sizeof a, &a);\n\
            clSetKernelArg(h.kernel, 1, sizeof b, &b);";
        let main = main_with(body);
        format!(
            "struct Held {{ cl_kernel kernel; {record} }}; Held h; double f();\n{before}\n{main}\n\
             void other() {{\n#ifdef TIMES\n{text}\n#endif\n}}\n"
        )
    };
    let free = |record, before, text| found(&program(record, before, text)).0.len();
    for text in ["double kernel = f();", "double m, a; m = a = f();"] {
        assert_eq!(free("", "", text), 2, "{text}");
    }
    for text in ["h.kernel = 0;", "(&h)->kernel = 0;", "void *at = offsetof(Held, kernel) + &h;"] {
        assert_eq!(free("", "", text), 0, "{text}");
    }
    assert_eq!(free("", "#define KEPT h.kernel", "KEPT = 0;"), 0);
    assert_eq!(free("void set();", "", "kernel = 0;"), 0);
    // In the function itself, a local is meant.
    let inside = main_with(
        "clSetKernelArg(m, 0, sizeof a, &a); clSetKernelArg(m, 1, sizeof b, &b);\n\
         #ifdef TIMES\nkeep(a);\n#endif",
    );
    assert_eq!(found(&inside).0, [vec!["q"]]);
}
