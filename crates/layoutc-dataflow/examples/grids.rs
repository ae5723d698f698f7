//! Prints the grids of a program: `grids FILE…`.
use layoutc_dataflow::classes::{Slot, TypedArrays, find_grid_classes};
use layoutc_dataflow::grid::index::{Atom, Index, Indices};
use layoutc_dataflow::grid::{GridAccess, find_grids};
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use layoutc_syntax::{Program, lower_program};
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

fn text(program: &Program, indices: &Indices, index: &Index) -> String {
    let mut out = String::new();
    for (monomial, coefficient) in index.terms() {
        out.push_str(&format!(" {coefficient:+}"));
        for atom in monomial {
            let name = match atom {
                Atom::Variable(id) => program.variable(*id).name.clone(),
                Atom::Expression(number) => {
                    program.text(program.expr(indices.expression(*number)).span).to_owned()
                }
            };
            out.push_str(&format!("*{name}"));
        }
    }
    if out.is_empty() { " 0".to_owned() } else { out }
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
    let (mut program, _) = lower_program(preprocessed);
    let typed = TypedArrays::flatten(&mut program);
    if std::env::var_os("TYPED").is_some() {
        eprintln!("{typed:#?}\n{:?}", program.brackets);
    }
    let classes = find_grid_classes(&program);
    let grids = find_grids(&program, &classes, &typed);
    for id in classes.ids() {
        let class = classes.class(id);
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
        if let Some(pin) = grids.refused.get(&id) {
            println!(
                "  no grid: {}: `{}` {}",
                program.sources.locate(pin.span),
                program.text(pin.span),
                pin.message
            );
        }
        if let Some(grid) = grids.grids.get(&id) {
            println!("  {:?}", grid.dimensions);
            for (access, vector) in &grid.accesses {
                let vector = match vector {
                    GridAccess::Coordinates(vector) => vector
                        .iter()
                        .map(|index| text(&program, &grids.indices, index))
                        .collect::<Vec<_>>()
                        .join(" |"),
                    GridAccess::Linear { why } => why.clone(),
                };
                println!("    {} -> {vector}", program.text(program.expr(*access).span));
            }
        }
        if let Some(grid) = grids.flat.get(&id) {
            let linear = grid
                .accesses
                .values()
                .filter(|access| matches!(access, GridAccess::Linear { .. }))
                .count();
            println!(
                "  flat: {:?}, {} accesses, {linear} of them linear",
                grid.dimensions[1].extent,
                grid.accesses.len()
            );
        }
        for pin in class.pins.iter().take(3) {
            println!(
                "  {} {}: `{}` {}",
                pin.code,
                program.sources.locate(pin.span),
                program.text(pin.span),
                pin.message
            );
        }
    }
}
