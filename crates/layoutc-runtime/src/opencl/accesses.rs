//! Calls in front of the accesses of kernels, put into the text of an LLVM module.
//!
//! The module is what clang makes of a program's kernels, optimised and not yet linked with PoCL's functions, with
//! debug information. Loads, stores, atomic operations, copies of a fixed size, and the calls of OpenCL that access
//! memory themselves (`vload4`, `atomic_add`) count; what is in variables of the work-item or of local memory is left
//! out here as far as the text tells, and otherwise when the address is known. The text that comes out has no debug
//! information any more: PoCL links it with functions whose own does not fit.

mod builtins;
mod debug;
mod hooks;
mod operands;
mod types;

use super::super::trace::AccessKind;
use builtins::{Builtin, builtin};
use debug::DebugInfo;
pub(super) use debug::Frame;
pub(super) use hooks::Hooks;
use hooks::functions;
use operands::{align_in, pointer_in, split, type_in, within, without_debug, words_after};
use std::collections::BTreeSet;
use std::fmt::Write;
use types::Types;

/// A module with calls.
#[derive(Debug)]
pub(super) struct Instrumented {
    /// Its text.
    pub(super) text: String,
    /// For each place, where it stands in the kernels' text, from the innermost function to the outermost.
    pub(super) places: Vec<Vec<Frame>>,
    /// What accesses memory and was left as it is, in words.
    pub(super) left_out: BTreeSet<String>,
}

/// An access that a line makes.
struct Found<'t> {
    kind: AccessKind,
    bytes: u64,
    /// What the compiler knows the address to be aligned to.
    align: u64,
    /// The pointer's type: `ptr`, or `ptr addrspace(1)`.
    pointer: &'t str,
    operand: &'t str,
    /// How many times its bytes it is behind the pointer.
    offset: Option<&'t str>,
}

type Accesses<'t> = Result<(Vec<Found<'t>>, Option<String>), String>;

const NOTHING: Accesses<'static> = Ok((Vec::new(), None));

/// Puts the calls in; places are numbered from `first_place` on.
///
/// # Errors
/// A sentence: the text is of an LLVM that has types of pointers.
pub(super) fn instrument(
    module: &str,
    hooks: Hooks,
    first_place: u32,
) -> Result<Instrumented, String> {
    let types = Types::new(module);
    let debug = DebugInfo::new(module);
    let mut own = Rewriter {
        types,
        debug,
        defined: module.lines().filter_map(defined_in).collect(),
        first_place,
        text: String::with_capacity(module.len() * 2),
        places: Vec::new(),
        left_out: BTreeSet::new(),
        private: BTreeSet::new(),
        casts: 0,
        names: String::new(),
        kernels: 0,
    };
    let mut kernel: Option<Kernel> = None;
    for line in module.lines() {
        if line.starts_with("define ") {
            own.private.clear();
            own.line(&without_debug(line));
            kernel = Kernel::of(line, module);
            continue;
        }
        if line.starts_with("!llvm.dbg.cu") || line.trim_start().starts_with("#dbg_") {
            continue;
        }
        if line.contains("call void @llvm.dbg.") || !line.starts_with(' ') {
            if !line.contains("call void @llvm.dbg.") {
                own.line(line);
            }
            continue;
        }
        let instruction = line.trim();
        if let Some((name, _)) = instruction.split_once(" = alloca ") {
            own.private.insert(name.to_owned());
        } else if let Some(kernel) = kernel.take() {
            own.begin(&kernel);
        }
        own.instruction(line)?;
    }
    own.text.push_str(&own.names);
    own.text.push_str(&functions(module, hooks));
    Ok(Instrumented { text: own.text, places: own.places, left_out: own.left_out })
}

struct Rewriter<'t> {
    types: Types<'t>,
    debug: DebugInfo<'t>,
    /// The functions that the module defines.
    defined: BTreeSet<&'t str>,
    first_place: u32,
    text: String,
    places: Vec<Vec<Frame>>,
    left_out: BTreeSet<String>,
    /// The variables of the function's own.
    private: BTreeSet<String>,
    casts: u32,
    /// Constants with the names of kernels.
    names: String,
    kernels: u32,
}

impl Rewriter<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn begin(&mut self, kernel: &Kernel) {
        for (pointer, name, align) in &kernel.pointers {
            let operand = self.plain(pointer, name);
            let _ = writeln!(self.text, "  call void @layoutc.pointed(ptr {operand}, i32 {align})");
        }
        let number = self.kernels;
        self.kernels += 1;
        let bytes = kernel.name.len() + 1;
        let _ = writeln!(
            self.names,
            "@layoutc.name.{number} = private unnamed_addr constant [{bytes} x i8] c\"{}\\00\"",
            kernel.name
        );
        let _ = writeln!(self.text, "  call void @layoutc.begun(ptr @layoutc.name.{number})");
    }

    /// A pointer in the address space 0.
    fn plain(&mut self, pointer: &str, operand: &str) -> String {
        if pointer == "ptr" {
            return operand.to_owned();
        }
        let number = self.casts;
        self.casts += 1;
        let _ = writeln!(
            self.text,
            "  %layoutc.cast.{number} = addrspacecast {pointer} {operand} to ptr"
        );
        format!("%layoutc.cast.{number}")
    }

    fn instruction(&mut self, line: &str) -> Result<(), String> {
        let (found, left_out) = accesses(line, &self.types, &self.defined)?;
        self.left_out.extend(left_out);
        let frames = self.debug.frames(line);
        for access in found {
            let is_own = access.operand.starts_with('@')
                || access.operand.contains("(@")
                || access.operand.contains(" @")
                || self.private.contains(access.operand);
            if is_own || access.bytes == 0 {
                continue;
            }
            let place = self.first_place + self.places.len() as u32;
            self.places.push(frames.clone());
            let kind = match access.kind {
                AccessKind::Read => 0,
                AccessKind::Write => 1,
                AccessKind::Atomic => 2,
            };
            // Bytes, the exponent of the alignment (4 bits), and the kind (2).
            let exponent = access.align.max(1).trailing_zeros().min(15);
            let what = access.bytes << 6 | u64::from(exponent) << 2 | kind;
            let mut operand = self.plain(access.pointer, access.operand);
            if let Some(offset) = access.offset {
                let number = self.casts;
                self.casts += 1;
                let _ = writeln!(
                    self.text,
                    "  %layoutc.offset.{number} = mul i64 {offset}, {}\n  \
                     %layoutc.at.{number} = getelementptr i8, ptr {operand}, i64 %layoutc.offset.{number}",
                    access.bytes
                );
                operand = format!("%layoutc.at.{number}");
            }
            let _ = writeln!(
                self.text,
                "  call void @layoutc.noted(i32 {place}, i32 {what}, ptr {operand})"
            );
        }
        let line = without_debug(line);
        self.line(&line);
        Ok(())
    }
}

/// What an instruction accesses, and what it accesses that is not told.
fn accesses<'t>(line: &'t str, types: &Types, defined: &BTreeSet<&str>) -> Accesses<'t> {
    let instruction = line.trim();
    let body = match instruction.strip_prefix('%') {
        Some(rest) => rest.split_once(" = ").map_or(instruction, |(_, body)| body),
        None => instruction,
    };
    let (operation, rest) = body.split_once(' ').unwrap_or((body, ""));
    let rest = words_after(rest, &["atomic ", "volatile ", "weak "]);
    let parts = split(rest);
    let align = parts.iter().find_map(|part| part.strip_prefix("align ")?.parse().ok());
    let one = |kind, of: &str, (pointer, operand)| {
        let bytes = types.bytes(of);
        let align = align.unwrap_or(bytes);
        Ok((vec![Found { kind, bytes, align, pointer, operand, offset: None }], None))
    };
    match (operation, &parts[..]) {
        ("load", [of, from, ..]) => one(AccessKind::Read, of, pointer_in(from)?),
        ("store", [value, to, ..]) => one(AccessKind::Write, type_in(value), pointer_in(to)?),
        ("atomicrmw", [at, value, ..]) => {
            let at = at.split_once(' ').map_or("", |(_, at)| at);
            one(AccessKind::Atomic, type_in(value), pointer_in(at)?)
        }
        ("cmpxchg", [at, value, ..]) => one(AccessKind::Atomic, type_in(value), pointer_in(at)?),
        ("call" | "tail" | "musttail" | "notail", _) => call(rest, defined),
        _ => NOTHING,
    }
}

/// A call of what accesses memory itself.
fn call<'t>(rest: &'t str, defined: &BTreeSet<&str>) -> Accesses<'t> {
    let Some((_, callee)) = rest.split_once('@') else { return NOTHING };
    let Some((name, arguments)) = callee.split_once('(') else { return NOTHING };
    let arguments = split(within(arguments));
    if let Some(operation) = name.strip_prefix("llvm.mem") {
        return copy(operation, &arguments);
    }
    // What the module defines itself has calls of its own.
    let of_opencl = if defined.contains(name) { Builtin::None } else { builtin(name) };
    match of_opencl {
        Builtin::None => NOTHING,
        Builtin::LeftOut(what) => Ok((Vec::new(), Some(what))),
        Builtin::Accesses { kind, bytes, align, has_offset } => {
            // A result that is large is written through a pointer in front of the others.
            let is_pointer = |own: &&str| own.starts_with("ptr");
            let pointer = match has_offset {
                true => arguments.iter().rposition(is_pointer),
                false => arguments.iter().position(is_pointer),
            };
            let Some(at) = pointer else { return NOTHING };
            let (pointer, operand) = pointer_in(arguments[at])?;
            let offset = arguments[..at]
                .last()
                .filter(|_| has_offset)
                .and_then(|own| own.rsplit(' ').next());
            Ok((vec![Found { kind, bytes, align, pointer, operand, offset }], None))
        }
    }
}

/// `memcpy`, `memmove` and `memset`.
fn copy<'t>(operation: &str, arguments: &[&'t str]) -> Accesses<'t> {
    let [to, from, bytes, ..] = arguments else { return NOTHING };
    let Some(bytes) = bytes.rsplit(' ').next().and_then(|own| own.parse::<u64>().ok()) else {
        return Ok((Vec::new(), Some("copies of a size that is not fixed".to_owned())));
    };
    let one = |kind, argument: &'t str| {
        let (pointer, operand) = pointer_in(argument)?;
        let align = align_in(argument).unwrap_or(1);
        Ok::<_, String>(Found { kind, bytes, align, pointer, operand, offset: None })
    };
    let mut found = Vec::new();
    if !operation.starts_with("set") {
        found.push(one(AccessKind::Read, from)?);
    }
    found.push(one(AccessKind::Write, to)?);
    Ok((found, None))
}

/// The function that a line defines.
fn defined_in(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("define ")?.split_once('@')?;
    rest.split('(').next()
}

/// A kernel's definition.
struct Kernel {
    name: String,
    /// Its arguments that are pointers: type, name, and what they point to is aligned to; 0 for constant memory.
    pointers: Vec<(String, String, u64)>,
}

impl Kernel {
    fn of(line: &str, module: &str) -> Option<Kernel> {
        let (_, spaces) = line.split_once("!kernel_arg_addr_space ")?;
        let spaces = spaces.split(' ').next().unwrap_or("");
        let node = module.lines().find_map(|own| own.strip_prefix(spaces)?.strip_prefix(" = !{"));
        let spaces: Vec<&str> =
            node.map(|own| split(own.trim_end_matches('}'))).unwrap_or_default();
        let (name, rest) = line.split_once('@')?.1.split_once('(')?;
        let mut pointers = Vec::new();
        for (at, parameter) in split(within(rest)).into_iter().enumerate() {
            let (Ok((pointer, name)), Some(align)) = (pointer_in(parameter), align_in(parameter))
            else {
                continue;
            };
            let is_constant = spaces.get(at) == Some(&"i32 2");
            let align = if is_constant { 0 } else { align };
            pointers.push((pointer.to_owned(), name.to_owned(), align));
        }
        Some(Kernel { name: name.trim_matches('"').to_owned(), pointers })
    }
}

#[cfg(test)]
mod tests {
    use super::{Hooks, instrument};

    const HOOKS: Hooks = Hooks { noted: 1, begun: 2, pointed: 3 };

    const MODULE: &str = r#"
define spir_kernel void @move(ptr noundef align 16 %p, ptr align 4 %table) #0 !kernel_arg_addr_space !1 !dbg !4 {
entry:
  %own = alloca i32, align 4
  %call = tail call i64 @_Z13get_global_idj(i32 noundef 0), !dbg !7
  %at = getelementptr inbounds %struct.P, ptr %p, i64 %call, !dbg !7
  %0 = load <4 x float>, ptr %at, align 16, !dbg !7, !tbaa !9
  store i32 1, ptr %own, align 4, !dbg !7
  %1 = atomicrmw add ptr %at, i32 1 seq_cst, align 4, !dbg !8
  store float %2, ptr @move.tile, align 4
  %3 = tail call <2 x i32> @_Z6vload2mPU8CLglobalKi(i64 noundef %call, ptr noundef %p), !dbg !8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %at, ptr align 8 %p, i64 24, i1 false), !dbg !8
  %4 = tail call float @_Z5fractfPU8CLglobalf(float %f, ptr %p), !dbg !8
  ret void, !dbg !8
}
!1 = !{i32 1, i32 2}
!2 = !DIFile(filename: "a.cl", directory: "/in")
!4 = distinct !DISubprogram(name: "move", scope: !2, file: !2, line: 3)
!5 = distinct !DISubprogram(name: "inner", scope: !2, file: !2, line: 1)
!7 = !DILocation(line: 5, column: 9, scope: !4)
!8 = !DILocation(line: 2, column: 3, scope: !5, inlinedAt: !7)
"#;

    #[test]
    fn calls_are_in_front_of_accesses() {
        let found = instrument(MODULE, HOOKS, 10).expect("a module");
        let calls: Vec<&str> =
            found.text.lines().filter(|line| line.contains("  call void @layoutc.")).collect();
        let what = |bytes: u64, exponent: u64, kind: u64| bytes << 6 | exponent << 2 | kind;
        let noted = |place: u32, what: u64, at: &str| {
            format!("  call void @layoutc.noted(i32 {place}, i32 {what}, ptr {at})")
        };
        assert_eq!(
            calls,
            [
                "  call void @layoutc.pointed(ptr %p, i32 16)",
                // A pointer to constant memory.
                "  call void @layoutc.pointed(ptr %table, i32 0)",
                "  call void @layoutc.begun(ptr @layoutc.name.0)",
                &noted(10, what(16, 4, 0), "%at"),
                &noted(11, what(4, 2, 2), "%at"),
                &noted(12, what(8, 2, 0), "%layoutc.at.0"),
                &noted(13, what(24, 3, 0), "%p"),
                &noted(14, what(24, 3, 1), "%at"),
            ]
        );
        assert!(!found.text.contains("!dbg"), "{}", found.text);
        let lines = |place: usize| -> Vec<(&str, u32)> {
            found.places[place].iter().map(|own| (own.file.as_str(), own.line)).collect()
        };
        assert_eq!(lines(0), [("/in/a.cl", 5)]);
        assert_eq!(lines(1), [("/in/a.cl", 2), ("/in/a.cl", 5)]);
        assert_eq!(found.left_out.into_iter().collect::<Vec<_>>(), ["calls of `fract`"]);
    }

    #[test]
    fn types_of_pointers_are_refused() {
        let module = MODULE.replace("ptr %at, align 16", "<4 x float>* %at, align 16");
        assert!(instrument(&module, HOOKS, 0).is_err());
    }
}
