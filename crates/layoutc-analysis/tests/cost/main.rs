//! Prices of layouts.

mod code;
mod peng;
mod search;
mod sectors;
