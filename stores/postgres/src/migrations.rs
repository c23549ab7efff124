//! The tables, as numbered steps. A step that was released is never changed.

use crate::failure::{Code, Failure};

/// The steps; the first is version 1.
const STEPS: [&str; 2] = [
    include_str!("../migrations/1_ledgers.sql"),
    include_str!("../migrations/2_rights.sql"),
];

/// The roles and what each may do. May be run again at any time.
pub const ROLES: &str = include_str!("../migrations/roles.sql");

/// The newest version.
pub const NEWEST: i32 = STEPS.len() as i32;

/// The statements that bring tables of this version to the newest, in one transaction.
pub fn after(version: i32) -> String {
    let mut sql = String::from(
        "BEGIN;\n\
         CREATE SCHEMA IF NOT EXISTS goal_store;\n\
         CREATE TABLE IF NOT EXISTS goal_store.migration (\n    \
             version int PRIMARY KEY,\n    \
             at timestamptz NOT NULL DEFAULT now()\n\
         );\n",
    );
    for (number, step) in (1..).zip(STEPS) {
        if number > version {
            sql.push_str(&format!(
                "\n{step}\nINSERT INTO goal_store.migration (version) VALUES ({number});\n"
            ));
        }
    }
    sql.push_str("COMMIT;\n");
    sql
}

/// All statements, for a new database.
pub fn all() -> String {
    after(0)
}

/// Refuses tables that this program does not know.
pub fn check(version: Option<i32>) -> Result<(), Failure> {
    match version.unwrap_or(0) {
        NEWEST => Ok(()),
        older if older < NEWEST => Err(Failure::new(
            Code::Failed,
            format!(
                "the tables have version {older}, and this program needs {NEWEST}; their owner \
                 updates them with: goal-store-postgres migrate"
            ),
        )),
        newer => Err(Failure::new(
            Code::Failed,
            format!(
                "the tables have version {newer}, and this program knows {NEWEST}: use a newer \
                 goal-store-postgres"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_run() {
        assert!(all().contains("CREATE TABLE goal_store.line"));
        assert!(!after(NEWEST).contains("CREATE TABLE goal_store.line"));
    }

    #[test]
    fn other_versions_are_refused() {
        assert!(check(Some(NEWEST)).is_ok());
        assert!(
            check(Some(NEWEST + 1))
                .unwrap_err()
                .message
                .contains("newer")
        );
        assert!(check(None).unwrap_err().message.contains("migrate"));
    }
}
