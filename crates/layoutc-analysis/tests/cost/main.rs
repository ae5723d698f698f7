//! Prices of layouts.

mod code;
mod oracle;
mod peng;
mod recorded;
mod search;
mod sectors;
mod simulated;
mod tables;
mod verdict;
