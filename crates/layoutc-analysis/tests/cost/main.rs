//! Prices of layouts.

mod code;
mod peng;
mod sectors;
