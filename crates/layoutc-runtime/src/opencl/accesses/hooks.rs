//! What is called in front of accesses.

use std::fmt::Write;

/// Where the functions that kernels call are in the program.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Hooks {
    /// `(item, place, what, address)`; what: bytes, the exponent of the alignment (4 bits), the kind (2 bits).
    pub(in super::super) noted: u64,
    /// `(kernel's name, item, sizes of the group, its index, numbers of groups)`.
    pub(in super::super) begun: u64,
    /// `(pointer argument, alignment)`; 0 for a pointer to constant memory.
    pub(in super::super) pointed: u64,
}

/// What the calls call: functions that ask for the work-item and go on to the program's.
pub(super) fn functions(module: &str, Hooks { noted, begun, pointed }: Hooks) -> String {
    let mut text = String::new();
    for name in
        ["_Z12get_local_idj", "_Z14get_local_sizej", "_Z12get_group_idj", "_Z14get_num_groupsj"]
    {
        if !module.contains(&format!("@{name}(i32")) {
            let _ = writeln!(text, "declare i64 @{name}(i32)");
        }
    }
    let mut asked = String::new();
    let mut ask = |prefix: &str, name: &str| {
        for axis in 0..3 {
            let _ = writeln!(asked, "  %{prefix}{axis} = call i64 @{name}(i32 {axis})");
        }
    };
    ask("i", "_Z12get_local_idj");
    ask("s", "_Z14get_local_sizej");
    asked.push_str(
        "  %a = mul i64 %i2, %s1\n  %b = add i64 %a, %i1\n  %c = mul i64 %b, %s0\n  %item = add i64 %c, %i0\n",
    );
    let _ = writeln!(
        text,
        "define void @layoutc.noted(i32 %place, i32 %what, ptr %at) {{\n{asked}  \
         %address = ptrtoint ptr %at to i64\n  %f = inttoptr i64 {noted} to ptr\n  \
         call void %f(i64 %item, i32 %place, i32 %what, i64 %address)\n  ret void\n}}"
    );
    let mut ask = |prefix: &str, name: &str| {
        for axis in 0..3 {
            let _ = writeln!(asked, "  %{prefix}{axis} = call i64 @{name}(i32 {axis})");
        }
    };
    ask("g", "_Z12get_group_idj");
    ask("n", "_Z14get_num_groupsj");
    let list =
        ["s0", "s1", "s2", "g0", "g1", "g2", "n0", "n1", "n2"].map(|name| format!("i64 %{name}"));
    let _ = writeln!(
        text,
        "define void @layoutc.begun(ptr %name) {{\n{asked}  %f = inttoptr i64 {begun} to ptr\n  \
         call void %f(ptr %name, i64 %item, {})\n  ret void\n}}",
        list.join(", ")
    );
    let _ = writeln!(
        text,
        "define void @layoutc.pointed(ptr %at, i32 %align) {{\n  %f = inttoptr i64 {pointed} to ptr\n  \
         call void %f(ptr %at, i32 %align)\n  ret void\n}}"
    );
    text
}
