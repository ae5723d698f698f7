//! Any bytes are compiled under some request; what is said has a place that can be shown.
#![no_main]

use layoutc_fuzz::{input, on_deep_stack, preprocessed, request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = input(data);
    on_deep_stack(|| {
        let compiled = layoutc_driver::compile(preprocessed(&input), &request(&input));
        for class in &compiled.classes {
            for reason in &class.reasons {
                let _ = compiled.program.text(reason.span);
            }
        }
    });
});
