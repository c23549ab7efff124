//! The project on disk: root, paths, configuration, trust, environment.

pub mod actor;
pub mod config;
pub mod dirs;
pub mod document_name;
pub mod environment;
pub mod paths;
pub mod presets;
pub mod root;
