//! The catalogue of calls: what the functions of the CUDA runtime, of OpenCL and of the C library do, as data.
//!
//! A [`Row`] says what a function does with memory ([`Effect`]) and what each of its arguments is ([`Role`]). Passes ask
//! rows; none of them knows the name of a function. A row with an [`Api`] is a call that code generation can write for
//! another layout; what the others are given keeps its layout.
//!
//! # Invariants
//!
//! - A name has at most one row.
//! - `required` arguments come first; what may be left out stands behind them.
//! - A row with a [`Role::To`] and a [`Role::From`] has a [`Role::Bytes`].
//!
//! # Adding a function
//!
//! One that only has to be known is a row in `catalogue/rows.rs`, and so is one that does with a stream what another does
//! without. One whose calls are rewritten in a way of their own also gets an [`Api`] and what code generation writes for
//! it, which the compiler asks for. Another target is another spelling in each row.

mod api;
pub mod builtins;
mod interfaces;
pub mod intrinsics;
mod rows;

pub use api::Api;

use std::collections::HashMap;
use std::sync::LazyLock;

/// What an argument is to a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The address of a pointer that the call sets or reads.
    PointerAddress,
    /// The memory that the call fills, frees or tells something about.
    Memory,
    /// Where a copy goes.
    To,
    /// Where a copy comes from.
    From,
    /// The number of bytes; of one row, if there are rows.
    Bytes,
    /// `cudaMemcpyKind`.
    Direction,
    /// A variable of device memory, by name.
    Symbol,
    /// The stream on which the call works.
    Stream,
    /// The address of a distance between rows that the call chooses.
    PitchAddress,
    /// The bytes from one row of the destination to the next.
    ToPitch,
    /// The bytes from one row of the source to the next.
    FromPitch,
    /// A pointer that the call gives to a function of the program as it is.
    HandedOn,
    /// Anything else: numbers, handles, flags.
    Other,
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Stores the address of new memory through its [`Role::PointerAddress`], or returns it.
    Allocates(Space),
    /// Returns new memory of the host.
    ReturnsMemory,
    /// Frees its [`Role::Memory`].
    Frees,
    /// Copies bytes.
    Copies,
    /// Sets bytes of its [`Role::Memory`].
    Fills,
    /// Returns an object that says where its [`Role::Memory`] lies, for a later copy.
    Describes,
    /// Says how memory will be used.
    Advises,
    /// Stores the address of a symbol.
    TellsAddress,
    /// Calls a function of the program with its [`Role::HandedOn`].
    CallsBack,
    /// Lets later calls of a stream be recorded.
    BeginsCapture,
    /// Ends that.
    EndsCapture,
    /// Lets later calls work on another device.
    SelectsDevice,
    /// Asks or sets something about a kernel, which it is given by name.
    AsksAboutKernel,
    /// Nothing with memory.
    Computes,
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// The device's.
    Device,
    /// Of both.
    Managed,
    /// The host's.
    Host,
}

/// The position of the format of a function that prints: of a pointer behind it only the address counts.
#[must_use]
pub fn format_position(name: &str) -> Option<usize> {
    match plain(name) {
        "printf" => Some(0),
        "fprintf" | "sprintf" => Some(1),
        "snprintf" => Some(2),
        _ => None,
    }
}

/// Where the program's text that calls a function comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The CUDA runtime and the CUDA driver.
    Cuda,
    /// OpenCL's interface of C.
    OpenCl,
    /// The C library and what compilers have built in.
    C,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its names in the interfaces that have it; none for a meaning that only types tell from another row's.
    pub spellings: &'static [(Target, &'static str)],
    /// What it does.
    pub effect: Effect,
    /// What its arguments are; what stands behind them is [`Role::Other`].
    pub roles: &'static [Role],
    /// How many of them a call must have.
    pub required: usize,
    /// What code generation calls it.
    pub api: Option<Api>,
}

impl Row {
    /// The position of the first argument with a role.
    #[must_use]
    pub fn position(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|own| *own == role)
    }

    /// The role of an argument.
    #[must_use]
    pub fn role(&self, position: usize) -> Role {
        self.roles.get(position).copied().unwrap_or(Role::Other)
    }

    /// Whether the function is one of a target.
    #[must_use]
    pub fn is_of(&self, target: Target) -> bool {
        self.spellings.iter().any(|(own, _)| *own == target)
    }

    /// Whether it allocates memory.
    #[must_use]
    pub fn allocates(&self) -> bool {
        matches!(self.effect, Effect::Allocates(_))
    }

    /// Whether it frees memory.
    #[must_use]
    pub fn frees(&self) -> bool {
        self.effect == Effect::Frees
    }

    /// Whether it only says how managed memory will be used.
    #[must_use]
    pub fn advises(&self) -> bool {
        self.effect == Effect::Advises
    }

    /// Whether it works on a stream.
    #[must_use]
    pub fn is_async(&self) -> bool {
        self.position(Role::Stream).is_some() && !self.advises()
    }

    /// Whether a call passes the stream; without, it is the default one.
    #[must_use]
    pub fn has_stream(&self, arguments: usize) -> bool {
        self.position(Role::Stream).is_some_and(|at| at < arguments)
    }

    /// Whether its rows have pitches.
    #[must_use]
    pub fn copies_rows(&self) -> bool {
        self.copies_memory() && self.position(Role::ToPitch).is_some()
    }

    /// Positions of destination, source, byte count (of a row) and direction of a copy.
    #[must_use]
    pub fn copy_arguments(&self) -> Option<CopyArguments> {
        Some(CopyArguments {
            to: self.position(Role::To)?,
            from: self.position(Role::From)?,
            size: self.position(Role::Bytes)?,
            kind: self.position(Role::Direction),
        })
    }

    /// Whether these arguments are enough.
    #[must_use]
    pub fn accepts(&self, arguments: &[layoutc_syntax::ExprId]) -> bool {
        arguments.len() >= self.required
    }

    /// Whether it works on memory of the host alone.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        self.is_of(Target::C)
            || self.effect == Effect::Allocates(Space::Host)
            || self.api == Some(Api::FreeHost)
    }

    /// Whether it copies or fills as many bytes as its argument says, without rows.
    #[must_use]
    pub fn moves_bytes(&self) -> bool {
        let has_rows = self.position(Role::ToPitch).is_some();
        match self.effect {
            Effect::Copies => self.copies_memory() && !has_rows,
            Effect::Fills => !has_rows,
            _ => false,
        }
    }

    /// Whether it copies from memory to memory, both of which it is given by address.
    #[must_use]
    pub fn copies_memory(&self) -> bool {
        self.position(Role::To).is_some() && self.position(Role::From).is_some()
    }
}

/// Where the arguments of a copy stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyArguments {
    /// The destination.
    pub to: usize,
    /// The source.
    pub from: usize,
    /// The byte count, of one row if there are rows.
    pub size: usize,
    /// The direction; a copy between devices has none.
    pub kind: Option<usize>,
}

/// The functions with rows, by name.
static BY_NAME: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| {
    let spelled = |row: &'static Row| row.spellings.iter().map(move |(_, name)| (*name, row));
    rows::ROWS.iter().flat_map(spelled).collect()
});

/// The row of a function of that name, with or without `std::`.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    BY_NAME.get(plain(name)).copied()
}

/// The row of a function on memory of the device that code generation can write, and what it writes.
#[must_use]
pub fn on_device(name: &str) -> Option<(&'static Row, Api)> {
    let row = row(name).filter(|row| !row.is_of_host())?;
    Some((row, row.api?))
}

/// The same of a function on memory of the host.
#[must_use]
pub fn on_host(name: &str) -> Option<(&'static Row, Api)> {
    let row = row(name).filter(|row| row.is_of_host())?;
    Some((row, row.api?))
}

/// The row of a copy of a pointer to or from a symbol.
pub(crate) fn of_pointer_symbol(is_to: bool) -> &'static Row {
    if is_to { &rows::POINTER_TO_SYMBOL } else { &rows::POINTER_FROM_SYMBOL }
}

/// What a function of that name does, if it has a row.
#[must_use]
pub fn effect(name: &str) -> Option<Effect> {
    row(name).map(|row| row.effect)
}

/// Whether a function of a library takes what it is given by value: it neither changes a variable that is an
/// argument, nor keeps a reference to it.
#[must_use]
pub fn takes_values(name: &str) -> bool {
    let name = plain(name);
    BY_NAME.contains_key(name)
        || interfaces::CUDA.binary_search(&name).is_ok()
        || is_of_opencl(name)
}

/// Whether this is a function of OpenCL's interface of C.
#[must_use]
pub fn is_of_opencl(name: &str) -> bool {
    interfaces::OPENCL.binary_search(&name).is_ok()
}

/// Whether a function or method of OpenCL's interfaces of C and C++, or of a library over them, gives a queue something to
/// do by its name: what nobody defines here and is called so is taken for one.
#[must_use]
pub fn enqueues(name: &str) -> bool {
    name.to_ascii_lowercase().contains("enqueue")
}

/// Whether this is a function of the CUDA runtime.
#[must_use]
pub fn is_of_cuda(name: &str) -> bool {
    interfaces::CUDA.binary_search(&name).is_ok()
}

fn plain(name: &str) -> &str {
    name.strip_prefix("std::").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_have_one_row() {
        assert!(interfaces::CUDA.is_sorted() && interfaces::OPENCL.is_sorted());
        let names = || rows::ROWS.iter().flat_map(|row| row.spellings);
        assert_eq!(names().count(), BY_NAME.len());
    }

    #[test]
    fn rows_of_the_runtime_are_in_its_interface() {
        for row in rows::ROWS {
            for (target, name) in row.spellings {
                let is_there = match target {
                    Target::Cuda => is_of_cuda(name) || name.starts_with("cu"),
                    Target::OpenCl => is_of_opencl(name),
                    Target::C => true,
                };
                assert!(is_there, "{name}");
            }
        }
    }

    #[test]
    fn rows_say_where_their_arguments_are() {
        for row in rows::ROWS {
            assert!(row.required <= row.roles.len(), "{row:?}");
            assert!(!row.copies_memory() || row.position(Role::Bytes).is_some(), "{row:?}");
        }
    }

    #[test]
    fn a_call_with_a_stream_is_the_one_without_and_a_stream() {
        let plain = |row: &Row| {
            let kept = |role: &&Role| **role != Role::Stream;
            row.roles.iter().filter(kept).copied().collect::<Vec<_>>()
        };
        for row in rows::ROWS.iter().filter(|row| row.api.is_some() && row.is_async()) {
            let same = rows::ROWS.iter().find(|own| own.api == row.api && !own.is_async());
            assert!(same.is_none_or(|own| plain(own) == plain(row)), "{row:?}");
        }
    }
}
