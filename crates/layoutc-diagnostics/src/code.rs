//! The registry of diagnostic codes.
//!
//! A code is never renumbered and never reused. Each has a page in `explain/`, which
//! `layoutc explain CODE` prints.

use std::fmt;

/// A registered diagnostic code, printed as `LC0012`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(u16);

/// What the registry knows of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// Kebab-case name of the problem.
    pub name: &'static str,
    /// The page that `layoutc explain` prints, in Markdown.
    pub explanation: &'static str,
}

impl Code {
    /// The registry's entry.
    #[must_use]
    pub fn info(self) -> &'static CodeInfo {
        CODES.iter().find(|info| info.code == self).expect("codes are made by the registry only")
    }

    /// The kebab-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The code with this spelling: `LC0012`, `lc12` or `escaping-pointer`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Code> {
        let number = text.strip_prefix("LC").or_else(|| text.strip_prefix("lc")).unwrap_or(text);
        CODES
            .iter()
            .find(|info| info.name == text || number.parse() == Ok(info.code.0))
            .map(|info| info.code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "LC{:04}", self.0)
    }
}

macro_rules! codes {
    ($($constant:ident = $number:literal, $file:literal, $name:literal, $doc:literal;)*) => {
        impl Code {
            $(#[doc = $doc] pub const $constant: Code = Code($number);)*
        }

        /// Every code, in ascending order.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: Code::$constant,
            name: $name,
            explanation: include_str!(concat!("../explain/", $file, ".md")),
        },)*];
    };
}

codes! {
    UNREADABLE_INPUT = 1, "LC0001", "unreadable-input", "An input file is missing, a directory, binary or not UTF-8.";
    UNPARSED_REGION = 2, "LC0002", "unparsed-region", "A region does not parse; what it may touch keeps its layout.";
    NESTING_TOO_DEEP = 3, "LC0003", "nesting-too-deep", "Brackets are nested deeper than the front end goes.";
    MISSING_INCLUDE = 4, "LC0004", "missing-include", "A local header cannot be found.";
    INACTIVE_BRANCH = 5, "LC0005", "inactive-branch", "A branch of `#if` that is not compiled mentions the class.";
    ESCAPING_POINTER = 10, "LC0010", "escaping-pointer", "A pointer into the array reaches code that cannot be seen.";
    INCOMPATIBLE_CAST = 11, "LC0011", "incompatible-cast", "A pointer into the array is cast to another element type.";
    BYTE_ARITHMETIC = 12, "LC0012", "byte-arithmetic", "The array is addressed in bytes.";
    UNION_MEMBER = 13, "LC0013", "union-member", "The record is, or holds, a union or a bit-field.";
    OFFSETOF = 14, "LC0014", "offsetof", "The program asks for the offset of a field.";
    VIRTUAL_RECORD = 15, "LC0015", "virtual-record", "The record has virtual functions or virtual bases.";
    ADDRESS_AS_INTEGER = 16, "LC0016", "address-as-integer", "An address in the array is stored as an integer.";
    FIELD_ADDRESS = 17, "LC0017", "field-address", "The address of a field is kept or passed on.";
    INLINE_ASSEMBLY = 18, "LC0018", "inline-assembly", "Inline assembly touches the array.";
    POINTER_COMPARISON = 19, "LC0019", "pointer-comparison", "Element addresses are compared or subtracted.";
    UNTYPED_POINTER = 20, "LC0020", "untyped-pointer", "A pointer into the array is kept in a variable of another type.";
    INCOMPATIBLE_LAYOUTS = 21, "LC0021", "incompatible-layouts", "Two different layouts meet in one pointer.";
    MANAGED_MEMORY = 22, "LC0022", "managed-memory", "Host code accesses an array of which only some memory is managed.";
    HOST_ACCESS = 23, "LC0023", "host-access", "Host code accesses an array in device memory.";
    OPAQUE_MACRO = 24, "LC0024", "opaque-macro", "A macro touches the array in a way that is not understood.";
    UNPROVABLE_SIZE = 25, "LC0025", "unprovable-size", "A byte count cannot be shown to be a whole number of elements.";
    SUB_RANGE = 26, "LC0026", "sub-range", "A pointer behind the first element is kept or freed.";
    UNSUPPORTED_RECORD = 27, "LC0027", "unsupported-record", "The record has a form that is not split yet.";
    TEMPLATE_USE = 29, "LC0029", "template-use", "The array is used in a template.";
    SHARED_FUNCTION = 30, "LC0030", "shared-function", "A function is called with this array and with memory of another layout.";
    UNKNOWN_MEMORY = 31, "LC0031", "unknown-memory", "The array's memory comes from where its size cannot be seen.";
    DEVICE_SYMBOL = 32, "LC0032", "device-symbol", "The array is a symbol in device memory in a form that is not rewritten.";
    NOT_CUDA_FILE = 33, "LC0033", "not-a-cuda-file", "A file that must change is not compiled as CUDA.";
    AMBIGUOUS_NAME = 34, "LC0034", "ambiguous-name", "A name has several meanings in this program.";
    SEVERAL_MEANINGS = 36, "LC0036", "several-meanings", "A text means different things in different compilations.";
    HOST_ARRAY_CONVERTS = 37, "LC0037", "host-array-converts", "A host array keeps the source's layout although another was asked for.";
    UNKNOWN_LAYOUT = 40, "LC0040", "unknown-layout", "A layout specification cannot be read.";
    UNKNOWN_FIELD = 41, "LC0041", "unknown-field", "A layout specification names a field that the record does not have.";
    UNKNOWN_CLASS = 42, "LC0042", "unknown-class", "A layout specification names no array and no record of the program.";
    OVERLAPPING_GROUPS = 43, "LC0043", "overlapping-groups", "A layout specification puts a field into two groups.";
    INVALID_TILE = 44, "LC0044", "invalid-tile", "A tile size is zero or too large.";
    INDIVISIBLE_FIELD = 45, "LC0045", "indivisible-field", "The program uses as a whole what the layout divides.";
    ALREADY_TRANSFORMED = 46, "LC0046", "already-transformed", "An earlier run gave the array another layout than the one asked for.";
    PRAGMA_PLACE = 47, "LC0047", "pragma-place", "A pragma of a layout stands above nothing that it can speak of.";
    REQUIRED_CLASS_KEPT = 50, "LC0050", "required-class-kept", "A class named by `--require` keeps its layout.";
    HEADER_MUST_CHANGE = 51, "LC0051", "header-must-change", "The rewrite needs more than the one output file.";
    OUTPUT_CONFLICT = 52, "LC0052", "output-conflict", "The output cannot be written where it was asked for.";
    NO_GAIN = 53, "LC0053", "no-gain", "Another layout would not help this array.";
    GRID_SYNTAX = 60, "LC0060", "grid-syntax", "A pragma of layoutc cannot be read.";
    GRID_NAME = 61, "LC0061", "grid-name", "A pragma names no array of the declaration below it.";
    GRID_EXTENT = 62, "LC0062", "grid-extent", "An extent of a grid is not known, not positive or not fixed.";
    GRID_RANK = 63, "LC0063", "grid-rank", "The accesses of a grid have other dimensions than its pragma.";
    GRID_SIZE = 64, "LC0064", "grid-size", "The extents of a grid do not multiply to its allocation.";
    GRID_CONFLICT = 65, "LC0065", "grid-conflict", "Two pragmas give different extents to one grid.";
    GRID_BOUNDS = 66, "LC0066", "grid-bounds", "An index leaves the extent that a pragma declares.";
    GRID_UNPROVEN = 67, "LC0067", "grid-unproven", "An index is not shown to stay inside its extent.";
    GRID_ASSUMED = 68, "LC0068", "grid-assumed", "An index is taken to stay inside its extent.";
    GRID_FORM = 69, "LC0069", "grid-form", "The indices or extents of an array do not show a grid that can be rewritten.";
    OPENCL_KERNEL = 70, "LC0070", "opencl-kernel", "It cannot be seen which OpenCL kernel this is.";
    OPENCL_ARGUMENT = 71, "LC0071", "opencl-argument", "An argument of an OpenCL kernel is not plain, or has the wrong size.";
    OPENCL_BUFFER = 72, "LC0072", "opencl-buffer", "An OpenCL buffer is used in a way that is not followed.";
    OPENCL_SOURCE = 73, "LC0073", "opencl-source", "The host program does not name the text with this kernel.";
    OPENCL_RECORD = 74, "LC0074", "opencl-record", "A struct differs between host and kernel.";
    PROFILE = 75, "LC0075", "profile", "A recorded run cannot be read, or is not one of this program.";
    FOREIGN_HEADER = 76, "LC0076", "foreign-header", "The change would reach a header that is not part of the program.";
    UNMODELLED_CONSTRUCT = 77, "LC0077", "unmodelled-construct", "A construct that is not modelled mentions the array.";
    DECLARATION_FORM = 78, "LC0078", "declaration-form", "What holds the array is declared in a form that is not rewritten.";
    POINTER_EXPRESSION = 79, "LC0079", "pointer-expression", "A pointer into the array stands in an expression that is not rewritten.";
    ELEMENT_EXPRESSION = 80, "LC0080", "element-expression", "A whole element stands in an expression that is not rewritten.";
    EVALUATION_ORDER = 81, "LC0081", "evaluation-order", "The rewrite would evaluate something in another order, or twice.";
    UNKNOWN_MEMBER = 82, "LC0082", "unknown-member", "It is not known which member this is, or what it holds.";
    FUNCTION_VERSION = 83, "LC0083", "function-version", "A function that takes elements cannot get a version for the new layout.";
    LAMBDA = 84, "LC0084", "lambda", "A lambda holds or accesses elements in a way that is not rewritten.";
    COPY_FORM = 85, "LC0085", "copy-form", "A copy or allocation of the array has a form that is not rewritten.";
    NAME_CONFLICT = 86, "LC0086", "name-conflict", "Generated code finds no free name or place.";
    MERGE_FORM = 87, "LC0087", "merge-form", "These arrays cannot be put together.";
    NOT_LAUNCHED = 88, "LC0088", "not-launched", "A file that must change is compiled without layoutc.";
    NOT_MEASURED = 89, "LC0089", "not-measured", "The compiler does not say how large members are.";
    DIFFERENT_RESULT = 90, "LC0090", "different-result", "The rewritten program did something else than the original.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_parse_back() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for info in CODES {
            assert_eq!(Code::parse(&info.code.to_string()), Some(info.code));
            assert_eq!(Code::parse(info.name), Some(info.code));
        }
        assert_eq!(Code::parse("LC9999"), None);
    }

    #[test]
    fn every_page_says_what_to_change() {
        for info in CODES {
            let page = info.explanation;
            assert!(page.starts_with(&format!("# {} {}\n", info.code, info.name)), "{}", info.code);
            assert!(page.contains("\n## What to change\n"), "{}", info.code);
        }
    }
}
