//! Who reads which part of the generated text, and the functions that files of plain C++ call.
//!
//! A program of CUDA files has all of it behind the struct, its functions `static inline`. Where a
//! file that nvcc does not compile calls some of them, the kernels and functions of the host stand
//! once, in a CUDA file, with external linkage ([`Functions`]); everybody else has their
//! declarations.

use std::fmt::Write as _;

/// What a compiler needs to know to read a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    /// Plain C++: the structs.
    Types,
    /// CUDA, in each file that uses it: functions of the device, and templates.
    Device,
    /// CUDA, once: kernels, and functions of the host.
    Host,
}

/// The generated text of a class, part by part, in the order of a file that has all of them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Declarations {
    parts: Vec<(Part, String)>,
}

impl Declarations {
    /// Where text of a part goes next.
    pub(super) fn part(&mut self, part: Part) -> &mut String {
        self.parts.push((part, String::new()));
        let at = self.parts.len() - 1;
        &mut self.parts[at].1
    }

    /// All of it.
    pub(crate) fn whole(&self) -> String {
        self.parts.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Lets the types stand in front of this text, too: whichever a compiler reads first defines them.
    pub(crate) fn guard_types(&mut self, guard: &str) {
        let own = self.parts.iter_mut().filter(|(part, _)| *part == Part::Types);
        for (_, text) in own {
            *text = format!("\n#ifndef {guard}\n#define {guard}{text}#endif\n");
        }
    }

    /// All text of a part.
    pub(crate) fn of(&self, part: Part) -> String {
        let own = self.parts.iter().filter(|(own, _)| *own == part);
        own.map(|(_, text)| text.as_str()).collect()
    }
}

/// Functions with external linkage.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Functions {
    /// The functions' names, each with its declaration for callers: a comment, and default arguments.
    pub(crate) prototypes: Vec<(String, String)>,
    /// Kernels and bodies.
    pub(crate) definitions: String,
}

impl Functions {
    /// The declarations of some functions.
    pub(crate) fn declared(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        let wanted = self.prototypes.iter().filter(|(name, _)| is_wanted(name));
        wanted.map(|(_, text)| text.as_str()).collect()
    }
}

/// How `static inline` functions begin in generated text, each on one line up to its body.
const INTERNAL: &str = "static inline ";

/// The text of [`Part::Host`] with external linkage; nothing if it has templates or versions for
/// several toolkits, which have no such form.
pub(crate) fn with_linkage(host: &str) -> Option<Functions> {
    let mut found = Functions::default();
    let mut comment = String::new();
    for line in host.lines() {
        if let Some(head) = line.strip_prefix(INTERNAL) {
            let name = head.split('(').next()?.rsplit([' ', '*']).next()?;
            let declaration = format!("\n{}{head};\n", std::mem::take(&mut comment));
            found.prototypes.push((name.to_owned(), declaration));
            // Default arguments belong to the declaration that callers see.
            let _ = writeln!(found.definitions, "{}", head.replace(" = 0", ""));
        } else if line.starts_with("//") {
            let _ = writeln!(comment, "{line}");
        } else if line.starts_with("template") || line.starts_with('#') {
            return None;
        } else {
            let _ = writeln!(found.definitions, "{line}");
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_comments_stand_where_callers_look() {
        let text = "\nstatic __global__ void pBodyPack(int n)\n{\n    n = 0;\n}\n\n\
                    // Copies.\nstatic inline int bodyCopy(int n, int at = 0)\n{\n    return n;\n}\n";
        let found = with_linkage(text).expect("it has a form");
        assert_eq!(found.declared(|_| true), "\n// Copies.\nint bodyCopy(int n, int at = 0);\n");
        assert_eq!(found.declared(|name| name != "bodyCopy"), "");
        assert_eq!(
            found.definitions,
            "\nstatic __global__ void pBodyPack(int n)\n{\n    n = 0;\n}\n\n\
             int bodyCopy(int n, int at)\n{\n    return n;\n}\n"
        );
        assert_eq!(with_linkage("template <typename Symbol>\n"), None);
    }
}
