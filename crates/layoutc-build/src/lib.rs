//! What layoutc knows of builds.
//!
//! A build runs commands of compilers ([`command`]). What belongs together is written in its description: a
//! compilation database ([`database`]), Ninja's manifest ([`ninja`]), or the Makefiles that CMake writes
//! ([`makefiles`]); all three become a [`Description`], whose parts that are linked together are [`Program`]s.
//! What was chosen for a program stands in the [`lock`] file. Rewritten files lie in a [`mirror`] of the source
//! tree; [`depfile`]s name the files of the source tree again.
//!
//! Nothing here knows what a layout is, and nothing here runs a process.

pub mod command;
pub mod database;
pub mod depfile;
pub mod description;
pub mod lock;
pub mod makefiles;
pub mod mirror;
pub mod ninja;
pub mod paths;
pub mod state;

pub use command::{Command, Step};
pub use description::{Description, Link, Program, Unit};
