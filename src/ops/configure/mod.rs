//! The user's own configuration or the project's, changed by command. Comments and order of the file stay.

mod text;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use camino::{Utf8Path, Utf8PathBuf};
use toml_edit::{Array, Value};

use crate::documents::store::{self, replace};
use crate::ops::call::Call;
use crate::ops::config::{Settings, config};
use crate::ops::failure::Failure;
use crate::workspace::config::{Source, check_text};

use self::text::{removed, replaced};

/// What a new file begins with.
const BEGIN: &str = "\
# Your own configuration of `goal`, for all your projects. It needs no trust, except in a file of a
# project that it runs.
# docs/configuration.md has every key; `goal config` shows what is in force.
";

/// One of the two files.
#[derive(Debug)]
struct Configuration {
    source: Source,
    path: Utf8PathBuf,
    text: String,
}

impl Configuration {
    /// The user's, or with `of_project` the project's, as it is.
    ///
    /// # Errors
    /// Anybody but the user; a file that cannot be read, or is broken already.
    fn read(call: &Call, of_project: bool) -> Result<Configuration, Failure> {
        let users = users_file(call, "config set")?;
        let (source, path) = match of_project {
            true => (Source::Project, call.workspace.paths.config()),
            false => (Source::User, users),
        };
        let text = read(&path, source)?;
        Configuration::of(source, path, text)
    }

    /// This text in that file.
    fn of(source: Source, path: Utf8PathBuf, text: String) -> Result<Configuration, Failure> {
        // What is broken already is told as such, and not as the fault of what is set.
        check_text(source, &path, &text).map_err(|error| Failure {
            hint: match source {
                Source::Project => format!("mend {path} in an editor"),
                _ => "`goal config edit` mends it".into(),
            },
            ..error.into()
        })?;
        Ok(Configuration { source, path, text })
    }

    /// Puts another text in its place, and says what is in force then.
    fn put(&self, call: &Call, key: &str, after: &str) -> Result<Settings, Failure> {
        let another = call.note_use();
        write(&self.path, &self.text, after)?;
        // What somebody else changed before is not what the user says now.
        if key.split('.').next() == Some("auditor") && another.is_none() {
            call.take_over_use();
        }
        config(call)
    }
}

/// Sets one key of the user's file, or with `of_project` of the project's, such as `auditor.preset`, and says
/// what is in force then.
///
/// # Errors
/// Anybody but the user; a key or a value that the configuration does not have; a file that is
/// broken already or cannot be written.
pub fn set(
    call: &Call,
    of_project: bool,
    key: &str,
    words: &[String],
) -> Result<Settings, Failure> {
    let file = Configuration::read(call, of_project)?;
    let after = with(&file, key, words)?;
    file.put(call, key, &after)
}

/// Takes one key, or a whole table, out of the file.
///
/// # Errors
/// As [`set`]; the file does not have it.
pub fn unset(call: &Call, of_project: bool, key: &str) -> Result<Settings, Failure> {
    let file = Configuration::read(call, of_project)?;
    let Some(after) = removed(&file.text, key)? else {
        let message = format!("{} does not have `{key}`", file.path);
        return Err(Failure::usage(
            message,
            "`goal config` shows what is in force, and where it is from",
        ));
    };
    if let Err(error) = check_text(file.source, &file.path, &after) {
        let message = format!("`{key}` cannot be taken out: {}", error.why());
        let table = key.rsplit_once('.').map_or(key, |(table, _)| table);
        return Err(Failure::usage(
            message,
            format!("take out the whole table: `goal config unset {table}`"),
        ));
    }
    file.put(call, key, &after)
}

/// The user's file as it is, to be edited: its path and its text.
///
/// # Errors
/// Anybody but the user; a file that cannot be read.
pub fn to_edit(call: &Call) -> Result<(Utf8PathBuf, String), Failure> {
    let path = users_file(call, "config edit")?;
    let text = read(&path, Source::User)?;
    Ok((path, text))
}

/// Puts an edited text in the place of the one that was read.
///
/// # Errors
/// It is no configuration; the file was changed meanwhile or cannot be written.
pub fn edited(call: &Call, before: &str, after: &str) -> Result<Settings, Failure> {
    let path = users_file(call, "config edit")?;
    check_text(Source::User, &path, after)?;
    write(&path, before, after)?;
    config(call)
}

fn users_file(call: &Call, act: &'static str) -> Result<Utf8PathBuf, Failure> {
    let say = "run `goal config set` or `goal config edit` if your own configuration is to change";
    call.refuse_all_but_the_user(act, say)?;
    let dirs = call.workspace.environment.dirs.as_ref();
    let dirs = dirs.ok_or_else(|| {
        let hint = "set HOME, or XDG_CONFIG_HOME";
        Failure::new("io", "there is no home directory to keep it in", hint)
    })?;
    Ok(dirs.config_file())
}

fn read(path: &Utf8Path, source: Source) -> Result<String, Failure> {
    match store::read(path) {
        Ok(text) => Ok(text),
        Err(error) if error.is_not_found() => Ok(match source {
            Source::Project => String::new(),
            _ => BEGIN.to_owned(),
        }),
        Err(error) => Err(error.into()),
    }
}

fn write(path: &Utf8Path, before: &str, after: &str) -> Result<(), Failure> {
    if let Some(directory) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
    }
    let there = path.try_exists()?;
    let before = there.then_some(before.as_bytes());
    replace(path, before, after.as_bytes())?;
    Ok(())
}

/// The text with the key set. A word that reads as a value of TOML is that value, else a text.
fn with(file: &Configuration, key: &str, words: &[String]) -> Result<String, Failure> {
    not_one_text(key, words)?;
    let candidates = values(key, words)?;
    let mut wrong = None;
    for value in candidates {
        let after = replaced(&file.text, key, value)?;
        match check_text(file.source, &file.path, &after) {
            Ok(()) => return Ok(after),
            Err(error) => wrong = wrong.or(Some(error)),
        }
    }
    let wrong = wrong.map_or_else(|| "it has no value".to_owned(), |error| error.why());
    let message = format!("`{key}` cannot be set to `{}`: {wrong}", words.join(" "));
    let hint = "`goal config` shows the keys that are in force";
    Err(Failure::usage(message, hint))
}

/// Refuses a command line that is given as one text: it would be the name of a program, with spaces.
fn not_one_text(key: &str, words: &[String]) -> Result<(), Failure> {
    let is_command = key.ends_with(".command") || COMMANDS.contains(&key);
    match words {
        [line] if is_command && line.contains(char::is_whitespace) && !line.starts_with('[') => {
            if Utf8Path::new(line).exists() {
                return Ok(());
            }
            let message = format!("`{line}` is no program: a command is a list of words");
            let hint = format!("leave out the quotes: `goal config set {key} -- {line}`");
            Err(Failure::usage(message, hint))
        }
        _ => Ok(()),
    }
}

/// Keys of commands that have a name of their own.
const COMMANDS: [&str; 2] = ["runner.setup", "runner.after"];

/// What the words can mean, the likeliest first.
fn values(key: &str, words: &[String]) -> Result<Vec<Value>, Failure> {
    let texts = || words.iter().collect::<Array>();
    let one = match words {
        [] => {
            return Err(Failure::usage(
                "there is no value",
                "name it behind the key",
            ));
        }
        [one] => one,
        _ => return Ok(vec![texts().into()]),
    };
    let mut values: Vec<Value> = one.parse().into_iter().collect();
    // A command is a list, also one without arguments.
    match key.ends_with(".command") || COMMANDS.contains(&key) {
        true => values.push(texts().into()),
        false => {
            values.push(one.as_str().into());
            // A list of one.
            values.push(texts().into());
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: &str, key: &str, words: &[&str]) -> Result<String, Failure> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let file = Configuration::of(Source::User, "config.toml".into(), before.to_owned())?;
        with(&file, key, &words)
    }

    #[test]
    fn comments_and_order_stay() {
        let before = "# mine\n\n[runner] # at night\nretryFor = 60 # a \
             minute\n\n[auditor]\npreset = \"pi\"\n";
        let set = after(before, "runner.retryFor", &["120"]).unwrap();
        assert_eq!(set, before.replace("60", "120"));
        let set = after(before, "auditor.preset", &["claude"]).unwrap();
        assert_eq!(set, before.replace("pi\"", "claude\""));
    }

    #[test]
    fn a_command_is_a_list_and_takes_the_place_of_a_preset() {
        let set = after("", "checks.unit.command", &["cargo", "test"]).unwrap();
        assert_eq!(set, "[checks.unit]\ncommand = [\"cargo\", \"test\"]\n");
        let set = after(
            "[auditor]\npreset = \"pi\"\n",
            "auditor.command",
            &["./judge.sh"],
        );
        assert_eq!(set.unwrap(), "[auditor]\ncommand = [\"./judge.sh\"]\n");
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words_of_whoever_typed_it() {
        for (key, words, message) in [
            ("auditor", &["x"][..], "`auditor` is no key"),
            ("auditor.", &["x"], "`auditor.` is no key"),
            (
                "auditor.preset",
                &["bert"],
                "`auditor.preset` cannot be set to `bert`",
            ),
            (
                "auditor.timeout",
                &["soon"],
                "`auditor.timeout` cannot be set to `soon`",
            ),
            (
                "auditor.colour",
                &["red"],
                "`auditor.colour` cannot be set to `red`",
            ),
        ] {
            let failure = after("", key, words).unwrap_err();
            assert!(failure.message.starts_with(message), "{}", failure.message);
            assert!(
                !failure.message.contains("config.toml"),
                "{}",
                failure.message
            );
        }
        let broken = after("[auditor", "auditor.preset", &["pi"]).unwrap_err();
        assert!(broken.hint.contains("goal config edit"), "{}", broken.hint);
    }
}
