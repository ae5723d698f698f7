//! `layoutc completions` and `layoutc man`: what shells and `man` need to know of the command line.

use crate::arguments::Arguments;
use crate::exit::{Exit, fail, print, say};
use crate::write::{Target, write_all};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// `layoutc completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    pub shell: Shell,
}

/// `layoutc man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// Write the pages into this folder.
    #[arg(long, value_name = "DIR")]
    pub out_dir: PathBuf,
}

/// Prints the completions of a shell.
pub fn completions(arguments: &CompletionsArguments) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "layoutc", &mut text);
    match print(text) {
        Ok(()) => Exit::Done,
        Err(error) => fail(format_args!("cannot write to standard output: {error}")),
    }
}

/// Writes a page for layoutc and one for each command.
pub fn pages(arguments: &ManArguments) -> Exit {
    let mut command = Arguments::command();
    command.build();
    let mut targets = Vec::new();
    let mut open = vec![("layoutc".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        open.extend(inner.map(|inner| (format!("{name}-{}", inner.get_name()), inner.clone())));
        let mut bytes = Vec::new();
        if let Err(error) = clap_mangen::Man::new(command).title(name.as_str()).render(&mut bytes) {
            return fail(format_args!("the page {name} cannot be made: {error}"));
        }
        targets.push(Target {
            path: arguments.out_dir.join(format!("{name}.1")),
            bytes: bytes.into(),
            creates_folders: true,
            keeps_unchanged: true,
        });
    }
    match write_all(&targets) {
        Ok(()) => {
            say(format_args!("{} pages in {}", targets.len(), arguments.out_dir.display()));
            Exit::Done
        }
        Err(error) => fail(error.diagnostic().message),
    }
}
