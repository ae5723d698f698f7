//! `layoutc analyze`, and what it says of the papers' examples.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::repository_root;
use serde_json::Value;

/// Sung et al.'s launch on their device.
const PAPER: [&str; 4] = ["--device", "gtx280", "--active-blocks", "32"];

fn run(command: &str, file: &str, options: &[&str]) -> Result<String> {
    let mut arguments = vec![command, file];
    arguments.extend(options);
    let folder = repository_root().join("testdata");
    let limit = if command == "verify" { VERIFY_LIMIT } else { TRANSFORM_LIMIT };
    let outcome = Layoutc::built()?.run(&folder, limit, &arguments)?;
    ensure!(outcome.succeeded(), "{}\n{}{}", outcome.ending(), outcome.stdout, outcome.stderr);
    Ok(outcome.stdout)
}

fn json(file: &str, options: &[&str]) -> Result<Value> {
    let options: Vec<&str> = options.iter().copied().chain(["--json"]).collect();
    Ok(serde_json::from_str(&run("analyze", file, &options)?)?)
}

const EXAMPLE: &str = "grids/examples/running_example.cu";

#[test]
fn the_running_example_digit_for_digit() -> Result<()> {
    let analysis = json(EXAMPLE, &PAPER)?;
    let [grid] = analysis["grids"].as_array().context("no `grids`")?.as_slice() else {
        panic!("one grid: {analysis:#}");
    };
    assert_eq!(grid["common_pattern"], "[1 0; 0 1; 0 0] (blockIdx.x, threadIdx.x)");
    assert_eq!(grid["layout"], "[y/32, x/128, field, y%32, x%128]");
    assert_eq!(grid["dimension_vector"], "(⌈ny/2^5⌉, ⌈nx/2^7⌉, 4, 2^5, 2^7)");
    assert_eq!(
        grid["flattening_function"],
        "(I2>>5)D3D2D1D0 + (I1>>7)D2D1D0 + I0 D1D0 + (I2&31)D0 + (I1&127)"
    );
    let busy: Vec<usize> = grid["busy_bits"]
        .as_array()
        .context("no `busy_bits`")?
        .iter()
        .map(|dimension| dimension["bits"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(busy, [5, 7, 0]);
    let bits = |at: usize| grid["digits"][at]["address_bits"].clone();
    assert_eq!((bits(3), bits(4)), (serde_json::json!([13, 9]), serde_json::json!([8, 2])));
    Ok(())
}

#[test]
fn the_running_example_is_rewritten_so() -> Result<()> {
    let text = run("verify", EXAMPLE, &PAPER)?;
    ensure!(text.contains("as [y/32, x/128, field, y%32, x%128]"), "{text}");
    ensure!(text.contains("identical"), "{text}");
    Ok(())
}

#[test]
fn the_text_of_the_running_example() -> Result<()> {
    insta::assert_snapshot!("running_example", run("analyze", EXAMPLE, &PAPER)?);
    Ok(())
}

/// The programs of the paper's third table, on its device: the source's order, structure of arrays, the
/// tool's choice, and an order given by hand.
#[test]
fn layouts_side_by_side() -> Result<()> {
    let rows = [
        ("grid_lbm_d3q19", "src", "[z, y, field, x/16, x%16]"),
        ("grid_gauss_seidel", "p", "[z, sy, sx/32, sx%2, (sx/2)%16]"),
        ("grid_heat3d", "told", "[z, y/8, x/16, y%8, x%16]"),
    ];
    let mut text = String::new();
    for (program, array, digits) in rows {
        let file = format!("programs/{program}/{program}.cu");
        let layout = format!("{array} = {digits}");
        let analysis = json(&file, &["--device", "gtx280", "--layout", &layout])?;
        let grids = analysis["grids"].as_array().context("no `grids`")?;
        let own = |grid: &&Value| {
            grid["names"].as_array().is_some_and(|names| names.iter().any(|name| name == array))
        };
        let grid = grids.iter().find(own).context("no such grid")?;
        for row in grid["costs"]["layouts"].as_array().context("no `layouts`")? {
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            text += &format!(
                "{program} {} {}: {:.2} pieces, {:.2} values each; {:.2} of {} used, peak {:.2}\n",
                row["name"].as_str().unwrap_or_default(),
                row["digits"].as_str().unwrap_or_default(),
                number(&row["transactions"]),
                number(&row["values_per_transaction"]),
                number(&row["steering"]["used"]),
                row["steering"]["of"],
                number(&row["steering"]["peak"]),
            );
        }
    }
    insta::assert_snapshot!("side_by_side", text);
    Ok(())
}

#[test]
fn a_drawing_for_each_grid() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("drawings").to_string_lossy().into_owned();
    let options: Vec<&str> = PAPER.into_iter().chain(["--svg", &path]).collect();
    run("analyze", EXAMPLE, &options)?;
    let text = fs::read_to_string(folder.path().join("drawings/A0.svg"))?;
    ensure!(text.starts_with("<svg") && text.contains("y.0"), "{text}");
    Ok(())
}

#[test]
fn accesses_that_differ_are_named() -> Result<()> {
    let analysis =
        json("programs/grid_gauss_seidel/grid_gauss_seidel.cu", &["--device", "gtx280"])?;
    let grids = analysis["grids"].as_array().context("no `grids`")?;
    let rhs = grids.iter().find(|grid| grid["names"][0] == "rhs").context("no `rhs`")?;
    assert_eq!(rhs["status"], "stays");
    let because = rhs["because"].as_str().unwrap_or_default();
    ensure!(
        because.contains("`rhs[idx(x, y, z, sx, sy)]` (grid_gauss_seidel.cu:36:5)")
            || because.contains(":36:5)"),
        "{because}"
    );
    ensure!(because.contains("different factors of"), "{because}");
    Ok(())
}
