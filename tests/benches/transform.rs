//! How fast `layoutc` is, in bytes of source per second.
fn main() {}
