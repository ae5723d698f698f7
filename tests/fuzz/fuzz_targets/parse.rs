//! Any bytes are preprocessed, parsed and lowered.
#![no_main]

use layoutc_fuzz::{input, on_deep_stack, preprocessed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = input(data);
    on_deep_stack(|| {
        let preprocessed = preprocessed(&input);
        let files = preprocessed.sources.iter().zip(&preprocessed.files);
        for ((_, original), file) in files {
            assert_eq!(original.text().len(), file.masked.len());
        }
        let (program, diagnostics) = layoutc_syntax::lower_program(preprocessed);
        for label in diagnostics.iter().flat_map(|found| &found.primary) {
            let _ = program.text(label.span);
        }
    });
});
