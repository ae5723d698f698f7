//! `layoutc lsp`, as an editor speaks with it.

mod session;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use layoutc_tests::sandbox::{Sandbox, many_launches};
use serde_json::{Value, json};
use session::{Session, abilities, uri};

/// A program in which the layout of least cost changes an array.
static PARTICLES: LazyLock<String> = LazyLock::new(many_launches);

/// A program whose array of structs is taken for one of numbers, behind text that is not ASCII.
const BODIES: &str = r#"struct Body {
  float x, y, z;
  float vx, vy, vz;
  float mass;
};

__global__ void drift(Body *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += p[i].vx * dt;
}

__global__ void clear(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = 0;
}

int main() {
  static Body h[1024];
  Body *d;
  float *w;
  cudaMalloc(&w, 7 * 1024 * sizeof(float));
  cudaMalloc((void **)&d, 1024 * sizeof(Body));
  cudaMemcpy(d, h, 1024 * sizeof(Body), cudaMemcpyHostToDevice);
  /* é😀 */ clear<<<28, 256>>>((float *)d, 7 * 1024);
  for (int step = 0; step < 20000; ++step)  drift<<<4, 256>>>(d, 1024, 0.5f);
  cudaMemcpy(h, d, 1024 * sizeof(Body), cudaMemcpyDeviceToHost);
  cudaFree(d);
}
"#;

/// The expression that is the reason.
const CAST: &str = "(float *)d";

/// The position of an offset, with columns in UTF-16.
fn position_of(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap_or_default();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}

/// The position of the first occurrence.
fn position(text: &str, of: &str) -> Result<Value> {
    Ok(position_of(text, text.find(of).with_context(|| format!("no `{of}`"))?))
}

/// The range of the first occurrence.
fn range(text: &str, of: &str) -> Result<Value> {
    let start = text.find(of).with_context(|| format!("no `{of}`"))?;
    Ok(json!({"start": position_of(text, start), "end": position_of(text, start + of.len())}))
}

/// A folder without links in its path, and a file there.
fn place(sandbox: &Sandbox, name: &str) -> Result<PathBuf> {
    Ok(sandbox.path().canonicalize()?.join(name))
}

/// The action whose title begins so.
fn action<'a>(actions: &'a [Value], title: &str) -> Result<&'a Value> {
    let is_own =
        |action: &&Value| action["title"].as_str().is_some_and(|text| text.starts_with(title));
    actions.iter().find(is_own).with_context(|| format!("no `{title}` in {actions:#?}"))
}

/// The offset of a position with columns in UTF-16.
fn offset_of(text: &str, position: &Value) -> Result<usize> {
    let line = position["line"].as_u64().context("a line")? as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut left = position["character"].as_u64().context("a column")? as usize;
    let mut offset = start;
    for letter in text[start..].chars() {
        if left == 0 {
            break;
        }
        left = left.checked_sub(letter.len_utf16()).context("the middle of a character")?;
        offset += letter.len_utf8();
    }
    Ok(offset)
}

/// A text after the edits of a document, which do not overlap.
fn edited(text: &str, edits: &Value) -> Result<String> {
    let mut places = Vec::new();
    for edit in edits.as_array().context("edits")? {
        let start = offset_of(text, &edit["range"]["start"])?;
        let end = offset_of(text, &edit["range"]["end"])?;
        places.push((start, end, edit["newText"].as_str().context("a text")?));
    }
    places.sort();
    let (mut out, mut at) = (String::new(), 0);
    for (start, end, new) in places {
        ensure!(at <= start && start <= end, "edits overlap");
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// The edits of one file of a workspace edit, and the version that they are for.
fn edits_of<'a>(edit: &'a Value, file: &Path) -> Result<(&'a Value, &'a Value)> {
    let changes = edit["documentChanges"].as_array().with_context(|| format!("{edit}"))?;
    let is_own = |change: &&Value| change["textDocument"]["uri"] == uri(file).as_str();
    let own = changes.iter().find(is_own).context("no edit of the file")?;
    Ok((&own["edits"], &own["textDocument"]["version"]))
}

#[test]
fn a_session_from_a_refusal_to_an_applied_layout() -> Result<()> {
    // What is on the disk is not what is edited.
    let sandbox = Sandbox::with(&[("bodies.cu", "")])?;
    let file = place(&sandbox, "bodies.cu")?;
    let mut session = Session::initialized(sandbox.path())?;
    session.open(&file, BODIES)?;

    let found = session.diagnostics(&file)?;
    ensure!(found.len() == 1, "{found:#?}");
    let refusal = &found[0];
    ensure!(refusal["code"] == "LC0011" && refusal["severity"] == 2, "{refusal}");
    ensure!(refusal["source"] == "layoutc", "{refusal}");
    ensure!(refusal["range"] == range(BODIES, CAST)?, "{refusal}");
    ensure!(refusal["message"].as_str().is_some_and(|text| text.contains("`Body` (`p`, `d`)")));
    let related = &refusal["relatedInformation"][0];
    let allocation = "cudaMalloc((void **)&d, 1024 * sizeof(Body))";
    ensure!(related["location"]["range"] == range(BODIES, allocation)?, "{related}");
    ensure!(session.version(&file) == 1);

    // Under the mouse is why it stays; the action shows the page.
    let at = position(BODIES, CAST)?;
    let hover = session.hover(&file, &position(BODIES, "p[i].vx")?)?;
    let text = hover["contents"]["value"].as_str().context("a hover")?;
    for part in ["`Body`", "Keeps the source's layout", "LC0011", "bodies.cu:24", "read", "sectors"]
    {
        ensure!(text.contains(part), "no `{part}` in {text}");
    }
    let actions = session.actions(&file, &at)?;
    ensure!(actions.len() == 1, "nothing changes: {actions:#?}");
    let explain = action(&actions, "Explain LC0011")?;
    ensure!(explain["diagnostics"][0] == *refusal, "{explain}");
    let command = explain["command"].clone();
    ensure!(command["command"] == "layoutc.explain", "{command}");
    let page = session.request("workspace/executeCommand", command)?;
    let shown = sandbox.accepted(&["explain", "LC0011"])?;
    ensure!(page["result"] == shown.stdout.as_str(), "{page}");
    let asked = session.told.iter().find(|own| own["method"] == "window/showDocument");
    let page = asked.and_then(|own| own["params"]["uri"].as_str()).context("no document shown")?;
    let page = std::fs::read_to_string(page.trim_start_matches("file://"))?;
    ensure!(page == shown.stdout);

    // The cast goes, on a line with text that is not ASCII in front of it.
    let start = BODIES.find(CAST).context("there")? + CAST.len() - 1;
    let place = json!({"start": position_of(BODIES, start), "end": position_of(BODIES, start + 1)});
    session.change(&file, 2, &json!([{"range": place, "text": "w"}]))?;
    let now = BODIES.replace(CAST, "(float *)w");
    let found = session.diagnostics(&file)?;
    ensure!(found.len() == 1 && session.version(&file) == 2, "{found:#?}");
    let change = &found[0];
    ensure!(change["severity"] == 3 && change["range"] == range(&now, "Body")?, "{change}");
    let text = change["message"].as_str().unwrap_or_default();
    ensure!(text.starts_with("`p`, `d` of `Body` change to tiled(32): memory accesses"), "{text}");

    for (place, parts) in [
        ("Body", &["Becomes: `tiled(32)`", "28 bytes an element", "Why: memory accesses cost"][..]),
        (
            "p[i].vx",
            &[
                "Becomes: `tiled(32)`",
                "- now: 28 sectors (896 B) a warp",
                "- then: 4 sectors (128 B)",
            ],
        ),
        ("d, 1024, 0.5f", &["**Array of `Body`**: `p`, `d`"]),
        ("cudaMalloc((void **)&d", &["**Array of `Body`**: `p`, `d`"]),
    ] {
        let hover = session.hover(&file, &position(&now, place)?)?;
        let text = hover["contents"]["value"].as_str().with_context(|| place.to_owned())?;
        for part in parts {
            ensure!(text.contains(part), "no `{part}` at `{place}` in {text}");
        }
    }
    ensure!(session.hover(&file, &position(&now, "blockIdx")?)? == Value::Null);

    // What is applied is what the command line writes.
    let actions = session.actions(&file, &position(&now, "Body")?)?;
    let apply = action(&actions, "Apply layout: tiled(32)")?;
    ensure!(apply["kind"] == "refactor.rewrite", "{apply}");
    let (edits, version) = edits_of(&apply["edit"], &file)?;
    ensure!(*version == 2, "{version}");
    let applied = edited(&now, edits)?;
    sandbox.write("bodies.cu", &now)?;
    sandbox.accepted(&["transform", "bodies.cu", "-o", "out.cu"])?;
    ensure!(applied == sandbox.text("out.cu")?, "{applied}");

    // A text that was applied has nothing to say.
    session.change(&file, 3, &json!([{"text": applied}]))?;
    let found = session.diagnostics(&file)?;
    ensure!(found.is_empty(), "{found:#?}");
    let hover = session.hover(&file, &position(&applied, "p[i >> 5]")?)?;
    let text = hover["contents"]["value"].as_str().context("a hover")?;
    ensure!(text.contains("An earlier run gave it the layout `tiled(32)`"), "{text}");
    session.finish()
}

#[test]
fn keep_makes_a_configuration_and_then_extends_it() -> Result<()> {
    let sandbox = Sandbox::with(&[("src/a.cu", PARTICLES.as_str())])?;
    let file = place(&sandbox, "src/a.cu")?;
    let config = place(&sandbox, "layoutc.toml")?;
    let mut session = Session::initialized(sandbox.path())?;
    session.open(&file, &PARTICLES)?;
    let at = position(&PARTICLES, "Particle {")?;

    let actions = session.actions(&file, &at)?;
    let asked = session.told.iter().find(|own| own["method"] == "client/registerCapability");
    let watched = &asked.context("files are not watched")?["params"]["registrations"][0];
    ensure!(watched["registerOptions"]["watchers"][0]["globPattern"] == "**/layoutc.toml");
    let changes = &action(&actions, "Keep Particle")?["edit"]["documentChanges"];
    ensure!(changes[0] == json!({"kind": "create", "uri": uri(&config)}), "{changes}");
    let text = edited("", &changes[1]["edits"])?;
    ensure!(text == "files = [\"src/a.cu\"]\nkeep = [\"Particle\"]\n", "{text}");

    // The array is kept once the file is saved, and the command line agrees.
    sandbox.write("layoutc.toml", &text)?;
    session.notify("workspace/didChangeWatchedFiles", json!({"changes": []}))?;
    let found = session.diagnostics(&file)?;
    ensure!(found.is_empty(), "{found:#?}");
    let hover = session.hover(&file, &at)?;
    ensure!(hover["contents"]["value"].as_str().is_some_and(|own| own.contains("--keep Particle")));
    sandbox.accepted(&["transform", "--check"])?;

    // A file that is there gets another entry.
    let before = "# ours\nfiles = [\"src/a.cu\"]\nkeep = [\"Other\"]\n";
    sandbox.write("src/a.cu", PARTICLES.replace("int main", "struct Other {};\nint main"))?;
    let now = sandbox.text("src/a.cu")?;
    sandbox.write("layoutc.toml", before)?;
    session.change(&file, 2, &json!([{"text": now}]))?;
    session.notify("textDocument/didSave", json!({"textDocument": {"uri": uri(&file)}}))?;
    let actions = session.actions(&file, &at)?;
    let (edits, version) = edits_of(&action(&actions, "Keep Particle")?["edit"], &config)?;
    ensure!(version.is_null(), "the file is not open: {version}");
    let text = edited(before, edits)?;
    ensure!(text == before.replace("\"Other\"", "\"Other\", \"Particle\""), "{text}");

    // A client that creates no files is not offered to.
    sandbox.write("src/b.cu", PARTICLES.as_str())?;
    session.finish()?;
    let mut session = Session::start()?;
    session.initialize(&place(&sandbox, "src")?, &json!({}))?;
    let other = place(&sandbox, "src/b.cu")?;
    session.open(&other, &PARTICLES)?;
    let actions = session.actions(&other, &at)?;
    ensure!(action(&actions, "Keep").is_err(), "{actions:#?}");
    // A page is a message to it.
    let explain = json!({"command": "layoutc.explain", "arguments": ["LC0011"]});
    session.request("workspace/executeCommand", explain)?;
    let [page] = session.told.as_slice() else { anyhow::bail!("{:#?}", session.told) };
    ensure!(page["method"] == "window/showMessage" && page["params"]["type"] == 3, "{page}");
    // Its edits have no versions.
    let apply = action(&actions, "Apply layout")?;
    let edits = &apply["edit"]["changes"][uri(&other).as_str()];
    sandbox.accepted(&["transform", "src/b.cu", "-o", "out.cu"])?;
    ensure!(edited(&PARTICLES, edits)? == sandbox.text("out.cu")?);
    session.finish()
}

#[test]
fn a_program_of_several_files_is_rewritten_in_all_of_them() -> Result<()> {
    let start = PARTICLES.find("struct Particle").context("there")?;
    let end = PARTICLES.find("int main").context("there")?;
    let header = format!("#pragma once\r\n{}", &PARTICLES[start..end].replace('\n', "\r\n"));
    let source = format!(
        "{}#include \"particle.cuh\"\nint count() {{ return COUNT; }}\n{}",
        &PARTICLES[..start],
        &PARTICLES[end..]
    );
    let entry = json!([{"directory": ".", "file": "../src/main.cu",
        "command": "nvcc -DCOUNT=9 -I../include -c ../src/main.cu"}]);
    let sandbox = Sandbox::with(&[
        ("include/particle.cuh", header.as_str()),
        ("src/main.cu", &source),
        ("build/compile_commands.json", &entry.to_string()),
    ])?;
    let [open, other] = [place(&sandbox, "include/particle.cuh")?, place(&sandbox, "src/main.cu")?];
    let mut session = Session::initialized(sandbox.path())?;
    session.open(&open, &header)?;
    let found = session.diagnostics(&open)?;
    ensure!(found.len() == 1 && found[0]["severity"] == 3, "{found:#?}");

    let actions = session.actions(&open, &position(&header, "Particle {")?)?;
    let apply = &action(&actions, "Apply layout")?["edit"];
    sandbox.accepted(&[
        "transform",
        "--project",
        "build",
        "--out-dir",
        "out",
        "--helpers",
        "inline",
    ])?;
    for (file, text, version, written) in [
        (&open, &header, json!(1), "out/include/particle.cuh"),
        (&other, &source, Value::Null, "out/src/main.cu"),
    ] {
        let (edits, own) = edits_of(apply, file)?;
        ensure!(*own == version, "{file:?}: {own}");
        ensure!(edited(text, edits)? == sandbox.text(written)?, "{file:?}");
    }
    // A new configuration names the database.
    let keep = &action(&actions, "Keep Particle")?["edit"]["documentChanges"][1]["edits"];
    let text = edited("", keep)?;
    let expected = "project = \"build/compile_commands.json\"\nkeep = [\"Particle\"]\n";
    ensure!(text == expected, "{text}");
    session.finish()
}

#[test]
fn headers_and_files_elsewhere_are_programs_of_their_own() -> Result<()> {
    let sandbox =
        Sandbox::with(&[("workspace/a.cu", PARTICLES.as_str()), ("elsewhere/b.cu", BODIES)])?;
    let mut session = Session::initialized(&place(&sandbox, "workspace")?)?;
    // It is not saved yet.
    let header = place(&sandbox, "workspace/new.cuh")?;
    session.open(&header, BODIES)?;
    let found = session.diagnostics(&header)?;
    ensure!(found.len() == 1 && found[0]["code"] == "LC0011", "{found:#?}");
    let outside = place(&sandbox, "elsewhere/b.cu")?;
    session.open(&outside, BODIES)?;
    let found = session.diagnostics(&outside)?;
    ensure!(found[0]["range"] == range(BODIES, CAST)?, "{found:#?}");
    // What is no program has nothing to say, and no name either.
    let notes = place(&sandbox, "workspace/notes.txt")?;
    session.open(&notes, BODIES)?;
    ensure!(session.diagnostics(&notes)?.is_empty());
    let unnamed = json!({"uri": "untitled:1", "languageId": "cuda", "version": 1, "text": BODIES});
    session.notify("textDocument/didOpen", json!({"textDocument": unnamed}))?;
    // What is closed has nothing to say either.
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(&outside)}}))?;
    session.hover(&header, &json!({"line": 0, "character": 0}))?;
    ensure!(session.diagnostics(&outside)?.is_empty());
    session.finish()
}

#[test]
fn errors_are_told_where_they_are() -> Result<()> {
    let sandbox = Sandbox::with(&[("a.cu", PARTICLES.as_str())])?;
    let file = place(&sandbox, "a.cu")?;
    let mut session = Session::initialized(sandbox.path())?;
    let open = PARTICLES.replace("  return 0;\n}\n", "  return 0;\n");
    session.open(&file, &open)?;
    let found = session.diagnostics(&file)?;
    ensure!(found[0]["code"] == "LC0002" && found[0]["severity"] == 1, "{found:#?}");
    session.change(&file, 2, &json!([{"text": PARTICLES.as_str()}]))?;
    ensure!(session.diagnostics(&file)?.iter().all(|own| own["severity"] == 3));

    // A configuration that cannot be read is a message, once.
    sandbox.write("layoutc.toml", "files = [\n")?;
    for _ in 0..2 {
        session.notify("textDocument/didSave", json!({"textDocument": {"uri": uri(&file)}}))?;
        ensure!(session.diagnostics(&file)?.is_empty());
    }
    let is_message = |own: &&Value| own["method"] == "window/showMessage";
    let shown: Vec<&Value> = session.told.iter().filter(is_message).collect();
    ensure!(shown.len() == 1, "{shown:#?}");
    let text = shown[0]["params"]["message"].as_str().unwrap_or_default();
    ensure!(text.contains("layoutc.toml:1:10"), "{text}");
    session.finish()
}

#[test]
fn an_array_that_must_change_and_stays_is_an_error_with_a_reason() -> Result<()> {
    let config = "files = [\"a.cu\"]\nrequire = [\"Body\"]\n";
    let sandbox = Sandbox::with(&[("a.cu", BODIES), ("layoutc.toml", config)])?;
    let file = place(&sandbox, "a.cu")?;
    let mut session = Session::initialized(sandbox.path())?;
    session.open(&file, BODIES)?;
    let found = session.diagnostics(&file)?;
    ensure!(found.len() == 1 && found[0]["severity"] == 1, "{found:#?}");
    ensure!(found[0]["code"] == "LC0050", "{found:#?}");
    let hover = session.hover(&file, &position(BODIES, "p[i].vx")?)?;
    let text = hover["contents"]["value"].as_str().context("a hover")?;
    ensure!(text.contains("- LC0011 [a.cu:24]"), "{text}");
    session.finish()
}

#[test]
fn positions_count_bytes_if_the_client_offers_that() -> Result<()> {
    let sandbox = Sandbox::with(&[("a.cu", BODIES)])?;
    let file = place(&sandbox, "a.cu")?;
    let mut session = Session::start()?;
    let mut able = abilities();
    able["general"] = json!({"positionEncodings": ["utf-16", "utf-8"]});
    let answer = session.initialize(sandbox.path(), &able)?;
    ensure!(answer["positionEncoding"] == "utf-8", "{answer}");
    session.open(&file, BODIES)?;
    let found = session.diagnostics(&file)?;
    let line = BODIES.lines().find(|line| line.contains(CAST)).context("there")?;
    let column = line.find(CAST).context("there")?;
    ensure!(found[0]["range"]["start"]["character"] == column, "{found:#?}");
    session.finish()
}

#[test]
fn what_is_no_message_is_answered_and_stops_nothing() -> Result<()> {
    let sandbox = Sandbox::with(&[("a.cu", BODIES)])?;
    let file = place(&sandbox, "a.cu")?;
    let mut session = Session::start()?;
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    // Nothing is answered before `initialize`.
    let answer = session.request("textDocument/hover", json!({}))?;
    ensure!(code(&answer) == Some(-32002), "{answer}");
    let answer = session.initialize(sandbox.path(), &abilities())?;
    ensure!(answer["positionEncoding"] == "utf-16" && answer["hoverProvider"] == true, "{answer}");

    for (body, expected) in [("{\"id\": 7,", -32700), ("[1, 2]", -32600), ("\u{e9}", -32700)] {
        session.send(body)?;
        let answer = session.answer(&Value::Null)?;
        ensure!(code(&answer) == Some(expected), "{body}: {answer}");
    }
    for (method, parameters, expected) in [
        ("layoutc/unknown", json!({}), -32601),
        ("initialize", json!({"capabilities": {}}), -32600),
        ("textDocument/hover", json!({"position": "here"}), -32602),
        ("workspace/executeCommand", json!({"command": "rm"}), -32602),
        ("workspace/executeCommand", json!({"command": "layoutc.explain"}), -32602),
        (
            "workspace/executeCommand",
            json!({"command": "layoutc.explain", "arguments": ["LC9"]}),
            -32602,
        ),
    ] {
        let answer = session.request(method, parameters)?;
        ensure!(code(&answer) == Some(expected), "{method}: {answer}");
    }
    for (method, parameters) in [
        ("$/setTrace", json!({"value": "off"})),
        ("$/cancelRequest", json!({"id": 12345})),
        ("$/cancelRequest", Value::Null),
        ("$/cancelRequest", json!([1])),
        ("textDocument/didOpen", json!({"textDocument": 3})),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri(&file), "version": 1}, "contentChanges": []}),
        ),
        ("unknown/notification", json!([1])),
    ] {
        session.notify(method, parameters)?;
    }
    // It still works, on a text that is changed where it has no place.
    session.open(&file, "int i;\n")?;
    let far = json!({"line": 4_000_000_000_u32, "character": 4_000_000_000_u32});
    session.change(&file, 2, &json!([{"range": {"start": far, "end": far}, "text": BODIES}]))?;
    ensure!(session.diagnostics(&file)?[0]["code"] == "LC0011");
    ensure!(session.hover(&file, &far)? == Value::Null);

    // A question that waits for the compiler can be taken back; `shutdown` ends it, too.
    for end in ["cancel", "shutdown"] {
        // A text that was not compiled before.
        session.change(&file, 3, &json!([{"text": format!("{BODIES}// {end}\n")}]))?;
        let parameters = json!({"textDocument": {"uri": uri(&file)}, "position": far});
        let waiting = session.ask("textDocument/hover", parameters)?;
        match end {
            "cancel" => session.notify("$/cancelRequest", json!({"id": waiting}))?,
            _ => drop(session.ask("shutdown", Value::Null)?),
        }
        let answer = session.answer(&json!(waiting))?;
        ensure!(code(&answer) == Some(-32800), "{end}: {answer}");
    }
    let answer = session.request("textDocument/hover", json!({}))?;
    ensure!(code(&answer) == Some(-32600), "{answer}");
    ensure!(session.exit()? == Some(0));
    Ok(())
}

#[test]
fn an_end_without_shutdown_is_exit_code_1() -> Result<()> {
    let sandbox = Sandbox::new()?;
    ensure!(Session::start()?.exit()? == Some(1));
    ensure!(Session::start()?.hang_up()? == Some(1));
    ensure!(Session::initialized(sandbox.path())?.exit()? == Some(1));
    ensure!(Session::initialized(sandbox.path())?.hang_up()? == Some(1));
    // A header that does not say where its message ends leaves nothing to read.
    let mut session = Session::initialized(sandbox.path())?;
    session.send_bytes(b"Content-Length: many\r\n\r\n{}")?;
    ensure!(session.wait()?.code() == Some(1));
    Ok(())
}
