//! Reads the block `iteration: {…}` in the frontmatter of an agent definition. The rest of such a
//! file follows the rules of other hosts, so only this block goes to the YAML parser.

use gray_matter::Pod;

use super::header::{Style, parts, style};
use super::yaml::{texts, unplain, values};

/// Most bytes of the block.
const BYTES: usize = 16 * 1024;
/// How deep it may nest: the header, `iteration`, a list, and a list in that list, so that the
/// message can name the key with a wrong value.
const DEEP: usize = 4;

/// What an agent's definition says about its iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentIteration {
    pub enabled: Option<bool>,
    pub max_iterations: Option<u64>,
    pub completion_promises: Option<Vec<String>>,
    pub validation_rules: Option<Vec<String>>,
}

/// Reads a definition.
///
/// # Errors
/// There is no frontmatter, no `iteration` in it, or a value of the wrong type.
pub fn parse(text: &str) -> Result<AgentIteration, String> {
    if style(text) != Style::Frontmatter {
        return Err("does not begin with frontmatter: a `---` line on the first line".into());
    }
    let parts = parts(text).map_err(|error| error.to_string())?;
    let block = block(&text[parts.header])?;
    let values = match values(&block) {
        Ok(Some(values)) => values,
        Ok(None) => return Err("has an `iteration` that is no YAML".into()),
        Err(error) => return Err(format!("has an `iteration` that is no YAML: {error}")),
    };
    let Some(Pod::Hash(values)) = values.get("iteration") else {
        return Err("has an `iteration` without `key: value` below it".into());
    };
    let mut found = AgentIteration::default();
    for (key, value) in values {
        let fits = match (key.as_str(), value) {
            ("enabled", Pod::Boolean(enabled)) => {
                found.enabled = Some(*enabled);
                true
            }
            ("maxIterations", Pod::Integer(most)) => {
                found.max_iterations = u64::try_from(*most).ok();
                found.max_iterations.is_some()
            }
            ("completionPromises", Pod::Array(items)) => {
                found.completion_promises = texts(items);
                found.completion_promises.is_some()
            }
            ("validationRules", Pod::Array(items)) => {
                found.validation_rules = texts(items);
                found.validation_rules.is_some()
            }
            _ => false,
        };
        if !fits {
            return Err(format!(
                "has in its `iteration` a `{}` that is not known or of another type: `enabled` is \
                 true or false, `maxIterations` a number, `completionPromises` and \
                 `validationRules` are lists of texts",
                key.escape_debug()
            ));
        }
    }
    Ok(found)
}

/// The line `iteration:` with the lines that belong to it, when they are harmless to parse.
fn block(header: &str) -> Result<String, String> {
    let mut lines = header.lines().map(str::trim_end);
    let begins = |line: &str| {
        let rest = line.strip_prefix("iteration");
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let Some(first) = lines.find(|line| begins(line)) else {
        return Err("has no `iteration` in its frontmatter".into());
    };
    let belongs = |line: &&str| line.is_empty() || line.starts_with([' ', '-', '#']);
    let mut block = format!("{first}\n");
    for line in lines.take_while(belongs) {
        block.push_str(line);
        block.push('\n');
    }
    if header.lines().filter(|line| begins(line)).count() > 1 {
        return Err("has more than one `iteration`".into());
    }
    if block.len() > BYTES || unplain(&block, DEEP).is_some() {
        return Err("has an `iteration` that is more than plain values and lists of them".into());
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_seed_004_is_read() {
        let text = r#"---
name: me
description: Feature: implementation <agent>, "odd" & hard to parse
tools: Read, Write
iteration:
  enabled: true
  maxIterations: 12
  completionPromises:
    - "<promise>COMPLETE</promise>"
    - "<promise>BLOCKED</promise>"
  validationRules:
    - tests_pass
    - lint_clean
model: sonnet
---
# Body
"#;
        let whole = AgentIteration {
            enabled: Some(true),
            max_iterations: Some(12),
            completion_promises: Some(vec![
                "<promise>COMPLETE</promise>".into(),
                "<promise>BLOCKED</promise>".into(),
            ]),
            validation_rules: Some(vec!["tests_pass".into(), "lint_clean".into()]),
        };
        assert_eq!(parse(text), Ok(whole.clone()));
        assert_eq!(parse(&text.replace('\n', "\r\n")), Ok(whole.clone()));
        assert_eq!(parse(&format!("\u{feff}{text}")), Ok(whole));
        let flow = "---\niteration: {enabled: false, validationRules: [a, b]}\n---\n";
        let rules = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(
            parse(flow),
            Ok(AgentIteration {
                enabled: Some(false),
                validation_rules: Some(rules),
                ..AgentIteration::default()
            })
        );
    }

    #[test]
    fn what_is_no_definition_says_why() {
        for (header, why) in [
            ("name: me", "has no `iteration`"),
            ("iterations:\n  enabled: true", "has no `iteration`"),
            ("iteration:", "without `key: value`"),
            ("iteration: 7", "without `key: value`"),
            ("iteration:\n  maxIteration: 7", "`maxIteration`"),
            ("iteration:\n  maxIterations: -7", "`maxIterations`"),
            ("iteration:\n  maxIterations: 7.5", "`maxIterations`"),
            ("iteration:\n  maxIterations: many", "`maxIterations`"),
            ("iteration:\n  enabled: maybe", "`enabled`"),
            ("iteration:\n  validationRules: lint", "`validationRules`"),
            ("iteration:\n  validationRules: [1]", "`validationRules`"),
            ("iteration:\n  validationRules: [[a]]", "`validationRules`"),
            ("iteration: {enabled", "no YAML"),
            ("iteration:\n  a: 1\niteration:\n  b: 1", "more than one"),
        ] {
            let error = parse(&format!("---\n{header}\n---\n")).unwrap_err();
            assert!(error.contains(why), "{header}: {error}");
        }
        for text in ["", "no", "{\"iteration\":{}}", "---\niteration:\n"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_expands_or_nests_is_not_parsed() {
        let deep = format!("iteration: {}", "[".repeat(50_000));
        let stairs: Vec<String> = (1..400).map(|n| format!("{}a:", " ".repeat(n))).collect();
        for header in [
            deep,
            format!("iteration:\n{}", stairs.join("\n")),
            format!("iteration:\n  {}a", "- ".repeat(1000)),
            "iteration:\n  a: &x [1]\n  b: *x".into(),
            "iteration: {a: &x [1, 1], b: [*x, *x]}".into(),
            "iteration: !!python/object {}".into(),
            "iteration:\n  enabled: |\n    true".into(),
        ] {
            let error = parse(&format!("---\n{header}\n---\n")).unwrap_err();
            assert!(error.contains("plain values"), "{error}");
        }
    }
}
