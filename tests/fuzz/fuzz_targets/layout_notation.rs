//! Any text is a layout that prints and reads back, or is refused within itself.
#![no_main]

use layoutc_dataflow::layout::notation::LayoutSpec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match LayoutSpec::parse(text) {
        Ok(spec) => {
            let printed = spec.to_string();
            assert_eq!(LayoutSpec::parse(&printed).as_ref(), Ok(&spec), "{printed}");
        }
        Err(error) => drop(error.diagnostic(text)),
    }
});
