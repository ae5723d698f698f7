//! `layoutc plan` and `layoutc launch`: builds of projects with new layouts.

mod bazel;
mod caches;
mod cmake;
mod pragmas;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use layoutc_runtime::process::{RunRequest, run};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::repository_root;
use layoutc_tests::sandbox::{Sandbox, copy_folder};

/// How long a build may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A compiler that "compiles" a source to its own text, and writes the dependency file that it is asked for.
const STAND_IN: &str = r#"#!/bin/sh
for word; do
    case "$last" in
        -o) object=$word ;;
        -MF) depfile=$word ;;
    esac
    case "$word" in
        *.cu|*.cpp|*.c) source=$word ;;
    esac
    last=$word
done
echo "$@" >> "$COMMANDS"
[ -n "$SLOW" ] && sleep "$SLOW"
[ -n "$depfile" ] && g++ -x c++ -M -MT "$object" "$@" 2> /dev/null
cat "$source" > "$object" || exit 7
"#;

/// A copy of a project of `testdata/builds`, with a stand-in for nvcc.
struct Project {
    sandbox: Sandbox,
}

impl Project {
    fn new(name: &str) -> Result<Project> {
        let sandbox = Sandbox::new()?;
        let from = repository_root().join("testdata/builds").join(name);
        copy_folder(&from, &sandbox.path().join("project"))?;
        sandbox.write("bin/nvcc", STAND_IN)?;
        let program = sandbox.path().join("bin/nvcc");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let project = Project { sandbox };
        std::os::unix::fs::symlink(Layoutc::built()?.program(), project.path("bin/layoutc"))?;
        Ok(project)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path().join(name)
    }

    fn edit(&self, name: &str, from: &str, to: &str) -> Result<()> {
        let path = self.path("project").join(name);
        let text = fs::read_to_string(&path)?;
        ensure!(text.contains(from), "{name} has no `{from}`");
        Ok(fs::write(path, text.replacen(from, to, 1))?)
    }

    /// A command in the project's folder, with `bin` in front of the path.
    fn command(&self, program: &str) -> Command {
        let mut path = self.path("bin").into_os_string();
        path.push(":");
        path.push(env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command
            .current_dir(self.path("project"))
            .env("PATH", path)
            .env("COMMANDS", self.path("commands"))
            .env("NO_COLOR", "1")
            .env_remove("MAKEFLAGS");
        command
    }

    /// Runs words of a command line.
    fn run(&self, line: &str) -> Result<Outcome> {
        let mut words = line.split(' ');
        let mut command = self.command(words.next().unwrap_or_default());
        command.args(words);
        run_limited(&mut command, LIMIT)
    }

    /// Runs a command that succeeds.
    fn accepted(&self, line: &str) -> Result<Outcome> {
        let outcome = self.run(line)?;
        ensure!(
            outcome.succeeded(),
            "{line}: {}\n{}{}",
            outcome.ending(),
            outcome.stdout,
            outcome.stderr
        );
        Ok(outcome)
    }

    /// What the compiler was called with since the last time.
    fn commands(&self) -> Result<Vec<String>> {
        let path = self.path("commands");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The names of the sources that were compiled since the last time.
    fn compiled(&self) -> Result<BTreeSet<String>> {
        let commands = self.commands()?;
        let sources =
            commands.iter().flat_map(|line| line.split(' ').filter(|word| word.ends_with(".cu")));
        Ok(sources.filter_map(|path| path.rsplit('/').next()).map(str::to_owned).collect())
    }
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

const COMPILE: &str = "layoutc launch -- nvcc -Iinclude -MD -MF main.o.d -c src/main.cu -o main.o";

/// What a program of these files prints, built for the CPU.
fn output(files: &[PathBuf], include: &Path, folder: &Path) -> Result<String> {
    let include = [include.to_path_buf()];
    let sources = read_program(files, &include)?;
    let mut request = BuildRequest::new(sources, folder.to_path_buf());
    request.include_dirs = include.to_vec();
    let built = build(&request)?;
    let result = run(&built.executable, &RunRequest::new(vec!["333".into()]))?;
    Ok(String::from_utf8(result.stdout)?)
}

#[test]
fn the_compiler_gets_the_rewritten_program() -> Result<()> {
    let project = Project::new("particles")?;
    let outcome = project.accepted(COMPILE)?;
    ensure!(outcome.stderr.contains("program: 1 of 1 array changes"), "{}", outcome.stderr);
    let text = fs::read_to_string(project.path("project/main.o"))?;
    ensure!(text.contains("ParticleTile32 *d_particles"), "{text}");
    // What the compiler says names the original.
    ensure!(
        text.starts_with(&format!(
            "#line 1 \"{}\"\n",
            project.path("project/src/main.cu").display()
        )),
        "{text}"
    );
    let depfile = fs::read_to_string(project.path("project/main.o.d"))?;
    // Names are as the command spelled them.
    for name in [" src/main.cu ", " src/report.h ", " include/particle.h ", "/layoutc.toml"] {
        ensure!(depfile.contains(name), "no {name} in {depfile}");
    }
    ensure!(!depfile.contains(".layoutc"), "{depfile}");
    // Nothing else in the source tree is new.
    let status = project.sandbox.contents()?;
    let is_new =
        |path: &&PathBuf| path.starts_with("project") && !path.starts_with("project/.layoutc");
    let new: BTreeSet<&PathBuf> = status.keys().filter(is_new).collect();
    let original = repository_root().join("testdata/builds/particles");
    let unknown = new
        .iter()
        .filter(|path| !original.join(path.strip_prefix("project").unwrap_or(path)).exists());
    ensure!(unknown.count() == 2, "{new:?}");
    // Both programs do the same.
    let place =
        |root: PathBuf| ["src/main.cu", "src/report.cu", "src/step.cu"].map(|name| root.join(name));
    let mirror = project.path("project/.layoutc/program/src");
    let before = output(
        &place(project.path("project")),
        &project.path("project/include"),
        &project.path("before"),
    )?;
    let after = output(&place(mirror.clone()), &mirror.join("include"), &project.path("after"))?;
    ensure!(before == after && before.contains('.'), "{before}{after}");
    Ok(())
}

#[test]
fn names_in_dependency_files_are_those_of_the_command() -> Result<()> {
    let project = Project::new("particles")?;
    let whole = project.path("project").display().to_string();
    let depfile = |line: &str| -> Result<String> {
        project.run(line)?;
        Ok(fs::read_to_string(project.path("project/main.o.d"))?.replace(" \\\n", ""))
    };
    let text = depfile(&COMPILE.replace("-Iinclude", &format!("-I{whole}/include")))?;
    ensure!(
        text.contains(&format!(" {whole}/include/particle.h ")) && text.contains(" src/report.h "),
        "{text}"
    );
    let text = depfile(&COMPILE.replace("src/main.cu", &format!("{whole}/src/main.cu")))?;
    ensure!(
        text.contains(" include/particle.h ") && text.contains(&format!(" {whole}/src/report.h ")),
        "{text}"
    );
    // A compiler that fails has written it, too.
    let failing = STAND_IN.replace("cat \"$source\" > \"$object\" || exit 7", "exit 3");
    fs::write(project.path("bin/nvcc"), failing)?;
    let text = depfile(COMPILE)?;
    ensure!(text.contains(" include/particle.h ") && !text.contains(".layoutc"), "{text}");
    Ok(())
}

#[test]
fn a_makefile_builds_what_changed() -> Result<()> {
    let project = Project::new("particles")?;
    let objects = "make main.o report.o step.o";
    let make = || -> Result<(Outcome, BTreeSet<String>)> {
        let mut command = project.command("make");
        command
            .args(&objects.split(' ').collect::<Vec<_>>()[1..])
            .arg("NVCC=layoutc launch -- nvcc");
        let outcome = run_limited(&mut command, LIMIT)?;
        ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
        Ok((outcome, project.compiled()?))
    };
    ensure!(make()?.1 == names(["main.cu", "report.cu", "step.cu"]));
    ensure!(make()?.1.is_empty());
    // Times of files count in seconds for some programs.
    let later = || thread::sleep(Duration::from_millis(20));
    later();
    project.edit("src/report.h", "float square", "/* x */ float square")?;
    ensure!(make()?.1 == names(["main.cu", "report.cu"]));
    later();
    project.edit("src/step.cu", "#define BLOCK", "// A comment.\n#define BLOCK")?;
    ensure!(make()?.1 == names(["step.cu"]));
    ensure!(make()?.1.is_empty());
    // The array can no longer have its layout: an error, and the compiler does not run.
    later();
    project.edit(
        "src/main.cu",
        "    cudaFree",
        "    cudaMemset((float *)d_particles + 1, 0, 4);\n    cudaFree",
    )?;
    let outcome = project.run(COMPILE)?;
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    for part in ["src/main.cu:19:16", "Particle", "launch --update"] {
        ensure!(outcome.stderr.contains(part), "no {part} in {}", outcome.stderr);
    }
    // The compiler has been asked whether the source is right, and nothing is left of that.
    ensure!(project.commands()?.iter().all(|command| !command.contains(".layoutc")));
    ensure!(!project.path("project/main.o").exists() && !project.path("project/main.o.d").exists());
    // With --update the layouts are chosen anew, and what is compiled already is compiled again.
    let outcome = project.accepted(&COMPILE.replace("launch", "launch --update"))?;
    ensure!(outcome.stderr.contains("0 of 1"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn mistakes_in_the_source_are_the_compilers() -> Result<()> {
    let project = Project::new("particles")?;
    project.accepted(COMPILE)?;
    // What is no C++ cannot be modelled; the compiler says what is wrong, and its exit code counts.
    project.edit("src/step.cu", "p[i].x += p[i].vx * dt;", "p[i].x += = ;")?;
    project.sandbox.write("bin/nvcc", "#!/bin/sh\necho 'expected an expression' >&2\nexit 3\n")?;
    let outcome = project.run("layoutc launch -- nvcc -Iinclude -c src/step.cu -o step.o")?;
    ensure!(
        outcome.code() == Some(3) && outcome.stderr.contains("expected an expression"),
        "{}",
        outcome.stderr
    );
    ensure!(!outcome.stderr.contains("LC00"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn an_array_that_a_mistake_kept_changes_when_that_is_gone() -> Result<()> {
    let project = Project::new("particles")?;
    let (right, wrong) = ("p[i].x += p[i].vx * dt;", "p[i].x += = ;");
    let step = "layoutc launch -- nvcc -Iinclude -c src/step.cu -o step.o";
    project.edit("src/step.cu", right, wrong)?;
    let outcome = project.accepted(step)?;
    ensure!(outcome.stderr.contains("0 of 1 array"), "{}", outcome.stderr);
    project.edit("src/step.cu", wrong, right)?;
    let outcome = project.accepted(step)?;
    ensure!(outcome.stderr.contains("1 of 1 array"), "{}", outcome.stderr);
    ensure!(object(&project, "step.o")?.contains("ParticleTile32"));
    Ok(())
}

/// A folder in `layoutc.toml` stands for the sources below it.
#[test]
fn folders_of_sources_are_a_program() -> Result<()> {
    let project = Project::new("particles")?;
    project
        .sandbox
        .write("project/layoutc.toml", "files = [\"src\"]\ninclude = [\"include\"]\n")?;
    let outcome = project.accepted(COMPILE)?;
    ensure!(outcome.stderr.contains("1 of 1 array"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn objects_of_another_layout_are_compiled_again() -> Result<()> {
    let project = Project::new("split")?;
    // Ninja's manifest, as CMake would write it, says which units are linked.
    let manifest = "\
rule compile
  command = layoutc launch --update -- nvcc -MD -MF $out.d -c $in -o $out
rule link
  command = cat $in > $out
build main.o: compile main.cpp
build field.o: compile field.cpp
build kernels.o: compile kernels.cu
build wave: link main.o field.o kernels.o
";
    fs::write(project.path("project/build.ninja"), manifest)?;
    let compile = |name: &str, ending: &str| {
        project.accepted(&format!(
            "layoutc launch --update -- nvcc -MD -MF {name}.o.d -c {name}.{ending} -o {name}.o"
        ))
    };
    for (name, ending) in [("main", "cpp"), ("field", "cpp"), ("kernels", "cu")] {
        compile(name, ending)?;
    }
    let object = |name: &str| fs::read_to_string(project.path("project").join(name));
    ensure!(
        object("kernels.o")?.contains("CellTile32 *c") && object("field.o")?.contains("CellTile32")
    );
    // Every rewritten unit names the symbol of the plan; one has it.
    let plan =
        |text: &str| text.lines().find(|line| line.contains("layoutc_plan_")).map(str::to_owned);
    let symbol = plan(&object("kernels.o")?).context("no symbol")?;
    ensure!(
        object("main.o")?.contains("__attribute__((weak)) char layoutc_plan_"),
        "{}",
        object("main.o")?
    );
    ensure!(plan(&object("field.o")?) == Some(symbol), "{}", object("field.o")?);
    project.commands()?;
    thread::sleep(Duration::from_millis(20));
    project.edit(
        "kernels.cu",
        "    move<<<",
        "    cudaMemset((float *)d_cells + 1, 0, 4);\n    move<<<",
    )?;
    let outcome = compile("kernels", "cu")?;
    ensure!(
        outcome.stderr.contains("compiling") && outcome.stderr.contains("field.cpp again"),
        "{}",
        outcome.stderr
    );
    ensure!(
        !object("field.o")?.contains("CellTile32") && !object("kernels.o")?.contains("CellTile32")
    );
    Ok(())
}

#[test]
fn files_without_a_launcher_stay_as_they_are() -> Result<()> {
    let project = Project::new("split")?;
    let manifest = |cpp: &str| {
        format!(
            "\
rule cuda
  command = layoutc launch -- nvcc -c $in -o $out
rule cpp
  command = {cpp}nvcc -c $in -o $out
rule link
  command = cat $in > $out
build main.o: cpp main.cpp
build field.o: cpp field.cpp
build kernels.o: cuda kernels.cu
build wave: link main.o field.o kernels.o
"
        )
    };
    fs::write(project.path("project/build.ninja"), manifest(""))?;
    let compile = "layoutc launch -- nvcc -c kernels.cu -o kernels.o";
    project.accepted(compile)?;
    let kernels = || fs::read_to_string(project.path("project/kernels.o"));
    ensure!(!kernels()?.contains("CellTile32"), "{}", kernels()?);
    let lock = fs::read_to_string(project.path("project/.layoutc/wave/layoutc.lock"))?;
    ensure!(lock.contains("LC0088"), "{lock}");
    // What kept the array is gone.
    fs::write(project.path("project/build.ninja"), manifest("layoutc launch -- "))?;
    project.accepted(compile)?;
    ensure!(kernels()?.contains("CellTile32"), "{}", kernels()?);
    Ok(())
}

#[test]
fn names_that_files_without_a_launcher_use_stay() -> Result<()> {
    // The file includes the header, and does or does not use the function whose declaration would change.
    let uses = [
        ("", true),
        ("#define RUN(f) f##_all(0, 1)\nvoid later() { RUN(step); }\n", false),
        ("#define RUN step_all(0, 1)\nvoid later() { RUN; }\n", false),
        ("template <class T> void later(T *d) { step_all(d, 1); }\n", false),
        ("#if 0\nvoid later() { step_all(0, 1); }\n#endif\n", false),
    ];
    for (text, changes) in uses {
        let project = Project::new("particles")?;
        project.edit(
            "include/particle.h",
            "// Moves `n`",
            "extern \"C\" void step_all(Particle *d, int n);\n// Moves `n`",
        )?;
        project.edit("src/step.cu", "void step(", "extern \"C\" void step_all(Particle *d, int n) { drift<<<1, 128>>>(d, n, 1.0f); }\n\nvoid step(")?;
        project.edit(
            "src/main.cu",
            "    cudaFree",
            "    step_all(d_particles, n);\n    cudaFree",
        )?;
        project
            .sandbox
            .write("project/src/other.cpp", format!("#include \"particle.h\"\n{text}"))?;
        let manifest = "rule cu\n  command = layoutc launch -- nvcc -Iinclude -c $in -o $out\nrule cpp\n  command = nvcc -Iinclude -c $in -o $out\nrule link\n  command = cat $in > $out\n\
            build main.o: cu src/main.cu\nbuild report.o: cu src/report.cu\nbuild step.o: cu src/step.cu\nbuild other.o: cpp src/other.cpp\n\
            build sim: link main.o report.o step.o other.o\n";
        fs::write(project.path("project/build.ninja"), manifest)?;
        project.accepted("layoutc launch -- nvcc -Iinclude -c src/step.cu -o step.o")?;
        let is_changed = object(&project, "step.o")?.contains("ParticleTile32");
        ensure!(is_changed == changes, "{text}: {is_changed}");
    }
    Ok(())
}

#[test]
fn what_is_no_source_of_a_program_is_passed_on() -> Result<()> {
    let project = Project::new("particles")?;
    project.sandbox.write("bin/tool", "#!/bin/sh\necho \"$@\"\necho err >&2\nexit 5\n")?;
    fs::set_permissions(project.path("bin/tool"), fs::Permissions::from_mode(0o755))?;
    for rest in [
        "--version",
        "a.o b.o -o simulation",
        "-dlink a.o -o d.o",
        "-M src/main.cu -Iinclude",
        "@gone.rsp -c src/main.cu",
    ] {
        let outcome = project.run(&format!("layoutc launch -- tool {rest}"))?;
        ensure!(outcome.code() == Some(5), "{rest}: {}", outcome.ending());
        ensure!(
            outcome.stdout == format!("{rest}\n") && outcome.stderr == "err\n",
            "{rest}: {}{}",
            outcome.stdout,
            outcome.stderr
        );
    }
    ensure!(!project.path("project/.layoutc").exists());
    // A source that no program has.
    project.sandbox.write("project/other.cu", "__global__ void k() {}\n")?;
    let outcome = project.run("layoutc launch -- tool -c other.cu -o other.o")?;
    ensure!(
        outcome.code() == Some(5) && outcome.stdout == "-c other.cu -o other.o\n",
        "{}",
        outcome.stdout
    );
    ensure!(outcome.stderr.contains("no program has"), "{}", outcome.stderr);
    // No such compiler.
    let outcome = project.run("layoutc launch -- no-such-compiler -c src/main.cu -Iinclude")?;
    ensure!(
        outcome.code() == Some(2) && outcome.stderr.contains("cannot run no-such-compiler"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

#[test]
fn a_command_that_compiles_and_links_is_a_program() -> Result<()> {
    let project = Project::new("particles")?;
    fs::remove_file(project.path("project/layoutc.toml"))?;
    project.accepted("layoutc launch --layout Particle=soa -- nvcc -Iinclude src/main.cu src/report.cu src/step.cu -o sim")?;
    let commands = project.commands()?;
    ensure!(
        commands.len() == 1 && commands[0].matches(".layoutc/sim/src/src/").count() == 3,
        "{commands:?}"
    );
    let text = fs::read_to_string(project.path("project/.layoutc/sim/src/src/step.cu"))?;
    ensure!(text.contains("float *p_x") || text.contains("p_x["), "{text}");
    Ok(())
}

#[test]
fn text_after_preprocessing_is_that_of_the_rewritten_program() -> Result<()> {
    let project = Project::new("particles")?;
    project.sandbox.write("bin/tool", "#!/bin/sh\necho \"$@\"\n")?;
    fs::set_permissions(project.path("bin/tool"), fs::Permissions::from_mode(0o755))?;
    let outcome = project.accepted("layoutc launch -- tool -E -x cu -Iinclude src/main.cu")?;
    ensure!(outcome.stdout.contains(".layoutc/program/src/src/main.cu"), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn odd_names_and_option_files() -> Result<()> {
    let project = Project::new("particles")?;
    let to = project.path("a \u{e4} b");
    fs::rename(project.path("project"), &to)?;
    std::os::unix::fs::symlink(&to, project.path("project"))?;
    fs::rename(to.join("src/step.cu"), to.join("src/st ep.cu"))?;
    fs::write(to.join("all.rsp"), "-Iinclude \"src/st ep.cu\"")?;
    fs::write(
        to.join("layoutc.toml"),
        "files = [\"src/main.cu\", \"src/report.cu\", \"src/st ep.cu\"]\ninclude = [\"include\"]\n",
    )?;
    let mut command = project.command("layoutc");
    command.args([
        "launch",
        "--",
        "nvcc",
        "-x",
        "cu",
        "-rdc=true",
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-gencode",
        "arch=compute_90,code=sm_90",
        "-c",
        "@all.rsp",
        "-o",
        "step.o",
    ]);
    let outcome = run_limited(&mut command, LIMIT)?;
    let commands = project.commands()?;
    ensure!(commands.len() == 1, "{commands:?} {}", outcome.stderr);
    ensure!(
        commands[0].contains(".layoutc/program/src/src/st ep.cu")
            && commands[0].contains("arch=compute_90"),
        "{commands:?}"
    );
    Ok(())
}

#[test]
fn many_launches_at_once() -> Result<()> {
    let project = Project::new("particles")?;
    for round in 0..3 {
        let launch = |at: usize| {
            let name = ["main", "report", "step"][at % 3];
            project
                .run(&format!("layoutc launch -- nvcc -Iinclude -c src/{name}.cu -o {name}{at}.o"))
        };
        let outcomes: Vec<Result<Outcome>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..33).map(|at| scope.spawn(move || launch(at))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for outcome in outcomes {
            let outcome = outcome?;
            ensure!(outcome.succeeded(), "{}", outcome.stderr);
        }
        for at in 0..33 {
            let text = fs::read_to_string(
                project.path(&format!("project/{}{at}.o", ["main", "report", "step"][at % 3])),
            )?;
            let has_comment = text.contains(&format!("// round {round}"));
            ensure!(has_comment == (at % 3 == 2 && round > 0), "{text}");
            ensure!(text.contains("ParticleTile32") == (at % 3 != 1), "{text}");
        }
        // All of them see one state or the next.
        project.edit(
            "src/step.cu",
            "#define BLOCK 128",
            &format!("// round {}\n#define BLOCK 128", round + 1),
        )?;
    }
    Ok(())
}

#[test]
fn half_made_states_are_made_again() -> Result<()> {
    let project = Project::new("particles")?;
    project.accepted(COMPILE)?;
    let expected = fs::read(project.path("project/main.o"))?;
    let state = project.path("project/.layoutc/program");
    // A run that was killed leaves no manifest, and perhaps half of a mirror.
    fs::remove_file(state.join("manifest.json"))?;
    fs::write(state.join("src/src/main.cu"), "half")?;
    fs::remove_file(state.join("src/include/particle.h"))?;
    project.accepted(COMPILE)?;
    ensure!(fs::read(project.path("project/main.o"))? == expected);
    // A manifest that cannot be read is none, and neither is a lock file of the build folder.
    fs::write(state.join("manifest.json"), "{\"key\": 1")?;
    fs::write(state.join("layoutc.lock"), "<<<<<<< HEAD\n")?;
    project.accepted(COMPILE)?;
    ensure!(fs::read(project.path("project/main.o"))? == expected);
    // A launch that is killed while its compiler runs does not hold up the next one.
    let mut command = project.command("layoutc");
    command.args(&COMPILE.split(' ').collect::<Vec<_>>()[1..]).env("SLOW", "1");
    let mut child = command.spawn()?;
    thread::sleep(Duration::from_millis(300));
    child.kill()?;
    child.wait()?;
    project.accepted(COMPILE)?;
    ensure!(fs::read(project.path("project/main.o"))? == expected);
    // Its compiler goes on, and needs the folder.
    thread::sleep(Duration::from_secs(1));
    Ok(())
}

#[test]
fn headers_that_the_build_makes() -> Result<()> {
    let project = Project::new("particles")?;
    project.edit(
        "src/main.cu",
        "#include \"report.h\"",
        "#include \"report.h\"\n#include \"made.h\"",
    )?;
    let step = "layoutc launch -- nvcc -Iinclude -c src/step.cu -o step.o";
    // It may hold anything yet, so the array stays.
    project.accepted(step)?;
    ensure!(!fs::read_to_string(project.path("project/step.o"))?.contains("Tile32"));
    project.sandbox.write("project/src/made.h", "#define MADE 1\n")?;
    // Now it changes; what was compiled is compiled again.
    let outcome = project.accepted(COMPILE)?;
    ensure!(outcome.stderr.contains("1 of 1"), "{}", outcome.stderr);
    for name in ["project/main.o", "project/step.o"] {
        ensure!(fs::read_to_string(project.path(name))?.contains("Tile32"), "{name}");
    }
    Ok(())
}

#[test]
fn folders_that_cannot_be_written() -> Result<()> {
    let project = Project::new("particles")?;
    // A home without a place for a secret is none that is needed.
    let mut command = project.command("layoutc");
    command.args(&COMPILE.split(' ').collect::<Vec<_>>()[1..]).env("XDG_DATA_HOME", "/dev/null");
    let outcome = run_limited(&mut command, LIMIT)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    fs::remove_dir_all(project.path("project/.layoutc"))?;
    project.commands()?;
    // A file where the folder would be: as with a read-only or full disk, nothing can be made there.
    fs::write(project.path("project/.layoutc"), "")?;
    let outcome = project.run(COMPILE)?;
    ensure!(
        outcome.code() == Some(2) && outcome.stderr.contains("cannot write"),
        "{}",
        outcome.stderr
    );
    ensure!(project.commands()?.is_empty());
    Ok(())
}

#[test]
fn lock_files_of_a_project() -> Result<()> {
    let project = Project::new("particles")?;
    let outcome = project.accepted("layoutc plan")?;
    ensure!(outcome.stderr.contains("written: "), "{}", outcome.stderr);
    let path = project.path("project/layoutc.lock");
    let lock = fs::read_to_string(&path)?;
    for part in [
        "name = \"program\"",
        "target = \"Particle\"",
        "layout = \"tiled(32)\"",
        "names = [\"d_particles\", \"p\"]",
    ] {
        ensure!(lock.contains(part), "no {part} in {lock}");
    }
    ensure!(project.accepted("layoutc plan --check")?.stderr.contains("1 of 1"));
    // The launch takes the layout that the file says, and notes nothing of its own.
    fs::write(&path, lock.replace("tiled(32)", "soa"))?;
    project.accepted(COMPILE)?;
    ensure!(
        fs::read_to_string(project.path("project/main.o"))?.contains("d_particles"),
        "compiled"
    );
    let step = fs::read_to_string(project.path("project/.layoutc/program/src/src/step.cu"))?;
    ensure!(!step.contains("Tile32"), "{step}");
    ensure!(!project.path("project/.layoutc/program/layoutc.lock").exists());
    fs::remove_file(project.path("project/main.o"))?;
    // What is wrong with it is said with its place, and nothing is compiled.
    let cases = [
        (
            lock.replace("[[program]]", "<<<<<<< HEAD\n[[program]]"),
            "layoutc.lock:5: a merge was not finished",
        ),
        (lock.replace("version = 1", "version = 9"), "version 9"),
        (lock.replace("layout =", "lay out ="), "layoutc.lock:"),
        (lock.replace("tiled(32)", "zigzag"), "zigzag"),
        (lock.replace("\"Particle\"", "\"Nothing\""), "Nothing"),
        (lock.replace("name = \"program\"", "name = \"other\""), "not up to date"),
    ];
    for (text, said) in cases {
        fs::write(&path, &text)?;
        let outcome = project.run(COMPILE)?;
        ensure!(matches!(outcome.code(), Some(1 | 2)), "{said}: {}", outcome.ending());
        ensure!(outcome.stderr.contains(said), "no {said} in {}", outcome.stderr);
        ensure!(
            !project.path("project/main.o").exists() && fs::read_to_string(&path)? == text,
            "{said}"
        );
    }
    // `plan --update` makes it anew, whatever it was.
    fs::write(&path, "<<<<<<< HEAD\n")?;
    project.accepted("layoutc plan --update")?;
    ensure!(fs::read_to_string(&path)? == lock);
    // A new member changes no layout, but the file is behind.
    project.edit("include/particle.h", "int id;", "int id;\n    int kind;")?;
    let outcome = project.run("layoutc plan --check")?;
    ensure!(
        outcome.code() == Some(1) && outcome.stderr.contains("other members"),
        "{}",
        outcome.stderr
    );
    project.accepted("layoutc plan")?;
    let after = fs::read_to_string(&path)?;
    ensure!(after != lock && after.contains("tiled(32)"), "{after}");
    ensure!(project.run("layoutc plan --check")?.code() == Some(0));
    Ok(())
}

#[test]
fn an_untrusted_project_changes_nothing_elsewhere() -> Result<()> {
    let project = Project::new("particles")?;
    let marker = project.path("marker");
    for text in [
        format!("files = [\"src/main.cu\"]\nlauncher = \"touch {}\"\n", marker.display()),
        "files = [\"../../etc/x.cu\"]\n".to_owned(),
        "files = [\"src/main.cu\"]\nroot = [\"..\"]\n".to_owned(),
    ] {
        fs::write(project.path("project/layoutc.toml"), &text)?;
        let outcome = project.run(COMPILE)?;
        ensure!(
            outcome.code() == Some(2) && outcome.stderr.contains("layoutc.toml:"),
            "{text}: {}",
            outcome.stderr
        );
    }
    ensure!(!marker.exists() && project.commands()?.is_empty());
    Ok(())
}

/// CMake and Ninja of the tools that are installed for the tests.
fn cmake_tools(project: &Project) -> Result<Nvcc> {
    let nvcc = Nvcc::find()?;
    let bin = repository_root().join(".tools/venv/bin");
    for tool in ["cmake", "ninja"] {
        let program = bin.join(tool);
        if !program.is_file() {
            bail!("no {tool}: run `cargo xtask setup`");
        }
        std::os::unix::fs::symlink(program, project.path("bin").join(tool))?;
    }
    // The compiler is a real one.
    fs::remove_file(project.path("bin/nvcc"))?;
    Ok(nvcc)
}

#[test]
fn cmake_builds_and_links_with_ninja() -> Result<()> {
    let project = Project::new("particles")?;
    let nvcc = cmake_tools(&project)?;
    let configure = format!(
        "cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_CUDA_COMPILER={} -DCMAKE_CUDA_COMPILER_LAUNCHER=layoutc;launch;--",
        nvcc.program().display()
    );
    project.accepted(&configure)?;
    let build = || project.accepted("cmake --build build");
    let outcome = build()?;
    ensure!(
        (outcome.stdout.clone() + &outcome.stderr).contains("1 of 1 array changes"),
        "{}",
        outcome.stdout
    );
    let symbols =
        Command::new("nm").arg("-C").arg(project.path("project/build/simulation")).output()?;
    let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
    ensure!(
        symbols.contains("step(ParticleTile32*, int, float)") && symbols.contains("layoutc_plan_"),
        "{symbols}"
    );
    let rebuilt = || -> Result<BTreeSet<String>> {
        let outcome = build()?;
        let lines = outcome.stdout.lines().filter(|line| line.contains("Building CUDA object"));
        let names = lines
            .filter_map(|line| Some(line.rsplit('/').next()?.trim_end_matches(".o").to_owned()));
        Ok(names.collect())
    };
    ensure!(rebuilt()?.is_empty());
    project.edit("src/report.h", "inline float", "// A comment.\ninline float")?;
    ensure!(rebuilt()? == names(["main.cu", "report.cu"]));
    project.edit("src/step.cu", "#define BLOCK", "// A comment.\n#define BLOCK")?;
    ensure!(rebuilt()? == names(["step.cu"]));
    ensure!(rebuilt()?.is_empty());
    // An error names the original file and its line.
    project.edit("src/step.cu", "p[i].x += p[i].vx", "p[i].x += p[i].vx * unknown")?;
    let outcome = project.run("cmake --build build")?;
    let place = format!("{}(10): error", project.path("project/src/step.cu").display());
    ensure!(!outcome.succeeded() && outcome.stdout.contains(&place), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn cmake_builds_a_target_with_makefiles() -> Result<()> {
    let project = Project::new("split")?;
    let nvcc = cmake_tools(&project)?;
    let lists = "\ncmake_policy(VERSION 3.20)\nadd_library(api INTERFACE)\n\
        find_package(layoutc REQUIRED)\nlayoutc_target(wave LAYOUT \"Cell = soa\" REQUIRE Cell)\n\
        add_library(field STATIC field.cpp)\nadd_library(parts ALIAS field)\ntarget_link_libraries(wave PRIVATE api parts)\n";
    project.edit(
        "CMakeLists.txt",
        "add_executable(wave main.cpp field.cpp kernels.cu)",
        &format!("add_executable(wave main.cpp kernels.cu){lists}"),
    )?;
    let mut command = project.command("layoutc");
    command.args(["integration", "cmake"]).env("XDG_DATA_HOME", project.path("data"));
    let folder = run_limited(&mut command, LIMIT)?.stdout.trim().to_owned();
    let configure = format!(
        "cmake -B build -DCMAKE_CUDA_ARCHITECTURES=80 -Dlayoutc_DIR={folder} -DCMAKE_CUDA_COMPILER={}",
        nvcc.program().display()
    );
    project.accepted(&configure)?;
    project.accepted("cmake --build build")?;
    // All units are rewritten, those that the host's compiler takes, too.
    for name in ["main.cpp", "field.cpp", "kernels.cu", "field.h"] {
        let text = fs::read_to_string(project.path("project/build/.layoutc/wave/src").join(name))?;
        let has_cells = name == "main.cpp" || !text.contains("Cell *d_cells");
        ensure!(has_cells, "{name}:\n{text}");
    }
    ensure!(project.path("project/build/wave").is_file());
    let outcome = project.accepted("cmake --build build")?;
    ensure!(!outcome.stdout.contains("Building"), "{}", outcome.stdout);
    // Objects of this plan do not link without the one that has its symbol.
    let objects = ["field.dir/field.cpp.o", "wave.dir/kernels.cu.o"]
        .map(|name| project.path("project/build/CMakeFiles").join(name));
    project.sandbox.write("other.cpp", "int main() {}\n")?;
    let libraries =
        nvcc.program().ancestors().nth(2).map(|toolkit| toolkit.join("lib")).unwrap_or_default();
    let mut link = Command::new("g++");
    link.arg(project.path("other.cpp"))
        .args(&objects)
        .arg("-o")
        .arg(project.path("other"))
        .arg("-L")
        .arg(libraries)
        .args(["-lcudart_static", "-lcudadevrt", "-lrt", "-lpthread", "-ldl"]);
    let outcome = run_limited(&mut link, LIMIT)?;
    ensure!(
        !outcome.succeeded() && outcome.stderr.contains("undefined reference to `layoutc_plan_"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

/// A manifest of Ninja whose objects are text, and its program of three units.
fn described(project: &Project, more: &str) -> Result<()> {
    let text = format!(
        "rule cu\n  command = layoutc launch --update -- nvcc -Iinclude -MD -MF $out.d -c $in -o $out\nrule link\n  command = cat $in > $out\n\
        build main.o: cu src/main.cu\nbuild report.o: cu src/report.cu\nbuild step.o: cu src/step.cu\nbuild sim: link main.o report.o step.o\n{more}"
    );
    Ok(fs::write(project.path("project/build.ninja"), text)?)
}

fn compile(project: &Project, name: &str) -> Result<Outcome> {
    project.accepted(&format!(
        "layoutc launch --update -- nvcc -Iinclude -MD -MF {name}.o.d -c src/{name}.cu -o {name}.o"
    ))
}

/// The text of an object and of what its unit sees in the mirror.
fn object(project: &Project, name: &str) -> Result<String> {
    Ok(fs::read_to_string(project.path("project").join(name))?)
}

#[test]
fn headers_by_their_whole_paths_are_those_of_the_mirror() -> Result<()> {
    let project = Project::new("particles")?;
    let whole = project.path("project/include/particle.h").display().to_string();
    project.edit("src/step.cu", "\"particle.h\"", &format!("\"{whole}\""))?;
    described(&project, "")?;
    compile(&project, "step")?;
    let mirrored =
        project.path("project/.layoutc/sim/src/include/particle.h").display().to_string();
    ensure!(
        object(&project, "step.o")?.contains(&format!("#include \"{mirrored}\"")),
        "{}",
        object(&project, "step.o")?
    );
    Ok(())
}

#[test]
fn units_that_see_a_change_in_a_header_alone_name_the_plan() -> Result<()> {
    let project = Project::new("particles")?;
    described(&project, "")?;
    // A kernel of a header, and a unit that only includes it.
    project.edit(
        "include/particle.h",
        "// Moves `n`",
        "static __global__ void clear(Particle *p) { p[threadIdx.x].x = 0; }\n// Moves `n`",
    )?;
    project.edit(
        "src/main.cu",
        "    for (int t",
        "    clear<<<1, 1>>>(d_particles);\n    for (int t",
    )?;
    for name in ["main", "report", "step"] {
        compile(&project, name)?;
        ensure!(object(&project, &format!("{name}.o"))?.contains("layoutc_plan_"), "{name}");
    }
    Ok(())
}

#[test]
fn the_plans_symbol_follows_what_is_written_in_the_lock_file() -> Result<()> {
    let project = Project::new("particles")?;
    project.accepted("layoutc plan")?;
    let path = project.path("project/layoutc.lock");
    let lock = fs::read_to_string(&path)?;
    let symbol = || -> Result<String> {
        project.accepted(COMPILE)?;
        let text = object(&project, "main.o")?;
        let at = text.find("layoutc_plan_").context("no symbol")?;
        Ok(text[at..].chars().take(25).collect())
    };
    let before = symbol()?;
    fs::write(&path, lock.replace("tiled(32)", "soa"))?;
    ensure!(symbol()? != before);
    // Nothing of the file gets into the program.
    let id = lock.lines().find(|line| line.starts_with("id = ")).context("an id")?;
    fs::write(&path, lock.replace(id, "id = 'x; } int evil; extern \"C\" { extern char y'"))?;
    ensure!(symbol()? == before && !object(&project, "main.o")?.contains("evil"));
    Ok(())
}

#[test]
fn commands_with_other_macros_make_another_program() -> Result<()> {
    let project = Project::new("particles")?;
    project.edit("include/particle.h", "    int id;", "    int id;\n    float extra[N];")?;
    project.edit(
        "include/particle.h",
        "#pragma once",
        "#pragma once\n#ifndef N\n#define N 2\n#endif",
    )?;
    project.edit("src/main.cu", ", i};", ", i, {}};")?;
    project.accepted(COMPILE)?;
    let mirrored =
        || fs::read_to_string(project.path("project/.layoutc/program/src/include/particle.h"));
    ensure!(mirrored()?.contains("extra[2][32]"), "{}", mirrored()?);
    project.accepted(&COMPILE.replace("nvcc ", "nvcc -DN=8 "))?;
    ensure!(!mirrored()?.contains("extra[2][32]"), "{}", mirrored()?);
    Ok(())
}

#[test]
fn a_state_that_came_with_the_source_is_not_used() -> Result<()> {
    let project = Project::new("particles")?;
    project.sandbox.write("precious", "x")?;
    let precious = project.path("precious");
    let manifest = format!(
        "{{\"key\":\"\",\"inputs\":[],\"absent\":[],\"files\":{{\"/x\":{precious:?}}},\"folders\":{{}},\"units\":{{}}}}"
    );
    project.sandbox.write("project/.layoutc/program/manifest.json", manifest)?;
    project.accepted(COMPILE)?;
    ensure!(precious.exists() && object(&project, "main.o")?.contains("ParticleTile32"));
    // A folder that is a link leads elsewhere.
    fs::remove_dir_all(project.path("project/.layoutc"))?;
    std::os::unix::fs::symlink(project.path("bin"), project.path("project/.layoutc"))?;
    let outcome = project.run(COMPILE)?;
    ensure!(
        outcome.code() == Some(2) && outcome.stderr.contains("is a link"),
        "{}",
        outcome.stderr
    );
    ensure!(project.path("bin/nvcc").exists());
    Ok(())
}

#[test]
fn a_failed_second_compilation_is_not_forgotten() -> Result<()> {
    let project = Project::new("split")?;
    let manifest = "rule c\n  command = layoutc launch --update -- nvcc -MD -MF $out.d -c $in -o $out\nrule link\n  command = cat $in > $out\n\
        build main.o: c main.cpp\nbuild field.o: c field.cpp\nbuild kernels.o: c kernels.cu\nbuild wave: link main.o field.o kernels.o\n";
    fs::write(project.path("project/build.ninja"), manifest)?;
    let command = |name: &str, ending: &str| {
        format!("layoutc launch --update -- nvcc -MD -MF {name}.o.d -c {name}.{ending} -o {name}.o")
    };
    for (name, ending) in [("main", "cpp"), ("field", "cpp"), ("kernels", "cu")] {
        project.accepted(&command(name, ending))?;
    }
    thread::sleep(Duration::from_millis(20));
    project.edit(
        "kernels.cu",
        "    move<<<",
        "    cudaMemset((float *)d_cells + 1, 0, 4);\n    move<<<",
    )?;
    // The compiler fails for the other file.
    let good = fs::read_to_string(project.path("bin/nvcc"))?;
    fs::write(
        project.path("bin/nvcc"),
        good.replacen("for word", "case \"$*\" in *field.cpp*) exit 9;; esac\nfor word", 1),
    )?;
    let outcome = project.run(&command("kernels", "cu"))?;
    ensure!(
        outcome.code() == Some(2) && outcome.stderr.contains("field.cpp cannot be compiled again"),
        "{}",
        outcome.stderr
    );
    fs::write(project.path("bin/nvcc"), good)?;
    let outcome = project.accepted(&command("kernels", "cu"))?;
    ensure!(outcome.stderr.contains("field.cpp again"), "{}", outcome.stderr);
    ensure!(!object(&project, "field.o")?.contains("CellTile32"));
    Ok(())
}

#[test]
fn what_is_compiled_again_has_the_options_of_the_launch() -> Result<()> {
    let project = Project::new("particles")?;
    let compile = |options: &str, name: &str| {
        project.accepted(&format!(
            "layoutc launch {options} -- nvcc -Iinclude -c src/{name}.cu -o {name}.o"
        ))
    };
    for name in ["main", "report", "step"] {
        compile("--layout Particle=tiled(64)", name)?;
    }
    ensure!(object(&project, "step.o")?.contains("ParticleTile64"));
    // Another layout for one file is one for all.
    let outcome = compile("--layout Particle=tiled(16)", "main")?;
    ensure!(outcome.stderr.contains("step.cu again"), "{}", outcome.stderr);
    ensure!(
        object(&project, "step.o")?.contains("ParticleTile16"),
        "{}",
        object(&project, "step.o")?
    );
    ensure!(object(&project, "main.o")?.contains("ParticleTile16"));
    Ok(())
}

#[test]
fn objects_of_other_layouts_are_removed_if_nothing_is_known_of_them() -> Result<()> {
    let project = Project::new("particles")?;
    described(&project, "")?;
    for name in ["main", "report", "step"] {
        compile(&project, name)?;
    }
    let forget = || fs::remove_dir_all(project.path("project/.layoutc"));
    let exists = |name: &str| project.path("project").join(name).exists();
    // The same layouts: they stay.
    forget()?;
    compile(&project, "main")?;
    ensure!(exists("step.o") && exists("report.o"));
    // In no new layout any more.
    forget()?;
    project.edit("include/particle.h", "struct", "#pragma layoutc keep\nstruct")?;
    let outcome = compile(&project, "main")?;
    ensure!(outcome.stderr.contains("step.o, which was compiled in other"), "{}", outcome.stderr);
    ensure!(exists("main.o") && !exists("step.o"), "{}", outcome.stderr);
    for name in ["report", "step"] {
        ensure!(!compile(&project, name)?.stderr.contains("removed"));
    }
    // From none to a new one, compiled with the unit that has the plan's symbol.
    forget()?;
    project.edit("include/particle.h", "#pragma layoutc keep\n", "")?;
    compile(&project, "main")?;
    ensure!(exists("main.o") && !exists("step.o"));
    // What is no object of a launch is nobody's to remove.
    ensure!(project.path("project/src/step.cu").exists());
    Ok(())
}

#[test]
fn plans_of_a_build_folder() -> Result<()> {
    let project = Project::new("particles")?;
    fs::remove_file(project.path("project/layoutc.toml"))?;
    // What is no command of a compiler is none, whatever it names.
    described(&project, "rule x\n  command = echo @later.rsp a.cpp\nbuild note: x\n")?;
    let outcome = project.accepted("layoutc plan --build .")?;
    ensure!(outcome.stderr.contains("sim: 1 of 1 array"), "{}", outcome.stderr);
    ensure!(fs::read_to_string(project.path("project/layoutc.lock"))?.contains("name = \"sim\""));
    project.accepted("layoutc plan --build . --check")?;
    compile(&project, "step")?;
    ensure!(object(&project, "step.o")?.contains("ParticleTile32"));
    // A lock file of the build folder that nobody wrote does not keep a type from getting another name.
    fs::remove_file(project.path("project/layoutc.lock"))?;
    let step = "layoutc launch -- nvcc -Iinclude -c src/step.cu -o step.o";
    project.accepted(step)?;
    for name in
        ["include/particle.h", "src/main.cu", "src/report.cu", "src/report.h", "src/step.cu"]
    {
        let path = project.path("project").join(name);
        fs::write(&path, fs::read_to_string(&path)?.replace("Particle", "Body"))?;
    }
    project.accepted(step)?;
    ensure!(object(&project, "step.o")?.contains("BodyTile32"));
    Ok(())
}
