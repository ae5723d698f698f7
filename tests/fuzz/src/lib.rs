//! What the fuzz targets share: an input is a fixture, as bytes.
//!
//! `//- name` starts another file of the program, so the fixtures of `testdata/` are a corpus to
//! begin with. The layout request is drawn at random from what the program says, by a number that
//! its bytes give: the same bytes always ask for the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::thread;

use layoutc_driver::Request;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_syntax::preprocess::{
    LoadResult, PreprocessOptions, Preprocessed, SourceLoader, preprocess_program,
};
use layoutc_tests::malformed::STACK;
use layoutc_tests::malformed::programs::{File, Input};
use layoutc_tests::malformed::requests;
use layoutc_tests::malformed::trial::decoded;

/// The program that some bytes stand for, and a request.
#[must_use]
pub fn input(data: &[u8]) -> Input {
    let text = decoded(data);
    let mut files = vec![("fuzz.cu".to_owned(), String::new())];
    let mut input = Input::default();
    for line in text.split_inclusive('\n') {
        if let Some(layout) = line.strip_prefix("//@ layout = ") {
            input.layouts.push(layout.trim().trim_matches('"').to_owned());
        }
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    let is_header = |name: &str| {
        Path::new(name).extension().is_none_or(|extension| extension == "h" || extension == "cuh")
    };
    let file = |(name, text): (String, String)| {
        let is_root = !is_header(&name);
        File { name, is_root, bytes: text.into_bytes() }
    };
    input.files = files.into_iter().map(file).collect();
    let mut hash = DefaultHasher::new();
    data.hash(&mut hash);
    requests::draw(&mut input, &mut fastrand::Rng::with_seed(hash.finish()));
    input
}

/// The request, without layouts that cannot be read.
#[must_use]
pub fn request(input: &Input) -> Request {
    let layouts = input.layouts.iter().filter_map(|text| LayoutSpec::parse(text).ok()).collect();
    Request { layouts, require: input.require.clone(), ..Request::default() }
}

struct Headers<'a>(&'a Input);

impl SourceLoader for Headers<'_> {
    fn load(&mut self, path: &Path) -> LoadResult {
        let found = self.0.files.iter().find(|file| Path::new(&file.name) == path);
        found.map_or(LoadResult::Missing, |file| LoadResult::Text(decoded(&file.bytes)))
    }
}

/// The program after preprocessing.
#[must_use]
pub fn preprocessed(input: &Input) -> Preprocessed {
    let roots = input.files.iter().filter(|file| file.is_root);
    let roots = roots.map(|file| (file.name.clone().into(), decoded(&file.bytes))).collect();
    preprocess_program(roots, &mut Headers(input), &PreprocessOptions::default())
}

/// Runs the compiler on a stack as large as that of the `layoutc` binary.
///
/// # Panics
/// With the compiler.
pub fn on_deep_stack(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        handle.expect("a thread").join().expect("no panic");
    });
}
