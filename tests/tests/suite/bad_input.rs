//! Input that cannot be carried out: a message with file, line and cause, exit code 1 or 2,
//! nothing written, never a panic or a hang.

use std::fs;

use anyhow::{Result, ensure};
use layoutc_tests::sandbox::{PARTICLES, PLAIN, Sandbox};

const TO_FILE: [&str; 4] = ["transform", "in.cu", "-o", "out.cu"];

fn particles() -> Result<Sandbox> {
    Sandbox::with(&[("in.cu", PARTICLES)])
}

/// `transform in.cu -o out.cu` and these options.
fn to_file<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&TO_FILE[..], options].concat()
}

#[test]
fn missing_file() -> Result<()> {
    Sandbox::new()?.rejected(&["transform", "nowhere.cu", "-o", "out.cu"], &["nowhere.cu"])?;
    Ok(())
}

#[test]
fn one_of_two_files_is_missing() -> Result<()> {
    particles()?
        .rejected(&["transform", "in.cu", "nowhere.cu", "--out-dir", "out"], &["nowhere.cu"])?;
    Ok(())
}

#[test]
fn directory() -> Result<()> {
    let sandbox = particles()?;
    fs::create_dir(sandbox.path().join("folder.cu"))?;
    sandbox
        .rejected(&["transform", "folder.cu", "-o", "out.cu"], &["folder.cu", "has no source"])?;
    Ok(())
}

#[test]
fn binary_file() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", b"\x7fELF\0\0\x01\x02\xff\xfe".repeat(100))])?;
    sandbox.rejected(&TO_FILE, &["in.cu"])?;
    Ok(())
}

#[test]
fn nul_in_a_text_file() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", "int a;\nint \0b;\n")])?;
    sandbox.rejected(&TO_FILE, &["in.cu"])?;
    Ok(())
}

#[test]
fn utf_16() -> Result<()> {
    let little: Vec<u8> = PARTICLES.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = PARTICLES.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, text) in [(b"\xff\xfe", &little), (b"\xfe\xff", &big)] {
        let marked = [&mark[..], text].concat();
        let sandbox = Sandbox::with(&[("in.cu", marked)])?;
        sandbox.rejected(&TO_FILE, &["in.cu", "UTF-16", "LC0001"])?;
        let sandbox = Sandbox::with(&[("in.cu", text)])?;
        sandbox.rejected(&TO_FILE, &["in.cu:1", "NUL byte"])?;
    }
    Ok(())
}

#[test]
fn header_with_a_nul_byte() -> Result<()> {
    let sandbox =
        Sandbox::with(&[("in.cu", "#include \"a.h\"\n".as_bytes()), ("a.h", b"// \xff\n\0\n")])?;
    sandbox.rejected(&TO_FILE, &["a.h:2", "NUL byte"])?;
    Ok(())
}

#[test]
fn bytes_that_are_not_utf_8_in_code() -> Result<()> {
    let mut text = PARTICLES.as_bytes().to_vec();
    text.extend(b"int caf\xe9 = 1;\n");
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let outcome = sandbox.accepted(&to_file(&["--layout", "Particle = soa"]))?;
    ensure!(outcome.stderr.contains("LC0002"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn unclosed_brace() -> Result<()> {
    let cut = PARTICLES.rfind("  cudaFree").unwrap_or(PARTICLES.len());
    let sandbox = Sandbox::with(&[("in.cu", &PARTICLES[..cut])])?;
    sandbox.rejected(&TO_FILE, &["in.cu:"])?;
    Ok(())
}

#[test]
fn unclosed_comment_and_string() -> Result<()> {
    for tail in ["/* and so on", "const char *s = \"open;\n", "#if 1\nint x;\n"] {
        let sandbox = Sandbox::with(&[("in.cu", format!("{PARTICLES}{tail}"))])?;
        let outcome = sandbox.layoutc(&TO_FILE)?;
        ensure!(
            outcome.succeeded() || outcome.stderr.contains("in.cu:"),
            "{tail}: {}",
            outcome.stderr
        );
    }
    Ok(())
}

#[test]
fn very_deep_nesting() -> Result<()> {
    let deep = |open: &str, close: &str, core: &str| {
        let (open, close) = (open.repeat(50_000), close.repeat(50_000));
        format!("{PARTICLES}\nint deep() {{ return {open}{core}{close}; }}\n")
    };
    for text in [
        deep("(", ")", "1"),
        deep("[&]{return ", ";}()", "1"),
        deep("f(", ")", "1"),
        deep("-", "", "1"),
        deep("1+", "", "1"),
        deep("a[", "]", "0"),
        format!("{PARTICLES}\nvoid deep() {{ {} {} }}\n", "{".repeat(50_000), "}".repeat(50_000)),
        format!("{PARTICLES}\nvoid deep() {{ {} ; }}\n", "if (1) ".repeat(50_000)),
        format!("{PARTICLES}\nint {}deep;\n", "*".repeat(50_000)),
        format!("{}int a;\n{}{PARTICLES}", "#if 1\n".repeat(5_000), "#endif\n".repeat(5_000)),
    ] {
        let sandbox = Sandbox::with(&[("in.cu", &text)])?;
        let outcome = sandbox.layoutc(&TO_FILE)?;
        let written = sandbox.path().join("out.cu").exists();
        ensure!(outcome.succeeded() == written, "{} {}", outcome.ending(), written);
        if !outcome.succeeded() {
            ensure!(outcome.stderr.contains("in.cu:"), "{}", outcome.stderr);
            ensure!(outcome.stderr.len() < 20_000, "the message repeats the input");
        }
    }
    Ok(())
}

#[test]
fn deep_brackets_are_an_error_with_a_line() -> Result<()> {
    let text = format!("int a = {}1{};\n", "(".repeat(100_000), ")".repeat(100_000));
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    sandbox.rejected(&TO_FILE, &["in.cu:1", "LC0003"])?;
    Ok(())
}

#[test]
fn very_long_lines() -> Result<()> {
    let long = "x".repeat(4_000_000);
    let sandbox = Sandbox::with(&[("in.cu", format!("{PARTICLES}// {long}\n"))])?;
    sandbox.accepted(&to_file(&["--layout", "Particle = soa"]))?;
    ensure!(sandbox.text("out.cu")?.ends_with(&format!("// {long}\n")));

    let wide = vec!["1"; 200_000].join(", ");
    let text = format!("int table[] = {{{wide}}};\n{PARTICLES}");
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    sandbox.accepted(&to_file(&["--layout", "Particle = soa"]))?;

    // An error in a long line is shown without the line.
    let sandbox = Sandbox::with(&[("in.cu", format!("/* {long} */ void f() {{\n"))])?;
    let outcome = sandbox.rejected(&TO_FILE, &["in.cu:1"])?;
    ensure!(outcome.stderr.len() < 20_000, "{} bytes of message", outcome.stderr.len());
    Ok(())
}

#[test]
fn include_cycle() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("in.cu", format!("#include \"a.cuh\"\n{PARTICLES}").as_str()),
        ("a.cuh", "#include \"b.cuh\"\n"),
        ("b.cuh", "#include \"a.cuh\"\n"),
    ])?;
    sandbox.rejected(&TO_FILE, &["a.cuh", "b.cuh:1"])?;
    Ok(())
}

#[test]
fn a_file_that_includes_itself() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", format!("#include \"in.cu\"\n{PARTICLES}"))])?;
    sandbox.rejected(&TO_FILE, &["in.cu:1"])?;
    Ok(())
}

#[test]
fn guarded_include_cycle_is_no_error() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("in.cu", format!("#include \"a.cuh\"\n{PARTICLES}").as_str()),
        ("a.cuh", "#pragma once\n#include \"b.cuh\"\n"),
        ("b.cuh", "#ifndef B\n#define B\n#include \"a.cuh\"\n#endif\n"),
    ])?;
    sandbox.accepted(&to_file(&["--layout", "Particle = soa"]))?;
    Ok(())
}

#[test]
fn missing_local_header() -> Result<()> {
    let sandbox = Sandbox::with(&[(
        "in.cu",
        format!("#include <cstdio>\n#include \"gone.h\"\n{PARTICLES}"),
    )])?;
    sandbox.rejected(&TO_FILE, &["in.cu:2", "gone.h", "LC0004"])?;
    Ok(())
}

#[test]
fn missing_local_header_as_opaque() -> Result<()> {
    let options = to_file(&["--layout", "Particle = soa", "--missing-headers", "opaque"]);
    let at = PARTICLES.find("__global__").unwrap_or_default();
    let behind = format!("{}#include \"gone.h\"\n{}", &PARTICLES[..at], &PARTICLES[at..]);
    let sandbox = Sandbox::with(&[("in.cu", &behind)])?;
    let outcome = sandbox.accepted(&options)?;
    ensure!(outcome.stderr.contains("LC0004") && outcome.stderr.contains("may use"));
    ensure!(sandbox.text("out.cu")? == behind);
    let sandbox = Sandbox::with(&[("in.cu", format!("#include \"gone.h\"\n{PARTICLES}"))])?;
    let outcome = sandbox.accepted(&options)?;
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    sandbox.rejected(&to_file(&["--missing-headers", "perhaps"]), &["perhaps"])?;
    Ok(())
}

#[test]
fn unknown_layout_name() -> Result<()> {
    particles()?.rejected(&to_file(&["--layout", "Particle = zigzag"]), &["zigzag", "LC0040"])?;
    Ok(())
}

#[test]
fn layouts_that_cannot_be_read() -> Result<()> {
    for spec in [
        "",
        "=",
        "Particle",
        "Particle =",
        "= soa",
        "Particle = {x y",
        "Particle = tiled(",
        "Particle = soa soa",
        "Particle = aos align(7)",
        "Particle = {}",
    ] {
        particles()?.rejected(&to_file(&["--layout", spec]), &["LC00"])?;
    }
    Ok(())
}

#[test]
fn unknown_field() -> Result<()> {
    let spec = "Particle = {x y z w}, {vx vy vz}";
    particles()?.rejected(&to_file(&["--layout", spec]), &["`w`", "LC0041"])?;
    Ok(())
}

#[test]
fn unknown_class() -> Result<()> {
    particles()?.rejected(&to_file(&["--layout", "Partikel = soa"]), &["Partikel", "LC0042"])?;
    Ok(())
}

#[test]
fn invalid_tiles() -> Result<()> {
    for tile in ["0", "-1", "1.5", "99999999999999999999", "x"] {
        let spec = format!("Particle = tiled({tile})");
        particles()?.rejected(&to_file(&["--layout", &spec]), &["LC004"])?;
    }
    particles()?.rejected(&to_file(&["--layout", "Particle = tiled(0)"]), &["LC0044"])?;
    Ok(())
}

#[test]
fn overlapping_groups() -> Result<()> {
    let spec = "Particle = {x y z}, {z vx vy vz}";
    particles()?.rejected(&to_file(&["--layout", spec]), &["`z`", "LC0043"])?;
    Ok(())
}

#[test]
fn output_below_a_file() -> Result<()> {
    let sandbox = particles()?;
    sandbox.write("plain.txt", "")?;
    let soa = ["--layout", "Particle = soa"];
    for output in
        [["-o", "plain.txt/out.cu"], ["--out-dir", "plain.txt"], ["--out-dir", "plain.txt/out"]]
    {
        let arguments = [&["transform", "in.cu"], &output[..], &soa[..]].concat();
        sandbox.rejected(&arguments, &["plain.txt"])?;
    }
    Ok(())
}

#[test]
fn output_is_a_directory() -> Result<()> {
    let sandbox = particles()?;
    fs::create_dir(sandbox.path().join("out.cu"))?;
    sandbox.rejected(&to_file(&["--layout", "Particle = soa"]), &["out.cu"])?;
    Ok(())
}

#[test]
fn report_that_cannot_be_written_writes_nothing_else() -> Result<()> {
    let sandbox = particles()?;
    sandbox.write("plain.txt", "")?;
    let options = ["--layout", "Particle = soa", "--report", "plain.txt/report.json"];
    sandbox.rejected(&to_file(&options), &["plain.txt/report.json"])?;
    Ok(())
}

#[test]
fn output_equal_to_input() -> Result<()> {
    let soa = ["--layout", "Particle = soa"];
    for output in
        [["-o", "in.cu"], ["-o", "./in.cu"], ["-o", "folder/../in.cu"], ["--out-dir", "."]]
    {
        let sandbox = particles()?;
        fs::create_dir(sandbox.path().join("folder"))?;
        let arguments = [&["transform", "in.cu"], &output[..], &soa[..]].concat();
        sandbox.rejected(&arguments, &["in.cu"])?;
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn output_is_a_link_to_the_input() -> Result<()> {
    let sandbox = particles()?;
    std::os::unix::fs::symlink("in.cu", sandbox.path().join("out.cu"))?;
    sandbox.rejected(&to_file(&["--layout", "Particle = soa"]), &["out.cu"])?;
    Ok(())
}

#[test]
fn one_output_for_two_files() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES), ("more.cu", "int unrelated;\n")])?;
    sandbox.rejected(&["transform", "in.cu", "more.cu", "-o", "out.cu"], &["--out-dir"])?;
    Ok(())
}

#[test]
fn a_header_that_must_change_needs_a_folder() -> Result<()> {
    let at = PARTICLES.find("__global__").unwrap_or_default();
    let start = PARTICLES.find("struct").unwrap_or_default();
    let body = format!("#include \"particle.h\"\n{}{}", &PARTICLES[..start], &PARTICLES[at..]);
    let sandbox =
        Sandbox::with(&[("in.cu", body.as_str()), ("particle.h", &PARTICLES[start..at])])?;
    let options = ["--layout", "Particle = aos align(16)"];
    sandbox.rejected(&to_file(&options), &["particle.h", "--out-dir"])?;
    sandbox.accepted(&[&["transform", "in.cu", "--out-dir", "out"], &options[..]].concat())?;
    ensure!(sandbox.path().join("out/particle.h").is_file(), "{:?}", sandbox.contents()?.keys());
    Ok(())
}

#[test]
fn usage_errors() -> Result<()> {
    let sandbox = particles()?;
    for arguments in [
        &["transform"][..],
        &["transform", "in.cu"],
        &["transform", "in.cu", "-o", "out.cu", "--out-dir", "out"],
        &["transform", "in.cu", "--in-place", "--diff"],
        &["transform", "in.cu", "--no-such-option"],
        &["no-such-command"],
        &["explain", "LC9999"],
        &["verify"],
        &["verify", "nowhere.cu"],
    ] {
        sandbox.rejected(arguments, &[])?;
    }
    Ok(())
}

#[test]
fn required_class_that_must_stay() -> Result<()> {
    let text = PARTICLES
        .replace("  cudaFree(d);", "  fwrite(d, sizeof(Particle), n, stdout);\n  cudaFree(d);");
    let line = text.lines().position(|line| line.contains("fwrite")).unwrap_or_default() + 1;
    let sandbox = Sandbox::with(&[("in.cu", &text)])?;
    let options = ["--layout", "Particle = soa", "--require", "Particle"];
    sandbox.rejected(&to_file(&options), &["Particle", &format!("in.cu:{line}")])?;
    // Without `--require` the class stays, with a warning, and the rest goes through.
    let outcome = sandbox.accepted(&to_file(&["--layout", "Particle = soa"]))?;
    ensure!(outcome.stderr.contains(&format!("in.cu:{line}")), "{}", outcome.stderr);
    ensure!(sandbox.text("out.cu")? == text);
    Ok(())
}

#[test]
fn required_type_that_does_not_exist() -> Result<()> {
    particles()?.rejected(&to_file(&["--require", "Partikel"]), &["Partikel"])?;
    Ok(())
}

#[test]
fn empty_and_odd_files_are_copied() -> Result<()> {
    for text in ["", "\n", "// only a comment", "\u{feff}int a;\n", "#\n", "\r\n\r\n", PLAIN] {
        let sandbox = Sandbox::with(&[("in.cu", text)])?;
        sandbox.accepted(&TO_FILE)?;
        ensure!(sandbox.text("out.cu")? == text, "{text:?}");
    }
    Ok(())
}

#[test]
fn an_error_in_one_file_keeps_all_as_they_are() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES), ("broken.cu", "void f() { {\n")])?;
    let soa = ["--layout", "Particle = soa"];
    for output in [&["--in-place"][..], &["--out-dir", "out"]] {
        let arguments = [&["transform", "in.cu", "broken.cu"], output, &soa[..]].concat();
        sandbox.rejected(&arguments, &["broken.cu:"])?;
    }
    Ok(())
}
