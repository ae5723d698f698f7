//! The cases: every fixture and every shipped program, in the layouts that it names and in those that are chosen.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::Outcome;
use crate::fixture::{Fixture, HostLayout};
use crate::layoutc::{Layoutc, TRANSFORM_LIMIT};
use crate::listed::{DEVICES, Listed};
use crate::program::{Program, programs_folder};
use crate::repository_root;

const OUT: &str = "out";
const REPORT: &str = "report.json";

/// The cases whose text is kept in full, at least some for each kind of layout and each front end.
pub const FULL: &[&str] = &[
    "programs/grid_heat3d: h100",
    "programs/grid_lbm_d2q9: f = tiled(32)",
    "programs/grid_structs: h100",
    "programs/idw: kdlg",
    "programs/lavamd: soa",
    "programs/merge_triangles: h100",
    "programs/nbody: analyze",
    "programs/nbody: cost",
    "programs/nbody: h100",
    "programs/nbody: tiled",
    "programs/opencl/bitonic: tiled",
    "programs/opencl/grid_heat3d: h100",
    "programs/opencl/merge_triangles: h100",
    "programs/opencl/nbody: clustered",
    "refusals/address_as_integer: P = soa",
    "refusals/class_template_with_a_friend: * = soa",
    "rewrites/grid_index_is_pasted: f = [y/4, x/4, y%4, x%4]",
    "refusals/inline_assembly_pointer: P = soa",
    "refusals/member_reference_captured_by_an_object: P = soa",
    "refusals/method_that_steps_this: P = aos align(16)",
    "refusals/own_assignment: P = soa",
    "rewrites/calls_on_streams: P = soa",
    "refusals/volatile_pointer: P = soa",
    "rewrites/address_of_a_reference: P = tiled(32)",
    "rewrites/aligned_member_of_a_class: P = soa",
    "rewrites/aligned_member: P = tiled(32)",
    "rewrites/atomics: P = tiled(32)",
    "rewrites/cells_of_a_grid: Cell = [y/8, x/32, field, y%8, x%32]",
    "rewrites/check_macro_and_casts: P = tiled(32)",
    "rewrites/class_template_allocates: * = soa",
    "rewrites/class_template_members: Vec3<float> = tiled(32)",
    "rewrites/companion_index: P = tiled(32)",
    "rewrites/constructor: P = soa",
    "rewrites/device_lambda_captures_by_value: P = tiled(32)",
    "rewrites/device_to_device: P = tiled(32)",
    "rewrites/element_as_a_vector: P = {x y z w} align(16)",
    "rewrites/element_zero_by_address: Dot = {x} align(8), {id}",
    "rewrites/function_template: P = soa",
    "rewrites/global_device_pointer: P = tiled(32)",
    "rewrites/grid_c99: u = [y/4, x/8, y%4, x%8]",
    "rewrites/grid_opencl: u = [y/4, x/4, y%4, x%4]",
    "rewrites/grid_pragma: f = [y/4, x, y%4]",
    "rewrites/grid_views: f = [z, y/4, x/4, y%4, x%4]",
    "rewrites/header_and_two_files: P = soa",
    "rewrites/holder_as_kernel_argument: P = soa",
    "rewrites/host_arrays_native: Point = aos align(16)",
    "rewrites/macro_takes_an_element: P = tiled(32)",
    "rewrites/managed_memory: P = soa",
    "rewrites/member_function: P = soa",
    "rewrites/memset: P = tiled(32)",
    "rewrites/merge_header: chosen",
    "rewrites/merge_header: u + v = aos",
    "rewrites/merge_opencl_literal: a + b = aos",
    "rewrites/merge_pointers: x + count + w = aos",
    "rewrites/nested_member: P = soa",
    "rewrites/overloaded_member_functions: P = tiled(32)",
    "rewrites/pointer_swap: P = soa",
    "rewrites/recursive_function: P = soa",
    "rewrites/shared_memory_elements: P = soa",
    "rewrites/sub_range_copies: P = soa",
    "rewrites/subscript_operator: P = aos align(16)",
    "rewrites/symbol_array: P = aos align(16)",
    "rewrites/two_dimensional_copy: P = soa",
    "rewrites/type_aliases: P = soa",
    "rewrites/types_nested_in_the_element: Agent = soa",
    "rewrites/version_qualified_by_macros: V = soa",
    "rewrites/void_pointer_in_a_kernel: P = soa",
    "rewrites/whole_element: P = aos align(16)",
    "rewrites/whole_element: chosen",
];

/// One run of the tool.
#[derive(Clone, Debug)]
pub struct Case {
    /// `folder/program: request`.
    pub name: String,
    files: Files,
    arguments: Vec<String>,
    /// Whether it writes files and a report.
    writes: bool,
}

#[derive(Clone, Debug)]
enum Files {
    Texts(Vec<(String, String)>),
    Folder(PathBuf),
}

/// All cases, by name.
///
/// # Errors
/// When fixtures or programs cannot be read, and when two cases have one name.
pub fn all() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let testdata = repository_root().join("testdata");
    for (folder, is_one_run) in [("rewrites", false), ("refusals", true)] {
        for fixture in Fixture::read_all(&testdata.join(folder))? {
            fixture_cases(folder, &fixture, is_one_run, &mut cases);
        }
    }
    for folder in ["grids/bad", "grids/examples", "probes", "cost"] {
        for (file, text) in contents(&testdata.join(folder))? {
            if let Some(name) = file.strip_suffix(".cu") {
                let name = format!("{folder}/{name}: chosen");
                let files = Files::Texts(vec![(file.clone(), String::from_utf8(text)?)]);
                cases.push(Case::transform(name, files, &[file], Vec::new()));
            }
        }
    }
    for prefix in ["", "opencl/"] {
        let mut names = Vec::new();
        for entry in fs::read_dir(programs_folder().join(prefix))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && format!("{name}/") != "opencl/" {
                names.push(format!("{prefix}{name}"));
            }
        }
        names.sort();
        for name in names {
            program_cases(&name, &mut cases)?;
        }
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    let twice = cases.windows(2).find(|pair| pair[0].name == pair[1].name);
    ensure!(twice.is_none(), "two cases have one name: {}", cases[0].name);
    Ok(cases)
}

fn fixture_cases(folder: &str, fixture: &Fixture, is_one_run: bool, cases: &mut Vec<Case>) {
    let mut options: Vec<String> = Vec::new();
    if fixture.options.host == HostLayout::Native {
        options.extend(["--host".to_owned(), "native".to_owned()]);
    }
    for name in &fixture.options.require {
        options.extend(["--require".to_owned(), name.clone()]);
    }
    let roots: Vec<String> = (fixture.files.iter().map(|(name, _)| name))
        .filter(|name| !name.ends_with(".h") && !name.ends_with(".cuh"))
        .filter(|name| Path::new(name).extension().is_some())
        .cloned()
        .collect();
    let layouts = fixture.layouts();
    let groups: Vec<&[String]> =
        if is_one_run { vec![&layouts] } else { layouts.chunks(1).collect() };
    let mut requests: Vec<(String, Vec<String>)> = Vec::new();
    for group in groups.into_iter().filter(|group| !group.is_empty()) {
        requests.push((group.join(", "), [asked(group), options.clone()].concat()));
    }
    requests.push(("chosen".to_owned(), Vec::new()));
    for (request, options) in requests {
        let files = Files::Texts(fixture.files.clone());
        let name = format!("{folder}/{}: {request}", fixture.name);
        cases.push(Case::transform(name, files, &roots, options));
    }
}

fn asked(layouts: &[String]) -> Vec<String> {
    layouts.iter().flat_map(|layout| ["--layout".to_owned(), layout.clone()]).collect()
}

fn program_cases(name: &str, cases: &mut Vec<Case>) -> Result<()> {
    let folder = programs_folder().join(name);
    let mut requests: Vec<(String, Vec<String>)> = Vec::new();
    let mut files = Vec::new();
    if folder.join("program.toml").is_file() {
        let program = Program::load(name)?;
        files = program.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        for (layout, specs) in &program.layouts {
            requests.push((layout.clone(), asked(specs)));
            if !program.native.is_empty() {
                let native =
                    [asked(specs), vec!["--host".to_owned(), "native".to_owned()]].concat();
                requests.push((format!("{layout}, native"), native));
            }
        }
    }
    for settings in ["grid.toml", "merge.toml"] {
        if folder.join(settings).is_file() {
            let listed = Listed::load(name, settings)?;
            files.clone_from(&listed.files);
            for layouts in &listed.layouts {
                requests.push((layouts.join(", "), asked(layouts)));
            }
        }
    }
    ensure!(!files.is_empty(), "{name} has no settings");
    for device in DEVICES {
        requests.push((device.to_owned(), vec!["--device".to_owned(), device.to_owned()]));
    }
    requests.push(("kdlg".to_owned(), vec!["--selector".to_owned(), "kdlg".to_owned()]));
    for (request, options) in requests {
        let name = format!("programs/{name}: {request}");
        cases.push(Case::transform(name, Files::Folder(folder.clone()), &files, options));
    }
    for command in ["analyze", "cost"] {
        cases.push(Case {
            name: format!("programs/{name}: {command}"),
            files: Files::Folder(folder.clone()),
            arguments: [vec![command.to_owned()], files.clone()].concat(),
            writes: false,
        });
    }
    Ok(())
}

impl Case {
    fn transform(name: String, files: Files, roots: &[String], options: Vec<String>) -> Case {
        let mut arguments = vec!["transform".to_owned()];
        arguments.extend(roots.iter().cloned());
        arguments.extend(options);
        Case { name, files, arguments, writes: true }
    }

    /// Runs the tool in a folder of its own.
    ///
    /// # Errors
    /// When files cannot be written or read, or the tool cannot be started, is killed or panics.
    pub fn run(&self, layoutc: &Layoutc) -> Result<Outcome> {
        let folder = tempfile::tempdir()?;
        let files = match &self.files {
            Files::Texts(texts) => {
                let bytes = |(name, text): &(String, String)| (name.clone(), text.clone().into());
                texts.iter().map(bytes).collect()
            }
            Files::Folder(from) => contents(from)?,
        };
        for (name, bytes) in &files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, bytes)?;
        }
        let mut arguments = self.arguments.clone();
        if self.writes {
            arguments.extend(
                ["--out-dir", OUT, "--helpers", "inline", "--report", REPORT].map(str::to_owned),
            );
        }
        let ran = layoutc.run(folder.path(), TRANSFORM_LIMIT, &arguments)?;
        let code = ran.code().with_context(|| ran.ending())?;
        ensure!(!ran.stderr.contains("panicked at"), "{}", ran.stderr);
        let out = folder.path().join(OUT);
        Ok(Outcome {
            command: arguments.join(" "),
            code,
            stdout: ran.stdout,
            stderr: ran.stderr,
            report: fs::read(folder.path().join(REPORT)).ok(),
            files: if out.is_dir() { contents(&out)? } else { BTreeMap::new() },
            sources: files,
        })
    }
}

/// The files of a folder and of those in it, by relative path.
fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                files.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
