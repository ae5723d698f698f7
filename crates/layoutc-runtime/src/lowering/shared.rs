//! `__shared__` declarations.
//!
//! Blocks run one after another, so static storage serves as shared memory; the runtime is told of each variable,
//! to poison it when a block first comes to it and to keep it apart from the blocks of a cooperative launch.
//! A dynamic array becomes a reference to the runtime's buffer.

use super::{Edits, View, scope};
use std::ops::Range;

pub(super) fn lower_shared(view: &View, edits: &mut Edits) {
    let in_function = scope::in_function(view);
    let mut done = 0;
    for (i, &in_function) in in_function.iter().enumerate() {
        if view.word(i) != "__shared__" || i < done {
            continue;
        }
        let Some(end) = declaration_end(view, i) else {
            continue;
        };
        let declaration =
            Declaration { tokens: declaration_start(view, i)..end, shared: i, in_function };
        done = end;
        if declaration.tokens.clone().any(|t| view.word(t) == "extern") {
            declaration.lower_dynamic(view, edits);
        } else {
            declaration.lower_static(view, edits);
        }
    }
}

/// A declaration; `tokens` ends before its `;`.
struct Declaration {
    tokens: Range<usize>,
    shared: usize,
    in_function: bool,
}

/// A declared name and the array bounds after it, as token positions.
struct Declarator {
    name: usize,
    bounds: Range<usize>,
}

impl Declaration {
    fn lower_static(&self, view: &View, edits: &mut Edits) {
        let is_static = self.tokens.clone().any(|t| view.word(t) == "static");
        let keyword = if is_static { "" } else { "static" };
        edits.replace(view.tokens()[self.shared].range.clone(), keyword.to_owned());
        let mut registration = String::new();
        for declarator in self.declarators(view) {
            let name = view.word(declarator.name);
            // The offset makes the name of the helper unique within the file.
            let id = view.start(declarator.name);
            registration.push_str(&if self.in_function {
                format!(" static unsigned layoutc_rt_epoch_{id}; ::layoutc_rt::shared_enter(layoutc_rt_epoch_{id}, {name});")
            } else {
                format!(" static ::layoutc_rt::SharedAtFileScope layoutc_rt_shared_{id}(&{name}, sizeof({name}));")
            });
        }
        edits.insert(view.end(self.tokens.end), registration);
    }

    fn lower_dynamic(&self, view: &View, edits: &mut Edits) {
        let declarators = self.declarators(view);
        let Some(first) = declarators.first() else {
            return;
        };
        let element = self.element_type(view, first.name);
        let storage = if self.in_function { "" } else { "static " };
        let one = |d: &Declarator| {
            let (name, bounds) = (view.word(d.name), view.one_line(d.bounds.clone()));
            format!(
                "{storage}auto& {name} = reinterpret_cast<{element} (&){bounds}>(::layoutc_rt::dynamic_shared);"
            )
        };
        let text: Vec<String> = declarators.iter().map(one).collect();
        let bytes = view.start(self.tokens.start)..view.end(self.tokens.end);
        edits.replace(bytes.clone(), format!("{}{}", text.join(" "), view.line_ends(bytes)));
    }

    /// The type before the first declared name, without storage words and alignments.
    fn element_type(&self, view: &View, name: usize) -> String {
        let mut words = Vec::new();
        let mut i = self.tokens.start;
        while i < name {
            match view.word(i) {
                "extern" | "__shared__" | "static" | "__device__" => {}
                "__align__" | "alignas" | "__attribute__" | "__builtin_align__" => {
                    i = view.closing(i + 1).unwrap_or(i);
                }
                word => words.push(word),
            }
            i += 1;
        }
        words.join(" ")
    }

    /// A declared name is the word before `[`, `,`, `=`, an attribute or the end, outside all brackets.
    fn declarators(&self, view: &View) -> Vec<Declarator> {
        let mut found = Vec::new();
        let mut i = self.tokens.start;
        let mut angles = 0usize;
        let mut named = false;
        while i < self.tokens.end {
            match view.word(i) {
                "(" | "[" | "{" => i = view.closing(i).unwrap_or(i),
                "<" if !named => angles += 1,
                ">" if !named => angles = angles.saturating_sub(1),
                "," if angles == 0 => named = false,
                _ if angles == 0
                    && !named
                    && view.is_word(i)
                    && i > self.tokens.start
                    && self.ends_name(view, i) =>
                {
                    named = true;
                    found.push(Declarator { name: i, bounds: self.bounds_after(view, i) });
                }
                _ => {}
            }
            i += 1;
        }
        found
    }

    fn ends_name(&self, view: &View, i: usize) -> bool {
        if matches!(
            view.word(i),
            "extern"
                | "static"
                | "volatile"
                | "const"
                | "__shared__"
                | "__device__"
                | "__align__"
                | "alignas"
        ) {
            return false;
        }
        // In `char __align__(8) s[n]` the word before the attribute is the type.
        let mut next = i + 1;
        while matches!(view.word(next), "__attribute__" | "__align__" | "alignas") {
            next = view.closing(next + 1).map_or(self.tokens.end, |close| close + 1);
        }
        next >= self.tokens.end || matches!(view.word(next), "[" | "," | "=")
    }

    fn bounds_after(&self, view: &View, name: usize) -> Range<usize> {
        let mut end = name + 1;
        while view.word(end) == "[" && end < self.tokens.end {
            end = view.closing(end).map_or(self.tokens.end, |close| close + 1);
        }
        name + 1..end
    }
}

fn declaration_end(view: &View, from: usize) -> Option<usize> {
    let mut i = from;
    while i < view.len() {
        match view.word(i) {
            ";" => return Some(i),
            "(" | "[" | "{" => i = view.closing(i)?,
            ")" | "]" | "}" => return None,
            _ => {}
        }
        i += 1;
    }
    None
}

/// Goes back over the words before `__shared__` to the end of what comes before the declaration.
fn declaration_start(view: &View, shared: usize) -> usize {
    let mut start = shared;
    while start > 0 {
        match view.word(start - 1) {
            ";" | "{" | "}" | ":" => break,
            ")" => {
                // An alignment belongs to the declaration; any other `)` ends a statement macro or a header.
                let Some(open) = view.opening(start - 1).filter(|&o| o > 0) else {
                    break;
                };
                if !matches!(
                    view.word(open - 1),
                    "__align__" | "alignas" | "__attribute__" | "__builtin_align__"
                ) {
                    break;
                }
                start = open - 1;
            }
            _ => start -= 1,
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use crate::lowering::{SiteId, lower};

    fn text_of(source: &str) -> String {
        let lowered = lower(source, &[], SiteId(0));
        assert_eq!(lowered.text.lines().count(), source.lines().count(), "{}", lowered.text);
        lowered.text
    }

    #[test]
    fn static_arrays_are_registered() {
        let text = text_of(
            "void k() { __shared__ float a[16][17], b; volatile __shared__ M<int, 3>::S s; }",
        );
        assert!(
            text.contains("{ static float a[16][17], b; static unsigned layoutc_rt_epoch_"),
            "{text}"
        );
        let text = text_of(
            "void k() { __shared__ unsigned char __align__(8) raw[4]; __shared__ float __align__(16) s __align__(8), t; }",
        );
        assert!(
            text.contains(", raw);") && text.contains(", s);") && text.contains(", t);"),
            "{text}"
        );
        let text = text_of(
            "void k() { __shared__ float a[16][17], b; volatile __shared__ M<int, 3>::S s; }",
        );
        for name in [", a);", ", b);", ", s);"] {
            assert!(text.contains(name), "{name} in {text}");
        }
        assert!(text.contains("volatile static M<int, 3>::S s;"));
    }

    #[test]
    fn dynamic_arrays_are_references() {
        let text = text_of(
            "extern __shared__ __align__(16) unsigned char raw[];\ntemplate <class T> void k() {\n  extern volatile __shared__ T s[];\n}",
        );
        assert!(text.starts_with("static auto& raw = reinterpret_cast<unsigned char (&)[]>(::layoutc_rt::dynamic_shared);"), "{text}");
        assert!(text.contains("\n  auto& s = reinterpret_cast<volatile T (&)[]>("), "{text}");
    }

    #[test]
    fn file_scope_and_namespaces() {
        let text = text_of(
            "namespace a { __shared__ int s[4]; struct P { int x; }; }\nextern \"C\" { __shared__ int t; }",
        );
        assert_eq!(text.matches("SharedAtFileScope").count(), 2, "{text}");
    }
}
