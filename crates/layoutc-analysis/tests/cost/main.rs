//! Prices of layouts.

mod code;
mod oracle;
mod peng;
mod search;
mod sectors;
mod tables;
mod verdict;
mod simulated;
