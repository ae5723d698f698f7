//! What `layoutc calibrate tiles` promises: the program that it writes times kernels with OpenCL, and the
//! trees that come of the times are those of a device file.

use anyhow::{Context, Result, ensure};
use layoutc_tests::opencl;
use layoutc_tests::sandbox::Sandbox;

/// Few and short kernels.
const SMALL: [&str; 12] = [
    "--trips",
    "128,256",
    "--fields",
    "2,4",
    "--tile-sizes",
    "2,32",
    "--threads",
    "256",
    "--elements",
    "32768",
    "--repeats",
    "1",
];

#[test]
fn kernels_are_timed_and_trees_are_used() -> Result<()> {
    opencl::installed()?;
    let sandbox = Sandbox::new()?;
    let arguments = ["calibrate", "tiles", "--out-dir", "out", "-o", "tiles.toml"];
    let arguments: Vec<&str> = arguments.into_iter().chain(SMALL).collect();
    sandbox.accepted(&arguments)?;
    let times = sandbox.text("out/times.csv")?;
    ensure!(times.starts_with("# device: "), "{times}");
    // 2 lengths, 2 numbers of fields, 2 tiles and the two other layouts.
    let rows = times.lines().filter(|line| !line.starts_with('#')).count() - 1;
    ensure!(rows == 16, "{times}");
    let fragment = sandbox.text("tiles.toml")?;
    let table: toml::Table = fragment.parse().context("TOML")?;
    for name in ["by_size", "by_access"] {
        let tree = table["tiles"][name]["value"].as_str().context("a tree")?;
        let is_layout =
            |line: &str| ["aos", "soa", "tiled("].iter().any(|word| line.contains(word));
        ensure!(tree.lines().any(is_layout), "{fragment}");
    }
    // The same times give the same trees.
    let again = sandbox.accepted(&["calibrate", "tiles", "--times", "out/times.csv"])?.stdout;
    ensure!(again == fragment, "{again}\n{fragment}");

    let device = format!(
        "name = \"mine\"\ntitle = \"Mine\"\ncompute_capability = \"none\"\n[memory]\n\
         l1_line = {{ value = 64, source = \"a test\" }}\n{fragment}"
    );
    sandbox.write("mine.toml", &device)?;
    sandbox.write("two.cu", TWO)?;
    let shown = sandbox.accepted(&[
        "analyze",
        "two.cu",
        "--selector",
        "kdlg",
        "--device",
        "./mine.toml",
        "--json",
    ])?;
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout)?;
    let cluster = &shown["graphs"][0]["clusters"][0];
    ensure!(cluster["chosen_by"] == "tree" && cluster["size"] == 8, "{shown:#}");
    Ok(())
}

/// Two fields of one cluster.
const TWO: &str = "\
struct Two { int a, b; };
__global__ void k(Two *p) { p[threadIdx.x].a += p[threadIdx.x].b; }
int main() { Two *d; cudaMalloc(&d, 64 * sizeof(Two)); k<<<1, 64>>>(d); cudaDeviceSynchronize(); }
";

#[test]
fn a_device_that_is_not_there_is_said() -> Result<()> {
    opencl::installed()?;
    let sandbox = Sandbox::new()?;
    let arguments = ["calibrate", "tiles", "--out-dir", "out", "--opencl-device", "nobody's"];
    let outcome = sandbox.layoutc(&arguments)?;
    ensure!(outcome.code() == Some(2), "{}", outcome.ending());
    ensure!(outcome.stderr.contains("no OpenCL device named nobody's"), "{}", outcome.stderr);
    ensure!(outcome.stderr.contains("--times"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn times_that_cannot_be_used_are_errors() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("empty.csv", ""),
        ("zero.csv", "trips,fields,field_bytes,layout,seconds\n128,2,4,aos,0\n"),
    ])?;
    for (name, cause) in [("empty.csv", "holds no times"), ("zero.csv", "time 1: the seconds")] {
        let outcome = sandbox.layoutc(&["calibrate", "tiles", "--times", name])?;
        ensure!(outcome.code() == Some(1), "{name}: {}", outcome.ending());
        let is_told = outcome.stderr.contains(name) && outcome.stderr.contains(cause);
        ensure!(is_told, "{name}: {}", outcome.stderr);
    }
    let bad = sandbox.layoutc(&["calibrate", "tiles", "--threads", "100"])?;
    ensure!(bad.code() == Some(2) && bad.stderr.contains("power of two"), "{}", bad.stderr);
    let missing =
        sandbox.layoutc(&["calibrate", "tiles", "--cc", "missing/cc", "--out-dir", "out"])?;
    ensure!(missing.code() == Some(2), "{}", missing.ending());
    ensure!(missing.stderr.contains("missing/cc is not there"), "{}", missing.stderr);
    Ok(())
}
