//! The files that `init` writes, and which lines of them count.

/// How git shall merge the ledger, and documents of ended goals.
const ALWAYS: [&str; 2] = [
    "goal_events.jsonl -text merge=union",
    "archived/*.md merge=union",
];

/// How git shall merge documents of open goals, where all of them are ours.
const BOTH_SIDES: &str = "*.md merge=union";

/// The same where another tool has documents among them. Their names are like ours; what tells them
/// apart is a JSON header, and one made of the lines of both sides is none.
const WITH_CONFLICTS: &str = "/*.md !merge";

/// `.pi/goals/.gitattributes`. `mixed`: another tool has documents among those of open goals.
pub fn gitattributes(mixed: bool) -> String {
    let open = match mixed {
        false => "*.md merge=union\n",
        true => {
            "# Not so for open goals: another tool keeps some of them, and a JSON header that is put\n\
             # together from both sides cannot be read. There a merge stops with a conflict.\n"
        }
    };
    format!(
        "\
# Both sides of a merge keep their events; a line is never rewritten, so line ends stay as they
# are.
goal_events.jsonl -text merge=union

# Both sides keep their Notes; everything else in a document is rendered anew from the ledger.
{open}archived/*.md merge=union
"
    )
}

/// The rules that a file of merge attributes lacks. `mixed` as in [`gitattributes`].
pub fn missing_attributes(text: &str, mixed: bool) -> Vec<&'static str> {
    let mut rules = missing(text, &ALWAYS);
    match mixed {
        false => rules.extend(missing(text, &[BOTH_SIDES])),
        true if joins_headers(text) => rules.push(WITH_CONFLICTS),
        true => {}
    }
    rules
}

/// Whether git puts documents of open goals together from the lines of both sides: of two rules the
/// later one counts.
pub fn joins_headers(text: &str) -> bool {
    let rules = [BOTH_SIDES, WITH_CONFLICTS];
    let lines = text.lines().map(str::split_whitespace);
    let mut found = lines.filter_map(|line| {
        let is = |rule: &&str| rule.split_whitespace().eq(line.clone());
        rules.into_iter().find(is)
    });
    found.next_back() == Some(BOTH_SIDES)
}

/// `.pi/goals/config.toml`: lines that begin with `#` and no space are settings.
pub const CONFIG: &str = include_str!("config.toml");

/// The rules that a file of rules lacks, in their order.
pub fn missing<'a>(text: &str, rules: &[&'a str]) -> Vec<&'a str> {
    let there = |rule: &&&str| {
        let words: Vec<&str> = rule.split_whitespace().collect();
        text.lines()
            .any(|line| line.split_whitespace().eq(words.iter().copied()))
    };
    rules.iter().filter(|rule| !there(rule)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::task::spec::{Limits, SUMMARY_TOKENS};
    use crate::workspace::config::{Loaded, Source, read_user, resolve};
    use crate::workspace::git_rules::{COPIES, IGNORED, WITH_COMMITS, without_commits};

    #[test]
    fn the_files_hold_their_rules() {
        assert!(missing(WITH_COMMITS, IGNORED).is_empty());
        assert_eq!(missing(WITH_COMMITS, COPIES), COPIES);
        let all = [IGNORED, COPIES].concat();
        assert!(missing(&without_commits(), &all).is_empty());
        for mixed in [false, true] {
            let text = gitattributes(mixed);
            assert!(missing_attributes(&text, mixed).is_empty());
            assert_eq!(joins_headers(&text), !mixed);
        }
        let union = "*.md   merge=union\r\n# *.tmp\n";
        assert_eq!(missing_attributes(union, false), ALWAYS);
        assert_eq!(
            missing_attributes(&gitattributes(true), false),
            [BOTH_SIDES]
        );
    }

    #[test]
    fn of_two_rules_for_open_documents_the_later_one_counts() {
        let both = gitattributes(false);
        assert_eq!(missing_attributes(&both, true), [WITH_CONFLICTS]);
        let mended = format!("{both}{WITH_CONFLICTS}\n");
        assert!(missing_attributes(&mended, true).is_empty() && !joins_headers(&mended));
        assert!(missing_attributes(&mended, false).is_empty());
        assert!(joins_headers(&format!("{mended}{BOTH_SIDES}\n")));
    }

    #[test]
    fn rules_are_told_from_remarks() {
        assert_eq!(
            missing("#.locks/\n*.tmp\n", IGNORED),
            [".locks/", "*.md.orig*"]
        );
    }

    #[test]
    fn every_example_of_the_configuration_is_valid() {
        let dir = tempfile::tempdir().unwrap();
        let path = camino::Utf8Path::from_path(dir.path())
            .unwrap()
            .join("config.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_user(&path).unwrap().unwrap().file
        };
        assert_eq!(read(CONFIG), Default::default());
        let mut examples = 0;
        let mut tables = std::collections::BTreeSet::new();
        for block in CONFIG.split("\n\n").filter(|block| block.starts_with("#[")) {
            let lines = block.lines().map(|line| line.strip_prefix('#').unwrap());
            let file = read(&lines.collect::<Vec<_>>().join("\n"));
            let named = file.commands().into_iter().map(|it| it.table.to_string());
            tables.extend(named);
            assert_ne!(file, Default::default(), "{block}");
            examples += 1;
        }
        assert_eq!(examples, 15);
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        assert_eq!(
            tables,
            [
                "auditor",
                "checks.lint",
                "checks.unit",
                "evaluator",
                "interpreter",
                "planner",
                "reviewer.risk",
                "summarizer",
                "tools.train-search",
            ]
        );
    }

    #[test]
    fn the_numbers_that_are_shown_are_those_without_it() {
        let dir = tempfile::tempdir().unwrap();
        let dir = camino::Utf8Path::from_path(dir.path()).unwrap();
        let path = dir.join("config.toml");
        let shown = |table: &str| {
            let block = CONFIG
                .split("\n\n")
                .find(|it| it.starts_with(table))
                .unwrap();
            let lines = block.lines().map(|line| line.strip_prefix('#').unwrap());
            std::fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
            let loaded = Loaded {
                user: read_user(&path).unwrap(),
                project: None,
            };
            resolve(&loaded)
        };
        assert_eq!(shown("#[tasks]").keys.tasks.limits(), Limits::default());
        for row in shown("#[tasks]").keys.rows() {
            let source = row.held.map(|(_, source)| source);
            assert_eq!(
                source == Some(Source::User),
                row.table == "tasks",
                "{}",
                row.key
            );
        }
        assert_eq!(
            shown("#[context]").keys.context.summary_tokens.value,
            SUMMARY_TOKENS
        );
    }
}
