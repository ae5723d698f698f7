//! Which bytes an access covers.

use layoutc_analysis::profile::Range;
use layoutc_dataflow::classes::{ClassShape, PlaceKind};
use layoutc_syntax::{ExprId, FieldId, Program, abi};

/// The bytes that an access to some leaves (positions, ascending) covers, from the first byte of the object that
/// the expression is; none if they are not known.
///
/// Of an element, or of a member that is a record, these are the bytes of its leaves that are used; of another
/// member, of an item of a member array and of a lane of a vector all that the expression's type has.
pub(super) fn ranges(
    program: &Program,
    shape: &ClassShape,
    expr: ExprId,
    kind: &PlaceKind,
    leaves: &[u32],
) -> Option<Vec<Range>> {
    let path: &[FieldId] = match kind {
        PlaceKind::Element => &[],
        PlaceKind::Part(path) => path,
    };
    let is_inside = |leaf: &u32| {
        let own = &shape.members[*leaf as usize].path;
        own.len() > path.len() && own.starts_with(path)
    };
    if leaves.is_empty() || !leaves.iter().all(is_inside) {
        // The model has no sizes of the vectors of OpenCL C but as members.
        let of_type = abi::size_align(program, program.expr(expr).ty.id).map(|(bytes, _)| bytes);
        let of_leaf = || match leaves {
            [leaf] => Some(shape.shape.leaves[*leaf as usize].scalar_size.0),
            _ => None,
        };
        let bytes = of_type.or_else(of_leaf)?;
        return Some(vec![Range { offset: 0, bytes }]).filter(|_| bytes > 0);
    }
    let start = offset_of(program, path)?;
    let range = |leaf: &u32| {
        let leaf = &shape.shape.leaves[*leaf as usize];
        Some(Range { offset: leaf.offset.0.checked_sub(start)?, bytes: leaf.size().0 })
    };
    leaves.iter().map(range).collect::<Option<Vec<Range>>>().map(joined)
}

/// Where the member at the end of a path begins, in bytes from the start of the element.
fn offset_of(program: &Program, path: &[FieldId]) -> Option<u64> {
    let mut offset = 0;
    for field in path {
        let record = program.field(*field).record;
        let at = program.record(record).fields.iter().position(|own| own == field)?;
        offset += abi::record_layout(program, record)?.offsets.get(at)?;
    }
    Some(offset)
}

/// Ranges in their order; those that meet or overlap as one.
pub(super) fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut found: Vec<Range> = Vec::new();
    for range in ranges {
        match found.last_mut().filter(|last| range.offset <= last.offset + last.bytes) {
            Some(last) => last.bytes = last.bytes.max(range.offset + range.bytes - last.offset),
            None => found.push(range),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_are_one() {
        let range = |(offset, bytes)| Range { offset, bytes };
        let given = [(20, 4), (0, 8), (8, 4), (2, 3), (16, 2)].map(range).to_vec();
        assert_eq!(joined(given), [(0, 12), (16, 2), (20, 4)].map(range));
    }
}
