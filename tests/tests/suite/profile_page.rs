//! `layoutc analyze --profile`: the page and the text say what was recorded, in numbers that the profile has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_analysis::profile::{Counts, Profile};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::process::Outcome;
use layoutc_tests::program::Program;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;
use tempfile::TempDir;

/// A recorded program.
struct Recorded {
    /// Where the program is.
    folder: PathBuf,
    files: Vec<String>,
    output: TempDir,
}

impl Recorded {
    /// Runs a program once for each list of arguments.
    fn new(folder: &Path, files: &[String], runs: &[&[&str]]) -> Result<Recorded> {
        let output = tempfile::tempdir()?;
        for (at, run) in runs.iter().enumerate() {
            let path = output.path().join(format!("{at}.profile")).display().to_string();
            let mut arguments = vec!["profile".to_owned(), "-o".to_owned(), path];
            arguments.extend(files.iter().cloned());
            arguments.push("--".to_owned());
            arguments.extend(run.iter().map(|&text| text.to_owned()));
            let outcome = Layoutc::built()?.run(folder, VERIFY_LIMIT, &arguments)?;
            ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
        }
        Ok(Recorded { folder: folder.to_path_buf(), files: files.to_vec(), output })
    }

    fn of_program(name: &str, runs: &[&[&str]]) -> Result<Recorded> {
        let program = Program::load(name)?;
        let files: Vec<String> =
            program.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        Recorded::new(&program.folder, &files, runs)
    }

    fn of_text(folder: &Path, text: &str) -> Result<Recorded> {
        fs::write(folder.join("a.cu"), text)?;
        Recorded::new(folder, &["a.cu".to_owned()], &[&[]])
    }

    fn profiles(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.output.path())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "profile") {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }

    fn analyze(&self, options: &[&str]) -> Result<Outcome> {
        let mut arguments = vec!["analyze".to_owned()];
        arguments.extend(self.files.iter().cloned());
        for path in self.profiles()? {
            arguments.extend(["--profile".to_owned(), path.display().to_string()]);
        }
        arguments.extend(options.iter().map(|&text| text.to_owned()));
        Layoutc::built()?.run(&self.folder, TRANSFORM_LIMIT, &arguments)
    }

    fn succeeds(&self, options: &[&str]) -> Result<Outcome> {
        let outcome = self.analyze(options)?;
        ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
        Ok(outcome)
    }

    fn json(&self) -> Result<Value> {
        let all: Value = serde_json::from_str(&self.succeeds(&["--json"])?.stdout)?;
        Ok(all["recorded"].clone())
    }

    fn page(&self) -> Result<String> {
        let path = self.output.path().join("page.html");
        let name = path.display().to_string();
        let outcome = self.succeeds(&["--html", &name])?;
        ensure!(outcome.stderr.contains(&format!("wrote {name}")), "{}", outcome.stderr);
        Ok(fs::read_to_string(&path)?)
    }
}

fn parsed(page: &str) -> Result<Document<'_>> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).context("the page is not well-formed")
}

/// All text below a node.
fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect()
}

fn named<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.descendants().filter(move |own| own.has_tag_name(("http://www.w3.org/1999/xhtml", name)))
}

/// The numbers of a cell: wasted, fetched, asked for, accesses, requests.
fn numbers(cell: Node<'_, '_>) -> Result<Vec<u64>> {
    let data = named(cell, "data").map(|own| own.attribute("value").context("no value"));
    data.map(|value| Ok(value?.parse()?)).collect()
}

/// By field and kernel, the numbers of the cell.
type Cells = BTreeMap<(String, String), Vec<u64>>;

/// The heat maps of a page.
fn heat_maps(page: &str) -> Result<Vec<Cells>> {
    let document = parsed(page)?;
    let is_map = |own: &Node<'_, '_>| own.attribute("class") == Some("heat");
    let mut maps = Vec::new();
    for table in named(document.root(), "table").filter(is_map) {
        let head = named(table, "thead").next().context("no head")?;
        let kernels: Vec<String> = named(head, "th").skip(1).map(text).collect();
        let body = named(table, "tbody").next().context("no rows")?;
        let mut map = BTreeMap::new();
        for row in named(body, "tr") {
            let field = named(row, "code").next().map(text).context("no field")?;
            let cells: Vec<Node<'_, '_>> = named(row, "td").collect();
            ensure!(cells.len() == kernels.len(), "a row has not one cell for each kernel");
            for (kernel, cell) in kernels.iter().zip(cells) {
                map.insert((field.clone(), kernel.clone()), numbers(cell)?);
            }
        }
        maps.push(map);
    }
    Ok(maps)
}

/// What a cell has to say of accesses to one scalar leaf each, straight from the profile.
fn expected(profiles: &[Profile], array: u32, leaf: u32, kernel: &str) -> Vec<u64> {
    let mut by_instruction: BTreeMap<u32, Counts> = BTreeMap::new();
    for profile in profiles {
        for own in profile.runs.iter().flat_map(|run| &run.accesses) {
            let instruction = &profile.instructions[own.instruction as usize];
            let is_meant = instruction.array == array
                && instruction.leaves == [leaf]
                && profile.kernels[own.kernel as usize].name == kernel;
            if is_meant {
                by_instruction.entry(own.instruction).or_default().add(&own.counts);
            }
        }
    }
    let bytes = profiles[0].arrays[array as usize].leaves[leaf as usize].bytes;
    let mut sums = vec![0; 5];
    for counts in by_instruction.values() {
        let apart = counts.lanes - counts.address_lanes + counts.requests;
        let used = bytes * apart.min(counts.blocks[0]);
        let own = [
            counts.sectors * 32 - used,
            counts.sectors * 32,
            counts.lanes * bytes,
            counts.lanes,
            counts.requests,
        ];
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
    sums
}

fn read(path: &Path) -> Result<Profile> {
    Profile::read(&fs::read(path)?).map_err(|error| anyhow::anyhow!("{error}"))
}

/// All cells of fields that are only accessed one by one; how many cells these are.
fn compare(recorded: &Recorded) -> Result<usize> {
    let profiles: Vec<Profile> =
        recorded.profiles()?.iter().map(|path| read(path)).collect::<Result<_>>()?;
    let maps = heat_maps(&recorded.page()?)?;
    let first = &profiles[0];
    ensure!(maps.len() == first.arrays.len(), "{} maps", maps.len());
    let json = recorded.json()?;
    let shown = json["arrays"].as_array().context("arrays")?;
    let mut compared = 0;
    for (array, own) in first.arrays.iter().enumerate() {
        // The page has them in the order of the program, the profile in that of their accesses.
        let has_name = |shown: &Value| {
            shown["names"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|name| own.names.iter().any(|own| name == own))
        };
        let map = &maps[shown.iter().position(has_name).context("an array is not shown")?];
        let array = array as u32;
        for (leaf, field) in own.leaves.iter().enumerate() {
            let leaf = leaf as u32;
            for kernel in &first.kernels {
                let cell = map.get(&(field.name.clone(), kernel.name.clone()));
                let mut moves = profiles.iter().flat_map(|profile| {
                    let accesses = profile.runs.iter().flat_map(|run| &run.accesses);
                    accesses
                        .filter(|own| profile.kernels[own.kernel as usize] == *kernel)
                        .map(|own| &profile.instructions[own.instruction as usize])
                });
                let is_shared = moves.any(|instruction| {
                    let is_own = instruction.array == array && instruction.leaves.contains(&leaf);
                    is_own && instruction.leaves.len() > 1
                });
                if is_shared {
                    ensure!(cell.is_some_and(|cell| cell.len() == 5), "{}", field.name);
                    continue;
                }
                let expected = expected(&profiles, array, leaf, &kernel.name);
                let cell = cell.map_or(&[][..], Vec::as_slice);
                match expected[4] {
                    0 => ensure!(cell.is_empty(), "{} in {}: {cell:?}", field.name, kernel.name),
                    _ => {
                        assert_eq!(cell, expected, "{} in {}", field.name, kernel.name);
                        compared += 1;
                    }
                }
            }
        }
    }
    Ok(compared)
}

#[test]
fn cells_are_the_sums_of_the_profile() -> Result<()> {
    // Of idw, `Point`s are moved as a whole in one kernel.
    assert_eq!(compare(&Recorded::of_program("idw", &[&[]])?)?, 3 + 6);
    assert_eq!(compare(&Recorded::of_program("sph", &[&[]])?)?, 12);
    Ok(())
}

#[test]
fn runs_count_together() -> Result<()> {
    let recorded = Recorded::of_program("sph", &[&[], &["13", "5"]])?;
    compare(&recorded)?;
    let json = recorded.json()?;
    assert_eq!(json["runs"][0]["arguments"], serde_json::json!([]));
    assert_eq!(json["runs"][1]["arguments"], serde_json::json!(["13", "5"]));
    let page = recorded.page()?;
    ensure!(page.contains("13 5"), "the arguments of the second run");
    // With one particle on a side, lanes are at one element.
    let recorded = Recorded::of_program("sph", &[&[], &["1"]])?;
    let (json, page) = (recorded.json()?, recorded.page()?);
    let layout = json["arrays"][0]["trace"]["disagreements"][0]["layout"].clone();
    let layout = layout.as_str().context("the runs agree")?;
    ensure!(page.contains("alone would give") && page.contains(layout), "{layout}");
    Ok(())
}

/// Parts of fields add up to what an access moves, and totals have each access once.
#[test]
fn totals_add_up() -> Result<()> {
    for program in ["idw", "sph", "lbm2d"] {
        let json = Recorded::of_program(program, &[&[]])?.json()?;
        for array in json["arrays"].as_array().context("arrays")? {
            let heat = &array["heat"];
            let (cells, kernels) = (&heat["cells"], &heat["of_kernels"]);
            let rows = cells.as_array().context("cells")?;
            for (at, of_kernel) in kernels.as_array().context("kernels")?.iter().enumerate() {
                for what in ["asked", "fetched", "wasted"] {
                    let sum: u64 = rows.iter().filter_map(|row| row[at][what].as_u64()).sum();
                    assert_eq!(Some(sum), of_kernel[what].as_u64(), "{what} of {program}");
                }
                let most = rows.iter().filter_map(|row| row[at]["requests"].as_u64()).max();
                ensure!(of_kernel["requests"].as_u64() >= most, "requests of {program}");
            }
            let sum = |what: &str| {
                kernels
                    .as_array()
                    .map(|all| all.iter().filter_map(|own| own[what].as_u64()).sum::<u64>())
            };
            assert_eq!(sum("lanes"), heat["total"]["lanes"].as_u64(), "{program}");
            assert_eq!(sum("wasted"), heat["total"]["wasted"].as_u64(), "{program}");
        }
    }
    Ok(())
}

#[test]
fn the_page_has_everything_and_needs_nothing() -> Result<()> {
    // So much water that kernels save more than copies cost.
    let recorded = Recorded::of_program("sph", &[&["60", "20"]])?;
    let page = recorded.page()?;
    let json = recorded.json()?;
    let document = parsed(&page)?;
    let all = text(document.root());
    for array in json["arrays"].as_array().context("arrays")? {
        let strings = |list: &Value| -> Vec<String> {
            list.as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        };
        let heat = &array["heat"];
        let mut wanted = [strings(&heat["fields"]), strings(&heat["kernels"])].concat();
        for access in array["accesses"].as_array().context("accesses")? {
            wanted.push(format!("{}:{}", access["file"].as_str().unwrap_or("?"), access["line"]));
            wanted.extend(access["text"].as_str().map(str::to_owned));
            wanted.extend(access["class"].as_str().map(str::to_owned));
        }
        wanted.extend(
            ["layout", "because"].iter().filter_map(|key| array[*key].as_str().map(str::to_owned)),
        );
        wanted.extend(array["trace"]["layout"].as_str().map(str::to_owned));
        ensure!(wanted.len() > 60, "{wanted:?}");
        for text in &wanted {
            ensure!(all.contains(text.as_str()), "no `{text}`");
        }
    }
    // The lines of the source with accesses, in full.
    let program = Program::load("sph")?;
    let lines = json["arrays"][0]["lines"].as_array().context("lines")?;
    ensure!(lines.len() > 10, "{lines:#?}");
    for own in lines {
        let file = own["file"].as_str().context("a file")?;
        let source = fs::read_to_string(program.folder.join(file))?;
        let number = own["line"].as_u64().context("a number")? as usize;
        let line = source.lines().nth(number - 1).context("a line of the source")?.trim();
        assert_eq!(own["text"], line);
        ensure!(all.contains(line), "no `{line}`");
    }
    let headings: Vec<String> = named(document.root(), "h3").map(text).collect();
    for heading in ["Memory before", "Memory after", "Source lines that access it"] {
        ensure!(headings.iter().any(|own| own == heading), "no `{heading}`: {headings:?}");
    }
    let drawings = document.descendants().filter(|own| own.tag_name().name() == "svg").count();
    assert_eq!(drawings, 2, "before and after");
    for (name, attributes) in document.descendants().filter(Node::is_element).map(|own| {
        (own.tag_name().name(), own.attributes().map(|own| own.name()).collect::<Vec<_>>())
    }) {
        ensure!(!["script", "link", "img", "iframe"].contains(&name), "<{name}>");
        ensure!(!attributes.contains(&"src"), "{attributes:?}");
    }
    ensure!(!page.contains("url(") && !page.contains("@import"), "the style sheet loads something");
    Ok(())
}

/// A record and a kernel that are templates, with texts that HTML has other uses for.
const MARKUP: &str = r#"
template <typename T, int N> struct Cell { T a, b; int k; };

template <typename T> __global__ void drift(Cell<T, 3> *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i & (n - 1)].a += p[(i < 3 && n > 2) ? 0 : i].b;
}

int main() {
  Cell<float, 3> *d;
  cudaMalloc((void **)&d, 64 * sizeof(Cell<float, 3>));
  cudaMemset(d, 0, 64 * sizeof(Cell<float, 3>));
  drift<float><<<1, 64>>>(d, 64);
  cudaDeviceSynchronize();
  cudaFree(d);
  return 0;
}
"#;

#[test]
fn names_and_texts_are_escaped() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::of_text(folder.path(), MARKUP)?;
    let path = recorded.profiles()?.remove(0);
    let mut profile: Value = serde_json::from_slice(&fs::read(&path)?)?;
    let place = profile["instructions"][0]["place"].clone();
    profile["runs"][0]["partial"] = "signal <9> & more".into();
    profile["omitted"] = serde_json::json!([{ "place": place, "because": "a \"<bit-field>\"" }]);
    fs::write(&path, profile.to_string())?;
    let page = recorded.page()?;
    ensure!(page.contains("partial: signal &lt;9&gt; &amp; more"), "the run's end");
    ensure!(page.contains("a &quot;&lt;bit-field&gt;&quot;"), "what is not recorded");
    ensure!(page.contains("Cell&lt;float, 3&gt;"), "the record's name");
    ensure!(page.contains("p[i &amp; (n - 1)].a"), "an access");
    let all = text(parsed(&page)?.root());
    ensure!(all.contains("p[(i < 3 && n > 2) ? 0 : i].b"), "another access");
    Ok(())
}

const UNUSED: &str = r#"
struct P { float x, y; };
__global__ void once(P *p) { if (threadIdx.x > 99) p[threadIdx.x].x = p[threadIdx.x].y; }
int main() {
  P *d;
  cudaMalloc(&d, 64 * sizeof(P));
  once<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
  return 0;
}
"#;

#[test]
fn arrays_that_no_run_accesses_say_so() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::of_text(folder.path(), UNUSED)?;
    let json = recorded.json()?;
    let array = &json["arrays"][0];
    assert_eq!(array["heat"], Value::Null);
    assert_eq!(array["never_ran"], 2);
    let page = recorded.page()?;
    ensure!(heat_maps(&page)?.is_empty() && page.contains("no recorded run accesses"), "{page}");
    Ok(())
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::of_text(folder.path(), MARKUP)?;
    let profile = recorded.profiles()?.remove(0);
    let before = fs::read(&profile)?;
    let page = recorded.output.path().join("page.html");
    let name = page.display().to_string();
    let own_profile = profile.display().to_string();
    let none = recorded.output.path().join("none/page.html").display().to_string();
    let refused = |path: &str, why: &str| -> Result<()> {
        let outcome = recorded.analyze(&["--html", path])?;
        ensure!(!outcome.succeeded() && outcome.stderr.contains(why), "{path}: {}", outcome.stderr);
        ensure!(outcome.stdout.is_empty(), "{}", outcome.stdout);
        Ok(())
    };
    refused("a.cu", "LC0052")?;
    refused(&own_profile, "LC0052")?;
    refused(".", "LC0052")?;
    refused("/dev/null", "LC0052")?;
    // Folders are made, as for drawings, but not below a file.
    refused("a.cu/page.html", "LC0052")?;
    recorded.succeeds(&["--html", &none])?;
    assert_eq!(fs::read_to_string(folder.path().join("a.cu"))?, MARKUP);
    assert_eq!(fs::read(&profile)?, before);

    fs::write(folder.path().join("a.cu"), MARKUP.replace("n - 1", "n - 2"))?;
    refused(&name, "LC0075")?;
    ensure!(!page.exists(), "a page of a stale profile");

    let outcome = Layoutc::built()?.run(
        folder.path(),
        TRANSFORM_LIMIT,
        ["analyze", "a.cu", "--html", &name],
    )?;
    ensure!(outcome.stderr.contains("--profile"), "{}", outcome.stderr);
    ensure!(!page.exists(), "a page of no profile");
    Ok(())
}

#[test]
fn the_text_of_a_recorded_run() -> Result<()> {
    let recorded = Recorded::of_program("idw", &[&[]])?;
    insta::assert_snapshot!("recorded_idw", recorded.succeeds(&[])?.stdout);
    Ok(())
}
