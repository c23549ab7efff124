//! A key of a TOML text set to a value. Every comment stays, before what it was before.

use toml_edit::{Decor, DocumentMut, Item, Table, TableLike, Value};

use crate::ops::failure::Failure;

/// What is said of the program that runs, and not of the one that takes its place.
const OF_A_PROGRAM: [&str; 3] = ["provider", "model", "thinking"];

/// The text with the key set to the value. `preset` and `command` take each other's place, since one of
/// the two says what runs, and another program takes provider, model and thinking away.
///
/// # Errors
/// The key has no table before it, or something in it that is no table.
pub(super) fn replaced(before: &str, key: &str, value: Value) -> Result<String, Failure> {
    let parts: Vec<&str> = key.split('.').collect();
    let (Some((last, tables)), true) = (parts.split_last(), parts.iter().all(|it| !it.is_empty()))
    else {
        return Err(no_key(key));
    };
    if tables.is_empty() {
        return Err(no_key(key));
    }
    let mut document: DocumentMut = before
        .parse()
        .map_err(|error: toml_edit::TomlError| Failure::internal(&error))?;
    let end = end(&document);
    let mut is_new = false;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in tables {
        is_new = !table.contains_key(name);
        let new = || Item::Table(at_the_end(&end));
        let item = table.entry(name).or_insert_with(new);
        table = item.as_table_like_mut().ok_or_else(|| no_key(key))?;
    }
    set(table, last, value);
    if is_new {
        document.set_trailing("");
    }
    Ok(document.to_string())
}

/// The text without the key, or without the table of that name; nothing where it has neither.
///
/// # Errors
/// The text is no TOML.
pub(super) fn removed(before: &str, key: &str) -> Result<Option<String>, Failure> {
    let mut document: DocumentMut = before
        .parse()
        .map_err(|error: toml_edit::TomlError| Failure::internal(&error))?;
    let parts: Vec<&str> = key.split('.').collect();
    let Some((last, tables)) = parts.split_last() else {
        return Ok(None);
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in tables {
        match table.get_mut(name).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return Ok(None),
        }
    }
    Ok(table.remove(last).map(|_| document.to_string()))
}

/// What stands behind the last value, and before a table that is added there.
fn end(document: &DocumentMut) -> String {
    let comments = document.trailing().as_str().unwrap_or_default();
    let ends = comments.is_empty() || comments.ends_with('\n');
    let line = if ends { "" } else { "\n" };
    let is_first = comments.is_empty() && document.is_empty();
    let blank = if is_first { "" } else { "\n" };
    format!("{comments}{line}{blank}")
}

fn at_the_end(before: &str) -> Table {
    let mut table = Table::new();
    // A table that holds only tables needs no line of its own.
    table.set_implicit(true);
    table.set_position(Some(isize::MAX));
    table.decor_mut().set_prefix(before);
    table
}

fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    let instead = match key {
        "preset" => "command",
        "command" => "preset",
        _ => key,
    };
    let old = decor(table, key).or_else(|| decor(table, instead));
    if instead != key {
        if table.get(key).and_then(Item::as_value).map(bare) != Some(bare(&value)) {
            for of_it in OF_A_PROGRAM {
                table.remove(of_it);
            }
        }
        table.remove(instead);
    }
    let Some((of_key, of_value)) = old else {
        table.insert(key, Item::Value(value));
        return;
    };
    *value.decor_mut() = of_value;
    table.insert(key, Item::Value(value));
    if let Some(mut key) = table.key_mut(key) {
        *key.leaf_decor_mut() = of_key;
    }
}

/// A value without its comments.
fn bare(value: &Value) -> String {
    let mut bare = value.clone();
    bare.decor_mut().clear();
    bare.to_string()
}

/// The comments of a key and of its value.
fn decor(table: &dyn TableLike, key: &str) -> Option<(Decor, Decor)> {
    let value = table.get(key)?.as_value()?;
    Some((table.key(key)?.leaf_decor().clone(), value.decor().clone()))
}

fn no_key(key: &str) -> Failure {
    Failure::usage(
        format!("`{key}` is no key"),
        "a key has its table before it, such as `auditor.preset` or `checks.unit.command`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: &str, key: &str, value: i64) -> String {
        replaced(before, key, value.into()).unwrap()
    }

    #[test]
    fn a_comment_stays_before_its_key_and_behind_its_value() {
        let before = "[a]\n# why\nx = 1 # one\n# other\ny = 2\n";
        assert_eq!(after(before, "a.x", 3), before.replace("= 1", "= 3"));
    }

    #[test]
    fn what_takes_another_keys_place_takes_its_comments() {
        let before = "[auditor]\n# the cheap one\npreset = 1 # mine\ntimeout = 2\n";
        let set = after(before, "auditor.command", 3);
        assert_eq!(
            set,
            "[auditor]\ntimeout = 2\n# the cheap one\ncommand = 3 # mine\n"
        );
    }

    #[test]
    fn another_program_takes_away_what_was_said_of_the_one_before() {
        let before = "[a]\npreset = 1 # mine\nmodel = 2\nprovider = 3\ntimeout = 4\n";
        assert_eq!(after(before, "a.preset", 1), before);
        let other = after(before, "a.preset", 5);
        assert_eq!(other, "[a]\npreset = 5 # mine\ntimeout = 4\n");
        let other = after(before, "a.command", 5);
        assert_eq!(other, "[a]\ntimeout = 4\ncommand = 5 # mine\n");
    }

    #[test]
    fn comments_at_the_end_stay_where_they_are() {
        let set = after("[a]\nx = 1\n# the last word\n", "b.y", 2);
        assert_eq!(set, "[a]\nx = 1\n# the last word\n\n[b]\ny = 2\n");
        let set = after("# mine", "b.c.y", 2);
        assert_eq!(set, "# mine\n\n[b.c]\ny = 2\n");
        let set = after("[b.c]\ny = 2\n\n[d]\nz = 3\n# the last word\n", "b.e.y", 2);
        assert_eq!(
            set,
            "[b.c]\ny = 2\n\n[d]\nz = 3\n# the last word\n\n[b.e]\ny = 2\n"
        );
        assert_eq!(after("", "b.y", 2), "[b]\ny = 2\n");
    }

    #[test]
    fn a_table_in_one_line_stays_one() {
        assert_eq!(after("a = { x = 1 }\n", "a.x", 2), "a = { x = 2 }\n");
    }
}
