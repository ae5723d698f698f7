//! Where variables live and functions run, by the specifiers in front of them.

use super::Lowering;
use crate::program::{ExecutionSpace, Space};
use crate::types::{QualType, TypeKind};

impl Lowering<'_> {
    /// Whether it is a pointer in OpenCL C: an address space in front of it is that of the memory
    /// it points to.
    pub(super) fn is_opencl_pointer(&self, ty: QualType) -> bool {
        self.in_opencl() && matches!(self.program.types.kind(ty.id), TypeKind::Pointer(_))
    }
}

/// The specifiers that speak of the variable itself.
pub(super) fn words_of_variable<'w>(words: &[&'w str], is_opencl_pointer: bool) -> Vec<&'w str> {
    let is_own =
        |word: &&&str| !is_opencl_pointer || !matches!(**word, "__shared__" | "__constant__");
    words.iter().filter(is_own).copied().collect()
}

/// The memory of a variable.
pub(super) fn space_of_words(words: &[&str]) -> Space {
    if words.contains(&"__shared__") {
        Space::Shared
    } else if words.contains(&"__constant__") {
        Space::Constant
    } else if words.contains(&"__managed__") {
        Space::Managed
    } else if words.contains(&"__device__") {
        Space::Device
    } else {
        Space::Default
    }
}

/// Where a function runs. All functions of OpenCL C run on the device.
pub(super) fn space_of_function(words: &[&str], is_opencl: bool) -> ExecutionSpace {
    if is_opencl && !words.contains(&"__global__") {
        return ExecutionSpace::Device;
    }
    match (
        words.contains(&"__global__"),
        words.contains(&"__device__"),
        words.contains(&"__host__"),
    ) {
        (true, _, _) => ExecutionSpace::Kernel,
        (_, true, true) => ExecutionSpace::HostDevice,
        (_, true, false) => ExecutionSpace::Device,
        _ => ExecutionSpace::Host,
    }
}

/// The definition may repeat or omit what a prototype says.
pub(super) fn merge_spaces(left: ExecutionSpace, right: ExecutionSpace) -> ExecutionSpace {
    match (left, right) {
        (ExecutionSpace::Host, other) | (other, ExecutionSpace::Host) => other,
        (left, right) if left == right => left,
        (ExecutionSpace::Kernel, _) | (_, ExecutionSpace::Kernel) => ExecutionSpace::Kernel,
        _ => ExecutionSpace::HostDevice,
    }
}
