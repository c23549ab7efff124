//! The steps of a procedure, read from the markdown below its frontmatter.
//!
//! Below the heading `## Steps` stands a numbered list; what a step does is in the bullets indented
//! below it. Everything else that is indented is for people.
//!
//! | bullet | what the step does, or when it is done |
//! |---|---|
//! | `tool: NAME` | runs this tool (`use_tool`) |
//! | `ask: KEY`, `prompt: TEXT` | asks for a value (`gather_info`), unless there is one |
//! | `confirm: QUESTION` | asks yes or no (`confirm`) |
//! | `present: KEY, KEY` | shows evidence (`present_info`) |
//! | none of these | the agent does it (`execute`) |
//! | `key: KEY` | what a tool or a confirmation brings is evidence under this key |
//! | `done when: evidence KEY` | there is evidence under the key (`hasEvidence`) |
//! | `done when: predicate NAME` | the evaluator finds it true (`predicateTrue`) |

use serde_json::{Value, json};

use crate::domain::procedure::{MOST_STEPS, Problem, Step, is_name};
use crate::domain::task::spec::Predicate;

/// Reads the steps from the lines of a body with their numbers in the file.
///
/// # Errors
/// Everything that is wrong, at least one problem. `end` is the line that is named when what is
/// missing has no line.
pub fn parse<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    end: usize,
) -> Result<Vec<Step>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut drafts: Vec<Draft> = Vec::new();
    let mut inside = false;
    let mut seen = false;
    for (number, line) in lines {
        let line = line.trim_end();
        if let Some(heading) = heading(line) {
            inside = heading.eq_ignore_ascii_case("steps");
            if inside && seen {
                problems.push(Problem::new(number, "a second `## Steps`; keep one list"));
            }
            seen |= inside;
            continue;
        }
        if !inside || line.is_empty() {
            continue;
        }
        if let Err(message) = step_line(line, number, &mut drafts) {
            problems.push(Problem::new(number, message));
        }
    }
    if !seen {
        let message = "there is no heading `## Steps` with a numbered list below it";
        problems.push(Problem::new(end, message));
    } else if drafts.is_empty() {
        problems.push(Problem::new(end, "there are no numbered steps"));
    } else if drafts.len() > MOST_STEPS {
        let message = format!("{} steps, and {MOST_STEPS} are the most", drafts.len());
        problems.push(Problem::new(drafts[MOST_STEPS].line, message));
    }
    let mut steps = Vec::new();
    for draft in drafts {
        let line = draft.line;
        match draft.step() {
            Ok(step) => steps.push(step),
            Err(message) => problems.push(Problem::new(line, message)),
        }
    }
    match problems.is_empty() {
        true => Ok(steps),
        false => Err(problems),
    }
}

/// A heading of the first or second level, which begins a section.
fn heading(line: &str) -> Option<&str> {
    let text = line.strip_prefix("## ").or(line.strip_prefix("# "))?;
    Some(text.trim())
}

fn step_line(line: &str, number: usize, drafts: &mut Vec<Draft>) -> Result<(), String> {
    let indented = line.starts_with([' ', '\t']);
    if !indented {
        let title = numbered(line).ok_or(
            "neither a numbered step (`1. …`) nor indented below one; move it out of `## Steps`",
        )?;
        if title.is_empty() {
            return Err("a step needs a title".into());
        }
        drafts.push(Draft {
            line: number,
            title: title.to_owned(),
            ..Draft::default()
        });
        return Ok(());
    }
    let Some(bullet) = line.trim_start().strip_prefix("- ") else {
        return Ok(());
    };
    let draft = drafts
        .last_mut()
        .ok_or("this stands before the first step")?;
    let known = "known are tool, ask, prompt, confirm, present, key and done when";
    let (key, value) = bullet
        .split_once(':')
        .ok_or_else(|| format!("a bullet below a step is `key: value`; {known}"))?;
    let value = unquoted(value.trim());
    if value.is_empty() {
        return Err(format!("`{}` says nothing", key.trim()));
    }
    draft.take(key.trim(), value, known)
}

/// The text of an item of a numbered list.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    (digits > 0 && (rest.is_empty() || rest.starts_with(' '))).then(|| rest.trim())
}

/// A value may stand in backticks.
fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    inner.unwrap_or(value).trim()
}

/// A step as its bullets are read.
#[derive(Debug, Default)]
struct Draft {
    line: usize,
    title: String,
    tool: Option<String>,
    ask: Option<String>,
    prompt: Option<String>,
    confirm: Option<String>,
    present: Option<String>,
    key: Option<String>,
    done_when: Vec<Value>,
}

impl Draft {
    fn take(&mut self, key: &str, value: &str, known: &str) -> Result<(), String> {
        let name = |value: &str| match is_name(value) {
            true => Ok(value.to_owned()),
            false => Err(format!(
                "`{value}` is no name: one word of letters, digits and `._-:`; a procedure names \
                 tools and keys, it holds no commands"
            )),
        };
        let slot = match key {
            "done when" => {
                let (kind, what) = value.split_once(' ').unwrap_or((value, ""));
                let what = unquoted(what.trim());
                self.done_when.push(match kind {
                    "evidence" => json!({ "kind": "hasEvidence", "key": name(what)? }),
                    "predicate" => {
                        json!({ "kind": "predicateTrue", "pred": { "name": name(what)?, "args": {} } })
                    }
                    _ => {
                        return Err(
                            "`done when` is `evidence KEY` or `predicate NAME`; code is never run"
                                .into(),
                        );
                    }
                });
                return Ok(());
            }
            "tool" => (&mut self.tool, name(value)?),
            "ask" => (&mut self.ask, name(value)?),
            "key" => (&mut self.key, name(value)?),
            "prompt" => (&mut self.prompt, value.to_owned()),
            "confirm" => (&mut self.confirm, value.to_owned()),
            "present" => (&mut self.present, value.to_owned()),
            other => return Err(format!("`{other}` is not known; {known}")),
        };
        match slot.0.replace(slot.1) {
            None => Ok(()),
            Some(_) => Err(format!("`{key}` stands twice below one step")),
        }
    }

    fn step(mut self) -> Result<Step, String> {
        let acts = [&self.tool, &self.ask, &self.confirm, &self.present];
        if acts.into_iter().flatten().count() > 1 {
            return Err("a step does one thing: tool, ask, confirm or present".into());
        }
        if self.prompt.is_some() && self.ask.is_none() {
            return Err("`prompt` belongs to `ask`".into());
        }
        if self.key.is_some() && self.tool.is_none() && self.confirm.is_none() {
            return Err("`key` belongs to `tool` or `confirm`".into());
        }
        let mut brings = self.key.clone();
        let (name, args) = if let Some(tool) = &self.tool {
            ("use_tool", keyed(json!({ "tool": tool }), &self.key))
        } else if let Some(key) = self.ask.take() {
            brings = Some(key.clone());
            let prompt = self.prompt.unwrap_or_else(|| self.title.clone());
            ("gather_info", json!({ "key": key, "prompt": prompt }))
        } else if let Some(question) = self.confirm {
            ("confirm", keyed(json!({ "question": question }), &self.key))
        } else if let Some(keys) = self.present {
            let keys: Vec<&str> = keys.split(',').map(|key| unquoted(key.trim())).collect();
            if !keys.iter().all(|key| is_name(key)) {
                return Err("`present` takes keys of evidence, with commas between".into());
            }
            ("present_info", json!({ "keys": keys }))
        } else {
            ("execute", json!({}))
        };
        let brought = brings.map(|key| json!({ "kind": "hasEvidence", "key": key }));
        if let Some(condition) = brought.filter(|it| !self.done_when.contains(it)) {
            self.done_when.insert(0, condition);
        }
        Ok(Step {
            title: self.title,
            pred: Predicate {
                name: name.to_owned(),
                args,
            },
            done_when: self.done_when,
            tool: self.tool,
        })
    }
}

fn keyed(mut args: Value, key: &Option<String>) -> Value {
    if let Some(key) = key {
        args["key"] = key.as_str().into();
    }
    args
}

#[cfg(test)]
mod tests;
