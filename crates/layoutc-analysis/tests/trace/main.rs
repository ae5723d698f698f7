//! Profiles of recorded runs, and what is chosen from them.

mod class;
mod format;
mod make;
mod measured;
mod merge;
mod selection;
mod tree;
