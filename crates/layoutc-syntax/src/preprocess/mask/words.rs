//! Words that tell what their neighbours are.

/// Whether a word is a specifier or qualifier that may stand before a declaration's type.
pub(super) fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "inline"
            | "extern"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "volatile"
            | "const"
            | "register"
            | "thread_local"
            | "__thread"
            | "__extension__"
            | "explicit"
            | "virtual"
            | "friend"
            | "mutable"
            | "noexcept"
            | "override"
            | "final"
            | "restrict"
            | "__restrict"
            | "__restrict__"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "__forceinline__"
            | "__noinline__"
            | "__global__"
            | "__device__"
            | "__host__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "__local__"
            | "__grid_constant__"
            | "__tile__"
            | "__tile_global__"
            | "__volatile__"
            | "__const"
            | "__cdecl"
            | "__stdcall"
            | "__fastcall"
            | "__vectorcall"
            | "__thiscall"
    )
}

/// Whether a word begins a specifier with arguments.
pub(super) fn is_specifier_call(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__attribute"
            | "__declspec"
            | "__launch_bounds__"
            | "__maxnreg__"
            | "__cluster_dims__"
            | "__block_size__"
            | "__align__"
            | "__builtin_align__"
            | "alignas"
            | "_Alignas"
            | "_Pragma"
            | "__pragma"
            | "noexcept"
            | "explicit"
            | "__nv_pure__"
    )
}

/// Whether a word is or ends a built-in type.
pub(super) fn is_builtin_type(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "wchar_t"
            | "char8_t"
            | "char16_t"
            | "char32_t"
            | "auto"
            | "_Bool"
            | "__int64"
            | "__int128"
    )
}

/// Whether a word can only be a specifier, however it is defined.
pub(super) fn is_known_undefined(word: &str) -> bool {
    matches!(
        word,
        "CUDART_CB"
            | "CUDARTAPI"
            | "CUDARTAPI_CDECL"
            | "CUDAAPI"
            | "CUDA_CB"
            | "CALLBACK"
            | "WINAPI"
            | "APIENTRY"
            | "GLAPIENTRY"
            | "GLUTCALLBACK"
            | "DLLEXPORT"
            | "HOST_DEVICE"
            | "__hostdev__"
            | "__host_device__"
            | "CUB_RUNTIME_FUNCTION"
            | "_CCCL_HOST_DEVICE"
            | "_CCCL_DEVICE"
            | "_CCCL_HOST"
            | "CUTLASS_DEVICE"
            | "CUTLASS_HOST_DEVICE"
            | "__cdecl"
            | "__stdcall"
            | "__fastcall"
            | "__vectorcall"
            | "__thiscall"
            | "__extension__"
            | "__nv_pure__"
            | "__maxnreg__"
            | "__cluster_dims__"
            | "__block_size__"
            | "MPI_COMM_PROC_CALLBACK"
    )
}

/// Whether a name looks like a macro's: no small letters, two letters at least.
pub(super) fn looks_like_macro(word: &str) -> bool {
    word.len() >= 2
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().filter(u8::is_ascii_uppercase).count() >= 2
}

/// Words after or before which a name is an operand.
pub(super) fn is_operator_word(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "else"
            | "do"
            | "goto"
            | "case"
            | "new"
            | "delete"
            | "throw"
            | "sizeof"
            | "typedef"
            | "struct"
            | "class"
            | "union"
            | "enum"
            | "typename"
            | "using"
            | "namespace"
            | "template"
            | "operator"
            | "and"
            | "or"
            | "not"
            | "alignof"
            | "co_return"
            | "co_await"
            | "co_yield"
            | "public"
            | "private"
            | "protected"
            | "if"
            | "while"
            | "for"
            | "switch"
            | "break"
            | "continue"
            | "default"
            | "asm"
            | "__asm__"
    )
}
