//! The page's own style and script, and their hashes: nothing else runs or styles on it.

pub(super) const STYLE: &str = include_str!("../../pages/page.css");
pub(super) const SCRIPT: &str = include_str!("../../pages/page.js");

/// The SHA-256 of each, as a content security policy names it. A test compares them and says the
/// right ones.
pub(super) const STYLE_HASH: &str = "sha256-ZN6r9TuskNS1QT9tfYFU+IyNw3apx1kBgxjTV4/KZNs=";
pub(super) const SCRIPT_HASH: &str = "sha256-3aKKLg1oBaPZ40Sq1SIbaU2fi3VGH8x+1RWE2nUZ8dE=";
