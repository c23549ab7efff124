//! The tables of docs/configuration.md, which are made from those of the code:
//! `UPDATE_CONFIGURATION_PAGE=1` writes them anew.

use std::fmt::Write;
use std::fs;

use super::gate::GateTable;
use super::keys::{Keys, SettingRow};
use super::named::{Check, Tool};
use super::roles::{Role, RoleTable};
use super::values::thousands;
use crate::domain::review::ReviewRole;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");

/// Each table of the page, by the heading that it stands below.
fn tables() -> Vec<(String, String)> {
    let mut tables = vec![
        ("`[auditor]`".to_owned(), keys(RoleTable::KEYS)),
        (
            "Roles".to_owned(),
            table(["table", "who", "`timeout`"], listed()),
        ),
        ("`[tools.NAME]`".to_owned(), keys(Tool::KEYS)),
        ("`[checks.NAME]`".to_owned(), keys(Check::KEYS)),
        ("The signed gate".to_owned(), keys(GateTable::KEYS)),
    ];
    let rows = Keys::default().rows();
    for of_table in rows.chunk_by(|one, next| one.table == next.table) {
        let row = |row: &SettingRow| {
            let default = row.held.as_ref().map(|(value, _)| default(value));
            let default = default.unwrap_or_else(|| "none".to_owned());
            [format!("`{}`", row.key), row.about.clone(), default]
        };
        let heading = format!("`[{}]`", of_table[0].table);
        tables.push((heading, table(HEAD, of_table.iter().map(row))));
    }
    tables
}

/// The roles as docs/configuration.md lists them: table, what it does, deadline.
fn listed() -> Vec<[String; 3]> {
    let reviewer = Role::Reviewer(ReviewRole::Risk);
    let mut roles: Vec<Role> = Role::SINGLE.into();
    roles.push(reviewer);
    roles.sort();
    let row = |role: Role| {
        let table = match role == reviewer {
            true => "reviewer.ROLE".to_owned(),
            false => role.to_string(),
        };
        let row = role.row();
        let timeout = thousands(&row.timeout.to_string());
        [format!("`[{table}]`"), row.does.to_owned(), timeout]
    };
    roles.into_iter().map(row).collect()
}

const HEAD: [&str; 3] = ["key", "value", "default"];

fn keys(keys: &[[&str; 3]]) -> String {
    let row = |[key, about, default]: &[&str; 3]| {
        [
            format!("`{key}`"),
            about.trim().to_owned(),
            (*default).to_owned(),
        ]
    };
    table(HEAD, keys.iter().map(row))
}

/// What is built in, as a page writes it.
fn default(value: &str) -> String {
    match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => thousands(value),
        false => format!("`{value}`"),
    }
}

fn table(head: [&str; 3], rows: impl IntoIterator<Item = [String; 3]>) -> String {
    let mut text = format!("| {} |\n|---|---|---|\n", head.join(" | "));
    for row in rows {
        let [name, about, last] = row;
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {name} | {about} | {last} |");
    }
    text
}

/// The page with this table in the place of the first one below the heading.
fn with(page: &str, heading: &str, table: &str) -> String {
    let heading = format!("\n## {heading}\n");
    let below = page.find(&heading).expect(&heading) + heading.len();
    let start = below + page[below..].find("\n| ").expect(&heading) + 1;
    let end = page[start..]
        .find("\n\n")
        .map_or(page.len(), |end| start + end + 1);
    format!("{}{table}{}", &page[..start], &page[end..])
}

#[test]
fn the_tables_of_the_page_are_those_of_the_code() {
    let page = fs::read_to_string(PAGE).unwrap();
    let made = tables()
        .iter()
        .fold(page.clone(), |page, (heading, table)| {
            with(&page, heading, table)
        });
    if std::env::var_os("UPDATE_CONFIGURATION_PAGE").is_some() {
        fs::write(PAGE, &made).unwrap();
        return;
    }
    assert!(
        page == made,
        "docs/configuration.md is out of date: UPDATE_CONFIGURATION_PAGE=1 cargo test --lib \
         config::page"
    );
}
