//! Lowers programs and prints what the model does not know: `lower_stats FILE…` (one program).
use layoutc_syntax::preprocess::{LoadResult, PreprocessOptions, SourceLoader, preprocess_program};
use layoutc_syntax::{ExprKind, NameRef, TypeKind, lower_program};
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
    let (program, diagnostics) = lower_program(preprocessed);
    println!(
        "{} files, {} records, {} functions, {} variables, {} exprs, {} diagnostics",
        program.files.len(),
        program.records.len(),
        program.functions.len(),
        program.variables.len(),
        program.exprs.len(),
        diagnostics.len()
    );
    for record in &program.records {
        println!(
            "record {} {:?}",
            record.name,
            record.traits.iter().map(|(t, _)| t).collect::<Vec<_>>()
        );
    }
    for expr in &program.exprs {
        let unknown = matches!(program.types.kind(expr.ty.id), TypeKind::Unknown);
        match &expr.kind {
            ExprKind::Opaque(_) => println!(
                "{}: opaque `{}`",
                program.sources.locate(expr.span),
                program.text(expr.span)
            ),
            ExprKind::Name(NameRef::Unknown(name)) => {
                println!("{}: unknown name `{name}`", program.sources.locate(expr.span))
            }
            _ if unknown
                && !matches!(
                    expr.kind,
                    ExprKind::Call { .. }
                        | ExprKind::MacroCall { .. }
                        | ExprKind::InitList(_)
                        | ExprKind::Null
                ) =>
            {
                println!(
                    "{}: unknown type `{}`",
                    program.sources.locate(expr.span),
                    program.text(expr.span)
                );
            }
            _ => {}
        }
    }
    for region in &program.regions {
        println!("{}: region {:?}", program.sources.locate(region.span), region.kind);
    }
}
