//! The names of `__device__` and `__managed__` variables, which lie in global memory.

use super::{StreamKind, View, lexer};
use std::collections::BTreeSet;

/// The names of a file's variables in global memory, without the namespaces and classes around them. Those that are
/// `__constant__` lie elsewhere.
pub(crate) fn device_variables(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for stream in lexer::streams(text).iter().filter(|s| s.kind != StreamKind::Condition) {
        let view = View { text, stream };
        for i in 0..view.len() {
            if matches!(view.word(i), "__device__" | "__managed__") {
                names.extend(declared(&view, i));
            }
        }
    }
    names
}

/// The variables that the declaration around token `from` declares; none if it is of a function.
fn declared(view: &View, from: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut angles = 0usize;
    let mut is_named = false;
    let mut i = from + 1;
    while i < view.len() {
        let before = i - 1;
        match view.word(i) {
            "__constant__" | "__shared__" | "__global__" | "__host__" => return Vec::new(),
            "__align__" | "alignas" | "__attribute__" | "__builtin_align__" => {
                let Some(close) = view.closing(i + 1) else { return names };
                i = close;
            }
            "<" if !is_named => angles += 1,
            ">" if !is_named => angles = angles.saturating_sub(1),
            // A function's parameters.
            "(" if !is_named && angles == 0 => return Vec::new(),
            word @ ("[" | "=" | "," | ";" | "{") if angles == 0 => {
                if !is_named && view.is_word(before) && before > from {
                    names.push(view.word(before).to_owned());
                }
                match word {
                    ";" => return names,
                    "," => is_named = false,
                    "=" => is_named = true,
                    _ => {
                        is_named = true;
                        let Some(close) = view.closing(i) else { return names };
                        i = close;
                    }
                }
            }
            "(" => {
                let Some(close) = view.closing(i) else { return names };
                i = close;
            }
            ")" | "}" => return names,
            _ => {}
        }
        i += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::device_variables;

    #[test]
    fn variables_and_no_functions() {
        let text = "__device__ float a[4][N], b = f(1, 2), *c;\n\
            static __device__ __align__(16) P<int, 3> d{1}; __device__ Q<(N * 7 + 1)> e;\n\
            __device__ float f(float x) { float g = x; return g; }\n\
            template <class T> __device__ T h(T x);\n\
            __constant__ float k[3]; __device__ __constant__ int l;\n\
            __managed__ int m; __host__ __device__ int n(int o) { return o; }";
        let names: Vec<String> = device_variables(text).into_iter().collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "m"]);
    }
}
