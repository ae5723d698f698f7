//! Texts that say what classes of the libraries of C++ and CUDA mean.
//!
//! An owner of the library is a class template as those of programs are: its instance for an element whose layout changes is
//! written out, with the members that the program uses. So the text has to be a complete implementation, in the names that only a
//! library may use, and what has no form in the model (packs, member templates) is not in it.

/// The name of a header that is not read and the text that says what it means, by how an `#include` spells it.
pub(crate) fn of_header(spelled: &str) -> Option<(&'static str, &'static str)> {
    match spelled {
        "memory" => Some(("<memory>", include_str!("models/memory.hpp"))),
        "thrust/device_vector.h" => {
            Some(("<thrust/device_vector.h>", include_str!("models/device_vector.hpp")))
        }
        _ => None,
    }
}
