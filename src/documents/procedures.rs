//! Procedures on disk: found in the project and in the user's directory, read, and what is wrong
//! with those that cannot be used. Nothing in them is ever executed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use gray_matter::Pod;
use schemars::JsonSchema;
use serde::Serialize;

use super::header::{Style, lines, parts, style};
use super::store::read;
use super::yaml::{texts, unplain, values};
use crate::domain::procedure::{MOST_BYTES, Problem, Procedure, is_id, is_name, steps};
use crate::workspace::config::Source;

/// Most files that are looked at in one directory.
const MOST_FILES: usize = 500;

/// How deep the frontmatter nests: its keys, and a list.
const DEEP: usize = 2;

/// The keys of a procedure's frontmatter.
const KEYS: [&str; 3] = ["title", "intent", "parameters"];

/// The name of a skill's file, in a directory of its own.
const SKILL: &str = "SKILL.md";

/// The keys by which a skill says its title and its intent, and those of a skill that say nothing
/// here.
const SKILL_KEYS: [(&str, &str); 2] = [("name", "title"), ("description", "intent")];
const OF_SKILLS: [&str; 4] = ["license", "version", "compatibility", "allowed-tools"];

/// Every procedure there is.
#[derive(Debug, Clone, Default)]
pub struct ProcedureLibrary {
    /// By id; the project's own hides the user's of the same id.
    pub procedures: Vec<StoredProcedure>,
    /// By path.
    pub broken: Vec<Broken>,
}

/// A procedure, and where it stands.
#[derive(Debug, Clone)]
pub struct StoredProcedure {
    pub source: Source,
    pub path: Utf8PathBuf,
    pub procedure: Procedure,
    /// The whole file.
    pub text: String,
}

/// A file, or a directory, that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BrokenView", description = "A file that cannot be used.")]
pub struct Broken {
    pub source: Source,
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    // At least one, in the order of lines.
    pub problems: Vec<Problem>,
}

/// Reads what stands in these directories, in order of precedence. A directory that is not there
/// is empty.
pub fn load(directories: &[(Source, Utf8PathBuf)]) -> ProcedureLibrary {
    let mut library = ProcedureLibrary::default();
    let mut taken = BTreeSet::new();
    for (source, directory) in directories {
        for path in files(*source, directory, &mut library.broken) {
            match procedure(&path) {
                // A broken file hides nothing: the user's own stays usable.
                Ok((procedure, text)) if taken.insert(procedure.id.clone()) => {
                    library.procedures.push(StoredProcedure {
                        source: *source,
                        path,
                        procedure,
                        text,
                    });
                }
                Ok(_) => {}
                Err(problems) => library.broken.push(Broken {
                    source: *source,
                    path,
                    problems,
                }),
            }
        }
    }
    library
        .procedures
        .sort_by(|a, b| a.procedure.id.cmp(&b.procedure.id));
    library
}

/// The markdown files of a directory, by name, and the skills in directories of their own.
fn files(source: Source, directory: &Utf8Path, broken: &mut Vec<Broken>) -> Vec<Utf8PathBuf> {
    let mut wrong = |message: String| {
        broken.push(Broken {
            source,
            path: directory.to_owned(),
            problems: vec![Problem::new(1, message)],
        });
    };
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            wrong(format!("the directory cannot be read: {error}"));
            return Vec::new();
        }
    };
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) if entry.path().extension() == Some("md") => found.push(entry.into_path()),
            Ok(entry) => {
                let skill = entry.path().join(SKILL);
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_directory && skill.is_file() {
                    found.push(skill);
                }
            }
            Err(error) => wrong(format!("an entry cannot be used: {error}")),
        }
    }
    found.sort();
    if found.len() > MOST_FILES {
        wrong(format!(
            "{} procedures, of which the first {MOST_FILES} are read",
            found.len()
        ));
        found.truncate(MOST_FILES);
    }
    found
}

fn procedure(path: &Utf8Path) -> Result<(Procedure, String), Vec<Problem>> {
    let text = read(path).map_err(|error| vec![Problem::new(1, error.to_string())])?;
    let id = match path.file_name() {
        Some(SKILL) => path.parent().and_then(Utf8Path::file_name),
        _ => path.file_stem(),
    };
    let procedure = parse(id.unwrap_or_default(), &text)?;
    Ok((procedure, text))
}

/// Reads a procedure from the text of its file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(id: &str, text: &str) -> Result<Procedure, Vec<Problem>> {
    let alone = |message: String| vec![Problem::new(1, message)];
    if !is_id(id) {
        let message = format!("`{id}` cannot be an id: name the file with letters, digits and ._-");
        return Err(alone(message));
    }
    if text.len() > MOST_BYTES {
        return Err(alone(format!(
            "{} bytes, and {MOST_BYTES} are the most",
            text.len()
        )));
    }
    if style(text) != Style::Frontmatter {
        let message = "it does not begin with frontmatter: a `---` line on the first line";
        return Err(alone(message.into()));
    }
    let parts = parts(text).map_err(|error| alone(error.to_string()))?;
    let (header, mut problems) = header(&text[parts.header.clone()]);
    let before = text[..parts.body.start].lines().count();
    let body = lines(&text[parts.body]).map(|(_, line)| line.trim_end_matches(['\n', '\r']));
    let body = body.zip(before + 1..).map(|(line, number)| (number, line));
    let steps = steps::parse(body, text.lines().count().max(1)).unwrap_or_else(|more| {
        problems.extend(more);
        Vec::new()
    });
    match problems.is_empty() {
        true => Ok(Procedure {
            id: id.to_owned(),
            title: header.title,
            intent: header.intent,
            parameters: header.parameters,
            steps,
        }),
        false => Err(problems),
    }
}

#[derive(Debug, Default)]
struct Header {
    title: String,
    intent: Vec<String>,
    parameters: Vec<String>,
}

/// Reads the frontmatter. Its lines begin on the file's second.
fn header(text: &str) -> (Header, Vec<Problem>) {
    let mut problems = Vec::new();
    let places = plain_lines(text, &mut problems);
    if let Some(line) = unplain(text, DEEP) {
        let message = "only plain text, or a list of it, may stand here; quote the text and leave \
                       brackets out";
        problems.push(Problem::new(line + 1, message));
    }
    let mut header = Header::default();
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return (header, problems);
    }
    let values = match values(text) {
        Ok(values) => values.unwrap_or_default(),
        Err(error) => {
            problems.push(Problem::new(
                1,
                format!("the frontmatter is no YAML: {error}"),
            ));
            return (header, problems);
        }
    };
    let is_skill = values.contains_key("name") && !values.contains_key("title");
    for (key, value) in &values {
        let line = places.get(key.as_str()).copied().unwrap_or(1);
        if is_skill && OF_SKILLS.contains(&key.as_str()) {
            continue;
        }
        let same = SKILL_KEYS
            .iter()
            .find(|(of_skill, _)| is_skill && key == of_skill);
        let means = same.map_or(key.as_str(), |(_, ours)| ours);
        let texts = match (means, value) {
            (key, _) if !KEYS.contains(&key) => {
                let message = format!("`{key}` is not known; known are {}", KEYS.join(", "));
                problems.push(Problem::new(line, message));
                continue;
            }
            (_, Pod::String(text)) => Some(vec![text.trim().to_owned()]),
            ("intent" | "parameters", Pod::Array(items)) => texts(items),
            _ => None,
        };
        match texts {
            Some(texts) if texts.iter().all(|text| !text.is_empty()) => match means {
                "title" => header.title = texts.concat(),
                "intent" => header.intent = texts,
                _ => header.parameters = texts,
            },
            _ => {
                let message =
                    format!("`{key}` must be text, in quotes where it looks like a number");
                problems.push(Problem::new(line, message));
            }
        }
    }
    if header.title.is_empty() && !values.contains_key("title") && !is_skill {
        problems.push(Problem::new(1, "the frontmatter has no `title`"));
    }
    if let Some(odd) = header.parameters.iter().find(|it| !is_name(it)) {
        let line = places.get("parameters").copied().unwrap_or(1);
        let message = format!("the parameter `{odd}` is no key of evidence: one word");
        problems.push(Problem::new(line, message));
    }
    problems.sort_by_key(|problem| problem.line);
    (header, problems)
}

/// Where each key stands, if the frontmatter has no more than `key: value`, lists and comments.
fn plain_lines<'a>(text: &'a str, problems: &mut Vec<Problem>) -> BTreeMap<&'a str, usize> {
    let mut places = BTreeMap::new();
    for (line, number) in text.lines().zip(2..) {
        let line = line.trim_end();
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        match (bare.strip_prefix("- "), line.split_once(':')) {
            (Some(_), _) => {}
            (None, Some((key, _))) if bare.len() == line.len() => {
                if places.insert(key.trim_end(), number).is_some() {
                    let message = format!("`{}` stands twice", key.trim_end());
                    problems.push(Problem::new(number, message));
                }
            }
            _ => {
                let message = "neither `key: value` nor an item `- text` of a list";
                problems.push(Problem::new(number, message));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests;
