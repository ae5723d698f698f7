//! The functions that convert arrays of structs, written once for all structs of a program.
//!
//! *Form:* templates over a struct of each class, its *records* ([`records`]): pointers and extents of an array, with
//! functions that load and store one record. Kernels send a block's records through shared memory, as words
//! side by side, where a block of them fits ([`Form::Staged`]); otherwise each thread moves its record by itself.
//!
//! Copies that wait pass through a buffer in device memory, which the thread keeps for the next one. *Claim:* that is done only
//! where the program cannot notice it, and the buffer is valid whenever a copy finds it ([`keeps_stage`]). Otherwise each
//! copy has a buffer of its own, as those on a stream always have: they may overlap.

use super::{Needs, extents, handle_or_pointer, numbered};
use crate::hygiene::{macro_names, mention};
use crate::names::Names;
use crate::storage::Storage;
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExecutionSpace, Program};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Sections that begin with `@@ name`; lines that begin with `@flag ` belong to one form.
const TEXT: &str = include_str!("conversions.cuh");

/// The words of the text that no local is: they stand in several blocks.
const WORDS: &[&str] = &[
    "RecordRows",
    "RecordStage",
    "RecordStageEnd",
    "RecordType",
    "WordType",
    "allocateStage",
    "blockRecords",
    "copyIn",
    "copyInAsync",
    "copyOut",
    "copyOutAsync",
    "copyPeer",
    "copyRowsIn",
    "copyRowsInAsync",
    "copyRowsOut",
    "copyRowsOutAsync",
    "copyWithin",
    "copyWithinAsync",
    "enterDevice",
    "fetchRecords",
    "fetchRows",
    "isStaged",
    "launchError",
    "loadRecord",
    "moveRecords",
    "openStage",
    "packRecords",
    "padWords",
    "recordStages",
    "recordWords",
    "sendRecords",
    "sendRows",
    "stageBytes",
    "stageDevice",
    "stageMemory",
    "stageSize",
    "storeRecord",
    "unpackRecords",
];

/// How kernels move the records of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A block of records at once, through shared memory.
    Staged {
        /// Threads and records of a block.
        block: u64,
        /// The type as which they move.
        word: &'static str,
        /// Words of a record, the last one begun included.
        words: u64,
        /// Words between records in shared memory.
        pad: u64,
    },
    /// Each thread its own record.
    Direct,
}

/// Shared memory of a block, in bytes: several blocks run at once.
const ROOM: u64 = 24 << 10;
/// The most that every device has without being asked for it.
const MOST_ROOM: u64 = 48 << 10;

impl Form {
    /// The form for records of a size and an alignment.
    fn of(size: u64, align: u64) -> Form {
        let (word, bytes) = match align {
            0..=4 => ("unsigned", 4),
            8 => ("uint2", 8),
            16 => ("uint4", 16),
            _ => return Form::Direct,
        };
        // An odd number of words from record to record: the threads of a warp meet in no bank.
        let pad = u64::from(size.is_multiple_of(2 * bytes));
        let room = |block: u64| block * (size + pad * bytes);
        let block = [256, 128, 64].into_iter().find(|block| room(*block) <= ROOM).unwrap_or(32);
        match size > 0 && room(block) <= MOST_ROOM {
            true => Form::Staged { block, word, words: size.div_ceil(bytes), pad },
            false => Form::Direct,
        }
    }
}

/// What a program's structs have in common.
#[derive(Clone, Debug)]
pub(crate) struct Conversions {
    names: BTreeMap<&'static str, String>,
    /// What any struct needs.
    needs: Needs,
    has_staged: bool,
    has_direct: bool,
    /// Shared memory and barriers mean what they are.
    may_stage: bool,
    keeps_stage: bool,
}

impl Conversions {
    /// The functions for the storages of a program; `needs` get what the functions need of each.
    pub(crate) fn new<'a>(
        program: &Program,
        storages: impl Iterator<Item = (&'a Storage, &'a mut Needs)>,
    ) -> Self {
        let macros = macro_names(program);
        let is_free = |word: &&str| !macros.contains(*word);
        let may_stage = ["__shared__", "__syncthreads"].iter().all(is_free);
        let mut found = Conversions {
            names: BTreeMap::new(),
            needs: Needs::default(),
            has_staged: false,
            has_direct: false,
            may_stage,
            keeps_stage: is_free(&"thread_local") && keeps_stage(program),
        };
        let storages: Vec<_> = storages.filter(|(storage, _)| !storage.is_opencl).collect();
        // One function for all of them reads the record that a copy changes.
        let is_partial = storages.iter().any(|(_, needs)| needs.partial);
        for (storage, needs) in storages {
            needs.partial |= is_partial;
            *needs = needs.with_pack();
            found.needs.join(needs);
            if needs.unpack() || needs.pack {
                match found.form(storage) {
                    Form::Staged { .. } => found.has_staged = true,
                    Form::Direct => found.has_direct = true,
                }
            }
        }
        found
    }

    /// The same under names that nothing has yet.
    pub(crate) fn under_new_names(&self, names: &mut Names) -> Self {
        let names = WORDS.iter().map(|word| (*word, names.fresh(word))).collect();
        Conversions { names, ..self.clone() }
    }

    /// Whether a storage uses any of the functions.
    pub(crate) fn serves(needs: &Needs) -> bool {
        let needs = needs.with_pack();
        needs.unpack() || needs.pack || needs.moves() || needs.fill || needs.fill_async
    }

    fn is_needed(&self) -> bool {
        Self::serves(&self.needs)
    }

    /// How the records of a storage move.
    pub(super) fn form(&self, storage: &Storage) -> Form {
        match self.may_stage {
            true => Form::of(storage.shape.shape.size.0, storage.shape.shape.align.0),
            false => Form::Direct,
        }
    }

    /// The name of a function or member.
    pub(super) fn name(&self, word: &str) -> &str {
        self.names.get(word).map_or("", String::as_str)
    }

    /// The kernels that a storage with these needs launches.
    pub(super) fn kernels(&self, needs: Needs) -> Vec<String> {
        let mut names = Vec::new();
        for (is_needed, word) in [
            (needs.pack, "packRecords"),
            (needs.unpack(), "unpackRecords"),
            (needs.moves(), "moveRecords"),
        ] {
            if is_needed {
                names.push(self.name(word).to_owned());
            }
        }
        names
    }

    /// The text, starting with a line break; nothing where nothing is needed.
    pub(crate) fn text(&self) -> String {
        let needs = self.needs;
        let (rows_in, rows_out) =
            (needs.rows_in || needs.rows_in_async, needs.rows_out || needs.rows_out_async);
        let (sends, fetches) =
            (needs.copy_in || needs.copy_in_async, needs.copy_out || needs.copy_out_async);
        let waits = needs.copy_in || needs.copy_out || needs.rows_in || needs.rows_out;
        let sections = [
            ("launch_error", self.is_needed()),
            ("stage_bytes", sends || fetches || rows_in || rows_out || needs.copy_peer),
            ("stage", waits),
            ("stage_kept", waits && self.keeps_stage),
            ("stage_each", waits && !self.keeps_stage),
            ("unpack", needs.unpack()),
            ("pack", needs.pack),
            ("move", needs.moves()),
            ("send", sends),
            ("fetch", fetches),
            ("in", needs.copy_in),
            ("out", needs.copy_out),
            ("in_async", needs.copy_in_async),
            ("out_async", needs.copy_out_async),
            ("within_async", needs.moves()),
            ("within", needs.copy_within),
            ("rows", rows_in || rows_out),
            ("send_rows", rows_in),
            ("fetch_rows", rows_out),
            ("rows_in", needs.rows_in),
            ("rows_in_async", needs.rows_in_async),
            ("rows_out", needs.rows_out),
            ("rows_out_async", needs.rows_out_async),
            ("peer", needs.copy_peer),
            ("device", needs.several_devices && self.is_needed()),
        ];
        let flags = [
            ("staged", self.has_staged),
            ("both", self.has_staged && self.has_direct),
            ("only_staged", !self.has_direct),
            ("only_direct", !self.has_staged),
            ("partial", needs.partial),
            ("whole", !needs.partial),
            ("each", !self.keeps_stage),
        ];
        let is_on = |list: &[(&str, bool)], name: &str| {
            list.iter().any(|(own, is_needed)| *own == name && *is_needed)
        };
        let mut out = String::new();
        let mut is_wanted = false;
        for line in TEXT.lines() {
            if let Some(name) = line.strip_prefix("@@ ") {
                debug_assert!(sections.iter().any(|(own, _)| *own == name), "section `{name}`");
                is_wanted = is_on(&sections, name);
                out.truncate(out.trim_end().len());
                out.push_str(if out.is_empty() { "\n" } else { "\n\n" });
                continue;
            }
            let flagged = line.strip_prefix('@').and_then(|rest| rest.split_once(' '));
            let (is_own, line) = match flagged {
                Some((flag, line)) => (is_on(&flags, flag), line),
                None => (true, line),
            };
            if is_wanted && is_own {
                let _ = writeln!(out, "{}", self.named(line));
            }
        }
        out.truncate(out.trim_end().len());
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    /// A line with the names that were given out.
    fn named(&self, line: &str) -> String {
        let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        let mut out = String::with_capacity(line.len());
        let mut end = 0;
        for token in tokens(code) {
            let word = token.text(code);
            let name =
                (token.kind == TokenKind::Identifier).then(|| self.names.get(word)).flatten();
            out.push_str(&code[end..token.start as usize]);
            out.push_str(name.map_or(word, String::as_str));
            end = token.end as usize;
        }
        out.push_str(&code[end..]);
        out.push_str(comment);
        out
    }
}

/// Names of functions that end what the program has on a device, or say how much memory is left there.
const NOTICES: &[&str] = &[
    "cudaDeviceReset",
    "cudaThreadExit",
    "cudaMemGetInfo",
    "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetMemoryInfo_v2",
];

/// The same by how names begin: the driver's interface, and contexts beside the device's own.
const NOTICE_BEGINNINGS: &[&str] = &[
    "cuCtx",
    "cuDevicePrimaryCtx",
    "cuGreenCtx",
    "cuMemGetInfo",
    "cudaDeviceGetExecutionCtx",
    "cudaExecutionCtx",
    "cudaGreenCtx",
];

/// Whether memory that stays allocated between copies stays valid, and nobody counts it.
///
/// *Claim:* neither the program's text nor functions that it declares and does not define reset a device, leave its
/// context, or ask how much memory is free. Libraries that do so would take the program's own arrays away from it.
fn keeps_stage(program: &Program) -> bool {
    let notices = |name: &str| {
        NOTICES.contains(&name)
            || NOTICE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    // Bodies of macros, and branches that are not compiled here, are text only.
    let ours = program.files.iter().filter(|file| !program.is_foreign(file.id));
    let mut texts = ours.map(|file| program.sources.file(file.id).text());
    if program.identifiers.iter().any(|name| notices(name))
        || texts.any(|text| tokens(text).iter().any(|token| notices(token.text(text))))
    {
        return false;
    }
    let is_unseen = |id: layoutc_syntax::FunctionId| {
        let function = program.function(id);
        let is_there = function.body.is_some()
            || function.copy_of.is_some()
            || function.is_pure
            || function.is_deleted
            || function.is_defaulted;
        let is_ours = || function.sites.iter().any(|site| !program.is_foreign(site.span.file));
        !is_there && function.space != ExecutionSpace::Device && is_ours()
    };
    !program.function_ids().any(is_unseen)
}

/// The struct of an array that the functions take.
pub(super) fn records(storage: &Storage, needs: Needs, library: &Conversions, out: &mut String) {
    let (loads, stores) = (needs.pack || needs.moves(), needs.unpack() || needs.moves());
    if !loads && !stores {
        return;
    }
    let (record, prefix) = (mention(&storage.record), &storage.prefix);
    let name = library.name_of(storage);
    let _ = write!(
        out,
        "\n// An array of `{record}` for copies: the functions that take such structs load and store its elements one by one.\n\
         struct {name} {{\n    typedef {record} {};\n",
        library.name("RecordType"),
    );
    if needs.unpack() || needs.pack {
        let staged = |value: u64| match library.has_staged && library.has_direct {
            true => format!("    static const bool {} = {value};\n", library.name("isStaged")),
            false => String::new(),
        };
        let (block, words, pad) =
            (library.name("blockRecords"), library.name("recordWords"), library.name("padWords"));
        let _ = match library.form(storage) {
            Form::Staged { block: size, word, words: count, pad: gap } => write!(
                out,
                "    typedef {word} {};\n    static const unsigned {block} = {size}, {words} = {count}, {pad} = {gap};\n{}",
                library.name("WordType"),
                staged(1),
            ),
            Form::Direct => write!(
                out,
                "    typedef unsigned {};\n    static const unsigned {block} = 256, {words} = 1, {pad} = 0;\n{}",
                library.name("WordType"),
                staged(0),
            ),
        };
    }
    let _ = writeln!(out, "    {};", handle_or_pointer(storage, "p"));
    for extent in extents(storage).split(", ").filter(|extent| !extent.is_empty()) {
        let _ = writeln!(out, "    {extent};");
    }
    let number = numbered(storage, "i");
    if stores {
        let store = match storage.is_record {
            true => format!("p[{number}] = e"),
            false => format!("{prefix}Store(p, {number}, e)"),
        };
        let _ = writeln!(
            out,
            "    __device__ __forceinline__ void {}(size_t i, const {record} &e) const {{ {store}; }}",
            library.name("storeRecord")
        );
    }
    if loads {
        let load = match storage.is_record {
            true => format!("p[{number}]"),
            false => format!("{prefix}Load(p, {number})"),
        };
        let _ = writeln!(
            out,
            "    __device__ __forceinline__ {record} {}(size_t i) const {{ return {load}; }}",
            library.name("loadRecord")
        );
    }
    out.push_str("};\n");
}

impl Conversions {
    /// The name of a storage's struct.
    fn name_of(&self, storage: &Storage) -> String {
        format!("{}Records", crate::storage::upper_first(&storage.prefix))
    }

    /// The struct made of a parameter of the generated functions.
    pub(super) fn made(&self, storage: &Storage, parameter: &str, is_const: bool) -> String {
        let cast = match is_const && !storage.is_handle {
            true => format!("({} *)", storage.type_name),
            false => String::new(),
        };
        let more = super::extent_arguments(storage);
        format!("{}{{{cast}{parameter}{more}}}", self.name_of(storage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_text_are_locals_foreign_or_given_out() {
        for line in TEXT.lines().filter(|line| !line.starts_with("@@")) {
            let line = line
                .strip_prefix('@')
                .and_then(|rest| rest.split_once(' '))
                .map_or(line, |own| own.1);
            let code = line.split("//").next().unwrap_or(line);
            let all = tokens(code);
            for (at, token) in all.iter().enumerate() {
                let word = token.text(code);
                let is_member = at > 0 && matches!(all[at - 1].text(code), "." | "->");
                assert!(
                    token.kind != TokenKind::Identifier
                        || is_member
                        || WORDS.contains(&word)
                        || crate::hygiene::is_reserved(word),
                    "`{word}` in `{line}`"
                );
            }
        }
    }

    #[test]
    fn blocks_fit_in_shared_memory_and_records_lie_an_odd_number_of_words_apart() {
        assert_eq!(
            Form::of(28, 4),
            Form::Staged { block: 256, word: "unsigned", words: 7, pad: 0 }
        );
        assert_eq!(
            Form::of(32, 4),
            Form::Staged { block: 256, word: "unsigned", words: 8, pad: 1 }
        );
        assert_eq!(Form::of(48, 16), Form::Staged { block: 256, word: "uint4", words: 3, pad: 0 });
        assert_eq!(Form::of(3, 1), Form::Staged { block: 256, word: "unsigned", words: 1, pad: 0 });
        assert_eq!(
            Form::of(1500, 4),
            Form::Staged { block: 32, word: "unsigned", words: 375, pad: 0 }
        );
        assert_eq!(Form::of(1600, 4), Form::Direct);
        assert_eq!(Form::of(64, 32), Form::Direct);
    }
}
