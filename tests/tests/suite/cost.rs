//! `layoutc cost`, and what it refuses.

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::process::Outcome;
use layoutc_tests::repository_root;
use serde_json::Value;

fn cost(file: &str, options: &[&str]) -> Result<Outcome> {
    let mut arguments = vec!["cost", file];
    arguments.extend(options);
    Layoutc::built()?.run(&repository_root().join("testdata"), TRANSFORM_LIMIT, &arguments)
}

fn json(file: &str, options: &[&str]) -> Result<Value> {
    let options: Vec<&str> = options.iter().copied().chain(["--json"]).collect();
    let outcome = cost(file, &options)?;
    ensure!(outcome.succeeded(), "{}\n{}{}", outcome.ending(), outcome.stdout, outcome.stderr);
    Ok(serde_json::from_str(&outcome.stdout)?)
}

const NBODY: &str = "programs/nbody/nbody.cu";
const ARRAYS: &str = "cost/nbody_arrays.cu";

#[test]
fn common_layouts_are_compared() -> Result<()> {
    let costs = json(NBODY, &[])?;
    let [table] = costs["tables"].as_array().context("no `tables`")?.as_slice() else {
        panic!("one table: {costs:#}");
    };
    let layouts = table["layouts"].as_array().context("no `layouts`")?;
    let names: Vec<&Value> = layouts.iter().map(|layout| &layout["layout"]).collect();
    assert_eq!(names, ["aos", "soa", "tiled(32)"]);
    assert_eq!(layouts[0]["ratio"], 1.0);
    // 28 bytes a body: consecutive threads read 7 times what they need.
    let stride = |layout: usize| &layouts[layout]["kernels"][0]["accesses"][1]["stride"]["bytes"];
    assert_eq!((stride(0), stride(1)), (&Value::from(28), &Value::from(4)));
    assert!(layouts[1]["ratio"].as_f64().context("no ratio")? < 1.0);
    let kernel = &table["kernels"][0];
    assert_eq!((&kernel["name"], &kernel["block"][0]), (&"bodyForce".into(), &128.into()));
    assert_eq!(
        (&kernel["is_block_known"], &kernel["is_grid_known"]),
        (&true.into(), &false.into())
    );
    assert_eq!(kernel["host_loops"], serde_json::json!([null]));
    Ok(())
}

#[test]
fn what_a_kernel_can_gain_is_said() -> Result<()> {
    let costs = json(NBODY, &[])?;
    let layouts = &costs["tables"][0]["layouts"];
    assert_eq!(layouts[0]["gains"], serde_json::json!([null, null]), "the source gains nothing");
    // All pairs: arithmetic; one step for each body: memory.
    let gains = &layouts[1]["gains"];
    assert_eq!(gains[0]["no_gain"], "compute-bound");
    assert_eq!(gains[1]["no_gain"], Value::Null);
    let speedup = gains[1]["speedup"].as_f64().context("no speed-up")?;
    assert!((1.2..7.0).contains(&speedup), "{speedup}");
    assert!(gains[1]["launches_that_pay"].as_f64().is_some_and(|launches| launches >= 1.0));
    // The paper's model knows no rates.
    let paper = json(NBODY, &["--model", "peng", "--device", "m2050"])?;
    assert_eq!(paper["tables"][0]["layouts"][1]["gains"], serde_json::json!([null, null]));
    Ok(())
}

/// The counters of a launch: 4 warps of 128 threads in each of 4096 blocks, and 28 bytes a body.
#[test]
fn a_launch_in_the_quantities_of_nsight_compute() -> Result<()> {
    let costs = json(NBODY, &[])?;
    let table = &costs["tables"][0];
    let launch = |layout: usize| &table["layouts"][layout]["launches"][1];
    // `integrate`: 6 loads and 3 stores of each warp.
    let requests = 9.0 * 4096.0 * 4.0;
    for (layout, sectors) in [(0, 28.0), (1, 4.0), (2, 4.0)] {
        let launch = launch(layout);
        assert_eq!(launch["requests"], requests);
        assert_eq!(launch["sectors"], requests * sectors, "{launch:#}");
        assert_eq!(launch["ideal_sectors"], requests * 4.0);
        for what in ["requests", "sectors", "l2_bytes", "dram_bytes", "microseconds"] {
            let accesses = launch["accesses"].as_array().context("accesses")?;
            let sum: f64 = accesses.iter().filter_map(|own| own[what].as_f64()).sum();
            let all = launch[what].as_f64().context("no number")?;
            assert!((sum - all).abs() <= 1e-9 * all, "{what}: {sum} of {all}");
        }
    }
    assert!(launch(0)["dram_bytes"].as_f64() > launch(1)["dram_bytes"].as_f64());
    Ok(())
}

#[test]
fn the_table_is_in_the_words_of_nsight_compute() -> Result<()> {
    let all = cost(NBODY, &[])?.stdout;
    for text in [
        "`transform` chooses `Body = tiled(32)`: memory accesses cost",
        "chosen",
        "nbody.cu:81",
        "excess",
        "Legend: predicted from the text, not measured",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "dram__bytes_read.sum",
        "n               a length that the text does not say; counted as 100",
    ] {
        ensure!(all.contains(text), "no `{text}`\n{all}");
    }
    // What nobody chose has no rows for single accesses, except with -v.
    let rows = |text: &str| text.lines().filter(|line| line.contains("[1]")).count();
    let verbose = cost(NBODY, &["-v"])?.stdout;
    assert_eq!((rows(&all), rows(&verbose)), (2 + 2 * 2, 2 + 2 * 2 + 11 + 9), "{verbose}");
    let quiet = cost(NBODY, &["-q"])?.stdout;
    ensure!(!quiet.contains("Legend") && all.starts_with(&quiet), "{quiet}");
    let paper = cost(NBODY, &["--model", "peng", "--device", "m2050"])?.stdout;
    ensure!(paper.contains(" t, ") && !paper.contains("l1tex"), "{paper}");
    Ok(())
}

#[test]
fn a_column_is_what_was_asked_for() -> Result<()> {
    let costs = json(
        NBODY,
        &["--layout", "Body = {x y z mass} align(16), {*}", "--layout", "p = tiled(16)"],
    )?;
    let layouts = costs["tables"][0]["layouts"].as_array().context("no `layouts`")?;
    let names: Vec<&Value> = layouts.iter().map(|layout| &layout["layout"]).collect();
    // And what `transform` chooses.
    let wanted =
        ["as it is", "Body = {x y z mass} align(16), {*}", "p = tiled(16)", "Body = tiled(32)"];
    assert_eq!(names, wanted);
    assert_eq!(costs["tables"][0]["chosen"], 3);
    Ok(())
}

/// The field groupings of N-body in table III of Peng et al.: the source has separate arrays.
#[test]
fn separate_arrays_are_put_together() -> Result<()> {
    let costs = json(
        ARRAYS,
        &[
            "--model",
            "peng",
            "--device",
            "m2050",
            "--layout",
            "x + y + z + vx + vy + vz = aos",
            "--layout",
            "x + vx = aos; y + vy = aos; z + vz = aos",
        ],
    )?;
    let layouts = costs["tables"][0]["layouts"].as_array().context("no `layouts`")?;
    let strides: Vec<&Value> = layouts
        .iter()
        .map(|layout| &layout["kernels"][0]["accesses"][0]["stride"]["bytes"])
        .collect();
    assert_eq!(strides, [&Value::from(4), &Value::from(24), &Value::from(8)]);
    let transactions: Vec<&Value> =
        layouts.iter().map(|layout| &layout["kernels"][0]["accesses"][0]["transactions"]).collect();
    assert_eq!(transactions, [&Value::from(1.0), &Value::from(6.0), &Value::from(2.0)]);
    assert_eq!(costs["tables"][0]["arrays"][0]["elements"], 16384);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let cases: [(&[&str], &str); 9] = [
        (&["--layout", "Bod = soa"], "did you mean `Body`?"),
        (&["--layout", "Body = {x nosuch}"], "nosuch"),
        (&["--layout", "Body = {x y}"], "LC0040"),
        (&["--layout", "Body = [i%4, i/4, field]"], "LC0040"),
        (&["--layout", "Body"], "LC0040"),
        (&["--layout", "Body = soa; "], "LC0040"),
        (&["--device", "gtx9999"], "gtx280"),
        (&["--model", "guess"], "sectors"),
        (&["--block", "0"], "--block"),
    ];
    for (options, expected) in cases {
        let outcome = cost(NBODY, options)?;
        ensure!(!outcome.succeeded(), "{options:?} succeeds");
        ensure!(outcome.stdout.is_empty(), "{options:?} prints {}", outcome.stdout);
        ensure!(outcome.stderr.contains(expected), "{options:?}: {}", outcome.stderr);
    }
    Ok(())
}

#[test]
fn arrays_that_are_used_together_are_found() -> Result<()> {
    let costs = json(ARRAYS, &[])?;
    let groups: Vec<Vec<&Value>> = costs["tables"]
        .as_array()
        .context("no `tables`")?
        .iter()
        .map(|table| {
            let arrays = table["arrays"].as_array().into_iter().flatten();
            arrays.map(|array| &array["name"]).collect()
        })
        .collect();
    // The positions are read at another index too.
    assert_eq!(groups, [["x", "y", "z"], ["vx", "vy", "vz"]]);
    assert_eq!(costs["tables"][0]["layouts"][1]["layout"], "x + y + z = aos");
    Ok(())
}

#[test]
fn a_program_without_arrays_of_structs() -> Result<()> {
    let outcome = cost("cost/one_array.cu", &[])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(outcome.stderr.contains("nothing to price"), "{}", outcome.stderr);
    Ok(())
}

/// The sectors of requests come from a run, those of the new layout from the program in it.
#[test]
fn layouts_are_simulated() -> Result<()> {
    let options =
        ["--simulate", "--layout", "Body = soa", "--layout", "Body = tiled(32)", "--json"];
    let outcome = cost(NBODY, &[&options[..], &["--", "300", "1"]].concat())?;
    ensure!(outcome.succeeded(), "{}\n{}{}", outcome.ending(), outcome.stdout, outcome.stderr);
    let costs: Value = serde_json::from_str(&outcome.stdout)?;
    let layouts = costs["tables"][0]["layouts"].as_array().context("no `layouts`")?;
    let kernel = |layout: usize, name: &str| -> Result<Value> {
        let kernels = &layouts[layout]["simulated"]["cost"]["counted"]["kernels"];
        let mut kernels = kernels.as_array().context("no `kernels`")?.iter();
        kernels.find(|kernel| kernel["name"] == name).cloned().context("no such kernel")
    };
    // 300 bodies in 10 warps, the last one of 12: 6 loads and 3 stores of each.
    let source = &kernel(0, "integrate")?["counts"];
    assert_eq!((&source["requests"], &source["ideal_sectors"]), (&90.into(), &342.into()));
    for layout in [1, 2] {
        let counts = &kernel(layout, "integrate")?["counts"];
        assert_eq!((&counts["requests"], &counts["sectors"]), (&90.into(), &342.into()));
    }
    let sectors = source["sectors"].as_u64().context("no number")?;
    assert!((2300..=2530).contains(&sectors), "{sectors}");
    let place = &kernel(1, "integrate")?["places"][0];
    assert_eq!((&place["source_line"], &place["kind"]), (&81.into(), &"read".into()));
    let ratio = layouts[1]["simulated"]["cost"]["ratio"].as_f64().context("no ratio")?;
    assert!((0.1..0.5).contains(&ratio), "{ratio}");
    Ok(())
}

#[test]
fn runs_that_fail_say_why() -> Result<()> {
    let outcome = cost(NBODY, &["--simulate", "--timeout", "1", "--", "1000000", "1000"])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("the run takes more than 1 seconds"), "{}", outcome.stdout);
    let outcome = cost(NBODY, &["--timeout", "1"])?;
    assert_eq!(outcome.code(), Some(2), "{}", outcome.stderr);
    Ok(())
}
