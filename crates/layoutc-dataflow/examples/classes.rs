//! Prints the array classes of a program: `classes FILE…`.
use layoutc_dataflow::classes::{Slot, find_classes};
use layoutc_syntax::lower_program;
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
    let roots = std::env::args()
        .skip(1)
        .filter_map(|path| {
            let text = String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned();
            Some((path.into(), text))
        })
        .collect();
    let preprocessed = preprocess_program(roots, &mut Disk, &PreprocessOptions::default());
    let (program, _) = lower_program(preprocessed);
    let classes = find_classes(&program);
    for class in &classes.classes {
        let names: Vec<String> = class
            .slots
            .iter()
            .map(|slot| {
                let name = match slot {
                    Slot::Variable(id) => program.variable(*id).name.clone(),
                    Slot::Field(id) => format!(".{}", program.field(*id).name),
                    Slot::Result(id) => format!("{}()", program.function(*id).name),
                };
                if class.interior.contains(slot) { format!("{name}+") } else { name }
            })
            .collect();
        println!("{} [{}]", class.element.name(&program), names.join(" "));
        for path in class.units.keys() {
            let path: Vec<&str> =
                path.iter().map(|field| program.field(*field).name.as_str()).collect();
            println!("  unit {}", path.join("."));
        }
        for pin in &class.pins {
            println!(
                "  {} {} {}: `{}` {}",
                pin.code,
                pin.code.name(),
                program.sources.locate(pin.span),
                program.text(pin.span),
                pin.message
            );
        }
    }
}
