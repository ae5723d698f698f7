//! `cargo xtask …`: set-up, corpus runs, code generation checks.
fn main() {}
