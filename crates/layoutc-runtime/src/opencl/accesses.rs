//! Calls in front of the accesses of kernels, put into the text of an LLVM module.
//!
//! The module is what clang makes of a program's kernels, optimised and not yet linked with PoCL's functions, with
//! debug information. Loads, stores, atomic operations, copies of a fixed size, and the calls of OpenCL that access
//! memory themselves (`vload4`, `atomic_add`) count; what is in variables of the work-item or of local memory is left
//! out here as far as the text tells, and otherwise when the address is known. The text that comes out has no debug
//! information any more: PoCL links it with functions whose own does not fit.

mod builtins;
mod debug;
mod operands;
mod types;

use super::super::trace::AccessKind;
use builtins::{Builtin, builtin};
use debug::DebugInfo;
pub(super) use debug::Frame;
use operands::{align_in, pointer_in, split, type_in, within, without_debug, words_after};
use std::collections::BTreeSet;
use std::fmt::Write;
use types::Types;

/// Where the functions that kernels call are in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    /// `(item, place, what, address)`; what: bytes, the exponent of the alignment (4 bits), the kind (2 bits).
    pub(super) noted: u64,
    /// `(kernel's name, item, sizes of the group, its index, numbers of groups)`.
    pub(super) begun: u64,
    /// `(pointer argument, alignment)`.
    pub(super) pointed: u64,
}

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
            kernel = Kernel::of(line);
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
        let (found, left_out) = accesses(line, &self.types)?;
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
fn accesses<'t>(line: &'t str, types: &Types) -> Accesses<'t> {
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
        ("call" | "tail" | "musttail" | "notail", _) => call(rest),
        _ => NOTHING,
    }
}

/// A call of what accesses memory itself.
fn call(rest: &str) -> Result<(Vec<Found<'_>>, Option<String>), String> {
    let Some((_, callee)) = rest.split_once('@') else { return NOTHING };
    let Some((name, arguments)) = callee.split_once('(') else { return NOTHING };
    let arguments = split(within(arguments));
    if let Some(operation) = name.strip_prefix("llvm.mem") {
        return copy(operation, &arguments);
    }
    match builtin(name) {
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

/// A kernel's definition.
struct Kernel {
    name: String,
    /// Its arguments that are pointers: type, name, and what they point to is aligned to.
    pointers: Vec<(String, String, u64)>,
}

impl Kernel {
    fn of(line: &str) -> Option<Kernel> {
        if !line.contains("!kernel_arg_addr_space") {
            return None;
        }
        let (name, rest) = line.split_once('@')?.1.split_once('(')?;
        let mut pointers = Vec::new();
        for parameter in split(within(rest)) {
            let (Ok((pointer, name)), Some(align)) = (pointer_in(parameter), align_in(parameter))
            else {
                continue;
            };
            pointers.push((pointer.to_owned(), name.to_owned(), align));
        }
        Some(Kernel { name: name.trim_matches('"').to_owned(), pointers })
    }
}

/// What the calls call: functions that ask for the work-item and go on to the program's.
fn functions(module: &str, Hooks { noted, begun, pointed }: Hooks) -> String {
    let mut text = String::new();
    for name in
        ["_Z12get_local_idj", "_Z14get_local_sizej", "_Z12get_group_idj", "_Z14get_num_groupsj"]
    {
        if !module.contains(&format!("@{name}(i32")) {
            let _ = writeln!(text, "declare i64 @{name}(i32)");
        }
    }
    let mut asked = String::new();
    let mut ask = |prefix: &str, name: &str| {
        for axis in 0..3 {
            let _ = writeln!(asked, "  %{prefix}{axis} = call i64 @{name}(i32 {axis})");
        }
    };
    ask("i", "_Z12get_local_idj");
    ask("s", "_Z14get_local_sizej");
    asked.push_str(
        "  %a = mul i64 %i2, %s1\n  %b = add i64 %a, %i1\n  %c = mul i64 %b, %s0\n  %item = add i64 %c, %i0\n",
    );
    let _ = writeln!(
        text,
        "define void @layoutc.noted(i32 %place, i32 %what, ptr %at) {{\n{asked}  \
         %address = ptrtoint ptr %at to i64\n  %f = inttoptr i64 {noted} to ptr\n  \
         call void %f(i64 %item, i32 %place, i32 %what, i64 %address)\n  ret void\n}}"
    );
    let mut ask = |prefix: &str, name: &str| {
        for axis in 0..3 {
            let _ = writeln!(asked, "  %{prefix}{axis} = call i64 @{name}(i32 {axis})");
        }
    };
    ask("g", "_Z12get_group_idj");
    ask("n", "_Z14get_num_groupsj");
    let list =
        ["s0", "s1", "s2", "g0", "g1", "g2", "n0", "n1", "n2"].map(|name| format!("i64 %{name}"));
    let _ = writeln!(
        text,
        "define void @layoutc.begun(ptr %name) {{\n{asked}  %f = inttoptr i64 {begun} to ptr\n  \
         call void %f(ptr %name, i64 %item, {})\n  ret void\n}}",
        list.join(", ")
    );
    let _ = writeln!(
        text,
        "define void @layoutc.pointed(ptr %at, i32 %align) {{\n  %f = inttoptr i64 {pointed} to ptr\n  \
         call void %f(ptr %at, i32 %align)\n  ret void\n}}"
    );
    text
}
