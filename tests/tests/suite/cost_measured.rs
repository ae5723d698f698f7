//! `layoutc cost --ncu`: reports of Nsight Compute beside the predictions. The reports are made up here, in the forms of
//! `ncu --csv`; no value in them was measured.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::process::Outcome;
use layoutc_tests::repository_root;
use serde_json::Value;

const LOAD_REQUESTS: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const LOAD_SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const BYTES_USED: &str = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";

/// `nbody` with 32 blocks, as the report says, too.
fn cost(report: &Path, options: &[&str]) -> Result<Outcome> {
    let report = report.to_string_lossy();
    let mut arguments = vec!["cost", "programs/nbody/nbody.cu", "--blocks", "32", "--ncu", &report];
    arguments.extend(options);
    Layoutc::built()?.run(&repository_root().join("testdata"), TRANSFORM_LIMIT, &arguments)
}

/// A row for each launch: two of `integrate`, and one of a kernel that the program does not have.
fn raw() -> String {
    let head = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\
        \"Grid Size\",\"Device\",\"CC\"";
    let mut text = format!(
        "==PROF== Connected to process 4711 (/home/user/nbody)\n{head},\"{LOAD_REQUESTS}\",\"{LOAD_SECTORS}\",\"{BYTES_USED}\",\
         \"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\"gpu__time_duration.sum\",\"sm__maximum_warps\"\n"
    );
    text += "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"request\",\"sector\",\"%\",\"Kbyte\",\"Kbyte\",\"usecond\",\"warp\"\n";
    for (id, kernel, sectors, time) in [
        (0, "integrate(Body *, float, int)", "21,000", "4.00"),
        (1, "integrate(Body *, float, int)", "22,000", "6.00"),
        (2, "void reduce<float>(float *, int)", "1,024", "1.00"),
    ] {
        let _ = writeln!(
            text,
            "\"{id}\",\"4711\",\"nbody\",\"host\",\"{kernel}\",\"1\",\"7\",\"(128, 1, 1)\",\"(32, 1, 1)\",\"0\",\"9.0\",\
             \"768\",\"{sectors}\",\"14.3\",\"114.69\",\"50.00\",\"{time}\",\"64\""
        );
    }
    text + "==PROF== Disconnected from process 4711\n"
}

fn written(folder: &Path, bytes: &[u8]) -> Result<std::path::PathBuf> {
    let path = folder.join("report.csv");
    fs::write(&path, bytes)?;
    Ok(path)
}

fn quantity<'v>(kernel: &'v Value, name: &str) -> Result<&'v Value> {
    let all = kernel["quantities"].as_array().context("no quantities")?;
    all.iter().find(|own| own["name"] == name).with_context(|| format!("no `{name}`: {all:#?}"))
}

#[test]
fn measured_values_stand_beside_predictions() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let report = written(folder.path(), raw().as_bytes())?;
    let outcome = cost(&report, &["--json"])?;
    ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    let costs: Value = serde_json::from_str(&outcome.stdout)?;
    let measured = &costs["measured"];
    assert_eq!(measured["only_measured"], serde_json::json!([["reduce", 1]]));
    assert_eq!(measured["only_predicted"], serde_json::json!(["bodyForce"]));
    let [kernel] = measured["kernels"].as_array().context("no kernels")?.as_slice() else {
        panic!("one kernel: {measured:#}");
    };
    assert_eq!((&kernel["name"], &kernel["launches"]), (&"integrate".into(), &2.into()));
    // 6 loads of the 4 warps of 32 blocks.
    let requests = quantity(kernel, "load requests")?;
    assert_eq!((&requests["source"], &requests["measured"]), (&768.0.into(), &768.0.into()));
    let sectors = quantity(kernel, "load sectors/request")?;
    assert_eq!((&sectors["source"], &sectors["chosen"]), (&28.0.into(), &4.0.into()));
    assert_eq!(sectors["measured"], 21_500.0 / 768.0);
    assert_eq!(quantity(kernel, "load bytes used")?["measured"], 14.3);
    assert_eq!(quantity(kernel, "DRAM")?["measured"], 164_690.0);
    assert_eq!(quantity(kernel, "time")?["measured"], 5.0);
    ensure!(quantity(kernel, "L2").is_err(), "the report has no such metric");

    let text = cost(&report, &[])?.stdout;
    for wanted in [
        "Measured by Nsight Compute, beside predictions",
        "integrate: mean of 2 launches of 32 blocks of 128 threads\n",
        "measured/source",
        "only in the report: `reduce` (1 launch)",
        "not in the report: `bodyForce`",
    ] {
        ensure!(text.contains(wanted), "no `{wanted}`\n{text}");
    }
    Ok(())
}

#[test]
fn other_shapes_of_launches_are_said() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let text = raw().replace("(32, 1, 1)", "(64, 1, 1)");
    let outcome = cost(&written(folder.path(), text.as_bytes())?, &[])?;
    let wanted =
        "predicted for 32 blocks of 128 threads: compare ratios, not sums; give --blocks 64";
    ensure!(outcome.stdout.contains(wanted), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn a_report_from_windows() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let text = format!("\u{feff}{}", raw().replace('\n', "\r\n"));
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outcome = cost(&written(folder.path(), &bytes)?, &[])?;
    ensure!(outcome.stdout.contains("mean of 2 launches"), "{}{}", outcome.stdout, outcome.stderr);
    Ok(())
}

#[test]
fn what_is_no_report_is_refused() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let all = raw();
    let cases: [(String, &[&str], &str); 5] = [
        ("a,b\n1,2\n".to_owned(), &[], "it is not what `ncu --csv` prints"),
        (all[..all.len() - 60].to_owned(), &[], "the file is not complete"),
        (all.replace("integrate", "advance"), &[], "no kernel of the report is one of the program"),
        (all.replace("__", "_"), &[], "ncu --csv --page raw --metrics"),
        (all, &["--model", "peng", "--device", "m2050"], "--model sectors"),
    ];
    for (text, options, expected) in cases {
        let outcome = cost(&written(folder.path(), text.as_bytes())?, options)?;
        assert_eq!(outcome.code(), Some(2), "{expected}");
        ensure!(outcome.stdout.is_empty(), "{expected}: {}", outcome.stdout);
        ensure!(outcome.stderr.contains(expected), "{expected}: {}", outcome.stderr);
    }
    let outcome = cost(&folder.path().join("none.csv"), &[])?;
    assert_eq!(outcome.code(), Some(2), "{}", outcome.stderr);
    Ok(())
}
