//! Programs as builds have them: found, chosen for, and mirrored.

pub mod find;
pub mod locked;
pub mod make;
pub mod secret;
pub mod settings;

pub use find::Found;
pub use settings::Settings;
