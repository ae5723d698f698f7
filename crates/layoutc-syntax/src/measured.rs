//! Members whose types the model does not know, and what a compiler is asked about them.
//!
//! A member of a type from a header that was not read keeps the layout of its struct. A compiler that has the
//! header knows the type's size and whether its bytes are its value: then the type is an
//! [opaque](crate::opaque) one. The compiler is asked about the member itself (`decltype(P::m)`), behind the
//! whole text of a file that has the struct, so that it means what the program means.
//!
//! No pass runs a compiler: what it says is [`Preprocessed::measured`](crate::preprocess::Preprocessed::measured).

use crate::opaque::OpaqueType;
use crate::{Program, Record, RecordTrait, TypeId, TypeKind};
use layoutc_diagnostics::FileId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the answers begin with: no compiler writes these bytes by chance.
const MARKS: [u64; 2] = [0x6c61_796f_7574_6321, 0x9e37_79b9_7f4a_7c15];
/// Numbers of one answer: the size and the alignment in bytes, and 1 if the type's bytes are its value.
const NUMBERS: usize = 3;

/// A member whose type is not known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnknownMember {
    /// The file that has its struct.
    pub file: FileId,
    /// The struct, with its namespaces.
    pub record: String,
    /// The member.
    pub member: String,
    /// The name of its type, as [`key`] gives it.
    pub ty: String,
}

/// The members of the program's structs whose types are named and not known, in order.
#[must_use]
pub fn unknown_members(program: &Program) -> Vec<UnknownMember> {
    let bodies: Vec<_> = program.record_ids().filter_map(|id| program.record(id).body).collect();
    // A struct that cannot be named from outside, or is no one struct.
    let is_plain = |record: &Record| {
        let is_inside = |body: &layoutc_diagnostics::Span| {
            Some(*body) != record.body
                && body.file == record.name_span.file
                && body.start < record.name_span.start
                && record.name_span.end < body.end
        };
        !record.is_local
            && !record.name.is_empty()
            && record.instance.is_none()
            && record.body.is_some()
            && !record.traits.iter().any(|(which, _)| *which == RecordTrait::Template)
            && !program.is_foreign(record.name_span.file)
            && !bodies.iter().any(is_inside)
    };
    let records = program.record_ids().map(|id| program.record(id)).filter(|own| is_plain(own));
    let mut out = BTreeSet::new();
    for record in records {
        let fields = record.fields.iter().map(|id| program.field(*id));
        for field in fields.filter(|own| own.inherited.is_none() && !own.name.is_empty()) {
            let declaration = field.site.declaration.map(|id| program.declaration(id));
            let named = declaration
                .filter(|_| is_named(program, field.ty.id))
                .and_then(|declaration| key(program.text(declaration.specifier)));
            let Some(ty) = named else { continue };
            let scope = record.namespaces.iter().filter(|name| !name.starts_with('('));
            let record: String =
                scope.chain([&record.name]).map(|name| format!("::{name}")).collect();
            let file = declaration.map_or(field.site.name.file, |own| own.span.file);
            out.insert(UnknownMember { file, record, member: field.name.clone(), ty });
        }
    }
    out.into_iter().collect()
}

/// Whether it is a type, or an array of one, of which nothing but the name is known.
fn is_named(program: &Program, mut ty: TypeId) -> bool {
    while let TypeKind::Array(of, _) = *program.types.kind(ty) {
        ty = of.id;
    }
    matches!(program.types.kind(ty), TypeKind::Named(..))
}

/// The name of a type without blanks, if it means the same everywhere: `std::complex<float>`, and not `Vector<real, N>`.
#[must_use]
pub fn key(spelled: &str) -> Option<String> {
    const NUMBERS: [&str; 9] =
        ["float", "double", "int", "unsigned", "short", "long", "char", "bool", "signed"];
    let (name, arguments) = spelled.split_once('<').unwrap_or((spelled, ""));
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_: ".contains(sign);
    let is_number = |word: &str| {
        NUMBERS.contains(&word) || (!word.is_empty() && word.bytes().all(|it| it.is_ascii_digit()))
    };
    let inside = match arguments.trim_end().strip_suffix('>') {
        None if arguments.is_empty() => "",
        None => return None,
        Some(inside) => inside,
    };
    let words = inside.split([',', ' ', '\n', '\t']).filter(|word| !word.is_empty());
    let name = name.trim();
    let is_whole = !name.is_empty() && !name.contains(' ') && name.chars().all(is_name);
    if !is_whole || !words.clone().all(is_number) {
        return None;
    }
    if arguments.is_empty() {
        return Some(name.to_owned());
    }
    let list: Vec<String> =
        inside.split(',').map(|one| one.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Some(format!("{name}<{}>", list.join(",")))
}

/// The text that goes behind a file: its object holds the answers for `members`.
#[must_use]
pub fn question(members: &[&UnknownMember]) -> String {
    let mut text = String::from(
        "\n#include <type_traits>\nnamespace layoutc_measured {\n\
         template <class T> struct answer {\n\
         \x20   static constexpr unsigned long long size = sizeof(T), align = alignof(T),\n\
         \x20       is_value = std::is_trivially_copyable<T>::value && std::is_trivially_default_constructible<T>::value\n\
         \x20           && std::is_trivially_destructible<T>::value && std::is_copy_constructible<T>::value\n\
         \x20           && std::is_copy_assignable<T>::value && std::is_object<T>::value;\n};\n\
         template <> struct answer<void> { static constexpr unsigned long long size = 0, align = 0, is_value = 0; };\n",
    );
    for (at, UnknownMember { member, .. }) in members.iter().enumerate() {
        // A member that is private has no answer.
        let _ = write!(
            text,
            "template <class R, class = void> struct member_{at} {{ using type = void; }};\n\
             template <class R> struct member_{at}<R, std::void_t<decltype(R::{member})>> {{\n\
             \x20   using type = std::remove_all_extents_t<decltype(R::{member})>;\n}};\n",
        );
    }
    let _ = write!(
        text,
        "extern const unsigned long long answers[];\nextern const unsigned long long answers[] = {{ {:#x}ull, {:#x}ull",
        MARKS[0], MARKS[1]
    );
    for (at, UnknownMember { record, .. }) in members.iter().enumerate() {
        let own = format!("answer<typename member_{at}<{record}>::type>");
        let _ = write!(text, ",\n    {own}::size, {own}::align, {own}::is_value");
    }
    text.push_str(" };\n}\n");
    text
}

/// The answers in an object file: of each type that has one for `members`, and the same for all that name it. `None`
/// if the object has none.
#[must_use]
pub fn answers(members: &[&UnknownMember], object: &[u8]) -> Option<Vec<Answer>> {
    let marks: Vec<u8> = MARKS.iter().flat_map(|mark| mark.to_le_bytes()).collect();
    let start = object.windows(marks.len()).position(|window| window == marks)? + marks.len();
    let bytes = object.get(start..start + members.len() * NUMBERS * size_of::<u64>())?;
    let numbers: Vec<u64> = bytes
        .chunks_exact(size_of::<u64>())
        .map(|eight| eight.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
        .collect();
    let answer = |(member, own): (&&UnknownMember, &[u64])| Answer {
        name: member.ty.clone(),
        size: own[0],
        align: own[1],
        is_value: own[2] == 1,
    };
    let answers = members.iter().zip(numbers.chunks_exact(NUMBERS)).map(answer);
    // Of a private member nothing is known.
    Some(answers.filter(|answer| answer.size > 0).collect())
}

/// What a compiler says of a type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Answer {
    name: String,
    size: u64,
    align: u64,
    is_value: bool,
}

/// The types whose bytes are their value, by all answers.
#[must_use]
pub fn values(answers: impl IntoIterator<Item = Answer>) -> Vec<OpaqueType> {
    let mut all: BTreeMap<String, BTreeSet<Answer>> = BTreeMap::new();
    for answer in answers {
        all.entry(answer.name.clone()).or_default().insert(answer);
    }
    let agreed = all.into_values().filter(|own| own.len() == 1).flatten();
    agreed
        .filter(|own| own.is_value)
        .map(|own| OpaqueType { name: own.name, size: own.size, align: own.align })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_name_that_means_one_type() {
        let keys = [
            ("div_t", Some("div_t")),
            (" Eigen::Vector3f", Some("Eigen::Vector3f")),
            ("std::complex< unsigned  int >", Some("std::complex<unsigned int>")),
            ("Eigen::Matrix<float, 3,1>", Some("Eigen::Matrix<float,3,1>")),
            ("Vector<real>", None),
            ("struct timeval", None),
            ("std::array<std::array<int, 2>, 2>", None),
            ("", None),
        ];
        for (spelled, expected) in keys {
            assert_eq!(key(spelled).as_deref(), expected, "{spelled}");
        }
    }

    #[test]
    fn answers_that_differ_are_none() {
        let member = |ty: &str| UnknownMember {
            file: FileId(0),
            record: "::P".to_owned(),
            member: "m".to_owned(),
            ty: ty.to_owned(),
        };
        let members = ["A", "A", "B", "C", "B"].map(member);
        let members: Vec<&UnknownMember> = members.iter().collect();
        let numbers = [MARKS.as_slice(), &[8, 4, 1, 16, 4, 1, 12, 4, 1, 8, 8, 0, 0, 0, 0]].concat();
        let mut object = vec![7; 13];
        object.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let found = answers(&members, &object).expect("they are there");
        let expected = OpaqueType { name: "B".to_owned(), size: 12, align: 4 };
        assert_eq!(values(found), [expected]);
        assert_eq!(answers(&members, &object[..40]), None);
        assert_eq!(answers(&members, b"nothing"), None);
    }
}
