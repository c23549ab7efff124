//! A configuration file: parsing never panics, and whatever parses can be run.
#![no_main]

use camino::{Utf8Component, Utf8Path};
use goal_ledger::internals::workspace::config::{Loaded, Parsed, parse, resolve};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let path = Utf8Path::new("config.toml");
    let file = match parse(path, text) {
        Ok(file) => file,
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("config.toml"), "{message}");
            return;
        }
    };
    let runs = |argv: &[String]| {
        !argv.is_empty() && !argv[0].is_empty() && argv.iter().all(|word| !word.contains('\0'))
    };
    for command in file.commands() {
        assert!(runs(command.argv), "{command:?}");
        let inside = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir);
        assert!(command.cwd.components().all(inside), "{command:?}");
        assert!(!command.table.to_string().contains(char::is_control), "{command:?}");
    }
    let parsed = Parsed {
        path: path.to_owned(),
        text: text.to_owned(),
        file,
    };
    let loaded = Loaded {
        project: Some(parsed),
        user: None,
    };
    let config = resolve(&loaded);
    for command in config.roles.0.values() {
        assert!(!command.timeout.value.is_zero());
    }
    for tool in config.tools.values() {
        assert!(!tool.timeout.value.is_zero());
    }
});
