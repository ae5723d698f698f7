//! Makes a failing input small.

use layoutc_syntax::preprocess::tokens;

use super::programs::Input;

/// The smallest input found for which `fails` still holds, in at most `tries` calls of it.
///
/// Files, layouts and requirements go first, then lines, tokens and bytes, in pieces that halve.
pub fn shrink(input: &Input, mut tries: usize, mut fails: impl FnMut(&Input) -> bool) -> Input {
    let mut best = input.clone();
    let mut attempt = |candidate: Input, best: &mut Input| {
        if tries == 0 {
            return false;
        }
        tries -= 1;
        let better = fails(&candidate);
        if better {
            *best = candidate;
        }
        better
    };
    loop {
        let before = (best.size(), best.layouts.len(), best.require.len());
        for at in (0..best.files.len()).rev() {
            let mut candidate = best.clone();
            candidate.files.remove(at);
            if candidate.files.iter().any(|file| file.is_root) {
                attempt(candidate, &mut best);
            }
        }
        for at in (0..best.layouts.len()).rev() {
            let mut candidate = best.clone();
            candidate.layouts.remove(at);
            attempt(candidate, &mut best);
        }
        if !best.require.is_empty() {
            let mut candidate = best.clone();
            candidate.require.clear();
            attempt(candidate, &mut best);
        }
        for at in 0..best.files.len() {
            for pieces in [lines, words, bytes] {
                shrink_file(&mut best, at, pieces, &mut attempt);
            }
        }
        if (best.size(), best.layouts.len(), best.require.len()) == before {
            return best;
        }
    }
}

/// Removes pieces of a file: first half of them at once, at last single ones.
fn shrink_file(
    best: &mut Input,
    file: usize,
    pieces: fn(&[u8]) -> Vec<Vec<u8>>,
    attempt: &mut impl FnMut(Input, &mut Input) -> bool,
) {
    let mut now = pieces(&best.files[file].bytes);
    let mut size = now.len().div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < now.len() {
            let mut fewer = now.clone();
            fewer.drain(start..(start + size).min(now.len()));
            let mut candidate = best.clone();
            candidate.files[file].bytes = fewer.concat();
            if attempt(candidate, best) {
                now = fewer;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Each token with what stands before it.
fn words(text: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(text) else { return bytes(text) };
    let mut at = 0;
    let mut found = Vec::new();
    for token in tokens(text) {
        found.push(text.as_bytes()[at..token.range().end].to_vec());
        at = token.range().end;
    }
    found.push(text.as_bytes()[at..].to_vec());
    found
}

/// Characters, or bytes where the text is none.
fn bytes(text: &[u8]) -> Vec<Vec<u8>> {
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().map(|c| c.to_string().into_bytes()).collect(),
        Err(_) => text.iter().map(|byte| vec![*byte]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::malformed::programs::File;

    #[test]
    fn what_does_not_matter_goes() {
        let file = |name: &str, text: &str| File {
            name: name.to_owned(),
            is_root: true,
            bytes: text.as_bytes().to_vec(),
        };
        let input = Input {
            files: vec![file("a.cu", "int a;\nint bad;\nint c;\n"), file("b.cu", "int d;\n")],
            layouts: vec!["P = soa".to_owned()],
            require: vec!["P".to_owned()],
        };
        let fails = |input: &Input| {
            input.files.iter().any(|file| String::from_utf8_lossy(&file.bytes).contains("bad"))
        };
        let small = shrink(&input, 1000, fails);
        assert_eq!(small, Input { files: vec![file("a.cu", "bad")], ..Input::default() });
        assert!(fails(&shrink(&input, 3, fails)));
    }
}
