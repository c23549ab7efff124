//! A host's hook input: reading never panics, and what it says names what may be recorded.
#![no_main]

use goal_ledger::internals::api::hooks::{Host, InputError, read};
use libfuzzer_sys::fuzz_target;

const HOSTS: [Host; 4] = [Host::Claude, Host::Codex, Host::Gemini, Host::Cursor];

fuzz_target!(|bytes: &[u8]| {
    let read = HOSTS.map(|host| read(host, bytes));
    let is_object = serde_json::from_slice::<serde_json::Value>(
        bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes),
    )
    .is_ok_and(|value| value.is_object());
    for (host, input) in HOSTS.iter().zip(&read) {
        let input = match input {
            Ok(input) => input,
            Err(InputError::Oversized) => return,
            Err(error) => {
                // A name that stands twice is refused, which a `Value` is not.
                let twice = error.to_string().contains("duplicate field");
                assert!(!is_object || twice, "{host:?}: {error}");
                continue;
            }
        };
        for id in [&input.session, &input.turn].into_iter().flatten() {
            assert!(!id.is_empty(), "{host:?}");
        }
        assert!(input.turn.is_none() || *host != Host::Gemini);
    }
});
