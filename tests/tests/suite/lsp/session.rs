//! A client of `layoutc lsp`: messages with headers over pipes, and what came back.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::Layoutc;
use serde_json::{Value, json};

/// How long an answer may take before the server counts as hung.
const LIMIT: Duration = Duration::from_secs(120);

/// A running server and what it said.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    received: Receiver<Value>,
    asked: i64,
    /// The last diagnostics of each file.
    published: BTreeMap<String, Value>,
    /// Everything else that was no answer.
    pub told: Vec<Value>,
}

impl Session {
    /// Starts a server in a folder that is not the workspace's.
    pub fn start() -> Result<Session> {
        let mut child = Command::new(Layoutc::built()?.program())
            .args(["lsp", "--stdio", "--debounce", "20"])
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        let (sender, received) = mpsc::channel();
        thread::spawn(move || read(output, &sender));
        let (published, told) = (BTreeMap::new(), Vec::new());
        Ok(Session { child, input, received, asked: 0, published, told })
    }

    /// A server that was initialized, by a client with all abilities.
    pub fn initialized(folder: &Path) -> Result<Session> {
        let mut session = Session::start()?;
        session.initialize(folder, &abilities())?;
        Ok(session)
    }

    /// Says hello; what the server can do.
    pub fn initialize(&mut self, folder: &Path, abilities: &Value) -> Result<Value> {
        let parameters =
            json!({"processId": null, "rootUri": uri(folder), "capabilities": abilities});
        let answer = self.request("initialize", parameters)?;
        self.notify("initialized", json!({}))?;
        Ok(answer["result"]["capabilities"].clone())
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.input.as_mut().context("the input is closed")?;
        input.write_all(bytes)?;
        Ok(input.flush()?)
    }

    /// Sends a body with a header.
    pub fn send(&mut self, body: &str) -> Result<()> {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, parameters: Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}).to_string())
    }

    /// Sends a request; its number.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Result<i64> {
        self.asked += 1;
        let (id, version) = (self.asked, "2.0");
        let body = json!({"jsonrpc": version, "id": id, "method": method, "params": parameters});
        self.send(&body.to_string())?;
        Ok(id)
    }

    /// Sends a request and waits for its answer, whole.
    pub fn request(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let id = self.ask(method, parameters)?;
        self.answer(&json!(id))
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: &Value) -> Result<Value> {
        let until = Instant::now() + LIMIT;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.received.recv_timeout(left).context("the server does not answer")?;
            if message["method"] == "textDocument/publishDiagnostics" {
                let own = message["params"].clone();
                let file = own["uri"].as_str().context("a file")?.to_owned();
                self.published.insert(file, own);
            } else if message.get("method").is_none() && message["id"] == *id {
                return Ok(message);
            } else {
                self.told.push(message);
            }
        }
    }

    /// Opens a file with a text.
    pub fn open(&mut self, file: &Path, text: &str) -> Result<()> {
        let document = json!({"uri": uri(file), "languageId": "cuda", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}))
    }

    /// Changes a file.
    pub fn change(&mut self, file: &Path, version: i32, changes: &Value) -> Result<()> {
        let document = json!({"uri": uri(file), "version": version});
        let parameters = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", parameters)
    }

    /// What is said of a place; `null` for nothing.
    pub fn hover(&mut self, file: &Path, at: &Value) -> Result<Value> {
        let parameters = json!({"textDocument": {"uri": uri(file)}, "position": at});
        Ok(self.request("textDocument/hover", parameters)?["result"].clone())
    }

    /// The actions at a place.
    pub fn actions(&mut self, file: &Path, at: &Value) -> Result<Vec<Value>> {
        let parameters = json!({"textDocument": {"uri": uri(file)},
            "range": {"start": at, "end": at}, "context": {"diagnostics": []}});
        let answer = self.request("textDocument/codeAction", parameters)?;
        let actions = answer["result"].as_array().with_context(|| format!("{answer}"))?;
        Ok(actions.clone())
    }

    /// The last diagnostics of a file, once the newest state is compiled.
    pub fn diagnostics(&mut self, file: &Path) -> Result<Vec<Value>> {
        // The answer comes behind the diagnostics of the text that it is about.
        self.hover(file, &json!({"line": 0, "character": 0}))?;
        let published = self.published.get(&uri(file)).context("no diagnostics were published")?;
        Ok(published["diagnostics"].as_array().context("a list")?.clone())
    }

    /// The version that they are of.
    pub fn version(&self, file: &Path) -> Value {
        self.published.get(&uri(file)).map_or(Value::Null, |own| own["version"].clone())
    }

    /// `shutdown` and `exit`, which is exit code 0.
    pub fn finish(mut self) -> Result<()> {
        let answer = self.request("shutdown", Value::Null)?;
        ensure!(answer["result"] == Value::Null && answer.get("error").is_none(), "{answer}");
        let code = self.exit()?;
        ensure!(code == Some(0), "exit code {code:?}");
        Ok(())
    }

    /// `exit`; the exit code.
    pub fn exit(mut self) -> Result<Option<i32>> {
        self.notify("exit", Value::Null)?;
        Ok(self.wait()?.code())
    }

    /// Closes the input; the exit code.
    pub fn hang_up(mut self) -> Result<Option<i32>> {
        drop(self.input.take());
        Ok(self.wait()?.code())
    }

    /// How the server ends.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let until = Instant::now() + LIMIT;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        bail!("the server does not end")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client can do that does everything that the server makes use of.
pub fn abilities() -> Value {
    let edit = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let files = json!({"dynamicRegistration": true});
    let workspace = json!({"workspaceEdit": edit, "didChangeWatchedFiles": files});
    json!({"workspace": workspace, "window": {"showDocument": {"support": true}}})
}

/// The URI of a file.
pub fn uri(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// Reads messages until there are no more.
fn read(mut output: impl BufRead, messages: &mpsc::Sender<Value>) -> Result<()> {
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line)? == 0 {
                return Ok(());
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body)?;
        messages.send(serde_json::from_slice(&body)?)?;
    }
}
