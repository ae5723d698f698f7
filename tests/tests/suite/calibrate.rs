//! What `layoutc calibrate` promises: the program it writes builds, and known curves give known bits.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::process::run_limited;
use layoutc_tests::sandbox::Sandbox;

/// A curve whose bandwidth is halved with each of the address bits 7 to 9 that is fixed.
fn curve() -> String {
    let mut text = String::from("# device: Nobody's\nstride_words,requests_per_second\n");
    for stride in (16_u32..=1024).step_by(16) {
        let lowest_varying_bit = stride.trailing_zeros() + 2;
        let fixed = lowest_varying_bit.clamp(7, 10) - 7;
        let _ = writeln!(text, "{stride},{}", 1e9 / f64::from(1 << fixed));
    }
    text
}

#[test]
fn a_curve_gives_the_table_of_a_device_file() -> Result<()> {
    let sandbox = Sandbox::with(&[("curve.csv", curve())])?;
    let printed = sandbox.accepted(&["calibrate", "steering", "--curve", "curve.csv"])?.stdout;
    let table: toml::Table = printed.parse().context("TOML")?;
    let steering = &table["steering"];
    ensure!(steering["channel_hash"]["value"].as_str() == Some("none"), "{printed}");
    ensure!(steering["steering_bits"]["value"].to_string() == "[9, 7]", "{printed}");
    ensure!(steering["coalescing_bits"]["value"].to_string() == "[5, 2]", "{printed}");
    ensure!(printed.contains("measured on Nobody's"), "{printed}");
    let to_file = ["calibrate", "steering", "--curve", "curve.csv", "-o", "new/bits.toml"];
    let outcome = sandbox.accepted(&to_file)?;
    ensure!(outcome.stdout.is_empty() && sandbox.text("new/bits.toml")? == printed);
    Ok(())
}

#[test]
fn a_flat_curve_gives_unknown_bits() -> Result<()> {
    let json = r#"{"points": [{"stride_words": 16, "latency_ns": 500.0},
        {"stride_words": 32, "latency_ns": 510}, {"stride_words": 64, "latency_ns": 490}]}"#;
    let sandbox = Sandbox::with(&[("flat.json", json)])?;
    let printed = sandbox.accepted(&["calibrate", "steering", "--curve", "flat.json"])?.stdout;
    ensure!(printed.matches("= \"unknown\"").count() == 4, "{printed}");
    Ok(())
}

#[test]
fn curves_that_say_nothing_are_errors() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("empty.csv", ""),
        ("zero.csv", "stride_words,latency_ns\n16,1\n0,1\n"),
        ("list.json", "[]"),
    ])?;
    for (name, cause) in [
        ("empty.csv", "at least two powers of two"),
        ("zero.csv", "measurement 2: the stride is 0"),
        ("list.json", "invalid"),
    ] {
        let outcome = sandbox.layoutc(&["calibrate", "steering", "--curve", name])?;
        ensure!(outcome.code() == Some(1), "{name}: {}", outcome.ending());
        ensure!(outcome.stdout.is_empty(), "{name}: {}", outcome.stdout);
        let is_told = outcome.stderr.contains(name) && outcome.stderr.contains(cause);
        ensure!(is_told, "{name}: {}", outcome.stderr);
    }
    let missing = sandbox.layoutc(&["calibrate", "steering", "--curve", "none.csv"])?;
    ensure!(missing.code() == Some(2) && missing.stderr.contains("none.csv"));
    Ok(())
}

#[test]
fn without_a_compiler_the_program_is_written() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let arguments = ["calibrate", "steering", "--nvcc", "missing/nvcc", "--out-dir", "a/b"];
    let outcome = sandbox.layoutc(&arguments)?;
    ensure!(outcome.code() == Some(2), "{}", outcome.ending());
    ensure!(outcome.stderr.contains("missing/nvcc is not there"), "{}", outcome.stderr);
    ensure!(sandbox.text("a/b/steering.cu")?.contains("__global__ void chase"));
    Ok(())
}

#[test]
fn without_a_device_the_program_is_built() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let nvcc = Nvcc::find()?;
    let mut command = Command::new(Layoutc::built()?.program());
    command
        .current_dir(sandbox.path())
        .args(["calibrate", "steering", "--arch", "sm_80", "--out-dir", "out", "--nvcc"])
        .arg(nvcc.program())
        // Hides the GPUs of a machine that has some.
        .env("CUDA_VISIBLE_DEVICES", "");
    let outcome = run_limited(&mut command, Duration::from_secs(300))?;
    ensure!(outcome.code() == Some(2), "{}\n{}", outcome.ending(), outcome.stderr);
    ensure!(outcome.stderr.contains("no CUDA device is here"), "{}", outcome.stderr);
    ensure!(sandbox.path().join("out/steering").is_file(), "{:?}", sandbox.contents()?.keys());
    ensure!(!sandbox.path().join("out/curve.csv").exists());
    Ok(())
}
