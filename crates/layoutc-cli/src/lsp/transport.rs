//! Messages on standard input and output, each behind a header with its length in bytes.
//!
//! A body that is no message is answered with an error, and the next one is read: only a header that
//! does not say where its message ends closes the connection. The reader of `lsp-server` ends in both
//! cases, so the frames are read here; the messages are its own.

use crate::exit::say;
use crate::lsp::worker::Outcome;
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// The longest message that is read, in bytes.
const BODY_LIMIT: u64 = 1 << 28;
/// The longest line of a header, in bytes.
const HEADER_LIMIT: u64 = 1 << 12;
/// How long the end waits for a client that does not read what it was sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What the server's loop waits for.
#[derive(Debug)]
pub enum Event {
    /// The client sent this.
    Message(Message),
    /// The client sent a body that is no message.
    Malformed(ErrorCode, String),
    /// The client is gone.
    Closed,
    /// The worker has a result.
    Compiled(Outcome),
}

/// Starts the thread that reads.
///
/// # Errors
/// If there is no thread.
pub fn spawn_reader(events: Sender<Event>) -> io::Result<()> {
    let read = move || {
        let mut input = io::stdin().lock();
        loop {
            let event = match read_frame(&mut input) {
                Ok(Some(body)) => event_of(&body),
                Ok(None) => Event::Closed,
                Err(error) => {
                    say(format_args!("error: cannot read from the client: {error}"));
                    Event::Closed
                }
            };
            let is_last = matches!(event, Event::Closed);
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read).map(drop)
}

/// The body of the next message; `None` at the end of the input.
///
/// # Errors
/// For a header without a usable length, a body that ends early, and what the input gives.
fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |cause: String| io::Error::new(io::ErrorKind::InvalidData, cause);
    let mut length: Option<u64> = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(HEADER_LIMIT).read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line);
        if line.is_empty() && is_first {
            return Ok(None);
        }
        if !line.ends_with('\n') {
            return Err(invalid("a header ends early or has a line that is too long".to_owned()));
        }
        is_first = false;
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(invalid(format!("`{line}` is no line of a header")));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let parsed = value.parse().ok().filter(|length| *length <= BODY_LIMIT);
            length = Some(parsed.ok_or_else(|| invalid(format!("the length is `{value}`")))?);
        }
    }
    let length = length.ok_or_else(|| invalid("a header has no Content-Length".to_owned()))?;
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(body))
}

/// A body as a message.
fn event_of(body: &[u8]) -> Event {
    if let Ok(message) = serde_json::from_slice(body) {
        return Event::Message(message);
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(_) => {
            let text = "this is no request, notification or response".to_owned();
            Event::Malformed(ErrorCode::InvalidRequest, text)
        }
        Err(error) => Event::Malformed(ErrorCode::ParseError, error.to_string()),
    }
}

/// Where messages to the client go. A client that reads slowly stops nothing.
#[derive(Debug)]
pub struct Output {
    messages: Sender<Vec<u8>>,
    written: Receiver<()>,
}

impl Output {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// If there is no thread.
    pub fn spawn() -> io::Result<Output> {
        let (messages, received) = mpsc::channel::<Vec<u8>>();
        let (done, written) = mpsc::channel();
        let write = move || {
            let mut out = io::stdout().lock();
            for message in received {
                // A client that is gone closes the input, too, and that ends the server.
                if out.write_all(&message).and_then(|()| out.flush()).is_err() {
                    break;
                }
            }
            let _ = done.send(());
        };
        thread::Builder::new().name("writer".to_owned()).spawn(write)?;
        Ok(Output { messages, written })
    }

    /// Sends a message.
    pub fn send(&self, message: impl Into<Message>) {
        let mut bytes = Vec::new();
        // A vector takes everything, and messages are made of strings, numbers and lists.
        if message.into().write(&mut bytes).is_ok() {
            let _ = self.messages.send(bytes);
        }
    }

    /// Answers a body that was no message: an error that belongs to no request.
    pub fn send_malformed(&self, code: ErrorCode, text: &str) {
        let error = json!({"code": code as i32, "message": text});
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let _ = self.messages.send(frame.into_bytes());
    }

    /// Waits until everything is written.
    pub fn finish(self) {
        drop(self.messages);
        let _ = self.written.recv_timeout(LAST_WORDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_one_after_another() {
        let mut input: &[u8] =
            b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}Content-Length:3\n\nabc";
        assert_eq!(read_frame(&mut input).expect("a frame").as_deref(), Some(&b"{}"[..]));
        assert_eq!(read_frame(&mut input).expect("a frame").as_deref(), Some(&b"abc"[..]));
        assert_eq!(read_frame(&mut input).expect("the end"), None);
    }

    #[test]
    fn a_header_without_a_usable_length_is_an_error() {
        let endless = "x".repeat(10_000);
        for text in [
            "\r\n{}",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999999999999\r\n\r\n",
            "Content-Length: 5\r\n\r\n{}",
            "no header\r\n\r\n",
            "Content-Length: 5\r\n",
            &endless,
        ] {
            read_frame(&mut text.as_bytes()).expect_err(text);
        }
    }

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is_no_json() {
        let code = |body: &str| match event_of(body.as_bytes()) {
            Event::Malformed(code, _) => Some(code as i32),
            Event::Message(_) | Event::Closed | Event::Compiled(_) => None,
        };
        assert_eq!(code("{"), Some(-32700));
        assert_eq!(code("\u{0}"), Some(-32700));
        assert_eq!(code("[]"), Some(-32600));
        assert_eq!(code(r#"{"id": 1}"#), Some(-32600));
        assert_eq!(code(r#"{"id": 1, "method": "x"}"#), None);
        assert_eq!(code(&"[".repeat(100_000)), Some(-32700));
    }
}
