//! `layoutc tune`: candidates, what is measured of them, and what is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::sandbox::{PARTICLES, PLAIN, Sandbox};
use serde_json::Value;

/// A compiler whose programs print what a layout "takes", and which keeps a list of what runs: tiles are the fastest, arrays
/// of fields come second, and `$WRONG` (a regular expression) makes the programs with such text print another sum.
const STAND_IN: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        -o) out=$2; shift ;;
        *.cu) source=$1 ;;
    esac
    shift
done
[ -n "$REFUSED" ] && grep -qE "$REFUSED" "$source" && { echo "no such type" >&2; exit 1; }
took=3 sum=75
grep -q ParticleArrays "$source" && took=2
grep -q ParticleTile "$source" && took=1
[ -n "$WRONG" ] && grep -qE "$WRONG" "$source" && sum=74
cat > "$out" << END
#!/bin/sh
echo "\$0 \$@" >> "$RUNS"
echo "sum $sum"
echo "pid \$\$"
echo "kernels took: $took.5 ms"
END
chmod +x "$out"
"#;

/// A candidate with tiles.
const TILED: &str = "Particle = tiled(32)";

/// A folder with a program and the stand-in for nvcc.
struct Bench {
    sandbox: Sandbox,
}

impl Bench {
    fn new() -> Result<Bench> {
        let sandbox = Sandbox::with(&[("in.cu", PARTICLES), ("bin/nvcc", STAND_IN)])?;
        let compiler = sandbox.path().join("bin/nvcc");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755))?;
        Ok(Bench { sandbox })
    }

    fn tune(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Outcome> {
        let mut command = Command::new(Layoutc::built()?.program());
        command
            .current_dir(self.sandbox.path())
            .args([&["tune", "in.cu"], arguments].concat())
            .env("NO_COLOR", "1")
            .env("NVCC", self.sandbox.path().join("bin/nvcc"))
            .env("RUNS", self.sandbox.path().join("runs"))
            .envs(variables.iter().copied());
        let outcome = run_limited(&mut command, VERIFY_LIMIT)?;
        ensure!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
        Ok(outcome)
    }

    /// The figures that the stand-in's programs print decide.
    fn by_figure(&self, more: &[&str], variables: &[(&str, &str)]) -> Result<Outcome> {
        self.tune(&[&["--figure", "took", "--runs", "2"], more].concat(), variables)
    }

    /// How often programs ran.
    fn runs(&self) -> Result<usize> {
        let path = self.sandbox.path().join("runs");
        Ok(if path.exists() { fs::read_to_string(path)?.lines().count() } else { 0 })
    }

    /// The layout that the lock file says.
    fn locked(&self) -> Result<String> {
        let lock: toml::Value = toml::from_str(&self.sandbox.text("layoutc.lock")?)?;
        let array = &lock["program"][0]["array"][0];
        ensure!(array["type"].as_str() == Some("Particle"), "{array}");
        Ok(array["layout"].as_str().context("no layout")?.to_owned())
    }
}

/// The results, by candidate.
fn results(text: &str) -> Result<Vec<(String, Vec<f64>)>> {
    let one = |line: &str| {
        let own: Value = serde_json::from_str(line)?;
        let values = own["values"].as_array().context("no values")?;
        let values = values.iter().filter_map(Value::as_f64).collect();
        Ok((own["candidate"].as_str().context("no name")?.to_owned(), values))
    };
    text.lines().map(one).collect()
}

#[test]
fn the_fastest_that_prints_the_same_is_kept() -> Result<()> {
    let bench = Bench::new()?;
    let outcome = bench.by_figure(&["--try", TILED, "--", "100"], &[])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    // The choice of the model, which keeps a program of one launch, is the source.
    let found = results(&bench.sandbox.text("layoutc.tune.jsonl")?)?;
    let of = |name: &str| found.iter().find(|own| own.0 == name).map(|own| own.1.clone());
    ensure!(of("source") == Some(vec![3.5; 2]), "{found:?}");
    ensure!(of("soa") == Some(vec![2.5; 2]) && of(TILED) == Some(vec![1.5; 2]), "{found:?}");
    ensure!(outcome.stderr.contains("chosen: the same as source"), "{}", outcome.stderr);
    ensure!(
        outcome.stderr.contains("2 lines of the output are not compared"),
        "{}",
        outcome.stderr
    );
    ensure!(bench.locked()? == "tiled(32)");
    // One run that is compared, and two that count.
    ensure!(bench.runs()? == 3 * found.len());
    // What is known is not run again, and what it says is the same.
    let again = bench.by_figure(&["--try", TILED, "--", "100"], &[])?;
    ensure!(again.stdout == outcome.stdout && bench.runs()? == 3 * found.len(), "{}", again.stdout);
    // Another argument is another run.
    bench.by_figure(&["--try", TILED, "--", "200"], &[])?;
    ensure!(bench.runs()? == 6 * found.len());
    // The lock file is what other commands take.
    let diff =
        bench.sandbox.accepted(&["transform", "in.cu", "--diff", "--locked", "layoutc.lock"])?;
    ensure!(diff.stdout.contains("ParticleTile"), "{}", diff.stdout);
    Ok(())
}

#[test]
fn a_candidate_that_prints_something_else_is_out() -> Result<()> {
    let bench = Bench::new()?;
    let outcome = bench.by_figure(&["--try", TILED], &[("WRONG", "ParticleTile")])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let said = "Particle = tiled(32): line 1 of its output is `sum 74`, and the source's `sum 75`";
    ensure!(outcome.stderr.contains(said), "{}", outcome.stderr);
    ensure!(bench.locked()? == "soa" && outcome.stdout.contains("failed"), "{}", outcome.stdout);
    let outcome =
        bench.by_figure(&["--try", TILED, "--ignore-output"], &[("WRONG", "ParticleTile")])?;
    ensure!(outcome.succeeded() && bench.locked()? == "tiled(32)", "{}", outcome.stderr);
    // What failed is tried again.
    let outcome = bench.by_figure(&["--try", TILED], &[])?;
    ensure!(outcome.succeeded() && !outcome.stdout.contains("failed"), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn a_candidate_that_does_not_build_is_out() -> Result<()> {
    let bench = Bench::new()?;
    let outcome = bench.by_figure(&[], &[("REFUSED", "ParticleTile|ParticleArrays")])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(
        outcome.stderr.contains("soa: nvcc does not build it\nno such type"),
        "{}",
        outcome.stderr
    );
    ensure!(bench.locked()? == "source");
    ensure!(bench.sandbox.text("layoutc.lock")?.contains("nothing that was tried is faster"));
    // Without a source that runs there is nothing to compare with, and nothing is kept.
    let bench = Bench::new()?;
    let outcome = bench.by_figure(&[], &[("REFUSED", "Particle")])?;
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    ensure!(
        outcome.stderr.contains("the source gives nothing to compare with"),
        "{}",
        outcome.stderr
    );
    ensure!(!bench.sandbox.path().join("layoutc.lock").exists());
    Ok(())
}

#[test]
fn launchers_and_layouts_of_the_user() -> Result<()> {
    let bench = Bench::new()?;
    let try_it = "Particle = {x y z} tiled(32), {*}";
    let launcher = "env LAUNCHED=1 {} --last 'two words'";
    let more = ["--try", try_it, "--launcher", launcher, "--at-once", "3", "--candidates", "3"];
    let outcome = bench.by_figure(&[&more[..], &["--", "first"]].concat(), &[])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let found = results(&bench.sandbox.text("layoutc.tune.jsonl")?)?;
    ensure!(found.len() == 3 && found.iter().any(|own| own.0 == try_it), "{found:?}");
    let runs = bench.sandbox.text("runs")?;
    ensure!(runs.lines().all(|line| line.ends_with("first --last two words")), "{runs}");
    // A launcher without a place for the program stands in front of it.
    let outcome = bench.by_figure(&["--launcher", "env", "--no-lock"], &[])?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn builds_of_the_user() -> Result<()> {
    let bench = Bench::new()?;
    let build = "\"$NVCC\" -o {dir}/sim {dir}/in.cu";
    let outcome = bench.by_figure(&["--build", build, "--program", "{dir}/sim"], &[])?;
    ensure!(outcome.succeeded() && bench.locked()? == "tiled(32)", "{}", outcome.stderr);
    // A build that takes the layouts from the lock file; `name` is what a real one calls its program.
    let bench = Bench::new()?;
    let locked = "sed -n 's/^layout = \"\\(.*\\)\"$/\\1/p' layoutc.lock | sed 's/^tiled.*/ParticleTile/; s/^soa$/ParticleArrays/' > made.cu";
    let build = format!("{locked} && \"$NVCC\" -o sim made.cu");
    let lock = ["--lock", "layoutc.lock:sim", "--build", &build, "--program", "sim"];
    let outcome = bench.by_figure(&lock, &[])?;
    ensure!(outcome.succeeded() && bench.locked()? == "tiled(32)", "{}", outcome.stderr);
    ensure!(bench.sandbox.text("layoutc.lock")?.contains("name = \"sim\""));
    // Where it does not build, the lock file is what it was.
    let before = bench.sandbox.text("layoutc.lock")?;
    let broken =
        ["--lock", "layoutc.lock:sim", "--build", "echo said >&2; false", "--program", "sim"];
    let outcome = bench.by_figure(&broken, &[])?;
    ensure!(outcome.code() == Some(1) && outcome.stderr.contains("said"), "{}", outcome.stderr);
    ensure!(bench.sandbox.text("layoutc.lock")? == before);
    Ok(())
}

#[test]
fn simulated_costs_decide_without_a_gpu() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let tune = ["tune", "in.cu", "--measure", "simulated", "--candidates", "3"];
    let outcome = Layoutc::built()?.run(sandbox.path(), VERIFY_LIMIT, tune)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let found = results(&sandbox.text("layoutc.tune.jsonl")?)?;
    ensure!(
        found.len() == 3 && found.iter().all(|own| own.1.len() == 1 && own.1[0] > 0.0),
        "{found:?}"
    );
    // One launch does not pay for what its copies rearrange.
    ensure!(sandbox.text("layoutc.lock")?.contains("layout = \"source\""), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn what_cannot_be_measured_is_said() -> Result<()> {
    let bench = Bench::new()?;
    let says = |arguments: &[&str], code: i32, said: &str| -> Result<()> {
        let outcome = bench.tune(arguments, &[])?;
        let shown = format!("{arguments:?}: {}\n{}", outcome.ending(), outcome.stderr);
        ensure!(outcome.code() == Some(code) && outcome.stderr.contains(said), "{shown}");
        ensure!(!bench.sandbox.path().join("layoutc.lock").exists(), "{shown}");
        Ok(())
    };
    says(&["--launcher", "srun 'x"], 2, "--launcher: `srun 'x` is no command")?;
    says(&["--launcher", "no-such-launcher"], 1, "cannot run `no-such-launcher`")?;
    says(&["--measure", "simulated", "--figure", "t"], 2, "leave out --figure")?;
    says(&["--figure", "no such text"], 1, "it prints no number behind `no such text`")?;
    says(&["--try", "Particle = zigzag"], 1, "zigzag")?;
    says(&["--build", "true"], 2, "--program")?;
    says(&["--build", "true", "--program", "sim", "--no-lock"], 2, "leave out --no-lock")?;
    says(&["--format", "sarif"], 2, "formats text and short")?;
    bench.sandbox.write("notes.txt", "buy milk\n")?;
    says(&["--results", "notes.txt"], 2, "notes.txt:1: this is no result")?;
    ensure!(bench.sandbox.text("notes.txt")? == "buy milk\n");
    bench.sandbox.write("in.cu", PLAIN)?;
    let outcome = bench.tune(&[], &[])?;
    ensure!(outcome.succeeded() && outcome.stderr.contains("nothing to try"), "{}", outcome.stderr);
    Ok(())
}
