//! The words of C++ that nothing can be named.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// C++20's keywords and the other spellings of operators (\[lex.key\], \[lex.digraph\]).
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
    char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline \
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this \
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Whether a word is a keyword of C++.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| KEYWORDS.split_whitespace().collect());
    WORDS.contains(word)
}
