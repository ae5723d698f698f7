//! Attributes and other constructs of nvcc and GNU C++ that the grammar takes in few places only.

use super::{MaskReason, Masker};

impl Masker<'_> {
    /// Masks attributes, `__restrict`, `new T *[n]`, annotated lambdas and long launch bounds.
    pub(super) fn mask_constructs(&mut self) {
        for at in 0..self.toks.len() {
            if self.removed[at] {
                continue;
            }
            match self.text(at) {
                "__attribute__" | "__attribute" | "__align__" | "__builtin_align__" | "__declspec" | "alignas"
                | "_Alignas" | "__maxnreg__" | "__cluster_dims__" | "__block_size__" => self.mask_attribute(at),
                "__launch_bounds__" => self.mask_long_launch_bounds(at),
                "__restrict" => {
                    self.replace(at, at, "restrict", MaskReason::Specifier { expansion: "__restrict".to_owned() });
                }
                "new" => self.mask_new_pointers(at),
                "]" => self.mask_lambda_annotation(at),
                "_Pragma" | "__pragma" => {
                    if let Some(close) = self.call_close(at) {
                        self.replace(at, close, "", MaskReason::Other);
                    }
                }
                "__extension__" => self.replace(at, at, "", MaskReason::Other),
                _ => {}
            }
        }
    }

    fn mask_attribute(&mut self, at: usize) {
        let Some(close) = self.call_close(at) else { return };
        let text = self.source[self.span(at, close).range()].to_owned();
        self.replace(at, close, "", MaskReason::Attribute { text });
    }

    /// The grammar takes two arguments, nvcc three.
    fn mask_long_launch_bounds(&mut self, at: usize) {
        let Some(close) = self.call_close(at) else { return };
        let commas = self.top_level(at + 2, close, ",");
        if commas.len() > 1 {
            let text = self.source[self.span(at, close).range()].to_owned();
            self.replace(at, close, "", MaskReason::Attribute { text });
        }
    }

    /// `new T *[n]`, `new T **[n]`: the type between `new` and the stars is names and `::` only.
    fn mask_new_pointers(&mut self, at: usize) {
        let mut index = at + 1;
        while self.is_identifier(index) || self.text(index) == "::" {
            index += 1;
        }
        let first = index;
        while self.text(index) == "*" || (index > first && self.text(index) == "const") {
            index += 1;
        }
        if index > first && first > at + 1 && self.text(index) == "[" {
            self.replace(first, index - 1, "", MaskReason::NewPointer);
        }
    }

    /// `[=] __device__ (int i) { … }`.
    fn mask_lambda_annotation(&mut self, at: usize) {
        let annotates = |word: &str| matches!(word, "__device__" | "__host__");
        let mut last = at;
        while annotates(self.text(last + 1)) {
            last += 1;
        }
        if last > at && matches!(self.text(last + 1), "(" | "{" | "mutable" | "->") {
            let words: Vec<&str> = (at + 1..=last).map(|index| self.text(index)).collect();
            let expansion = words.join(" ");
            self.replace(at + 1, last, "", MaskReason::Specifier { expansion });
        }
        // The annotation may also stand behind the parameters.
        if self.text(at + 1) == "("
            && let Some(close) = self.call_close(at)
        {
            let mut last = close;
            while annotates(self.text(last + 1)) {
                last += 1;
            }
            if last > close {
                let words: Vec<&str> = (close + 1..=last).map(|index| self.text(index)).collect();
                let expansion = words.join(" ");
                self.replace(close + 1, last, "", MaskReason::Specifier { expansion });
            }
        }
    }
}
