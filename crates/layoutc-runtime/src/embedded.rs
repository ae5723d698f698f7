//! The C++ side of the runtime, as text inside the crate: an installed binary needs no files beside it.

use std::io;
use std::path::Path;

/// One file of the C++ side: its path below the folder it is written to, and its text.
type EmbeddedFile = (&'static str, &'static str);

macro_rules! embedded {
    ($folder:literal: $($path:literal,)*) => {
        &[$(($path, include_str!(concat!("../", $folder, "/", $path)))),*]
    };
}

/// Headers that stand in for CUDA's.
const HEADERS: &[EmbeddedFile] = embedded!("include":
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda_fp16.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "curand_kernel.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "layoutc/algorithms.hpp",
    "layoutc/api_functions.h",
    "layoutc/api_types.hpp",
    "layoutc/atomics.hpp",
    "layoutc/cooperative_groups.hpp",
    "layoutc/device.hpp",
    "layoutc/execution.hpp",
    "layoutc/half.hpp",
    "layoutc/intrinsics.hpp",
    "layoutc/memory.hpp",
    "layoutc/profile.hpp",
    "layoutc/qualifiers.hpp",
    "layoutc/texture.hpp",
    "layoutc/vector_types.hpp",
    "layoutc/warp.hpp",
    "layoutc_runtime.hpp",
    "math_constants.h",
    "math_functions.h",
    "texture_types.h",
    "thrust/copy.h",
    "thrust/count.h",
    "thrust/device_ptr.h",
    "thrust/device_reference.h",
    "thrust/device_vector.h",
    "thrust/execution_policy.h",
    "thrust/extrema.h",
    "thrust/fill.h",
    "thrust/find.h",
    "thrust/for_each.h",
    "thrust/functional.h",
    "thrust/gather.h",
    "thrust/host_vector.h",
    "thrust/logical.h",
    "thrust/partition.h",
    "thrust/random.h",
    "thrust/reduce.h",
    "thrust/remove.h",
    "thrust/reverse.h",
    "thrust/scatter.h",
    "thrust/sequence.h",
    "thrust/sort.h",
    "thrust/swap.h",
    "thrust/system/cuda/execution_policy.h",
    "thrust/transform.h",
    "thrust/transform_reduce.h",
    "cuda_texture_types.h",
    "sm_60_atomic_functions.h",
    "sm_20_atomic_functions.h",
    "sm_30_intrinsics.h",
    "sm_35_intrinsics.h",
    "vector_functions.h",
    "vector_types.h",
);

/// The compiled part.
const RUNTIME: &[EmbeddedFile] = embedded!("runtime":
    "api.cpp",
    "block.hpp",
    "clock.cpp",
    "context.hpp",
    "copies.cpp",
    "faults.cpp",
    "fibers.cpp",
    "log.cpp",
    "memory.cpp",
    "profile.cpp",
    "profile_sums.hpp",
    "runtime.cpp",
    "state.hpp",
    "trace.cpp",
    "warp.hpp",
);

/// Writes the headers below `include` and the compiled part below `runtime`.
pub(crate) fn write_all(include: &Path, runtime: &Path) -> io::Result<()> {
    for (folder, files) in [(include, HEADERS), (runtime, RUNTIME)] {
        for (path, text) in files {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, text)?;
        }
    }
    Ok(())
}

/// A number that changes with any of the files (FNV-1a).
pub(crate) fn fingerprint() -> u64 {
    let bytes =
        HEADERS.iter().chain(RUNTIME).flat_map(|(path, text)| path.bytes().chain(text.bytes()));
    hash(bytes)
}

/// FNV-1a, which is the same in each version of the compiler.
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    fn files_below(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("the crate's folder").flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                files_below(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }

    #[test]
    fn every_file_is_embedded() {
        for (folder, files) in [("include", super::HEADERS), ("runtime", super::RUNTIME)] {
            let mut found = BTreeSet::new();
            files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut found);
            let listed: BTreeSet<String> =
                files.iter().map(|(path, _)| (*path).to_owned()).collect();
            assert_eq!(found, listed);
        }
    }
}
