//! A profile beside the program that was recorded.

use super::{ArrayInfo, ArraySource, CostModel};
use crate::cost::kernel::{Access, AccessKind, ArrayId};
use crate::profile::{Kind, Profile};
use layoutc_dataflow::classes::ClassId;
use layoutc_dataflow::layout::{LeafId, RecordShape};
use layoutc_diagnostics::{FileId, SourceSet, Span};
use std::collections::BTreeMap;

/// A place: a source's position, the first byte and the one behind the last.
type Bytes = (u32, u32, u32);

/// Bytes of parentheses on one side of an access, and of blanks in them.
const PARENTHESES: u32 = 4;

/// A profile, and how to find its accesses and loops by their places in a program's text.
///
/// *Invariant:* nothing is found by its order or its number. An access is found by its bytes in the text, its
/// kind and the leaves that it touches; what the program's model has and the profile has not, stays as it is.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    profile: &'a Profile,
    sources: BTreeMap<FileId, u32>,
    instructions: BTreeMap<Bytes, Vec<u32>>,
    /// By source, end and start.
    loops: BTreeMap<Bytes, u32>,
}

impl<'a> Recording<'a> {
    /// A profile beside the texts of the program, which [`Profile::is_of`] has compared. Texts that stand
    /// within another one, as kernels in a host program do, are parts of that one.
    #[must_use]
    pub fn new(profile: &'a Profile, texts: &SourceSet) -> Self {
        let named: BTreeMap<&str, u32> =
            profile.sources.iter().map(|source| source.path.as_str()).zip(0..).collect();
        let position = |path: &std::path::Path| named.get(path.to_string_lossy().as_ref()).copied();
        let sources =
            texts.iter().filter_map(|(file, text)| Some((file, position(text.path())?))).collect();
        Recording::of_files(profile, sources)
    }

    /// The same, where it is known which source each file is.
    #[must_use]
    pub fn of_files(profile: &'a Profile, sources: BTreeMap<FileId, u32>) -> Self {
        let mut instructions: BTreeMap<Bytes, Vec<u32>> = BTreeMap::new();
        for (instruction, at) in profile.instructions.iter().zip(0..) {
            let place = &instruction.place;
            instructions.entry((place.source, place.start, place.end)).or_default().push(at);
        }
        let loops = profile.loops.iter().map(|own| &own.place);
        let loops = loops.map(|place| (place.source, place.end, place.start)).zip(0..).collect();
        Recording { profile, sources, instructions, loops }
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// The loop whose statement is at `span`: a position in [`Profile::loops`]. It may begin earlier there, with
    /// its pragmas.
    #[must_use]
    pub fn loop_at(&self, span: Span) -> Option<u32> {
        let source = *self.sources.get(&span.file)?;
        let mut own = self.loops.range((source, span.end, 0)..=(source, span.end, span.start));
        own.next_back().map(|(_, at)| *at)
    }

    /// The instructions that an access of the model is, as positions in [`Profile::instructions`]: those of
    /// its bytes in the text and its kind that touch one of its leaves. Several, where instances of templates
    /// share a text or one macro accesses more than once.
    #[must_use]
    pub fn instructions_of(&self, access: &Access, shape: &RecordShape) -> Vec<u32> {
        // In the body of a macro, if it could be noted there.
        let in_body = self.bytes_of(access.text).and_then(|text| self.exactly(text));
        let near = || self.bytes_of(access.span).map(|span| self.near(span));
        let Some(found) = in_body.or_else(near) else { return Vec::new() };
        let is_meant = |at: &&u32| {
            let instruction = &self.profile.instructions[**at as usize];
            let is_kind = match (instruction.kind, access.kind) {
                (Kind::Update, AccessKind::Read | AccessKind::Write)
                | (Kind::Read, AccessKind::Read)
                | (Kind::Write, AccessKind::Write)
                | (Kind::Atomic, AccessKind::Atomic) => true,
                (Kind::Read | Kind::Write | Kind::Update | Kind::Atomic, _) => false,
            };
            is_kind && self.leaves(**at, shape).iter().any(|leaf| access.leaves.contains(leaf))
        };
        found.iter().filter(is_meant).copied().collect()
    }

    fn bytes_of(&self, span: Span) -> Option<Bytes> {
        self.sources.get(&span.file).map(|source| (*source, span.start, span.end))
    }

    /// The instructions at a place, or in parentheses around it.
    fn exactly(&self, (source, start, end): Bytes) -> Option<Vec<u32>> {
        if let Some(found) = self.instructions.get(&(source, start, end)) {
            return Some(found.clone());
        }
        let in_parentheses = |at: &&u32| {
            let text = &self.profile.instructions[**at as usize].text;
            text.starts_with('(') && text.ends_with(')')
        };
        let outside = self.instructions.range((source, 0, 0)..(source, start, 0));
        let around = outside.rev().take_while(|((_, first, _), _)| start - first <= PARENTHESES);
        let mut around =
            around.filter(|((_, _, last), _)| (end..=end + PARENTHESES).contains(last));
        around.next().map(|(_, found)| found.iter().filter(in_parentheses).copied().collect())
    }

    /// The instructions at a place; where there are none, those in parentheses around it; and where the place
    /// is the use of a macro, those in its arguments.
    fn near(&self, (source, start, end): Bytes) -> Vec<u32> {
        if let Some(found) = self.exactly((source, start, end)) {
            return found;
        }
        let inside = self.instructions.range((source, start, 0)..(source, end, 0));
        let inside = inside.filter(|((_, _, last), _)| *last <= end);
        inside.flat_map(|(_, found)| found).copied().collect()
    }

    /// What an instruction touches, as leaves of the program's record: they are found by their bytes.
    #[must_use]
    pub fn leaves(&self, instruction: u32, shape: &RecordShape) -> Vec<LeafId> {
        let instruction = &self.profile.instructions[instruction as usize];
        let array = &self.profile.arrays[instruction.array as usize];
        let ranges: Vec<(u64, u64)> = (instruction.leaves.iter())
            .map(|leaf| &array.leaves[*leaf as usize])
            .map(|leaf| (leaf.offset, leaf.offset + leaf.bytes))
            .collect();
        let is_touched = |leaf: &LeafId| {
            let own = shape.leaf(*leaf);
            let (start, end) = (own.offset.0, own.offset.0 + own.size().0);
            ranges.iter().any(|(first, last)| *first < end && start < *last)
        };
        shape.leaf_ids().filter(is_touched).collect()
    }

    /// The array of the model that each array of the profile is: the one whose accesses stand where its
    /// instructions do; for arrays none of whose accesses the model has, the only one of that record and
    /// names.
    #[must_use]
    pub fn arrays(&self, model: &CostModel) -> Vec<Option<ArrayId>> {
        let mut votes: BTreeMap<(u32, ArrayId), usize> = BTreeMap::new();
        for access in model.kernels.iter().flat_map(|kernel| &kernel.code.accesses) {
            let info = &model.arrays[access.array.0 as usize];
            if !matches!(info.source, ArraySource::Class(_)) {
                continue;
            }
            for instruction in self.instructions_of(access, &info.shape) {
                let array = self.profile.instructions[instruction as usize].array;
                let recorded = &self.profile.arrays[array as usize];
                if recorded.size == info.shape.size.0 {
                    *votes.entry((array, access.array)).or_default() += 1;
                }
            }
        }
        (self.profile.arrays.iter().zip(0..))
            .map(|(recorded, at)| {
                let own = votes.range((at, ArrayId(0))..=(at, ArrayId(u32::MAX)));
                // The first of several that are equal.
                let most = own.rev().max_by_key(|(_, votes)| **votes).map(|((_, array), _)| *array);
                most.or_else(|| by_name(recorded, &model.arrays))
            })
            .collect()
    }

    /// The instructions of each class of the model, as positions in [`Profile::instructions`].
    #[must_use]
    pub fn of_classes(&self, model: &CostModel) -> BTreeMap<ClassId, Vec<u32>> {
        let arrays = self.arrays(model);
        let mut found: BTreeMap<ClassId, Vec<u32>> = BTreeMap::new();
        for (instruction, at) in self.profile.instructions.iter().zip(0..) {
            let Some(array) = arrays[instruction.array as usize] else { continue };
            if let ArraySource::Class(class) = model.arrays[array.0 as usize].source {
                found.entry(class).or_default().push(at);
            }
        }
        found
    }
}

/// The only array of the model with a recorded array's record, size and one of its names.
fn by_name(recorded: &crate::profile::Array, arrays: &[ArrayInfo]) -> Option<ArrayId> {
    let is_same = |info: &&(&ArrayInfo, u32)| {
        matches!(info.0.source, ArraySource::Class(_))
            && info.0.shape.size.0 == recorded.size
            && (info.0.name == recorded.record || info.0.shape.name == recorded.record)
            && info.0.names.iter().any(|name| recorded.names.contains(name))
    };
    let with_ids: Vec<(&ArrayInfo, u32)> = arrays.iter().zip(0..).collect();
    let mut found = with_ids.iter().filter(is_same);
    let first = found.next()?;
    found.next().is_none().then_some(ArrayId(first.1))
}
