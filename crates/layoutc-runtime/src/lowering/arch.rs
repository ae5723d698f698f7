//! `__CUDA_ARCH__`.
//!
//! nvcc compiles a file once for the host, where the macro is not defined, and once for each device. Here one
//! compilation serves both, so the place decides: in `__global__` and `__device__` functions the macro is 800; in
//! host functions and in those for both sides it is not defined; outside functions it is 800 where a condition
//! compares it, since such conditions guard device code.

use super::scope::{self, Function, Target};
use super::{Edits, View};
use crate::lexer::{Stream, StreamKind};

const ARCH: &str = "__CUDA_ARCH__";
const DEFINED: &str = "LAYOUTC_RT_ARCH";

pub(super) fn lower_arch(text: &str, streams: &[Stream], edits: &mut Edits) {
    let Some(program) = streams.first().filter(|_| text.contains(ARCH)) else {
        return;
    };
    let functions =
        scope::functions(&View { text, stream: program }, |word| macro_words(text, streams, word));
    for stream in streams {
        let view = View { text, stream };
        let compares = (0..view.len()).any(|i| matches!(view.word(i), "<" | ">" | "="));
        for i in (0..view.len()).filter(|&i| view.word(i) == ARCH) {
            let is_condition = stream.kind == StreamKind::Condition;
            if !is_condition || is_device(&functions, view.start(i), compares) {
                edits.replace(view.tokens()[i].range.clone(), DEFINED.to_owned());
            }
        }
    }
}

fn is_device(functions: &[Function], at: usize, compares: bool) -> bool {
    match functions.iter().find(|f| f.bytes.contains(&at)) {
        Some(function) => function.target == Target::Device,
        None => compares,
    }
}

/// The words of the object-like macros of this name, `#define DEVICE __device__ inline` among them.
fn macro_words<'a>(text: &'a str, streams: &'a [Stream], word: &str) -> Vec<&'a str> {
    let bodies = streams.iter().filter(|s| matches!(&s.kind, StreamKind::Macro { name, parameters } if name == word && parameters.is_empty()));
    bodies.flat_map(|s| s.tokens.iter().map(|t| &text[t.range.clone()])).collect()
}

#[cfg(test)]
mod tests {
    use crate::lowering::{SiteId, lower};

    fn conditions(source: &str) -> Vec<bool> {
        let text = lower(source, &[], SiteId(0)).text;
        assert_eq!(text.lines().count(), source.lines().count());
        let lines = text.lines().filter(|l| l.starts_with('#') && l.contains("ARCH"));
        lines.map(|l| l.contains("LAYOUTC_RT_ARCH")).collect()
    }

    #[test]
    fn the_place_decides() {
        let in_kernel = "__global__ void k() {\n#if __CUDA_ARCH__ >= 700\n x();\n#endif\n}";
        assert_eq!(conditions(in_kernel), [true]);
        let by_macro = "#define DEV __device__ inline\nDEV int f() { if (1) {\n#ifdef __CUDA_ARCH__\n x();\n#endif\n} }";
        assert_eq!(conditions(by_macro), [true]);
        let both = "__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\n x();\n#endif\n}\nint main() {\n#if __CUDA_ARCH__ > 1\n#endif\n}";
        assert_eq!(conditions(both), [false, false]);
        let outside = "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#endif\n#ifndef __CUDA_ARCH__\n#endif";
        assert_eq!(conditions(outside), [true, false]);
    }

    #[test]
    fn code_sees_a_number() {
        assert!(
            lower("__global__ void k() { f(__CUDA_ARCH__); }", &[], SiteId(0))
                .text
                .contains("f(LAYOUTC_RT_ARCH)")
        );
    }
}
