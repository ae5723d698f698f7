//! The host's file around the units: what they share, and `main`.

use super::options::Options;
use super::{Generator, Unit};
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;
use crate::random_opencl::program::{KernelForm, PLACE};

/// Functions of the program around calls that move bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrappers {
    /// `cl_int f(queue, buffer, offset, bytes, host)`, which waits.
    pub(super) write: Symbol,
    pub(super) read: Symbol,
}

impl Generator {
    /// What stands in front of the structs.
    pub(super) fn host_head(&mut self, form: KernelForm) {
        let constants = std::mem::take(&mut self.host);
        let includes = "#define CL_TARGET_OPENCL_VERSION 120\n\
                        #define CL_USE_DEPRECATED_OPENCL_1_1_APIS\n#include <CL/cl.h>\n\
                        #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>";
        self.host.push(Node { kind: Kind::Frame, ..Node::line(includes) });
        self.host.extend(constants);
        self.is_checked = self.random.chance(60);
        let check = match self.random.below(3) {
            0 => {
                "#define CHECK(call) do { cl_int error_ = (call); if (error_ != CL_SUCCESS) { \
                 printf(\"failed: %d\\n\", error_); exit(3); } } while (0)"
            }
            1 => {
                "#define CHECK(call) \\\n    do { \\\n        cl_int error_ = (call); \\\n        \
                 if (error_ != CL_SUCCESS) { \\\n            fprintf(stderr, \"%s:%d: %s: %d\\n\", __FILE__, __LINE__, #call, error_); \\\n            \
                 exit(3); \\\n        } \\\n    } while (0)"
            }
            _ => {
                "static void check(cl_int error_, const char *what)\n{\n    if (error_ != CL_SUCCESS) {\n        \
                 printf(\"%s: %d\\n\", what, error_);\n        exit(3);\n    }\n}\n#define CHECK(call) check(call, \"call\")"
            }
        };
        self.host.push(Node { kind: Kind::Frame, ..Node::line(check) });
        let text = match form {
            KernelForm::File => {
                "static char *load_text(const char *name)\n{\n    FILE *file = fopen(name, \"rb\");\n    \
                 char *text = (char *)calloc(1, 65536);\n    if (file == NULL || text == NULL) {\n        \
                 printf(\"no %s\\n\", name);\n        exit(4);\n    }\n    \
                 if (fread(text, 1, 65535, file) == 0) printf(\"empty\\n\");\n    fclose(file);\n    return text;\n}"
                    .to_owned()
            }
            KernelForm::Lines | KernelForm::Raw => {
                format!("static const char *kernel_text = {PLACE};")
            }
        };
        self.host.push(Node { kind: Kind::Frame, ..Node::line(&text) });
        if self.random.chance(30) {
            let (write, read) = (self.host_function(), self.host_function());
            let mut scope = self.host_scope.clone();
            let mut named = |wish| self.host_local(&mut scope, wish);
            let (queue, buffer, offset) = (named("queue"), named("buffer"), named("offset"));
            let (bytes, host) = (named("bytes"), named("host"));
            for (symbol, function, star) in [
                (write, "clEnqueueWriteBuffer", "const void *"),
                (read, "clEnqueueReadBuffer", "void *"),
            ] {
                let text = format!(
                    "static cl_int {symbol}(cl_command_queue {queue}, cl_mem {buffer}, size_t {offset}, size_t {bytes}, {star}{host})\n{{\n    \
                     return {function}({queue}, {buffer}, CL_TRUE, {offset}, {bytes}, {host}, 0, NULL, NULL);\n}}"
                );
                self.host.push(Node { kind: Kind::Function, ..Node::declaration(symbol, &text) });
            }
            self.shared = Some(Wrappers { write, read });
        }
    }

    /// What stands behind the units' structs: their functions, and `main`.
    pub(super) fn host_main(&mut self, functions: Vec<Node>, options: &Options) {
        let units: Vec<Symbol> =
            functions.iter().filter_map(|node| node.declares.first().copied()).collect();
        self.host.extend(functions);
        self.host.extend(options.head.iter().cloned());
        let source = if self.host.iter().any(has_loader) {
            "const char *text = load_text(\"kernels.cl\");"
        } else {
            "const char *text = kernel_text;"
        };
        let head = format!(
            "int main(int argc, char **argv)\n{{\n    cl_platform_id platform;\n    cl_device_id device;\n    \
             cl_int error = CL_SUCCESS;\n    int at;\n    {source}\n    CHECK(clGetPlatformIDs(1, &platform, NULL));\n    \
             CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));\n    \
             cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);\n    CHECK(error);\n    \
             cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);\n    CHECK(error);"
        );
        let mut body = options.before.clone();
        let build = format!(
            "error = clBuildProgram(program, 1, &device, {}, NULL, NULL);\nif (error != CL_SUCCESS) {{\n    \
             static char log[20000];\n    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);\n    \
             fprintf(stderr, \"build: %d\\n%s\\n\", error, log);\n    return 5;\n}}",
            options.argument
        );
        body.push(Node { kind: Kind::Frame, ..Node::line(&build) });
        let calls = units.iter().map(|unit| {
            Node::line(&format!("{unit}(context, device, program, (cl_uint)atoi(argv[at]));"))
        });
        body.push(Node::new(
            Kind::Frame,
            "for (at = 1; at < argc; at++) {\n    printf(\"n = %s\\n\", argv[at]);",
            calls.collect(),
            "}",
        ));
        body.push(Node {
            kind: Kind::Frame,
            ..Node::line("clReleaseProgram(program);\nclReleaseContext(context);\nreturn 0;")
        });
        self.host.push(Node::new(Kind::Frame, &head, body, "}"));
    }

    /// The function of a unit.
    pub(super) fn unit_function(&mut self, unit: &mut Unit, steps: usize) -> Node {
        let symbol = self.host_name(&format!("unit{}", unit.number));
        let body = self.steps(unit, steps);
        let head = format!(
            "static void {symbol}(cl_context context, cl_device_id device, cl_program program, cl_uint n)\n{{\n    \
             cl_int error = CL_SUCCESS;\n    (void)device;"
        );
        let mut node = Node::new(Kind::Unit, &head, body, "}");
        node.declares = vec![symbol];
        node
    }
}

fn has_loader(node: &Node) -> bool {
    node.head.0.iter().any(|piece| {
        matches!(piece, crate::random::text::Piece::Plain(text) if text.contains("load_text(const"))
    })
}
