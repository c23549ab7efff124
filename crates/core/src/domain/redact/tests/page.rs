//! The list of formats in SECURITY.md, which is made from the table: `UPDATE_SECURITY_PAGE=1`
//! writes it anew.

use std::fmt::Write;
use std::fs;

use super::filled::formats;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../SECURITY.md");

const HEAD: &str = "\n| format | whose | documented |\n|---|---|---|\n";

/// The page with the list as the table has it.
fn with(page: &str) -> String {
    let start = page.find(HEAD).expect("the list of formats") + HEAD.len();
    let end = page[start..]
        .find("\n\n")
        .map_or(page.len(), |end| start + end + 1);
    let mut list = String::new();
    for format in formats() {
        // Writing into a String cannot fail.
        let _ = writeln!(
            list,
            "| `{}` | {} | <{}> |",
            format.name, format.of, format.source
        );
    }
    format!("{}{list}{}", &page[..start], &page[end..])
}

#[test]
fn the_list_of_formats_is_that_of_the_table() {
    let page = fs::read_to_string(PAGE).unwrap();
    let made = with(&page);
    if std::env::var_os("UPDATE_SECURITY_PAGE").is_some() {
        fs::write(PAGE, &made).unwrap();
        return;
    }
    assert!(
        page == made,
        "SECURITY.md is out of date: UPDATE_SECURITY_PAGE=1 cargo test --lib redact::tests::page"
    );
}
