//! Struct layouts are those of a real C++ compiler.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use layoutc_dataflow::layout::{Bytes, Group, GroupForm, LeafId, RecordShape};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::records::{shaped_layouts, shapes};

const RECORDS: usize = 300;

/// A C++ compiler, asked for by `CXX` or found under a usual name.
fn compiler() -> Option<String> {
    let asked = std::env::var("CXX").ok();
    let candidates = asked.into_iter().chain(["c++", "g++", "clang++"].map(str::to_owned));
    candidates.into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

/// The declaration of a group's struct, with one array dimension for the slots.
fn declaration(name: &str, shape: &RecordShape, group: &Group, slots: u64) -> String {
    let align = group.align().map_or(String::new(), |Bytes(align)| format!("alignas({align}) "));
    let mut text = format!("struct {align}{name} {{");
    for leaf in group.leaves() {
        let leaf = shape.leaf(*leaf);
        let member = leaf.path.replace('.', "_");
        let _ = write!(text, " {} {member}", leaf.type_name);
        for extent in &leaf.extents {
            let _ = write!(text, "[{extent}]");
        }
        if slots > 1 {
            let _ = write!(text, "[{slots}]");
        }
        text.push(';');
    }
    text + " };\n"
}

/// Asserts in C++ what we say of the group's struct.
fn assertions(name: &str, shape: &RecordShape, group: &Group) -> String {
    let layout = group.struct_layout(shape);
    let mut text = format!(
        "static_assert(sizeof({name}) == {} && alignof({name}) == {}, \"{name}\");\n",
        layout.size.0, layout.align.0
    );
    for (leaf, offset) in group.leaves().iter().zip(&layout.offsets) {
        let member = shape.leaf(*leaf).path.replace('.', "_");
        let _ = writeln!(text, "static_assert(offsetof({name}, {member}) == {}, \"\");", offset.0);
    }
    text
}

#[test]
fn struct_layouts_are_those_of_the_compiler() {
    let Some(compiler) = compiler() else {
        println!("skipped: no C++ compiler found (set CXX)");
        return;
    };
    let mut runner = TestRunner::deterministic();
    let (strategy, flat) = (shaped_layouts(), shapes());
    let mut text = String::from("#include <cstddef>\n");
    let mut structs = 0;
    for at in 0..RECORDS {
        let shape = flat.new_tree(&mut runner).expect("a record").current();
        let leaves: Vec<LeafId> = shape.leaf_ids().collect();
        let source = Group::aos(&shape, leaves, None).expect("the source's struct");
        if source.form() == GroupForm::Struct {
            text += &declaration(&format!("Source{at}"), &shape, &source, 1);
            text += &assertions(&format!("Source{at}"), &shape, &source);
        }
        let (shape, layout) = strategy.new_tree(&mut runner).expect("a layout").current();
        for (id, group) in layout.iter() {
            let slots = match group.form() {
                GroupForm::Struct => 1,
                GroupForm::Tile(tile) => tile,
                GroupForm::Array | GroupForm::Grid => continue,
            };
            let name = format!("Group{at}_{}", id.0);
            text += &declaration(&name, &shape, group, slots);
            text += &assertions(&name, &shape, group);
            structs += 1;
        }
    }
    assert!(structs > RECORDS / 2, "the batch holds too few structs: {structs}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("struct_layouts.cpp");
    std::fs::write(&path, text).expect("the target folder is writable");
    let output = Command::new(compiler)
        .args(["-std=c++17", "-fsyntax-only"])
        .arg(&path)
        .output()
        .expect("the compiler runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.lines().take(20).collect::<Vec<_>>().join("\n"));
}
