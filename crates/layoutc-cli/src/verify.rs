//! `layoutc verify`.

use crate::arguments::VerifyArguments;
use crate::exit::{Exit, fail};

/// Builds the program before and after its rewrite, runs both on the CPU and compares.
pub fn run(_arguments: &VerifyArguments) -> Exit {
    fail("`verify` is not available yet")
}
