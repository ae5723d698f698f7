//! Versions of the functions that arrays share with other memory.

use layoutc_dataflow::classes::{Classes, find_classes_with};
use layoutc_diagnostics::Span;
use layoutc_syntax::{FunctionId, Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};

/// What tells versions apart: the function, which arguments are arrays, what the object is, and
/// whether the result is dropped.
type VersionKey = (FunctionId, BTreeSet<Option<usize>>, Option<RecordId>, bool);

/// How often versions may need versions of what they call.
const VERSION_ROUNDS: usize = 12;

/// How many versions a program may have.
const MOST_VERSIONS: usize = 200;

/// Finds the classes, with versions of the functions that array and other memory share, and whether
/// there are any.
///
/// Whatever cannot have a version, or would need too many, keeps the pin that sharing gives.
pub(crate) fn find_versions(
    program: &mut Program,
    native_copies: &BTreeSet<Span>,
    found: Option<Classes>,
) -> (Classes, bool) {
    let mut known: BTreeMap<VersionKey, Option<FunctionId>> = BTreeMap::new();
    let mut classes = match found {
        Some(found) if native_copies.is_empty() => found,
        _ => find_classes_with(program, native_copies),
    };
    let mut has_versions = false;
    for _ in 0..VERSION_ROUNDS {
        let mut redirected = false;
        let mut has_refused = false;
        for version in std::mem::take(&mut classes.versions) {
            let key = (version.function, version.arrays, version.object, version.drops_result);
            if !known.contains_key(&key) && known.len() < MOST_VERSIONS {
                let copy =
                    program.copy_function(version.function, version.object, version.drops_result);
                if let Err(why) = copy {
                    program.without_copies.entry(version.function).or_insert(why);
                    has_refused = true;
                }
                known.insert(key.clone(), copy.ok());
            }
            if let Some(copy) = known.get(&key).copied().flatten() {
                program.redirect_call(version.call, copy);
                redirected = true;
                has_versions = true;
            }
        }
        // The messages say why there is no version.
        if redirected || has_refused {
            classes = find_classes_with(program, native_copies);
        }
        if !redirected {
            break;
        }
    }
    (classes, has_versions)
}
