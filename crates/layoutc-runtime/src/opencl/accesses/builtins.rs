//! Functions of OpenCL that access memory, by the names that clang gives them.

use crate::trace::AccessKind;

/// What a function does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Builtin {
    /// Nothing to memory.
    None,
    /// One access through its pointer.
    Accesses {
        /// What it does.
        kind: AccessKind,
        /// How many bytes.
        bytes: u64,
        /// What they are aligned to.
        align: u64,
        /// Whether the argument in front of the pointer counts how many times the bytes are in front.
        has_offset: bool,
    },
    /// What it does is not told.
    LeftOut(String),
}

/// What a function of this mangled name does.
pub(super) fn builtin(mangled: &str) -> Builtin {
    let Some((name, parameters)) = demangled(mangled) else { return Builtin::None };
    let atomic = name.strip_prefix("atomic_").or_else(|| name.strip_prefix("atom_"));
    if let Some(operation) = atomic {
        let kind = match operation {
            _ if operation.starts_with("work_item_fence") => return Builtin::None,
            _ if operation.starts_with("load") => AccessKind::Read,
            _ if operation.starts_with("store") || operation == "init" => AccessKind::Write,
            _ => AccessKind::Atomic,
        };
        return match pointee(parameters) {
            Some(bytes) => Builtin::Accesses { kind, bytes, align: bytes, has_offset: false },
            None => Builtin::LeftOut(format!("calls of `{name}`")),
        };
    }
    for (prefix, kind) in [("vload", AccessKind::Read), ("vstore", AccessKind::Write)] {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        let is_aligned = rest.starts_with("a_half");
        let width: String = rest
            .trim_start_matches("a_")
            .trim_start_matches('_')
            .trim_start_matches("half")
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let width: u64 = width.parse().unwrap_or(1);
        let Some(scalar) = pointee(parameters) else {
            return Builtin::LeftOut(format!("calls of `{name}`"));
        };
        // Three values of what is aligned as four are as far apart as four.
        let bytes = scalar * if is_aligned && width == 3 { 4 } else { width };
        let align = if is_aligned { bytes } else { scalar };
        return Builtin::Accesses { kind, bytes, align, has_offset: true };
    }
    // `fract(x, &p[i])`, `async_work_group_copy`; images are no buffers.
    let is_global =
        ["U8CLglobal", "U3AS1", "U9CLgeneric", "U3AS4"].iter().any(|own| parameters.contains(own));
    let is_other = ["read_image", "write_image", "read_pipe", "write_pipe"];
    match is_global || is_other.iter().any(|own| name.starts_with(own)) {
        true => Builtin::LeftOut(format!("calls of `{name}`")),
        false => Builtin::None,
    }
}

/// `_Z6vload4mPKf`: `vload4` and `mPKf`.
fn demangled(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_Z")?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..end].parse().ok()?;
    let (name, parameters) = rest.get(end..)?.split_at_checked(length)?;
    // PoCL's headers rename what would clash with the host's functions.
    Some((name.strip_prefix("_cl_").unwrap_or(name), parameters))
}

/// Bytes of what the first pointer among the parameters points to.
fn pointee(parameters: &str) -> Option<u64> {
    let mut rest = parameters.split_once('P')?.1;
    loop {
        // `volatile`, `const`, and qualifiers with names: `U8CLglobal`, `U3AS1`.
        rest = match rest.strip_prefix(['V', 'K']) {
            Some(rest) => rest,
            None => match rest.strip_prefix('U') {
                Some(named) => {
                    let end = named.find(|c: char| !c.is_ascii_digit())?;
                    named.get(end + named[..end].parse::<usize>().ok()?..)?
                }
                None => break,
            },
        };
    }
    Some(match rest.strip_prefix("Dh") {
        Some(_) => 2,
        None => match rest.chars().next()? {
            'a' | 'c' | 'h' => 1,
            's' | 't' => 2,
            'i' | 'j' | 'f' => 4,
            'l' | 'm' | 'x' | 'y' | 'd' => 8,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{Builtin, builtin};
    use crate::trace::AccessKind;

    #[test]
    fn names() {
        let accesses =
            |kind, bytes, align, has_offset| Builtin::Accesses { kind, bytes, align, has_offset };
        for (name, expected) in [
            ("_Z6vload4mPKf", accesses(AccessKind::Read, 16, 4, true)),
            ("_Z6vload3mPU3AS1Kd", accesses(AccessKind::Read, 24, 8, true)),
            ("_Z10_cl_vload4mPU8CLglobalKf", accesses(AccessKind::Read, 16, 4, true)),
            ("_Z7vstore2Dv2_imPi", accesses(AccessKind::Write, 8, 4, true)),
            ("_Z11vstore_halffmPDh", accesses(AccessKind::Write, 2, 2, true)),
            ("_Z12vloada_half3mPKDh", accesses(AccessKind::Read, 8, 8, true)),
            ("_Z14_cl_atomic_addPU3AS1Vii", accesses(AccessKind::Atomic, 4, 4, false)),
            ("_Z8atom_addPVll", accesses(AccessKind::Atomic, 8, 8, false)),
            ("_Z12get_local_idj", Builtin::None),
            ("_Z5fractfPU8CLglobalf", Builtin::LeftOut("calls of `fract`".to_owned())),
            ("pull", Builtin::None),
            (
                "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i",
                Builtin::LeftOut("calls of `read_imagef`".to_owned()),
            ),
        ] {
            assert_eq!(builtin(name), expected, "{name}");
        }
    }
}
