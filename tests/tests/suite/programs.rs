//! Every shipped program in every layout: it transforms, nvcc accepts the result, and on the CPU
//! runtime it does the same as before.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::opencl::{in_words, passed};
use layoutc_tests::original::Original;
use layoutc_tests::program::{self, LAYOUTS, Program};
use serde_json::Value;

fn test(name: &str, layout: &str) -> Result<()> {
    let program = Program::load(name)?;
    let out = tempfile::tempdir()?;
    if let Some(code) = &program.kept {
        return kept(&program, layout, code, out.path());
    }
    transform(&program, layout, out.path())?;
    compile(&program, out.path(), out.path())?;
    for (number, args) in runs(&program, layout).into_iter().enumerate() {
        verify(&program, layout, style(layout, number), args)?;
    }
    Ok(())
}

/// How accesses are written: tiles are compiled by nvcc and run first through views, and run once more with their indices
/// written out.
fn style(layout: &str, number: usize) -> &'static [&'static str] {
    match (layout, number) {
        ("tiled", 0) => &["--style", "view"],
        _ => &[],
    }
}

/// A program whose types are kept: it must come out as it went in, with the expected reason, and pass its own check.
fn kept(program: &Program, layout: &str, code: &str, out: &Path) -> Result<()> {
    let report = out.join("report.json");
    let mut arguments = vec!["transform".to_owned()];
    arguments.extend(files(program));
    arguments.extend(["--out-dir".to_owned(), path(out), "--report".to_owned(), path(&report)]);
    arguments.extend(program.layout_options(layout)?);
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    ensure!(classes.iter().all(|class| class["status"] == "kept"), "{report:#}");
    let reasons = classes.iter().filter_map(|class| class["reasons"].as_array()).flatten();
    let found = reasons.clone().any(|reason| reason["code"] == *code);
    ensure!(found, "{code} is no reason: {report:#}");
    for file in &program.files {
        let same = fs::read(program.folder.join(file))? == fs::read(out.join(file))?;
        ensure!(same, "{} changed", file.display());
    }
    compile(program, &program.folder, out)?;
    let original = Original::of(program)?;
    for args in runs(program, layout) {
        let result = original.run(args)?;
        ensure!(passed(&result), "{args:?}:\n{}", in_words(&result));
    }
    Ok(())
}

/// The first of the program's runs, and one of the others: another one in each layout, so that the
/// four layouts together make them all. `$LAYOUTC_ALL_RUNS` makes all in each, which takes twice
/// as long.
fn runs<'p>(program: &'p Program, layout: &str) -> Vec<&'p [String]> {
    let all = program.args.iter().map(Vec::as_slice);
    if env::var_os("LAYOUTC_ALL_RUNS").is_some() {
        return all.collect();
    }
    let others = program.args.len().saturating_sub(1).max(1);
    let number = LAYOUTS.iter().position(|name| *name == layout).unwrap_or(0);
    all.enumerate()
        .filter(|(at, _)| {
            *at == 0 || (at - 1) % LAYOUTS.len() == number % others.min(LAYOUTS.len())
        })
        .map(|(_, args)| args)
        .collect()
}

/// `layoutc transform` into `out`: every layout is required, and the report must say that it was
/// given.
fn transform(program: &Program, layout: &str, out: &Path) -> Result<()> {
    let report = out.join("report.json");
    let mut arguments = vec!["transform".to_owned()];
    arguments.extend(files(program));
    arguments.extend(["--out-dir".to_owned(), path(out), "--report".to_owned(), path(&report)]);
    arguments.extend(program.layout_options(layout)?);
    arguments.extend(style(layout, 0).iter().map(|word| (*word).to_owned()));
    let specs: Vec<(&str, &str)> =
        program.layouts[layout].iter().filter_map(|spec| spec.split_once('=')).collect();
    for (target, _) in &specs {
        arguments.extend(["--require".to_owned(), target.trim().to_owned()]);
    }
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);

    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    let changed: Vec<&Value> =
        classes.iter().filter(|class| class["status"] == "changed").collect();
    let records = program.records.len();
    ensure!(changed.len() >= records, "{records} records were to change\n{report:#}");
    for (target, asked) in specs {
        let given =
            |class: &&&Value| class["layout"].as_str().map(squeezed) == Some(squeezed(asked));
        ensure!(changed.iter().any(|class| given(&class)), "no {target} = {asked}\n{report:#}");
        // A class that the report calls as the option does has that layout and no other. A type
        // with several names may be called by another one.
        let named = |class: &&&Value| {
            let names = class["names"].as_array().into_iter().flatten();
            class["type"] == target.trim() || names.into_iter().any(|name| name == target.trim())
        };
        let differs = changed.iter().find(|class| named(class) && !given(class));
        ensure!(differs.is_none(), "{target} was to be {asked}: {differs:#?}");
    }
    let native = |name: &String| {
        report["host_arrays"].as_array().into_iter().flatten().any(|array| {
            let names = array["names"].as_array().into_iter().flatten();
            array["status"] == "native" && names.into_iter().any(|own| own == name)
        })
    };
    let other = program.native.iter().find(|name| !native(name));
    ensure!(other.is_none(), "{other:?} does not have the layout of the device\n{report:#}");
    Ok(())
}

/// Compiles every CUDA file of the program in a folder as its own command would.
fn compile(program: &Program, folder: &Path, out: &Path) -> Result<()> {
    let nvcc = Nvcc::find()?;
    let flags = Flags { include_dirs: vec![folder.to_path_buf()], ..Flags::default() };
    for file in &program.files {
        nvcc.compile_object(&folder.join(file), &flags, ARCH, &out.join("object.o"))?;
    }
    Ok(())
}

/// `layoutc verify` with one run's arguments.
fn verify(program: &Program, layout: &str, style: &[&str], args: &[String]) -> Result<()> {
    let mut arguments = vec!["verify".to_owned()];
    arguments.extend(files(program));
    arguments.extend(program.layout_options(layout)?);
    arguments.extend(style.iter().map(|word| (*word).to_owned()));
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    let outcome = Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, &arguments)?;
    ensure!(
        outcome.succeeded(),
        "verify {}: {}\n{}{}",
        args.join(" "),
        outcome.ending(),
        outcome.stdout,
        outcome.stderr
    );
    Ok(())
}

fn files(program: &Program) -> impl Iterator<Item = String> {
    program.files.iter().map(|file| path(file))
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A layout's text without blanks: the report may space it differently.
fn squeezed(layout: &str) -> String {
    layout.split_whitespace().collect()
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(mod $program {
            #[test]
            fn aligned() -> anyhow::Result<()> {
                super::test(stringify!($program), "aligned")
            }

            #[test]
            fn soa() -> anyhow::Result<()> {
                super::test(stringify!($program), "soa")
            }

            #[test]
            fn clustered() -> anyhow::Result<()> {
                super::test(stringify!($program), "clustered")
            }

            #[test]
            fn tiled() -> anyhow::Result<()> {
                super::test(stringify!($program), "tiled")
            }
        })*

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

layoutc_tests::every_program!(programs);

#[test]
fn every_run_is_made_in_some_layout() -> Result<()> {
    for name in TESTED {
        let program = Program::load(name)?;
        let made: Vec<&[String]> =
            LAYOUTS.iter().flat_map(|layout| runs(&program, layout)).collect();
        for args in &program.args {
            ensure!(made.contains(&args.as_slice()), "{name} {args:?}");
        }
    }
    Ok(())
}

#[test]
fn every_program_is_tested_in_every_layout() -> Result<()> {
    assert_eq!(LAYOUTS, ["aligned", "soa", "clustered", "tiled"]);
    assert_eq!(program::names()?, TESTED);
    Ok(())
}
