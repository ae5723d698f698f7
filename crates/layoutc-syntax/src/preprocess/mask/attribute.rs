//! Attributes and other constructs of nvcc and GNU C++ that the grammar takes in few places only.

use super::words::is_specifier;
use super::{MaskReason, Masker};
use crate::preprocess::lexer::TokenKind;

impl Masker<'_> {
    /// Masks attributes, `__restrict`, `new T *[n]`, annotated lambdas and long launch bounds.
    pub(super) fn mask_constructs(&mut self) {
        for at in 0..self.toks.len() {
            if self.removed[at] {
                continue;
            }
            match self.text(at) {
                "__attribute__" | "__attribute" | "__align__" | "__builtin_align__"
                | "__declspec" | "alignas" | "_Alignas" | "__maxnreg__" | "__cluster_dims__"
                | "__block_size__" => self.mask_attribute(at),
                "__launch_bounds__" => self.mask_long_launch_bounds(at),
                // Behind the type's `*` or `&` the grammar takes qualifiers only.
                word @ ("__device__" | "__host__" | "__global__" | "__forceinline__"
                | "__noinline__")
                    if matches!(self.text_before(at), "*" | "&" | "&&")
                        || (at > 0
                            && self.removed[at - 1]
                            && is_function_space(self.text_before(at))) =>
                {
                    let expansion = word.to_owned();
                    self.replace(at, at, "", MaskReason::Specifier { expansion });
                }
                "__const" | "__const__" => {
                    let expansion = "const".to_owned();
                    self.replace(at, at, "const", MaskReason::Specifier { expansion });
                }
                "__restrict" => {
                    self.replace(
                        at,
                        at,
                        "restrict",
                        MaskReason::Specifier { expansion: "__restrict".to_owned() },
                    );
                }
                "friend" => self.mask_in_front_of_friend(at),
                "typename" if self.text_before(at) == "return" => {
                    self.replace(at, at, "", MaskReason::Other)
                }
                // `delete[](p)` reads as a lambda.
                "delete" if self.text(at + 3) == "(" && self.partner(at + 1) == Some(at + 2) => {
                    self.replace(at + 1, at + 2, "", MaskReason::Other);
                }
                "..." if self.is_pack_of_using(at) => self.replace(at, at, "", MaskReason::Other),
                "..." => self.mask_case_range(at),
                "{" if self.text_before(at) == "=" => self.mask_braced_default(at),
                "=" => self.mask_template_default(at),
                ">=" => self.mask_comparison_argument(at),
                "typeof" | "__typeof__" | "__typeof" => {
                    if let Some(close) = self.call_close(at) {
                        self.replace_by_name(at, close, MaskReason::TypeMacro);
                    }
                }
                "new" => self.mask_new_pointers(at),
                "template" if matches!(self.text(at + 1), "class" | "struct" | "union") => {
                    self.mask_instantiation(at)
                }
                "]" => self.mask_lambda_annotation(at),
                "_Pragma" | "__pragma" => {
                    if let Some(close) = self.call_close(at) {
                        self.replace(at, close, "", MaskReason::Other);
                    }
                }
                // `using enum Mode;`
                "enum" if self.text_before(at) == "using" => {
                    let expansion = String::new();
                    self.replace(at, at, "", MaskReason::Specifier { expansion });
                }
                "__extension__" => self.replace(at, at, "", MaskReason::Other),
                "enum" => self.mask_enum_attribute(at),
                _ => {}
            }
        }
    }

    fn mask_attribute(&mut self, at: usize) {
        let Some(close) = self.call_close(at) else {
            return;
        };
        let text = self.source[self.span(at, close).range()].to_owned();
        self.replace(at, close, "", MaskReason::Attribute { text });
    }

    /// `enum class [[nodiscard]] Mood`: the grammar takes no attribute there.
    fn mask_enum_attribute(&mut self, at: usize) {
        let open = at + 1 + usize::from(matches!(self.text(at + 1), "class" | "struct"));
        if self.text(open) == "["
            && self.text(open + 1) == "["
            && let Some(close) = self.partner(open)
        {
            let text = self.source[self.span(open, close).range()].to_owned();
            self.replace(open, close, "", MaskReason::Attribute { text });
        }
    }

    /// `inline friend bool f(…)`: the grammar takes `friend` as the first word only.
    fn mask_in_front_of_friend(&mut self, friend: usize) {
        for at in (0..friend).rev() {
            if self.removed[at] {
                continue;
            }
            let word = self.text(at);
            if !is_specifier(word) {
                break;
            }
            let expansion = word.to_owned();
            self.replace(at, at, "", MaskReason::Specifier { expansion });
        }
    }

    /// The grammar takes two arguments, nvcc three.
    fn mask_long_launch_bounds(&mut self, at: usize) {
        let Some(close) = self.call_close(at) else {
            return;
        };
        let commas = self.top_level(at + 2, close, ",");
        if commas.len() > 1 {
            let text = self.source[self.span(at, close).range()].to_owned();
            self.replace(at, close, "", MaskReason::Attribute { text });
        }
    }

    /// `template class X<float>;` uses nothing that is not used elsewhere.
    fn mask_instantiation(&mut self, at: usize) {
        let mut index = at + 2;
        while self.is_identifier(index) || self.text(index) == "::" {
            index += 1;
        }
        if self.text(index) == "<"
            && let Some(length) =
                (0..64).find(|ahead| matches!(self.text(index + ahead), ";" | "{" | ""))
            && self.text(index + length) == ";"
        {
            let first = at - usize::from(self.text_before(at) == "extern");
            self.replace(first, index + length - 1, "", MaskReason::Other);
        }
    }

    /// `case 1 ... 4:`: the range's end goes.
    fn mask_case_range(&mut self, at: usize) {
        let is_case = (1..8).any(|back| at >= back && self.text(at - back) == "case");
        if let Some(length) = (1..8).find(|ahead| self.text(at + ahead) == ":").filter(|_| is_case)
        {
            self.replace(at, at + length - 1, "", MaskReason::Other);
        }
    }

    /// Macros pasted behind strings, `"a" X "b"` and `"a"X`: the grammar takes few forms of it.
    pub(super) fn mask_string_names(&mut self) {
        for at in 1..self.toks.len() {
            if self.kind(at - 1) != Some(TokenKind::String) || !self.is_identifier(at) {
                continue;
            }
            let linkage = at > 1 && self.text(at - 2) == "extern";
            let defined = self.def(at).is_some_and(|def| !def.is_function_like());
            if !linkage && (defined || self.kind(at + 1) == Some(TokenKind::String)) {
                self.replace(at, at, "", MaskReason::Other);
            }
        }
    }

    /// `new T *[n]`, `new const T **[n]`: the type between `new` and the stars is a name.
    fn mask_new_pointers(&mut self, at: usize) {
        let mut index = at + 1;
        if self.text(index) == "const" {
            self.replace(index, index, "", MaskReason::Specifier { expansion: "const".to_owned() });
            index += 1;
        }
        let name = index;
        while self.is_identifier(index) || self.text(index) == "::" {
            index += 1;
        }
        if self.text(index) == "<"
            && index > name
            && let Some(close) = self.angle_close(index, (index + 64).min(self.toks.len()))
        {
            index = close + 1;
        }
        let first = index;
        while self.text(index) == "*" || (index > first && self.text(index) == "const") {
            index += 1;
        }
        if index > first && first > name && self.text(index) == "[" {
            self.replace(first, index - 1, "", MaskReason::NewPointer);
        }
    }

    /// `[=] __device__ (int i) { … }`.
    fn mask_lambda_annotation(&mut self, at: usize) {
        let annotates = is_function_space;
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

/// Whether a word says where a lambda or function runs.
fn is_function_space(word: &str) -> bool {
    matches!(word, "__device__" | "__host__")
}
