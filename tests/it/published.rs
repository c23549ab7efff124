//! What hooks say of installing the program, once Cargo.toml names a repository: then the packages are
//! published.

use std::fs;
use std::process::Command;

use crate::docs::root;
use crate::support::Project;

/// The release sets `repository`, and nothing else for this.
#[test]
fn what_is_published_is_installed_from_npm() {
    let project = Project::new();
    let (copy, plugins) = (project.aside.join("copy"), project.aside.join("plugins"));
    let script = r#"
        for path in packaging/plugins .pi/skills docs/tools.md Cargo.toml; do
            mkdir -p "$1/$(dirname "$path")" && cp -R "$path" "$1/$path" || exit 1
        done
        grep -q '^repository' Cargo.toml ||
            sed -i.old 's|^\[package\]$|&\nrepository = "https://x.org/g"|' "$1/Cargo.toml"
        "$1/packaging/plugins/assemble" "$2"
    "#;
    let assembled = Command::new("sh")
        .args(["-euc", script, "sh", copy.as_str(), plugins.as_str()])
        .current_dir(root())
        .status();
    assert!(assembled.unwrap().success());
    for host in ["claude", "codex", "gemini", "copilot", "qwen"] {
        let hooks = plugins.join(host).join("hooks/hooks.json");
        let hooks = fs::read_to_string(hooks).unwrap();
        let line = r#"Install it: npm install --global goal-ledger\""#;
        assert!(hooks.contains(line), "{host}: {hooks}");
        assert!(!hooks.contains("cargo"), "{host}: {hooks}");
    }
    let plugin = fs::read_to_string(plugins.join("opencode/goal.js")).unwrap();
    assert!(
        plugin.contains("Install it: npm install --global goal-ledger\""),
        "{plugin}"
    );
}
