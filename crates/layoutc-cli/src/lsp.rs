//! `layoutc lsp`: a language server on standard input and output.
//!
//! One loop owns all state and answers; it never compiles. The *reader* and the *writer* move
//! messages, the *worker* compiles what the loop hands it and sends back [`snapshot::Snapshot`]s.
//! The state has a number that grows with each change. Results of an older number are dropped, and a
//! question that arrives while the newest state is not compiled yet waits for that: every answer is
//! about the text that the editor shows.
//!
//! Protocol: Language Server Protocol 3.17. Messages are those of `lsp-server` and `gen-lsp-types`,
//! which rust-analyzer uses.

mod actions;
mod arguments;
mod client;
mod diagnostics;
mod documents;
mod explain;
mod hover;
mod keep;
mod mentions;
mod naming;
mod origin;
mod positions;
mod prices;
mod server;
mod snapshot;
mod spans;
mod transport;
mod worker;

pub use arguments::LspArguments;

use crate::exit::{Exit, fail};
use server::Server;
use std::sync::mpsc;
use transport::{Output, spawn_reader};
use worker::Worker;

/// Serves one client until it says `exit` or is gone.
///
/// The end is [`Exit::Done`] only if the client asked for `shutdown` before.
pub fn run(arguments: &LspArguments) -> Exit {
    let (events, received) = mpsc::channel();
    let started = Output::spawn().and_then(|output| {
        let worker = Worker::spawn(events.clone())?;
        spawn_reader(events)?;
        Ok((output, worker))
    });
    match started {
        Ok((output, worker)) => Server::new(arguments.debounce(), output, worker).serve(&received),
        Err(error) => fail(format_args!("cannot start a thread: {error}")),
    }
}
