//! The layoutc command line.
fn main() {}
