//! Prints what the cost models see of a program: `cost_model FILE…`.
use layoutc_analysis::cost::kernel::{Factor, Lanes, Trips};
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_dataflow::classes::find_classes;
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

fn factor(factor: Factor) -> String {
    match factor {
        Factor::Number(number) => number.to_string(),
        Factor::Symbol => "?".to_owned(),
    }
}

fn trips(trips: Trips) -> String {
    match trips {
        Trips::Known(trips) => trips.to_string(),
        Trips::Dynamic => "n".to_owned(),
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
    let model = CostModel::build(&program, &classes, ModelOptions::default());
    for kernel in &model.kernels {
        let code = &kernel.code;
        let repeats: Vec<String> = code.repeats.iter().map(|own| trips(*own)).collect();
        println!(
            "{} <<<{}, {:?}>>> in [{}]",
            code.name,
            code.blocks,
            code.block,
            repeats.join(", ")
        );
        for (at, own) in code.loops.iter().enumerate() {
            println!("  loop {at} in {:?}: {}", own.parent.map(|id| id.0), trips(own.trips));
        }
        for access in &code.accesses {
            let array = &model.arrays[access.array.0 as usize];
            let leaves: Vec<&str> =
                access.leaves.iter().map(|leaf| array.shape.leaf(*leaf).path.as_str()).collect();
            let lanes = match access.index.lanes {
                Lanes::Affine(factors) => factors.map(factor).join(" "),
                Lanes::Unknown => "unknown".to_owned(),
            };
            let loops: Vec<String> = access
                .index
                .loops
                .iter()
                .map(|(id, own)| format!("{}·l{}", factor(*own), id.0))
                .collect();
            println!(
                "  {:?} {}[{}].{} lanes {lanes} loops [{}] base {} + {} in {:?} share {:.2} `{}`",
                access.kind,
                array.name,
                array.elements.map_or("?".to_owned(), |elements| elements.to_string()),
                leaves.join(","),
                loops.join(" "),
                access.index.base.0,
                access.index.offset,
                access.scope.map(|id| id.0),
                access.share,
                program.text(access.span).replace('\n', " "),
            );
        }
        println!("  operations {:?}", code.operations);
    }
}
