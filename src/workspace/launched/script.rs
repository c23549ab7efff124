//! The first line of a script: what the kernel starts in its place.

use std::fs::File;
use std::io::Read;

use camino::Utf8Path;

/// As much of a file a kernel looks at, in bytes: Linux at 256, macOS at 512.
const LOOKED_AT: u64 = 512;

/// The words of a `#!` line, its interpreter first; nothing for any other file. Where the kernel
/// passes all behind the interpreter as one argument, they are told apart here, as `env -S` does.
pub(super) fn interpreter(path: &Utf8Path) -> Option<Vec<String>> {
    let mut start = Vec::new();
    let file = path.is_file().then(|| File::open(path))?.ok()?;
    file.take(LOOKED_AT).read_to_end(&mut start).ok()?;
    words(&start)
}

fn words(start: &[u8]) -> Option<Vec<String>> {
    let line = start.strip_prefix(b"#!")?;
    let line = line.split(|byte| [b'\n', 0].contains(byte)).next()?;
    let line = String::from_utf8_lossy(line);
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    // It is a path, from where the script runs: the kernel knows no `PATH`.
    let first = words.first_mut()?;
    if !first.contains('/') {
        first.insert_str(0, "./");
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_first_line_names_an_interpreter_by_its_path() {
        let said = |text: &str| words(text.as_bytes()).map(|words| words.join("~"));
        for (text, wanted) in [
            ("#!/bin/sh\necho", Some("/bin/sh")),
            ("#! /bin/sh -e\n", Some("/bin/sh~-e")),
            (
                "#!/usr/bin/env\t-S node  --x\r\n",
                Some("/usr/bin/env~-S~node~--x"),
            ),
            ("#!node\n", Some("./node")),
            ("#!/bin/sh\0x", Some("/bin/sh")),
            ("#!\n/bin/sh", None),
            (" #!/bin/sh", None),
            ("\u{7f}ELF", None),
            ("", None),
        ] {
            assert_eq!(said(text).as_deref(), wanted, "{text:?}");
        }
    }
}
