//! The notation reads back what it prints, and its errors point to their place.

use layoutc_dataflow::layout::notation::{
    Authority, FieldPattern, FormSpec, GridDigit, GroupSpec, Located, Order,
};
use layoutc_dataflow::layout::{
    Bytes, GroupForm, Layout, LayoutSpec, RecordShape, SpecBody, SpecError,
};
use layoutc_diagnostics::Code;
use proptest::prelude::*;

use crate::records::{cluster, particle, shaped_layouts};

fn at<T>(value: T) -> Located<T> {
    Located { value, at: 0..0 }
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_]{0,4}",
        Just("aos".to_owned()),
        Just("tiled".to_owned()),
        Just("größe".to_owned())
    ]
}

fn orders() -> impl Strategy<Value = Order> {
    let digits = prop::collection::btree_map(names(), 1..70_u64, 1..4).prop_map(|dimensions| {
        let digit = |name: &str, divisor, modulus| GridDigit {
            name: at(name.to_owned()),
            divisor,
            modulus,
        };
        let mut digits = Vec::new();
        for (name, tile) in &dimensions {
            digits.push(digit(name, *tile, None));
        }
        for (name, tile) in dimensions.iter().filter(|(_, tile)| **tile > 1) {
            digits.push(digit(name, 1, Some(*tile)));
        }
        Order::Digits(digits)
    });
    prop_oneof![
        Just(Order::Default),
        Just(Order::Aos),
        (1..=65536_u64).prop_map(Order::Tiled),
        digits
    ]
}

fn forms() -> impl Strategy<Value = FormSpec> {
    (orders(), prop::option::of(0..9_u32)).prop_map(|(order, align)| FormSpec {
        order: at(order),
        align: align.map(|log2| at(Bytes(1 << log2))),
    })
}

fn bodies() -> impl Strategy<Value = SpecBody> {
    let path = prop::collection::vec(names(), 1..4).prop_map(|names| names.join("."));
    let field = prop_oneof![
        8 => path.prop_map(FieldPattern::Path),
        1 => Just(FieldPattern::Rest)
    ];
    let group = (prop::collection::vec(field.prop_map(at), 1..5), forms())
        .prop_map(|(fields, form)| GroupSpec { fields, form });
    prop_oneof![
        Just(SpecBody::Soa(at(()))),
        forms()
            .prop_filter("a body says something", |form| form.order.value != Order::Default)
            .prop_map(SpecBody::Uniform),
        prop::collection::vec(group, 1..4).prop_map(SpecBody::Groups),
    ]
}

fn targets() -> impl Strategy<Value = String> {
    (prop::collection::vec(names(), 1..4), any::<bool>()).prop_map(|(names, template)| {
        names.join("::") + if template { "<float, Vec<3>>" } else { "" }
    })
}

proptest! {
    #[test]
    fn specifications_read_back((target, body) in (targets(), bodies())) {
        let spec = LayoutSpec { target, with: Vec::new(), body, authority: Authority::default() };
        let text = spec.to_string();
        let read = LayoutSpec::parse(&text).map_err(|error| {
            TestCaseError::fail(format!("{text}: {error}"))
        })?;
        prop_assert_eq!(&read, &spec, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn layouts_read_back((shape, layout) in shaped_layouts()) {
        let text = layout.display(&shape).to_string();
        let body = SpecBody::parse(&text)
            .map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(body.to_string(), text.clone(), "what is printed is already canonical");
        let read = body
            .resolve(&shape)
            .map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(read, layout, "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_within_itself(text in "[a-zäé{}\\[\\]()=,.:*/%<> 0-9\u{1f600}-]{0,40}") {
        if let Err(error) = LayoutSpec::parse(&text) {
            prop_assert!(text.get(error.at.clone()).is_some(), "{:?}", error);
        }
    }

    #[test]
    fn any_body_resolves_or_is_refused_with_a_code(body in bodies()) {
        let shape = particle();
        let text = body.to_string();
        if let Err(error) = SpecBody::parse(&text).and_then(|body| body.resolve(&shape)) {
            prop_assert!(text.get(error.at.clone()).is_some(), "{:?}", error);
        }
    }
}

fn resolve(text: &str) -> Layout {
    let spec = LayoutSpec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    spec.resolve(&particle()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refuse(text: &str, shape: &RecordShape) -> SpecError {
    match LayoutSpec::parse(text).and_then(|spec| spec.resolve(shape)) {
        Ok(layout) => panic!("{text} is {}", layout.display(shape)),
        Err(error) => error,
    }
}

#[test]
fn the_example_of_the_design() {
    let shape = particle();
    let text = "Particle = {x y z m} align(16), {vx vy vz} tiled(32), {id}";
    let layout = Layout::clusters(
        &shape,
        [
            cluster(&shape, &["x", "y", "z", "m"]).aligned(Bytes(16)),
            cluster(&shape, &["vx", "vy", "vz"]).tiled(32),
            cluster(&shape, &["id"]),
        ],
    )
    .expect("a partition");
    assert_eq!(resolve(text), layout);
    assert_eq!(format!("Particle = {}", layout.display(&shape)), text);
    assert_eq!(resolve("Particle={x,y,z,m}align(16),{vx,vy,vz}tiled(32),{*}"), layout);
}

#[test]
fn shorthands_and_their_long_forms_are_equal() {
    let shape = particle();
    for (short, long) in [
        ("aos", "{*}"),
        ("aos", "{x y z m vx vy vz id}"),
        ("aos", "tiled(1)"),
        ("aos", "align(4)"),
        ("aos", "[i, field]"),
        ("aos align(16)", "{*} align(16)"),
        ("aos align(16)", "align(16) aos"),
        ("soa", "{x}, {y}, {z}, {m}, {vx}, {vy}, {vz}, {id}"),
        ("soa", "{x} tiled(8), {y} aos, {z} align(4), {m} [i], {vx}, {vy}, {vz}, {*}"),
        ("tiled(32)", "[i/32, field, i%32]"),
        ("tiled(32) align(128)", "align(128) tiled(32)"),
        ("{id} align(8), {x y z m vx vy vz}", "{id} align(8), {*}"),
    ] {
        let layout = resolve(&format!("Particle = {long}"));
        assert_eq!(layout.display(&shape).to_string(), short, "{long}");
        assert_eq!(resolve(&format!("Particle = {short}")), layout, "{long}");
    }
}

#[test]
fn a_path_prefix_names_all_leaves_below_it() {
    let float = |path| (path, "float", 4, 4, &[][..]);
    let shape =
        RecordShape::flat("Body", ["pos.x", "pos.y", "pos.z", "posture", "a.b.c"].map(float));
    let layout = |text: &str| {
        LayoutSpec::parse(text)
            .and_then(|spec| spec.resolve(&shape))
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let split = layout("Body = {pos} align(16), {*}");
    assert_eq!(split, layout("Body = {pos.x pos.y pos.z} align(16), {posture a.b.c}"));
    assert_eq!(split.display(&shape).to_string(), "{pos} align(16), {posture a.b.c}");
    assert_eq!(split, layout("Body = {pos} align(16), {posture a}"));
    let turned = layout("Body = {pos.y pos.x pos.z}, {*}");
    assert_eq!(turned.display(&shape).to_string(), "{pos.y pos.x pos.z}, {posture a.b.c}");
}

#[test]
fn qualified_names_are_targets() {
    for target in ["*", "ns::T", "step::cells", "World::p", "Vec<float, 3>", "A<B<1>>::m"] {
        let spec = LayoutSpec::parse(&format!("  {target} = soa ")).expect("a specification");
        assert_eq!(spec.target, target);
    }
    assert_eq!(LayoutSpec::parse("ns :: T = soa").expect("valid").target, "ns::T");
}

#[test]
fn grids_have_their_own_names() {
    let shape = RecordShape::flat("Cell", [("f", "float", 4, 4, &[9][..])]);
    let text = "f = [y/32, x/128, q, y%32, x%128]";
    let spec = LayoutSpec::parse(text).expect("a specification");
    assert_eq!(spec.to_string(), text);
    let layout = spec.resolve_grid(&shape, &["y", "x"], "q").expect("a grid layout");
    assert_eq!(layout.dimensions(), 2);
    assert_eq!(layout.groups()[0].form(), GroupForm::Grid);
    assert_eq!(
        layout.display_grid(&shape, &["y", "x"], "q").to_string(),
        "[y/32, x/128, q, y%32, x%128]"
    );
    let error = spec.resolve(&shape).expect_err("there is no `y`");
    assert_eq!((error.code, error.at), (Code::UNKNOWN_LAYOUT, 5..6));
    let three = LayoutSpec::parse("f = [(y/4)%8, y/32, q, y%4]").expect("a specification");
    assert_eq!(three.to_string(), "f = [y/4%8, y/32, q, y%4]");
    let error = three.resolve_grid(&shape, &["y", "x"], "q").expect_err("`x` is missing");
    assert_eq!(error.message, "dimension `x` is in no digit");
}

/// Each case: text, code, the text at the error's range, message, help.
#[test]
fn errors_point_to_their_place() {
    let shape = particle();
    for (text, code, place, message, help) in [
        (
            "",
            Code::UNKNOWN_LAYOUT,
            "",
            "expected the name of a record or an array, found the end",
            None,
        ),
        (
            "soa",
            Code::UNKNOWN_LAYOUT,
            "",
            "expected `=` behind `soa`, found the end",
            Some("name what is to be laid out: `NAME = soa`"),
        ),
        (
            "P",
            Code::UNKNOWN_LAYOUT,
            "",
            "expected `=` behind `P`, found the end",
            Some("write `P = ` and a layout, such as `soa` or `tiled(32)`"),
        ),
        ("P =", Code::UNKNOWN_LAYOUT, "", "expected a layout, found the end", None),
        (
            "P = tield(32)",
            Code::UNKNOWN_LAYOUT,
            "tield",
            "unknown layout word `tield`",
            Some("did you mean `tiled`?"),
        ),
        (
            "P = hexagonal",
            Code::UNKNOWN_LAYOUT,
            "hexagonal",
            "unknown layout word `hexagonal`",
            Some("the layout words are `aos`, `soa`, `tiled(T)` and `align(A)`"),
        ),
        ("P = soa align(8)", Code::UNKNOWN_LAYOUT, "align", "`soa` has no structs to align", None),
        (
            "P = {*} soa",
            Code::UNKNOWN_LAYOUT,
            "soa",
            "`soa` speaks of the whole record, not of a group",
            Some("write one group per field, such as `{x}, {y}`"),
        ),
        ("P = tiled(0)", Code::INVALID_TILE, "0", "a tile needs at least one element", None),
        (
            "P = tiled(65537)",
            Code::INVALID_TILE,
            "65537",
            "a tile of 65537 is above the limit of 65536",
            None,
        ),
        (
            "P = tiled(99999999999999999999)",
            Code::INVALID_TILE,
            "99999999999999999999",
            "a tile of 99999999999999999999 is above the limit of 65536",
            None,
        ),
        ("P = tiled(-1)", Code::UNKNOWN_LAYOUT, "-", "unexpected character `-`", None),
        ("P = tiled(0x20)", Code::UNKNOWN_LAYOUT, "0x20", "`0x20` is not a decimal number", None),
        ("P = tiled()", Code::UNKNOWN_LAYOUT, ")", "expected a tile size, found `)`", None),
        (
            "P = tiled 32",
            Code::UNKNOWN_LAYOUT,
            "32",
            "expected `(` and a tile size, found `32`",
            None,
        ),
        (
            "P = tiled(32",
            Code::UNKNOWN_LAYOUT,
            "",
            "expected `)` behind a tile size, found the end",
            None,
        ),
        (
            "P = tiled(8) tiled(8)",
            Code::UNKNOWN_LAYOUT,
            "tiled(8)",
            "`tiled(8)` contradicts `tiled(8)`",
            None,
        ),
        (
            "P = aos align(8) align(8)",
            Code::UNKNOWN_LAYOUT,
            "align",
            "`align` is given twice",
            None,
        ),
        (
            "P = aos align(12)",
            Code::UNKNOWN_LAYOUT,
            "12",
            "alignment 12 is not a power of two",
            None,
        ),
        ("P = aos align(0)", Code::UNKNOWN_LAYOUT, "0", "alignment 0 is not a power of two", None),
        (
            "P = aos align(512)",
            Code::UNKNOWN_LAYOUT,
            "512",
            "alignment 512 is above the limit of 256",
            None,
        ),
        (
            "P = aos align(2)",
            Code::UNKNOWN_LAYOUT,
            "2",
            "alignment 2 is below the natural alignment 4",
            None,
        ),
        (
            "P = {x y} align(2), {*}",
            Code::UNKNOWN_LAYOUT,
            "2",
            "alignment 2 is below the natural alignment 4",
            None,
        ),
        (
            "P = {x} align(16) [i], {*}",
            Code::UNKNOWN_LAYOUT,
            "16",
            "a plain array has no struct to align",
            None,
        ),
        ("P = {}", Code::UNKNOWN_LAYOUT, "{}", "a group has no fields", None),
        ("P = {x", Code::UNKNOWN_LAYOUT, "", "expected a field, `*` or `}`, found the end", None),
        (
            "P = {x}, soa",
            Code::UNKNOWN_LAYOUT,
            "soa",
            "expected `{` and the fields of a group, found `soa`",
            None,
        ),
        (
            "P = {*} {x}",
            Code::UNKNOWN_LAYOUT,
            "{",
            "expected the end of the layout, found `{`",
            None,
        ),
        (
            "P = {x y vz}, {vw}",
            Code::UNKNOWN_FIELD,
            "vw",
            "struct `Particle` has no member `vw`",
            Some("did you mean `vx`?"),
        ),
        (
            "P = {mass}, {*}",
            Code::UNKNOWN_FIELD,
            "mass",
            "struct `Particle` has no member `mass`",
            Some("its fields are `x`, `y`, `z`, `m`, `vx`, `vy`, `vz`, `id`"),
        ),
        (
            "P = {x y}, {y z}, {*}",
            Code::OVERLAPPING_GROUPS,
            "y",
            "member `y` is named twice",
            Some("it is already placed at byte 7; remove one of the two"),
        ),
        (
            "P = {*}, {*}",
            Code::OVERLAPPING_GROUPS,
            "*",
            "`*` stands twice",
            Some("it is already placed at byte 5; remove one of the two"),
        ),
        (
            "P = {x y z m vx vy vz}",
            Code::UNKNOWN_LAYOUT,
            "",
            "field `id` is in no group",
            Some("name every field, or add `{*}` for all the others"),
        ),
        (
            "P = {x y z m vx}",
            Code::UNKNOWN_LAYOUT,
            "",
            "members `vy`, `vz`, `id` are in no group",
            Some("name every field, or add `{*}` for all the others"),
        ),
        (
            "P = [i/32, i%16]",
            Code::UNKNOWN_LAYOUT,
            "i/32, i",
            "the slices of `i` do not cover it exactly once",
            Some("write `i`, or slices that fit together, such as `i/32` and `i%32`"),
        ),
        ("P = [i/0, i%1]", Code::INVALID_TILE, "0", "a tile needs at least one element", None),
        (
            "P = [field, i]",
            Code::UNKNOWN_LAYOUT,
            "[field, i]",
            "`i` is unbounded behind `field`; give it a `%`, or write a group per field",
            None,
        ),
        ("P = [i]", Code::UNKNOWN_LAYOUT, "[i]", "the digits of several fields need `field`", None),
        (
            "P = [i, fild]",
            Code::UNKNOWN_LAYOUT,
            "fild",
            "the array has no dimension `fild`",
            Some("did you mean `field`?"),
        ),
        (
            "P = [i, field/2, field%2]",
            Code::UNKNOWN_LAYOUT,
            "field",
            "`field` is the field, which is not sliced",
            None,
        ),
        ("P = aos $", Code::UNKNOWN_LAYOUT, "$", "unexpected character `$`", None),
        ("P<float = aos", Code::UNKNOWN_LAYOUT, "", "expected `>`, found the end", None),
    ] {
        let error = refuse(text, &shape);
        assert_eq!(error.message, message, "{text}");
        assert_eq!((error.code, &text[error.at.clone()]), (code, place), "{text}");
        assert_eq!(error.help.as_deref(), help, "{text}");
    }
    let overlap = refuse("P = {x y}, {y z}, {*}", &shape);
    assert_eq!(overlap.offset(), 12, "the second of the two");
}

#[test]
fn a_record_without_fields_is_refused() {
    let empty = RecordShape { name: "E".into(), size: Bytes(1), align: Bytes(1), leaves: vec![] };
    for text in ["E = soa", "E = aos", "E = {*}", "E = {x}"] {
        assert_eq!(refuse(text, &empty).message, "record `E` has no fields to lay out");
    }
    assert!(Layout::aos(&empty).is_identity(&empty));
}
