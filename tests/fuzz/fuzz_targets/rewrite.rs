//! Any bytes are compiled, and what becomes of them is compiled again.
#![no_main]

use layoutc_fuzz::{input, on_deep_stack};
use layoutc_tests::malformed::trial;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = input(data);
    on_deep_stack(|| {
        if let Err(failure) = trial::run(&input) {
            panic!("{}", failure.message);
        }
    });
});
