//! Types of libraries whose objects stay whole.
//!
//! The model does not take an *opaque* type apart, and needs not: a member of such a type is a leaf of
//! its record, and in any layout it is an lvalue of that type. So whatever takes the object by value or
//! reference, or calls its members, compiles as it is and means the same.
//!
//! *Claim* for each type listed here: host and device agree on its size and alignment, an object is
//! copied as its bytes are, and making one without an initializer does nothing. Sizes decide prices and
//! never addresses: generated text says `sizeof`.

use std::collections::BTreeMap;

/// A type that stays whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpaqueType {
    /// Its name with its namespaces.
    pub name: String,
    /// `sizeof`, in bytes.
    pub size: u64,
    /// `alignof`, in bytes.
    pub align: u64,
}

/// The opaque types that a program can name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OpaqueTypes {
    types: BTreeMap<String, OpaqueType>,
    /// Whether `std::array` and `cuda::std::array` are known.
    arrays: [bool; 2],
}

/// Options of glm with which its types are aligned otherwise, or set themselves to zero.
const GLM_OPTIONS: [&str; 3] =
    ["GLM_FORCE_DEFAULT_ALIGNED_GENTYPES", "GLM_FORCE_ALIGNED", "GLM_FORCE_CTOR_INIT"];

/// The scalars of glm's types by their prefix, with their sizes in bytes.
const GLM_SCALARS: [(&str, u64); 16] = [
    ("", 4),
    ("f", 4),
    ("d", 8),
    ("i", 4),
    ("u", 4),
    ("b", 1),
    ("f32", 4),
    ("f64", 8),
    ("i8", 1),
    ("i16", 2),
    ("i32", 4),
    ("i64", 8),
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("u64", 8),
];

/// Options of Eigen with which its objects set themselves to something, or have members of the program.
const EIGEN_OPTIONS: [&str; 8] = [
    "EIGEN_INITIALIZE_MATRICES_BY_ZERO",
    "EIGEN_INITIALIZE_MATRICES_BY_NAN",
    "EIGEN_ARRAYBASE_PLUGIN",
    "EIGEN_ARRAY_PLUGIN",
    "EIGEN_DENSEBASE_PLUGIN",
    "EIGEN_MATRIXBASE_PLUGIN",
    "EIGEN_MATRIX_PLUGIN",
    "EIGEN_PLAINOBJECTBASE_PLUGIN",
];

/// Shapes of Eigen's small objects with the number of their items. Objects of a multiple of 16 bytes are not among them: what
/// they are aligned to depends on the processor that is compiled for.
const EIGEN: [(&str, u64); 8] = [
    ("Vector2", 2),
    ("Vector3", 3),
    ("RowVector2", 2),
    ("RowVector3", 3),
    ("Array2", 2),
    ("Array3", 3),
    ("Array33", 9),
    ("Matrix3", 9),
];

/// Names, sizes and alignments of the plain structs of the CUDA libraries, by the header that has them.
const CUDA: [(&str, &str, u64, u64); 10] = [
    ("curand_kernel.h", "curandState", 48, 8),
    ("curand_kernel.h", "curandState_t", 48, 8),
    ("curand_kernel.h", "curandStateXORWOW", 48, 8),
    ("curand_kernel.h", "curandStateXORWOW_t", 48, 8),
    ("curand_kernel.h", "curandStateMRG32k3a", 48, 8),
    ("curand_kernel.h", "curandStateMRG32k3a_t", 48, 8),
    ("curand_kernel.h", "curandStatePhilox4_32_10", 64, 16),
    ("curand_kernel.h", "curandStatePhilox4_32_10_t", 64, 16),
    ("cuda_bf16.h", "__nv_bfloat16", 2, 2),
    ("cuda_bf16.h", "nv_bfloat16", 2, 2),
];

impl OpaqueTypes {
    /// The types of well-known libraries whose headers a program includes.
    ///
    /// `includes` are the headers as the program names them, `is_macro` says whether a macro of that
    /// name has a definition anywhere.
    pub fn well_known<'a>(
        includes: impl Iterator<Item = &'a str>,
        is_macro: impl Fn(&str) -> bool,
    ) -> Self {
        let mut this = OpaqueTypes::default();
        let includes: Vec<&str> = includes.collect();
        let has_glm = includes.iter().any(|name| name.starts_with("glm/"));
        if has_glm && !GLM_OPTIONS.iter().any(|option| is_macro(option)) {
            this.add_glm();
        }
        let is_eigen =
            |name: &&str| name.starts_with("Eigen/") || name.starts_with("eigen3/Eigen/");
        if includes.iter().any(is_eigen) && !EIGEN_OPTIONS.iter().any(|option| is_macro(option)) {
            this.add_eigen();
        }
        this.arrays = ["array", "cuda/std/array"].map(|header| includes.contains(&header));
        for (header, name, size, align) in CUDA {
            if includes.contains(&header) {
                this.add(name.to_owned(), size, align);
            }
        }
        this
    }

    /// The namespace of which a header declares all types of the table.
    #[must_use]
    pub fn namespace_of(header: &str) -> Option<&'static str> {
        match header.strip_prefix("eigen3/").unwrap_or(header) {
            "glm/glm.hpp" => Some("glm"),
            "Eigen/Core" | "Eigen/Dense" | "Eigen/Eigen" => Some("Eigen"),
            _ => None,
        }
    }

    /// The type of that name, with its namespaces.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OpaqueType> {
        self.types.get(name)
    }

    /// Whether `cuda::std::array`, or `std::array`, is known.
    #[must_use]
    pub fn has_arrays(&self, of_cuda: bool) -> bool {
        self.arrays[usize::from(of_cuda)]
    }

    /// The types of a namespace.
    pub fn in_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a OpaqueType> {
        self.types.values().filter(move |own| {
            own.name.rsplit_once("::").is_some_and(|(around, _)| around == namespace)
        })
    }

    /// Adds a type; one that is known keeps its facts.
    pub fn add(&mut self, name: String, size: u64, align: u64) {
        let own = OpaqueType { name: name.clone(), size, align };
        self.types.entry(name).or_insert(own);
    }

    fn add_eigen(&mut self) {
        for (shape, items) in EIGEN {
            for (suffix, scalar) in [("f", 4), ("i", 4), ("d", 8)] {
                if (items * scalar) % 16 != 0 {
                    self.add(format!("Eigen::{shape}{suffix}"), items * scalar, scalar);
                }
            }
        }
    }

    fn add_glm(&mut self) {
        for (prefix, scalar) in GLM_SCALARS {
            for lanes in 1..=4 {
                self.add(format!("glm::{prefix}vec{lanes}"), lanes * scalar, scalar);
            }
            let is_real = matches!(prefix, "" | "f" | "d" | "f32" | "f64");
            if !is_real {
                continue;
            }
            self.add(format!("glm::{prefix}quat"), 4 * scalar, scalar);
            for columns in 2..=4 {
                self.add(format!("glm::{prefix}mat{columns}"), columns * columns * scalar, scalar);
                for rows in 2..=4 {
                    let name = format!("glm::{prefix}mat{columns}x{rows}");
                    self.add(name, columns * rows * scalar, scalar);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_eigen_have_the_size_of_their_items() {
        let known = OpaqueTypes::well_known(["Eigen/Dense"].into_iter(), |_| false);
        let size = |name: &str| known.get(name).map(|own| (own.size, own.align));
        assert_eq!(size("Eigen::Vector3f"), Some((12, 4)));
        assert_eq!(size("Eigen::Matrix3d"), Some((72, 8)));
        assert_eq!(size("Eigen::Vector2d"), None);
        let zeroed = |name: &str| name == "EIGEN_INITIALIZE_MATRICES_BY_ZERO";
        let known = OpaqueTypes::well_known(["Eigen/Dense"].into_iter(), zeroed);
        assert_eq!(known.get("Eigen::Vector3f"), None);
    }

    #[test]
    fn a_type_is_known_where_its_header_is_included() {
        let known = |includes: &[&str], macros: &[&str]| {
            let is_macro = |name: &str| macros.contains(&name);
            OpaqueTypes::well_known(includes.iter().copied(), is_macro)
        };
        let glm = known(&["glm/vec3.hpp"], &[]);
        let own = glm.get("glm::vec3").map(|own| (own.size, own.align));
        assert_eq!(own, Some((12, 4)));
        assert_eq!(glm.get("glm::dmat3x2").map(|own| own.size), Some(48));
        assert_eq!(glm.get("curandState"), None);
        assert_eq!(known(&["vector"], &[]).get("glm::vec3"), None);
        let aligned = known(&["glm/glm.hpp"], &["GLM_FORCE_DEFAULT_ALIGNED_GENTYPES"]);
        assert_eq!(aligned.get("glm::vec3"), None);
        let arrays = known(&["cuda/std/array"], &[]);
        assert_eq!([false, true].map(|of_cuda| arrays.has_arrays(of_cuda)), [false, true]);
    }
}
