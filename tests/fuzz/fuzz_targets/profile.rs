//! Bytes as a profile: what is read is written and read again as the same, and sums and joins of it never panic.

#![no_main]

use layoutc_analysis::profile::Profile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(profile) = Profile::read(bytes) else { return };
    let again = Profile::read(profile.to_json().as_bytes());
    assert_eq!(again.as_ref(), Ok(&profile));
    let _ = profile.all_runs();
    let joined = Profile::merge(vec![profile.clone(), profile]).map(|joined| joined.to_json());
    if let Ok(text) = joined {
        assert!(Profile::read(text.as_bytes()).is_ok());
    }
});
