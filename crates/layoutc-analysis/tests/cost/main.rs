//! Prices of layouts.

mod code;
mod oracle;
mod peng;
mod search;
mod sectors;
mod simulated;
mod tables;
mod verdict;
