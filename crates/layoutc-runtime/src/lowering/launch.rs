//! `kernel<<<grid, block, shared, stream>>>(arguments)`.
//!
//! The kernel is called from a lambda that takes the arguments as parameters, so they are evaluated once, copied by
//! value before the first thread starts and converted to the parameter types by the call itself. Null pointer
//! constants and braced lists mean nothing outside such a call; they stay in it.

use super::{Edits, View};
use crate::lexer::TokenKind;
use std::ops::Range;

/// Token positions of one launch.
struct Launch {
    kernel: Range<usize>,
    open_angles: usize,
    close_angles: usize,
    open: usize,
    close: usize,
}

pub(super) fn lower_launches(view: &View, edits: &mut Edits) {
    let mut i = 0;
    while i < view.len() {
        if view.is_triple(i, "<") {
            if let Some(launch) = find_launch(view, i) {
                rewrite(view, &launch, edits);
                i = launch.close_angles;
            }
            i += 2;
        }
        i += 1;
    }
}

fn find_launch(view: &View, open_angles: usize) -> Option<Launch> {
    let start = kernel_start(view, open_angles.checked_sub(1)?)?;
    let close_angles = closing_angles(view, open_angles + 3)?;
    let open = close_angles + 3;
    if view.word(open) != "(" {
        return None;
    }
    let close = view.closing(open)?;
    Some(Launch { kernel: start..open_angles, open_angles, close_angles, open, close })
}

fn closing_angles(view: &View, from: usize) -> Option<usize> {
    let mut i = from;
    while i < view.len() {
        match view.word(i) {
            "(" | "[" | "{" => i = view.closing(i)?,
            ")" | "]" | "}" | ";" => return None,
            ">" if view.is_triple(i, ">") && view.word(i + 3) == "(" => return Some(i),
            _ => {}
        }
        i += 1;
    }
    None
}

/// The first token of the postfix expression that ends at token `last`: `ns::k<T>`, `table[i]`, `(*f)`, `o->k`.
fn kernel_start(view: &View, last: usize) -> Option<usize> {
    let mut i = last;
    loop {
        let is_bracket = match view.word(i) {
            ">" => {
                i = view.opening_angle(i)?.checked_sub(1)?;
                false
            }
            ")" | "]" => {
                i = view.opening(i)?;
                true
            }
            _ => false,
        };
        let previous = view.before(i);
        if is_bracket {
            let postfix = i > 0 && (view.is_word(i - 1) || matches!(previous, ")" | "]"));
            let keyword = matches!(previous, "return" | "else" | "do");
            if !postfix || keyword || (previous == ")" && view.word(i) == "(") {
                return Some(i);
            }
            i -= 1;
            continue;
        }
        if !view.is_word(i) {
            return None;
        }
        match previous {
            "::" => {
                let qualified = i >= 2
                    && (view.is_word(i - 2) && view.word(i - 2) != "return"
                        || view.word(i - 2) == ">");
                if !qualified {
                    return Some(i - 1);
                }
                i -= 2;
            }
            "." | "->" => i = i.checked_sub(2)?,
            "template" => i = i.checked_sub(3)?,
            _ => return Some(i),
        }
    }
}

fn rewrite(view: &View, launch: &Launch, edits: &mut Edits) {
    let kernel = view.one_line(launch.kernel.clone());
    let arguments = Arguments::read(view, launch);
    let name = kernel_name(view, launch, &kernel);
    let call = match &arguments {
        Arguments::None => format!("[&] {{ {kernel}(); }}"),
        Arguments::Plain | Arguments::Variadic => {
            format!("[&](auto&... layoutc_rt_arg) {{ {kernel}(layoutc_rt_arg...); }}, ")
        }
        Arguments::Mixed(list) => mixed_call(view, &kernel, list, edits),
    };
    let kernel_bytes = view.start(launch.kernel.start)..view.end(launch.kernel.end - 1);
    let head = "::layoutc_rt::launch(::layoutc_rt::config(";
    edits.replace(kernel_bytes.clone(), format!("{head}{}", view.line_ends(kernel_bytes)));
    edits.replace(view.start(launch.open_angles)..view.end(launch.open_angles + 2), String::new());
    let join = view.start(launch.close_angles)..view.end(launch.open);
    let tail = if matches!(arguments, Arguments::Variadic) { "##" } else { "" };
    let lines = view.line_ends(join.clone());
    edits.replace(join, format!("), {name}, {call}{lines}{tail}"));
}

fn kernel_name(view: &View, launch: &Launch, kernel: &str) -> String {
    let is_parameter =
        launch.kernel.len() == 1 && view.stream.parameters().iter().any(|p| p == kernel);
    if is_parameter {
        return format!("#{kernel}");
    }
    format!("\"{}\"", kernel.replace('\\', "\\\\").replace('"', "\\\""))
}

enum Arguments {
    None,
    /// As they are: the compiler splits them.
    Plain,
    /// `__VA_ARGS__` alone, which may be empty.
    Variadic,
    /// Token ranges, some of which stay in the call.
    Mixed(Vec<Argument>),
}

struct Argument {
    tokens: Range<usize>,
    stays: bool,
}

impl Arguments {
    fn read(view: &View, launch: &Launch) -> Self {
        let inside = launch.open + 1..launch.close;
        if inside.is_empty() {
            return Self::None;
        }
        if inside.len() == 1 && view.word(inside.start) == "__VA_ARGS__" {
            return Self::Variadic;
        }
        // A `<` may be template arguments with commas of their own; such a list is left to the compiler.
        let splits = !inside.clone().any(|i| view.word(i) == "<");
        let list = if splits { split(view, inside) } else { Vec::new() };
        if list.iter().any(|a| a.stays) { Self::Mixed(list) } else { Self::Plain }
    }
}

fn split(view: &View, inside: Range<usize>) -> Vec<Argument> {
    let mut list = Vec::new();
    let mut start = inside.start;
    let mut i = inside.start;
    while i <= inside.end {
        if i == inside.end || view.word(i) == "," {
            let tokens = start..i;
            let stays = !tokens.is_empty() && stays_in_call(view, &tokens);
            list.push(Argument { tokens, stays });
            start = i + 1;
        } else if matches!(view.word(i), "(" | "[" | "{") {
            i = view.closing(i).filter(|&c| c < inside.end).unwrap_or(i);
        }
        i += 1;
    }
    list
}

fn stays_in_call(view: &View, argument: &Range<usize>) -> bool {
    let zero = argument.len() == 1
        && (view.word(argument.start) == "NULL"
            || (view.tokens()[argument.start].kind == TokenKind::Number
                && view.word(argument.start) == "0"));
    zero || view.word(argument.start) == "{"
}

/// The lambda with one parameter for each argument that moves out, and the edits that take the others away.
fn mixed_call(view: &View, kernel: &str, list: &[Argument], edits: &mut Edits) -> String {
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    for (n, argument) in list.iter().enumerate() {
        if argument.stays {
            values.push(view.one_line(argument.tokens.clone()));
        } else {
            parameters.push(format!("auto& layoutc_rt_arg{n}"));
            values.push(format!("layoutc_rt_arg{n}"));
        }
    }
    let mut kept_before = false;
    for (n, argument) in list.iter().enumerate() {
        if argument.stays {
            let bytes = view.start(argument.tokens.start)..view.end(argument.tokens.end - 1);
            edits.replace(bytes.clone(), view.line_ends(bytes));
        }
        // A comma stays between two arguments that both stay in the list.
        if n > 0 && (argument.stays || !kept_before) {
            let comma = argument.tokens.start - 1;
            edits.replace(view.tokens()[comma].range.clone(), String::new());
        }
        kept_before |= !argument.stays;
    }
    let separator = if parameters.is_empty() { "" } else { ", " };
    format!("[&]({}) {{ {kernel}({}); }}{separator}", parameters.join(", "), values.join(", "))
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
    fn arguments_leave_the_call() {
        assert_eq!(
            text_of("ns::k<T, 2><<<g, b>>>(p + 1, n);"),
            "::layoutc_rt::launch(::layoutc_rt::config(g, b), \"ns::k<T, 2>\", \
             [&](auto&... layoutc_rt_arg) { ns::k<T, 2>(layoutc_rt_arg...); }, p + 1, n);"
        );
        assert!(text_of("k<<<1, 1>>>();").contains("\"k\", [&] { k(); });"));
    }

    #[test]
    fn null_and_braces_stay() {
        let text = text_of("k<<<1, 1>>>(NULL, a, 0, {1, 2}, b);");
        assert!(text.contains("[&](auto& layoutc_rt_arg1, auto& layoutc_rt_arg4) { k(NULL, layoutc_rt_arg1, 0, {1, 2}, layoutc_rt_arg4); },"), "{text}");
        assert_eq!(
            text.split("}, ").last().map(|s| s.replace(' ', "")),
            Some("a,b);".to_owned()),
            "{text}"
        );
        assert!(text_of("k<<<1, 1>>>(0);").ends_with("[&]() { k(0); });"));
    }

    #[test]
    fn a_launch_in_a_macro() {
        let text =
            text_of("#define RUN(k, ...) do { \\\n  k<<<1, \\\n 2>>>(__VA_ARGS__); } while (0)\n");
        assert!(
            text.contains(
                ", #k, [&](auto&... layoutc_rt_arg) { k(layoutc_rt_arg...); }, ##__VA_ARGS__)"
            ),
            "{text}"
        );
    }

    #[test]
    fn lines_and_comments_survive() {
        let text = text_of("k<float,\n  4>\n<<<g,\n b>>>\n(a, // first <<<\n b);\nx = 1 << 2;");
        assert!(text.contains("// first <<<"));
        assert!(text.contains("x = 1 << 2;"));
    }

    #[test]
    fn kernels_are_postfix_expressions() {
        assert!(
            text_of("return table[i]<<<1, 1>>>(a);").starts_with("return ::layoutc_rt::launch(")
        );
        assert!(text_of("else k<<<1, 1>>>(a);").starts_with("else ::layoutc_rt::launch("));
        assert!(text_of("if (x) (*f)<<<1, 1>>>(a);").starts_with("if (x) ::layoutc_rt::launch("));
        assert!(text_of("k << < A<B<int>>::n, 1 >> > (a);").starts_with("::layoutc_rt::launch("));
        assert!(text_of("o->t.f<<<1, 1>>>(a);").starts_with("::layoutc_rt::launch("));
    }
}
