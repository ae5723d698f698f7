//! Options of `clBuildProgram`: how the host makes them, and the macros that they define.

use std::collections::BTreeSet;

use super::Generator;
use super::names::{HOST_MACROS, MACROS};
use crate::random::program::{Kind, Node};

/// The options of a program.
pub(super) struct Options {
    /// Declarations of the host's file.
    pub(super) head: Vec<Node>,
    /// What stands in front of the call.
    pub(super) before: Vec<Node>,
    /// The argument.
    pub(super) argument: String,
    pub(super) features: BTreeSet<&'static str>,
}

impl Generator {
    /// Draws the macros first: no other name of the kernels may be one of them.
    pub(super) fn options(&mut self) -> Options {
        let mut out = Options {
            head: Vec::new(),
            before: Vec::new(),
            argument: (*self.random.pick(&["NULL", "\"\""])).to_owned(),
            features: BTreeSet::new(),
        };
        if self.random.chance(12) {
            let wish = *self.random.pick(&HOST_MACROS);
            let name = self.host_name(wish);
            let value = 1 + self.random.below(9);
            self.host.push(Node::declaration(name, &format!("#define {name} {value}u")));
            self.host_constants.push(name);
        }
        if self.random.chance(20) {
            let wish = *self.random.pick(&MACROS);
            let name = self.kernel_name(wish);
            let value = 1 + self.random.below(9);
            self.kernels.push(Node::declaration(name, &format!("#define {name} {value}u")));
            self.macros.push(name);
            out.features.insert("macro-in-kernels");
        }
        if !self.random.chance(45) {
            return out;
        }
        let count = 1 + self.random.below(2);
        let mut options: Vec<(String, Option<usize>)> = Vec::new();
        let features = &mut out.features;
        for _ in 0..count {
            let wish = *self.random.pick(&MACROS);
            let space = if self.random.chance(50) { " " } else { "" };
            // `p` is a parameter in the headers of OpenCL C: it may have another name, but be no number.
            if wish == "p" || self.random.chance(25) {
                features.insert("option-renames");
                let alias = self.kernel_scope.fresh(&format!("{wish}_"));
                options.push((format!("-D{space}{wish}={alias}"), None));
                continue;
            }
            let name = self.kernel_name(wish);
            self.macros.push(name);
            options.push((format!("-D{space}{name}="), Some(1 + self.random.below(9))));
        }
        let number =
            |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
        let literal: Vec<String> =
            options.iter().map(|(option, value)| format!("{option}{}", number(*value))).collect();
        let literal = literal.join(" ");
        match self.random.below(4) {
            0 => {
                out.features.insert("options-literal");
                out.argument = format!("\"{literal}\"");
            }
            1 => {
                out.features.insert("options-macro");
                let name = self.host_name("OPTIONS");
                out.head.push(Node::declaration(name, &format!("#define {name} \"{literal}\"")));
                out.argument = name.to_string();
            }
            2 => {
                out.features.insert("options-variable");
                let name = self.host_name("options");
                let text = format!("const char *{name} = \"{literal}\";");
                out.before.push(Node { kind: Kind::Frame, ..Node::declaration(name, &text) });
                out.argument = name.to_string();
            }
            _ => {
                out.features.insert("options-printed");
                let name = self.host_name("options");
                let formats: Vec<String> = options
                    .iter()
                    .map(|(option, value)| format!("{option}{}", value.map_or("", |_| "%d")))
                    .collect();
                let values: Vec<String> = options
                    .iter()
                    .filter_map(|(_, value)| value.map(|value| format!(", {value}")))
                    .collect();
                let text = format!(
                    "char {name}[256];\nsnprintf({name}, sizeof {name}, \"{}\"{});",
                    formats.join(" "),
                    values.concat()
                );
                out.before.push(Node { kind: Kind::Frame, ..Node::declaration(name, &text) });
                out.argument = name.to_string();
            }
        }
        out
    }
}
