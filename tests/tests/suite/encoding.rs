//! Source files in other encodings than UTF-8: every byte that is not edited stays.

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::sandbox::{PARTICLES, Sandbox};
use serde_json::Value;

const SOA: [&str; 2] = ["--layout", "Particle = soa"];

/// Where the program gets a byte: `@` stands for it.
const PLACES: [(&str, &str); 5] = [
    ("vx, vy, vz;\n", "vx, vy, vz; // @\n"),
    ("// Particles drift", "// Particles drift, @ and @@"),
    ("  float sum", "  /* @\\ */\n  float sum"),
    ("%.3f\\n", "@ = %.3f\\n"),
    ("struct Particle {\n", "struct Particle { // @\n"),
];

/// A program with some bytes in comments and strings.
fn with_bytes(byte: &[u8]) -> Vec<u8> {
    let mut text = PARTICLES.to_owned();
    for (before, after) in PLACES {
        text = text.replace(before, after);
    }
    replace(text.as_bytes(), b"@", byte)
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

fn transform<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["transform", "in.cu", "--helpers", "inline"], options, &SOA[..]].concat()
}

/// Latin-1, a Shift-JIS character whose second byte is a backslash, a cut-off UTF-8 sequence, all
/// of a code page, and the character that stands for such bytes inside layoutc.
fn bytes() -> Vec<Vec<u8>> {
    let page = (0x80..=0xff).collect();
    vec![
        b"\xe9".to_vec(),
        b"\x95\x5c ".to_vec(),
        b"\xe2\x82".to_vec(),
        page,
        b"\x1a\xff\x1a".to_vec(),
    ]
}

#[test]
fn the_result_is_that_of_the_plain_text_with_the_bytes() -> Result<()> {
    let plain = Sandbox::with(&[("in.cu", with_bytes(b"@"))])?;
    plain.accepted(&transform(&["-o", "out.cu"]))?;
    for line_end in ["\n", "\r\n"] {
        for byte in bytes() {
            let text = replace(&with_bytes(&byte), b"\n", line_end.as_bytes());
            let expected =
                replace(&replace(&plain.read("out.cu")?, b"@", &byte), b"\n", line_end.as_bytes());
            ensure!(expected != text, "nothing changes");
            let sandbox = Sandbox::with(&[("in.cu", text)])?;
            sandbox.accepted(&transform(&["-o", "out.cu"]))?;
            ensure!(sandbox.read("out.cu")? == expected, "-o, {byte:x?}");
            sandbox.accepted(&transform(&["--out-dir", "out"]))?;
            ensure!(sandbox.read("out/in.cu")? == expected, "--out-dir, {byte:x?}");
            sandbox.accepted(&transform(&["--in-place"]))?;
            ensure!(sandbox.read("in.cu")? == expected, "--in-place, {byte:x?}");
        }
    }
    Ok(())
}

#[test]
fn a_file_that_stays_is_copied_byte_by_byte() -> Result<()> {
    let header = b"#pragma once\r\n// \xe4\xf6\xfc\r\nint twice(int);".to_vec();
    let main = [b"#include \"a.h\"\n", PARTICLES.as_bytes()].concat();
    let sandbox = Sandbox::with(&[("in.cu", main), ("a.h", header.clone())])?;
    sandbox.accepted(&transform(&["--out-dir", "out"]))?;
    ensure!(sandbox.read("out/a.h")? == header);
    ensure!(sandbox.read("out/in.cu")? != sandbox.read("in.cu")?);
    Ok(())
}

#[test]
fn the_diff_has_the_bytes_and_is_a_patch() -> Result<()> {
    let text = with_bytes(b"\xe9");
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    sandbox.accepted(&transform(&["-o", "out.cu"]))?;
    let layoutc = Layoutc::built()?;
    let output = std::process::Command::new(layoutc.program())
        .current_dir(sandbox.path())
        .args(transform(&["--diff"]))
        .output()?;
    ensure!(output.stdout.contains(&0xe9) && !output.stdout.contains(&0x1a));
    sandbox.write("change.patch", &output.stdout)?;
    let patch = std::process::Command::new("patch")
        .current_dir(sandbox.path())
        .args(["-p1", "--binary", "-s", "-i", "change.patch"])
        .status();
    // Not every machine has `patch`.
    if patch.is_ok_and(|status| status.success()) {
        ensure!(sandbox.read("in.cu")? == sandbox.read("out.cu")?);
    }
    Ok(())
}

#[test]
fn check_reports_and_messages() -> Result<()> {
    let text = replace(
        &with_bytes(b"\xe9"),
        b"  cudaFree(d);",
        b"  fwrite(d, 1, n, stdout); /* \xe9 */ cudaFree(d);",
    );
    let line = text[..text.windows(6).position(|at| at == b"fwrite").context("there")?]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let outcome = sandbox.layoutc(&transform(&["--check", "--report", "report.json"]))?;
    ensure!(outcome.code() == Some(4), "{}", outcome.ending());
    ensure!(outcome.stderr.contains(&format!("in.cu:{line}:")), "{}", outcome.stderr);
    ensure!(!outcome.stderr.contains('\u{1a}'), "{:?}", outcome.stderr);
    let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
    ensure!(report["classes"][0]["reasons"][0]["line"] == line, "{report:#}");
    let sandbox = Sandbox::with(&[("in.cu", with_bytes(b"\xe9"))])?;
    let outcome = sandbox.layoutc(&transform(&["--check"]))?;
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn an_edit_over_such_a_byte_keeps_the_array() -> Result<()> {
    let text = replace(&with_bytes(b"\xe9"), b"p[i].x +=", b"p[i /* \xe9 */].x +=");
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let outcome = sandbox.accepted(&transform(&["-o", "out.cu"]))?;
    ensure!(outcome.stderr.contains("holds a byte that is not UTF-8"), "{}", outcome.stderr);
    ensure!(sandbox.read("out.cu")? == sandbox.read("in.cu")?);
    Ok(())
}

#[test]
fn verify_runs_such_a_program() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", with_bytes(b"\xe9"))])?;
    let arguments = [&["verify", "in.cu"], &SOA[..]].concat();
    let outcome = Layoutc::built()?.run(sandbox.path(), VERIFY_LIMIT, arguments)?;
    ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
    ensure!(outcome.stdout.contains("identical"), "{}", outcome.stdout);
    Ok(())
}
