//! Iterators: places in an array that algorithms of thrust take instead of pointers.

use super::{Needs, parameter};
use crate::hygiene::{member, mention};
use crate::storage::{Storage, upper_first};
use std::fmt::Write as _;

/// The member of an iterator that is the index of its element.
pub(crate) const PLACE: &str = "at";

/// How the iterators of an array are called in its namespace.
pub(crate) fn name(storage: &Storage) -> String {
    format!("{}Iterator", upper_first(&storage.prefix))
}

/// The iterator over an array, if the program needs one.
///
/// Its category is a parameter: where the text stands, nobody may have declared the library's.
pub(super) fn structs(storage: &Storage, needs: Needs, out: &mut String) {
    if !needs.iterate {
        return;
    }
    let (record, prefix, own) = (mention(&storage.record), &storage.prefix, name(storage));
    let (array, at) = ("array", member(PLACE));
    let field = parameter(storage, false, array);
    let given = parameter(storage, false, "p");
    let inline = "__host__ __device__ __forceinline__";
    let _ = write!(
        out,
        "\n// The place of an element, for algorithms: they load and store elements one by one.\n\
         template <typename Tag>\nstruct {own} {{\n\
         \x20   typedef Tag iterator_category;\n\
         \x20   typedef {record} value_type;\n\
         \x20   typedef ptrdiff_t difference_type;\n\
         \x20   typedef void pointer;\n\n\
         \x20   // The element.\n\
         \x20   struct reference {{\n\
         \x20       {field};\n        ptrdiff_t {at};\n\n\
         \x20       {inline} reference({given}, ptrdiff_t i) : {array}(p), {at}(i) {{}}\n\
         \x20       reference(const reference &) = default;\n\
         \x20       {inline} operator {record}() const {{ return {prefix}Load({array}, {at}); }}\n\
         \x20       {inline} const reference &operator=(const {record} &e) const\n        {{\n\
         \x20           {prefix}Store({array}, {at}, e);\n            return *this;\n        }}\n\
         \x20       {inline} const reference &operator=(const reference &e) const\n        {{\n\
         \x20           return *this = ({record})e;\n        }}\n    }};\n\n\
         \x20   {field};\n    ptrdiff_t {at};\n\n"
    );
    let line = |out: &mut String, head: &str, body: &str| {
        let _ = writeln!(out, "    {inline} {head} {{ {body} }}");
    };
    line(out, "reference operator*() const", &format!("return reference({array}, {at});"));
    line(
        out,
        "reference operator[](ptrdiff_t n) const",
        &format!("return reference({array}, {at} + n);"),
    );
    for (sign, step) in [("+", "++"), ("-", "--")] {
        line(out, &format!("{own} &operator{step}()"), &format!("return *this {sign}= 1;"));
        line(
            out,
            &format!("{own} operator{step}(int)"),
            &format!("return {own}{{{array}, ({at} {sign}= 1) {} 1}};", other(sign)),
        );
        let _ = writeln!(
            out,
            "    {inline} {own} &operator{sign}=(ptrdiff_t n)\n    {{\n        {at} {sign}= n;\n        return *this;\n    }}"
        );
        line(
            out,
            &format!("{own} operator{sign}(ptrdiff_t n) const"),
            &format!("return {own}{{{array}, {at} {sign} n}};"),
        );
    }
    line(
        out,
        &format!("ptrdiff_t operator-(const {own} &b) const"),
        &format!("return {at} - b.{at};"),
    );
    for sign in ["==", "!=", "<", ">", "<=", ">="] {
        line(
            out,
            &format!("bool operator{sign}(const {own} &b) const"),
            &format!("return {at} {sign} b.{at};"),
        );
    }
    out.push_str("};\n");
}

fn other(sign: &str) -> &'static str {
    if sign == "+" { "-" } else { "+" }
}
