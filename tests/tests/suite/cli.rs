//! What the `layoutc` commands promise about files, output and exit codes.

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::sandbox::{PARTICLES, PLAIN, Sandbox, many_launches};
use serde_json::Value;

const SOA: [&str; 2] = ["--layout", "Particle = soa"];

fn transform<'a>(files: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&["transform", "--helpers", "inline"], files, options, &SOA[..]].concat()
}

/// What `transform in.cu -o out.cu` makes of a text.
fn transformed(text: &str) -> Result<String> {
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu"]))?;
    sandbox.text("out.cu")
}

#[test]
fn output_file() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu"]))?;
    ensure!(sandbox.text("in.cu")? == PARTICLES);
    ensure!(sandbox.text("out.cu")? != PARTICLES);
    let names: Vec<_> = sandbox.contents()?.into_keys().collect();
    ensure!(names.len() == 2, "temporary files were left behind: {names:?}");
    Ok(())
}

#[test]
fn output_replaces_an_older_one() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES), ("out.cu", "old")])?;
    sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu"]))?;
    ensure!(sandbox.text("out.cu")? == transformed(PARTICLES)?);
    Ok(())
}

#[test]
fn out_dir_holds_the_whole_program() -> Result<()> {
    let sandbox = Sandbox::with(&[
        (
            "src/in.cu",
            format!("#include \"util/plain.h\"\n#include \"shared.h\"\n{PARTICLES}").as_str(),
        ),
        ("src/other.cu", "#include \"shared.h\"\nint other() { return 1; }\n"),
        ("src/util/plain.h", "#pragma once\n#include \"more.h\"\n"),
        ("src/util/more.h", "// nothing to change\n"),
        ("include/shared.h", "int other();\n"),
        ("src/not_reached.h", "int nothing;\n"),
    ])?;
    let files = ["src/in.cu", "src/other.cu"];
    sandbox.accepted(&transform(&files, &["-I", "include", "--out-dir", "out"]))?;
    let before = sandbox.contents()?;
    for name in ["src/other.cu", "src/util/plain.h", "src/util/more.h", "include/shared.h"] {
        let copy = before.get(format!("out/{name}").as_ref() as &std::path::Path);
        ensure!(
            copy == before.get(name.as_ref() as &std::path::Path),
            "{name}: {:?}",
            before.keys()
        );
    }
    ensure!(sandbox.text("out/src/in.cu")? != sandbox.text("src/in.cu")?);
    ensure!(!sandbox.path().join("out/src/not_reached.h").exists());
    Ok(())
}

#[test]
fn out_dir_builds_with_the_same_command() -> Result<()> {
    let sandbox = Sandbox::with(&[("src/sim/in.cu", PARTICLES)])?;
    sandbox.accepted(&transform(&["src/sim/in.cu"], &["--out-dir", "out"]))?;
    ensure!(
        sandbox.path().join("out/src/sim/in.cu").is_file(),
        "`nvcc src/sim/in.cu` does not work in the folder: {:?}",
        sandbox.contents()?.keys()
    );
    Ok(())
}

#[test]
fn out_dir_writes_only_what_changed() -> Result<()> {
    let main = format!("#include \"shared.h\"\n{PARTICLES}");
    let other = "#include \"shared.h\"\nint other() { return 1; }\n";
    let names = ["in.cu", "other.cu", "shared.h"];
    let sandbox = Sandbox::with(&[
        ("in.cu", main.as_str()),
        ("other.cu", other),
        ("shared.h", "int other();\n"),
    ])?;
    let command = transform(&["in.cu", "other.cu"], &["--out-dir", "out"]);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
    let written = || -> Result<Vec<&str>> {
        for name in names {
            let path = sandbox.path().join("out").join(name);
            fs::File::options().write(true).open(path)?.set_modified(long_ago)?;
        }
        sandbox.accepted(&command)?;
        let mut written = Vec::new();
        for name in names {
            if fs::metadata(sandbox.path().join("out").join(name))?.modified()? != long_ago {
                written.push(name);
            }
        }
        Ok(written)
    };
    sandbox.accepted(&command)?;
    ensure!(sandbox.text("out/in.cu")? != main);
    ensure!(written()?.is_empty(), "nothing changed");
    for (name, text) in
        [("in.cu", main.as_str()), ("other.cu", other), ("shared.h", "int other();\n")]
    {
        sandbox.write(name, format!("// a comment\n{text}"))?;
        let found = written()?;
        ensure!(found == [name], "a comment in {name} wrote {found:?}");
        ensure!(sandbox.text(&format!("out/{name}"))?.starts_with("// a comment\n"));
    }
    Ok(())
}

#[test]
fn in_place() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    sandbox.accepted(&transform(&["in.cu"], &["--in-place"]))?;
    ensure!(sandbox.text("in.cu")? == transformed(PARTICLES)?);
    ensure!(sandbox.contents()?.len() == 1, "{:?}", sandbox.contents()?.keys());
    Ok(())
}

#[test]
fn in_place_rewrites_headers_too() -> Result<()> {
    // The struct and its kernel lie in a header, the host code in another file.
    let (header, main) = PARTICLES.split_once("int main()").context("a main function")?;
    let main = format!("#include \"in.h\"\nint main(){main}");
    let header = format!("#pragma once\n{header}");
    let sandbox = Sandbox::with(&[("in.cu", main.as_str()), ("in.h", header.as_str())])?;
    sandbox.accepted(&transform(&["in.cu"], &["--in-place"]))?;
    ensure!(sandbox.text("in.cu")? != main);
    ensure!(sandbox.text("in.h")?.contains("p.x[i]"), "{}", sandbox.text("in.h")?);
    Ok(())
}

#[cfg(unix)]
#[test]
fn in_place_keeps_the_mode() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let file = sandbox.path().join("in.cu");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750))?;
    sandbox.accepted(&transform(&["in.cu"], &["--in-place"]))?;
    ensure!(fs::metadata(&file)?.permissions().mode() & 0o777 == 0o750);
    Ok(())
}

#[test]
fn diff_is_a_patch_and_writes_nothing() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let before = sandbox.contents()?;
    let outcome = sandbox.layoutc(&transform(&["in.cu"], &["--diff"]))?;
    ensure!(matches!(outcome.code(), Some(0 | 1)), "{}", outcome.ending());
    ensure!(sandbox.contents()? == before);
    ensure!(apply(PARTICLES, &outcome.stdout)? == transformed(PARTICLES)?, "{}", outcome.stdout);
    Ok(())
}

#[test]
fn check_says_by_its_exit_code_whether_something_would_change() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES), ("plain.cu", PLAIN)])?;
    let before = sandbox.contents()?;
    let changes = sandbox.layoutc(&transform(&["in.cu"], &["--check"]))?;
    ensure!(changes.code() == Some(1), "{}: {}", changes.ending(), changes.stderr);
    sandbox.accepted(&["transform", "plain.cu", "--check"])?;
    ensure!(sandbox.contents()? == before);
    Ok(())
}

#[test]
fn a_transformed_program_is_up_to_date() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let request = ["--layout", "Particle = tiled(32)"];
    sandbox.accepted(&[&["transform", "in.cu", "-o", "out.cu"][..], &request[..]].concat())?;
    for request in [&[][..], &request[..], &["--layout", "* = soa"][..]] {
        let again = [&["transform", "out.cu", "--check"][..], request].concat();
        let outcome = sandbox.accepted(&again)?;
        let expected = "up to date: Particle has the layout tiled(32)\n";
        ensure!(outcome.stderr == expected, "{request:?}: {}", outcome.stderr);
    }
    let other = ["transform", "out.cu", "--check", "--layout", "Particle = soa"];
    sandbox.rejected(&other, &["LC0046"])?;
    Ok(())
}

#[test]
fn memory_that_is_not_followed_is_named() -> Result<()> {
    let text = "struct P { float x, y; };\nint main() {\n  void *p;\n  cudaMalloc(&p, 64);\n}\n";
    let sandbox = Sandbox::with(&[("in.cu", text), ("plain.cu", PLAIN)])?;
    let outcome = sandbox.accepted(&["transform", "in.cu", "--check"])?;
    ensure!(outcome.stderr.contains("in.cu:4"), "{}", outcome.stderr);
    let outcome = sandbox.accepted(&["transform", "plain.cu", "--check"])?;
    ensure!(
        outcome.stderr.contains("no array of structs in device memory was found"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

#[test]
fn nothing_to_change_is_the_same_bytes() -> Result<()> {
    for text in [PLAIN, &PLAIN.replace('\n', "\r\n"), PLAIN.trim_end(), "\u{feff}int é; // π\n"] {
        let sandbox = Sandbox::with(&[("in.cu", text)])?;
        sandbox.accepted(&["transform", "in.cu", "-o", "out.cu"])?;
        ensure!(sandbox.text("out.cu")? == text, "{text:?}");
        sandbox.accepted(&["transform", "in.cu", "--in-place"])?;
        ensure!(sandbox.text("in.cu")? == text, "{text:?}");
        let diff = sandbox.accepted(&["transform", "in.cu", "--diff"])?;
        ensure!(diff.stdout.is_empty(), "{}", diff.stdout);
    }
    Ok(())
}

#[test]
fn line_endings_stay() -> Result<()> {
    let crlf = transformed(&PARTICLES.replace('\n', "\r\n"))?;
    let bare = crlf.replace("\r\n", "");
    ensure!(!bare.contains('\n') && !bare.contains('\r'), "mixed line endings\n{crlf:?}");
    ensure!(crlf.replace("\r\n", "\n") == transformed(PARTICLES)?);
    Ok(())
}

#[test]
fn comments_and_utf_8_stay() -> Result<()> {
    let text = PARTICLES
        .replace("// Particles drift", "// Teilchen schweben – дрейф 漂流 🚀")
        .replace("  float sum", "  /* Σ über alle; \"naïve\" */\n  float sum")
        .replace("%.3f\\n", "Σ = %.3f\\n");
    let out = transformed(&text)?;
    for kept in ["// Teilchen schweben – дрейф 漂流 🚀", "/* Σ über alle; \"naïve\" */", "Σ = %.3f"]
    {
        ensure!(out.contains(kept), "{kept}\n{out}");
    }
    Ok(())
}

#[test]
fn byte_order_mark_stays() -> Result<()> {
    let out = transformed(&format!("\u{feff}{PARTICLES}"))?;
    ensure!(out == format!("\u{feff}{}", transformed(PARTICLES)?));
    Ok(())
}

#[test]
fn no_final_newline_stays() -> Result<()> {
    ensure!(transformed(PARTICLES.trim_end())? == transformed(PARTICLES)?.trim_end());
    Ok(())
}

#[test]
fn a_second_run_makes_no_edits() -> Result<()> {
    for layout in ["aos align(16)", "soa", "{x y z}, {vx vy vz}", "tiled(32)"] {
        let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
        let spec = format!("Particle = {layout}");
        sandbox.accepted(&["transform", "in.cu", "-o", "once.cu", "--layout", &spec])?;
        ensure!(sandbox.text("once.cu")? != PARTICLES, "{layout} changed nothing");
        sandbox.accepted(&["transform", "once.cu", "-o", "twice.cu"])?;
        ensure!(sandbox.text("twice.cu")? == sandbox.text("once.cu")?, "{layout}");
    }
    Ok(())
}

#[test]
fn the_same_input_gives_the_same_bytes() -> Result<()> {
    let program = layoutc_tests::generate::program(800);
    let mut results = Vec::new();
    for _ in 0..2 {
        let sandbox = Sandbox::with(&[("in.cu", &program)])?;
        let outcome =
            sandbox.accepted(&["transform", "in.cu", "-o", "out.cu", "--report", "report.json"])?;
        results.push((sandbox.contents()?, outcome.stderr));
    }
    ensure!(results[0] == results[1]);
    Ok(())
}

#[test]
fn report_has_the_documented_form() -> Result<()> {
    let kept = "struct Pair { int key, value; };\n__global__ void sort(Pair *q) { q[threadIdx.x].key = ((int *)q)[3]; }\n\
                void run() { Pair *q; cudaMalloc(&q, 64 * sizeof(Pair)); sort<<<1, 64>>>(q); cudaFree(q); }\n";
    let sandbox = Sandbox::with(&[("in.cu", format!("{PARTICLES}{kept}"))])?;
    sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu", "--report", "report.json"]))?;
    let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
    let classes = report["classes"].as_array().context("no `classes`")?;
    let of_type = |name: &str| classes.iter().find(|class| class["type"] == name);
    let particle = of_type("Particle").with_context(|| format!("no Particle in {report:#}"))?;
    ensure!(particle["status"] == "changed" && particle["layout"] == "soa", "{particle:#}");
    let names = particle["names"].as_array().context("no names")?;
    ensure!(
        names.iter().any(|name| name.as_str().is_some_and(|name| name.contains('d'))),
        "{names:?}"
    );
    let pair = of_type("Pair").with_context(|| format!("no Pair in {report:#}"))?;
    ensure!(pair["status"] == "kept", "{pair:#}");
    let reason = &pair["reasons"][0];
    let line = PARTICLES.lines().count() + 2;
    ensure!(reason["line"] == line && reason["file"] == "in.cu", "{reason:#}");
    ensure!(reason["column"].is_u64() && reason["message"].is_string(), "{reason:#}");
    ensure!(reason["code"] == "LC0011", "{reason:#}");
    Ok(())
}

/// `transform in.cu` with `--host HOST`: the output, the report's host arrays, and the messages.
fn with_host(text: &str, host: &str) -> Result<(String, Value, String)> {
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let options = ["-o", "out.cu", "--report", "report.json", "--host", host];
    let outcome = sandbox.accepted(&transform(&["in.cu"], &options))?;
    let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
    Ok((sandbox.text("out.cu")?, report["host_arrays"].clone(), outcome.stderr))
}

#[test]
fn host_arrays_get_the_layout_on_request() -> Result<()> {
    let (output, arrays, _) = with_host(PARTICLES, "convert")?;
    ensure!(output == transformed(PARTICLES)? && arrays == serde_json::json!([]), "{arrays:#}");
    for host in ["native", "native=h", "native=main::h,h", "native=Particle", "native=*"] {
        let (output, arrays, _) = with_host(PARTICLES, host)?;
        ensure!(output.contains("h.x[i] = h.y[i] = h.z[i]"), "{host}: {output}");
        ensure!(!output.contains("unpackRecords"), "{host}: copies convert: {output}");
        ensure!(arrays[0]["status"] == "native" && arrays[0]["names"][0] == "h", "{arrays:#}");
    }
    Ok(())
}

#[test]
fn a_host_array_that_must_stay_costs_no_transformation() -> Result<()> {
    let text = PARTICLES
        .replace("  Particle *d;", "  fwrite(h, sizeof(Particle), n, stderr);\n  Particle *d;");
    let (output, arrays, messages) = with_host(&text, "native")?;
    ensure!(output == transformed(&text)?, "{output}");
    ensure!(arrays[0]["status"] == "converted", "{arrays:#}");
    ensure!(arrays[0]["reason"]["code"] == "LC0010", "{arrays:#}");
    ensure!(messages.contains("note") && messages.contains("LC0037"), "{messages}");
    Ok(())
}

#[test]
fn host_arrays_that_are_none_are_errors() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let before = sandbox.contents()?;
    let outcome = sandbox.layoutc(&transform(&["in.cu"], &["--check", "--host", "native=g"]))?;
    ensure!(outcome.code() == Some(2) && outcome.stderr.contains("LC0042"), "{}", outcome.stderr);
    ensure!(outcome.stderr.contains('h'), "{}", outcome.stderr);
    for bad in ["soa", "native="] {
        let outcome = sandbox.layoutc(&transform(&["in.cu"], &["--check", "--host", bad]))?;
        ensure!(outcome.code() == Some(2), "{bad}: {}", outcome.ending());
    }
    ensure!(sandbox.contents()? == before);
    Ok(())
}

#[test]
fn messages_go_to_standard_error_without_colour() -> Result<()> {
    let text = PARTICLES.replace("  cudaFree(d);", "  fwrite(d, 1, n, stdout);\n  cudaFree(d);");
    let sandbox = Sandbox::with(&[("in.cu", &text)])?;
    let outcome = sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu"]))?;
    ensure!(
        outcome.stderr.contains("warning") && outcome.stderr.contains("LC0010"),
        "{}",
        outcome.stderr
    );
    ensure!(!outcome.stderr.contains('\u{1b}'), "{:?}", outcome.stderr);
    ensure!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn defines_and_include_folders_are_seen() -> Result<()> {
    let at = PARTICLES.find("__global__").unwrap_or_default();
    let body =
        format!("#ifdef WITH\n#include \"wide.h\"\n#else\n#error\n#endif\n{}", &PARTICLES[at..]);
    let start = PARTICLES.find("struct").unwrap_or_default();
    let sandbox =
        Sandbox::with(&[("in.cu", body.as_str()), ("sub/wide.h", &PARTICLES[..at][start..])])?;
    sandbox.accepted(&transform(&["in.cu"], &["-I", "sub", "-D", "WITH=1", "--out-dir", "out"]))?;
    ensure!(sandbox.text("out/in.cu")? != body);
    Ok(())
}

#[test]
fn a_macro_that_no_build_defines_keeps_nothing() -> Result<()> {
    let text =
        PARTICLES.replace("  cudaFree(d);", "#ifdef SHOW\n  dump(d, n);\n#endif\n  cudaFree(d);");
    let sandbox = Sandbox::with(&[("in.cu", &text)])?;
    let outcome = sandbox.accepted(&transform(&["in.cu"], &["-o", "out.cu"]))?;
    ensure!(outcome.stderr.contains("LC0005"), "{}", outcome.stderr);
    let outcome = sandbox.accepted(&transform(&["in.cu"], &["-U", "SHOW", "-o", "out.cu"]))?;
    ensure!(!outcome.stderr.contains("LC0005"), "{}", outcome.stderr);
    // Whoever defines it later is told.
    ensure!(sandbox.text("out.cu")?.contains("#ifdef SHOW\n#error \"layoutc: "));
    let both = transform(&["in.cu"], &["-U", "SHOW", "-D", "SHOW", "-o", "out.cu"]);
    let outcome = sandbox.accepted(&both)?;
    ensure!(outcome.stderr.contains("LC0010"), "{}", outcome.stderr);
    Ok(())
}

/// A second array beside the particles.
const CELLS: &str = "struct Cell { int count; float mass; };\n\
    __global__ void clear(Cell *cells) { cells[threadIdx.x].count = 0; cells[threadIdx.x].mass = 0; }\n\
    void grid() { Cell *g; cudaMalloc(&g, 64 * sizeof(Cell)); clear<<<1, 64>>>(g); cudaFree(g); }\n";

/// Type and layout of each class of `PARTICLES` with `CELLS`.
fn layouts(options: &[&str]) -> Result<Vec<(String, String)>> {
    let sandbox = Sandbox::with(&[("in.cu", format!("{PARTICLES}{CELLS}"))])?;
    let command = ["transform", "in.cu", "--diff", "--report", "report.json"];
    sandbox.accepted(&[&command, options].concat())?;
    let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let classes = report["classes"].as_array().context("no classes")?;
    let mut found: Vec<_> =
        classes.iter().map(|class| (text(&class["type"]), text(&class["layout"]))).collect();
    found.sort();
    Ok(found)
}

#[test]
fn a_star_means_every_array_that_nothing_else_names() -> Result<()> {
    let expect = |cell: &str, particle: &str| {
        vec![("Cell".to_owned(), cell.to_owned()), ("Particle".to_owned(), particle.to_owned())]
    };
    ensure!(layouts(&["--layout", "* = soa"])? == expect("soa", "soa"));
    for named in [["* = soa", "Cell = tiled(32)"], ["Cell = tiled(32)", "* = soa"]] {
        let options = ["--layout", named[0], "--layout", named[1]];
        ensure!(layouts(&options)? == expect("tiled(32)", "soa"), "{named:?}");
    }
    let options = ["--layout", "* = soa", "--layout", "g = tiled(8)", "--layout", "Cell = aos"];
    ensure!(layouts(&options)? == expect("tiled(8)", "soa"));
    // Fields that only one of the two has.
    let grouped = layouts(&["--layout", "* = {x y z} tiled(32), {*}"])?;
    ensure!(grouped[0] == ("Cell".to_owned(), "aos".to_owned()), "{grouped:?}");
    ensure!(grouped[1].1.contains("tiled(32)"), "{grouped:?}");
    Ok(())
}

#[test]
fn what_is_kept_stays() -> Result<()> {
    let expect = |cell: &str, particle: &str| {
        vec![("Cell".to_owned(), cell.to_owned()), ("Particle".to_owned(), particle.to_owned())]
    };
    for name in ["Cell", "g", "grid::g"] {
        let found = layouts(&["--layout", "* = soa", "--keep", name])?;
        ensure!(found == expect("aos", "soa"), "{name}: {found:?}");
    }
    ensure!(layouts(&["--keep", "*"])? == expect("aos", "aos"));
    let sandbox = Sandbox::with(&[("in.cu", format!("{PARTICLES}{CELLS}"))])?;
    let diff = |options: &[&'static str]| [&["transform", "in.cu", "--diff"], options].concat();
    let both = diff(&["--layout", "Cell = soa", "--keep", "g"]);
    sandbox.rejected(&both, &["LC0021", "`Cell = soa`", "`--keep g`"])?;
    sandbox.rejected(&diff(&["--keep", "Cel"]), &["LC0042", "did you mean `Cell`"])?;
    sandbox.rejected(&diff(&["--keep", "Cell", "--require", "Cell"]), &["LC0050"])?;
    Ok(())
}

#[test]
fn a_star_is_no_error_where_there_is_nothing() -> Result<()> {
    let sandbox = Sandbox::with(&[("plain.cu", PLAIN)])?;
    sandbox.accepted(&["transform", "plain.cu", "--check", "--layout", "* = soa"])?;
    sandbox.accepted(&["transform", "plain.cu", "--check", "--require", "*"])?;
    let kept = PARTICLES.replace("  cudaFree(d);", "  fwrite(d, 1, n, stdout);\n  cudaFree(d);");
    let sandbox = Sandbox::with(&[("in.cu", kept)])?;
    let arguments = ["transform", "in.cu", "-o", "out.cu", "--require", "*"];
    sandbox.rejected(&arguments, &["LC0050"])?;
    Ok(())
}

#[test]
fn explain_prints_a_page() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for code in ["LC0010", "LC0021", "LC0044"] {
        let page = sandbox.accepted(&["explain", code])?.stdout;
        ensure!(page.contains(code) && page.contains("What to change"), "{page}");
    }
    Ok(())
}

#[test]
fn help_teaches_and_version_is_one_line() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let version = sandbox.accepted(&["--version"])?.stdout;
    ensure!(version.starts_with("layoutc ") && version.lines().count() == 1, "{version}");
    let help = sandbox.accepted(&["--help"])?.stdout;
    for command in ["transform", "verify", "explain"] {
        ensure!(help.contains(command), "{help}");
    }
    let help = sandbox.accepted(&["transform", "--help"])?.stdout;
    for option in [
        "--layout",
        "--require",
        "--report",
        "--out-dir",
        "--in-place",
        "--diff",
        "--check",
        "tiled(32)",
    ] {
        ensure!(help.contains(option), "no {option}\n{help}");
    }
    Ok(())
}

/// Options that many need stand in front of the parameters of the papers.
#[test]
fn help_has_common_options_first() -> Result<()> {
    let sandbox = Sandbox::new()?;
    ensure!(sandbox.accepted(&["--help"])?.stdout.contains("OpenCL"), "no OpenCL");
    for command in ["transform", "verify", "analyze", "cost", "profile", "review", "plan"] {
        let help = sandbox.accepted(&[command, "--help"])?.stdout;
        let at = |text: &str| help.find(text).with_context(|| format!("{command}: no `{text}`"));
        let advanced = at("\nAdvanced:\n")?;
        for common in ["--layout <", "--device <", "--project <", "-I <", "--quiet", "--help"] {
            ensure!(at(common)? < advanced, "{command}: {common} is not among the common options");
        }
        for rare in ["--epsilon <", "--trace <", "--tiles <", "--model <", "--active-blocks <"] {
            ensure!(at(rare)? > advanced, "{command}: {rare} is among the common options");
        }
        assert_eq!(help.matches("\nOptions:\n").count(), 1, "{help}");
    }
    Ok(())
}

#[test]
fn devices_are_listed() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for arguments in [&["cost", "--device", "list"][..], &["transform", "--device=list"]] {
        let list = sandbox.accepted(arguments)?.stdout;
        for text in ["h100 ", "gtx280 ", "mi300x ", "3352", "layoutc calibrate"] {
            ensure!(list.contains(text), "no `{text}`\n{list}");
        }
    }
    // Behind `--` are a program's own arguments.
    let outcome = sandbox.layoutc(&["verify", "no.cu", "--", "--device", "list"])?;
    ensure!(!outcome.succeeded() && outcome.stdout.is_empty(), "{}", outcome.stdout);
    Ok(())
}

/// The result of a unified diff of one file.
fn apply(text: &str, diff: &str) -> Result<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut result, mut next) = (String::new(), 0);
    for line in diff.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")) {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start: usize = header
                .split([',', ' '])
                .next()
                .and_then(|start| start.parse().ok())
                .with_context(|| format!("not a hunk: {line}"))?;
            result.extend(lines[next..start - 1].iter().copied());
            next = start - 1;
        } else if let Some(added) = line.strip_prefix('+') {
            result.push_str(added);
        } else if line.starts_with([' ', '-']) {
            ensure!(
                lines.get(next) == Some(&&line[1..]),
                "the context {line:?} is not in line {next}"
            );
            if line.starts_with(' ') {
                result.push_str(lines[next]);
            }
            next += 1;
        } else if !line.starts_with('\\') {
            bail!("not a line of a diff: {line:?}");
        }
    }
    result.extend(lines[next..].iter().copied());
    Ok(result)
}

#[test]
fn patches_apply() -> Result<()> {
    let diff = "--- a\n+++ b\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n";
    ensure!(apply("a\nb\nc\nd\n", diff)? == "a\nb\nC\nd\n");
    ensure!(apply("a\nb\nX\nd\n", diff).is_err());
    Ok(())
}

#[test]
fn the_least_cost_decides_for_arrays_that_nothing_names() -> Result<()> {
    let source = format!(
        "{}\nstruct Other {{ float a, b, c, d; }};\n\n__global__ void use(Other *o, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  \
        if (i < n) o[i].a += 1.0f;\n}}\n\nvoid run(int n) {{\n  Other *o;\n  cudaMalloc((void **)&o, n * sizeof(Other));\n  \
        use<<<(n + 63) / 64, 64>>>(o, n);\n  cudaFree(o);\n}}\n",
        many_launches()
    );
    let sandbox = Sandbox::with(&[("p.cu", &source)])?;
    let check = |layouts: &[&str]| -> Result<String> {
        let mut arguments = vec!["transform", "p.cu", "--check"];
        arguments.extend(layouts.iter().flat_map(|layout| ["--layout", layout]));
        Ok(sandbox.layoutc(&arguments)?.stderr)
    };
    let alone = check(&["Particle = soa"])?;
    ensure!(
        alone.contains("Particle (p, d) to soa") && alone.contains("kept: Other (o)"),
        "{alone}"
    );
    let others = check(&["Particle = soa", "* = auto"])?;
    ensure!(
        others.contains("Particle (p, d) to soa") && others.contains("Other (o) to "),
        "{others}"
    );
    ensure!(check(&["*=auto"])? == check(&[])?);
    let wrong = check(&["Particle = zigzag", "* = auto"])?;
    ensure!(wrong.contains("zigzag"), "{wrong}");
    Ok(())
}

#[test]
fn completions_and_manual_pages() -> Result<()> {
    let sandbox = Sandbox::with(&[("p.cu", PARTICLES)])?;
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef layoutc"), ("fish", "complete -c layoutc")]
    {
        let text = sandbox.accepted(&["completions", shell])?.stdout;
        ensure!(
            text.contains(part) && text.contains("transform") && text.contains("launch"),
            "{shell}"
        );
    }
    // bash reads its own.
    let bash = sandbox.accepted(&["completions", "bash"])?.stdout;
    sandbox.write("layoutc.bash", bash)?;
    let status =
        Command::new("bash").args(["-n", "layoutc.bash"]).current_dir(sandbox.path()).status()?;
    ensure!(status.success());
    sandbox.accepted(&["man", "--out-dir", "man/man1"])?;
    for name in ["layoutc.1", "layoutc-transform.1", "layoutc-calibrate-steering.1"] {
        let page = sandbox.text(&format!("man/man1/{name}"))?;
        ensure!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}");
    }
    let page = sandbox.text("man/man1/layoutc-transform.1")?;
    ensure!(page.contains("out\\-dir"), "{page}");
    Ok(())
}

#[test]
fn a_rule_for_make_names_what_was_read() -> Result<()> {
    let text = PARTICLES.replace("#include <cstdio>", "#include <cstdio>\n#include \"a b.h\"");
    let sandbox = Sandbox::with(&[("p.cu", text.as_str()), ("a b.h", "#define N 1\n")])?;
    sandbox.accepted(&["transform", "p.cu", "-o", "out.cu", "--depfile", "out.d"])?;
    ensure!(
        sandbox.text("out.d")? == "out.cu: \\\n p.cu \\\n a\\ b.h\n",
        "{}",
        sandbox.text("out.d")?
    );
    sandbox.write("Makefile", "out.cu: p.cu\n\ttouch ran\n-include out.d\n")?;
    let make = || Command::new("make").arg("-q").current_dir(sandbox.path()).status();
    ensure!(make()?.success());
    let later = SystemTime::now() + Duration::from_secs(10);
    fs::File::options().write(true).open(sandbox.path().join("a b.h"))?.set_modified(later)?;
    ensure!(!make()?.success());
    sandbox.rejected(&["transform", "p.cu", "--check", "--depfile", "x.d"], &["--depfile"])?;
    sandbox.rejected(&["transform", "p.cu", "-o", "x.cu", "--depfile", "p.cu"], &["p.cu"])?;
    Ok(())
}
