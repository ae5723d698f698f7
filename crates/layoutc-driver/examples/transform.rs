//! Rewrites a program into a folder: `transform OUT_DIR [--layout SPEC]… FILE…`.
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_driver::{Request, compile};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use std::path::Path;

struct Disk;

impl SourceLoader for Disk {
    fn load(&mut self, path: &Path) -> LoadResult {
        match std::fs::read(path) {
            Ok(bytes) => LoadResult::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => LoadResult::Missing,
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().expect("OUT_DIR");
    let mut request = Request::default();
    let mut roots = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--layout" {
            let spec = arguments.next().expect("SPEC");
            request.layouts.push(LayoutSpec::parse(&spec).expect("a layout"));
        } else {
            let text =
                String::from_utf8_lossy(&std::fs::read(&argument).expect("readable")).into_owned();
            roots.push((argument.into(), text));
        }
    }
    let preprocessed = preprocess_program(roots, &mut Disk, &PreprocessOptions::default());
    let compiled = compile(preprocessed, &request);
    for diagnostic in &compiled.diagnostics {
        println!("{:?} {} {}", diagnostic.severity, diagnostic.code, diagnostic.message);
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            println!(
                "    {} `{}` {}",
                compiled.program.sources.locate(label.span),
                compiled.program.text(label.span),
                label.message
            );
        }
    }
    for class in &compiled.classes {
        println!("{} {:?} {:?} {}", class.type_name, class.names, class.status, class.layout);
    }
    for (id, file) in compiled.program.sources.iter() {
        let text = compiled
            .edits
            .get(&id)
            .map_or(file.text().to_owned(), |edits| edits.apply(file.text()));
        let path = Path::new(&out).join(file.path().file_name().expect("a file"));
        std::fs::create_dir_all(&out).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
}
