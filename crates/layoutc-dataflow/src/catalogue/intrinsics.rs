//! Functions of device code that do more than compute: accesses through an address, and waiting for other threads.

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read and a write that no other thread comes between; it is served in the second-level cache.
    Atomic,
}

/// Loads of CUDA with a cache hint.
const LOADS: [&str; 6] = ["__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu"];

/// Stores of CUDA with a cache hint.
const STORES: [&str; 4] = ["__stwb", "__stcg", "__stcs", "__stwt"];

/// Barriers and fences of OpenCL C (6.15.8 and 6.15.9), and those of cooperative groups.
const BARRIERS: [&str; 7] = [
    "barrier",
    "work_group_barrier",
    "sub_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "sync",
];

/// What a function does to the one scalar whose address is its first argument; it touches nothing else of an array.
#[must_use]
pub fn access(name: &str) -> Option<AccessKind> {
    if LOADS.contains(&name) {
        return Some(AccessKind::Read);
    }
    if STORES.contains(&name) {
        return Some(AccessKind::Write);
    }
    let operation = atomic_operation(name)?;
    if operation.contains("fence") {
        None
    } else if operation.starts_with("load") {
        Some(AccessKind::Read)
    } else if operation.starts_with("store") || operation == "init" {
        Some(AccessKind::Write)
    } else {
        Some(AccessKind::Atomic)
    }
}

/// Whether what other threads stored may be seen behind a call.
#[must_use]
pub fn synchronizes(name: &str) -> bool {
    name.starts_with("__sync")
        || name.starts_with("__threadfence")
        || atomic_operation(name).is_some()
        || BARRIERS.contains(&name)
}

/// What the names of functions begin with that CUDA has for device code alone: those that a template for host and device
/// may call with what depends on its parameters.
const FOR_DEVICE_ALONE: [&str; 5] = ["atomic", "__", "tex", "surf", "curand"];

/// Whether a function of CUDA may be one for device code alone.
#[must_use]
pub fn may_be_for_device_alone(name: &str) -> bool {
    FOR_DEVICE_ALONE.iter().any(|start| name.starts_with(start))
}

/// `Add` of `atomicAdd` and `add` of `atomic_add`, and of `atom_add` of the extensions before OpenCL 1.1.
fn atomic_operation(name: &str) -> Option<&str> {
    let operation = name.strip_prefix("atomic").or_else(|| name.strip_prefix("atom_"))?;
    Some(operation.trim_start_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_operations_of_all_languages_access() {
        for name in ["atomicAdd", "atomicCAS_system", "atomic_add", "atom_inc", "atomic_xchg"] {
            assert_eq!(access(name), Some(AccessKind::Atomic), "{name}");
            assert!(synchronizes(name), "{name}");
        }
        assert_eq!(access("atomic_load_explicit"), Some(AccessKind::Read));
        assert_eq!(access("atomic_store"), Some(AccessKind::Write));
        assert_eq!(access("atomic_init"), Some(AccessKind::Write));
    }

    #[test]
    fn fences_access_nothing() {
        for name in ["atomic_work_item_fence", "__threadfence_block", "__syncthreads", "barrier"] {
            assert_eq!(access(name), None, "{name}");
            assert!(synchronizes(name), "{name}");
        }
    }

    #[test]
    fn hinted_accesses_do_not_wait() {
        for (name, kind) in [("__ldg", AccessKind::Read), ("__stcs", AccessKind::Write)] {
            assert_eq!((access(name), synchronizes(name)), (Some(kind), false));
        }
        assert_eq!((access("sqrtf"), synchronizes("sqrtf")), (None, false));
    }
}
