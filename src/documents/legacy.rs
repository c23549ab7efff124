//! Documents of the older extension: a bare JSON header, then `# Goal Prompt`.
//!
//! They are read for ever without migration (docs/design/documents.md#documents-of-other-tools).
//! Fields of an unexpected type count as absent, since other versions of that extension write them
//! too.

use serde_json::{Map, Value};

use super::error::DocumentError;
use super::header::{lines, object};
use crate::domain::id::GoalId;

/// What a document of the older extension says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legacy {
    pub id: GoalId,
    /// The body's, which people edit; without the section, the header's. LF line ends, trimmed.
    pub objective: Option<String>,
    /// In that extension's words: `active`, `paused`, `complete`.
    pub status: Option<String>,
    pub auto_continue: Option<bool>,
    pub sisyphus: Option<bool>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub pause_reason: Option<String>,
    pub pause_suggested_action: Option<String>,
    pub task_list: Option<LegacyTaskList>,
}

/// The tasks in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyTaskList {
    pub tasks: Vec<LegacyTask>,
    pub block_completion: bool,
}

/// One task; entries without an id are passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyTask {
    pub id: String,
    pub title: String,
    /// In that extension's words: `pending`, `complete`, `skipped`.
    pub status: Option<String>,
    pub verification_contract: Option<String>,
    pub evidence: Option<String>,
    pub subtasks: Vec<LegacyTask>,
}

/// Reads a document of the older extension.
///
/// # Errors
/// A header that is no JSON object, or one without a valid `id`.
pub fn parse(text: &str) -> Result<Legacy, DocumentError> {
    let (parts, header) = object(text)?;
    let id = string(&header, "id").ok_or(DocumentError::MissingField("id"))?;
    let prompt = prompt(&text[parts.body]);
    let stated = || string(&header, "objective").map(|text| text.trim().to_owned());
    Ok(Legacy {
        id: id.parse()?,
        objective: prompt.or_else(stated).filter(|text| !text.is_empty()),
        status: string(&header, "status"),
        auto_continue: header.get("autoContinue").and_then(Value::as_bool),
        sisyphus: header.get("sisyphus").and_then(Value::as_bool),
        created_at: string(&header, "createdAt"),
        updated_at: string(&header, "updatedAt"),
        pause_reason: string(&header, "pauseReason"),
        pause_suggested_action: string(&header, "pauseSuggestedAction"),
        task_list: header
            .get("taskList")
            .and_then(Value::as_object)
            .map(|list| LegacyTaskList {
                tasks: tasks(list, "tasks"),
                block_completion: list.get("blockCompletion") == Some(&Value::Bool(true)),
            }),
    })
}

/// The text after `# Goal Prompt` up to the line `## Progress`; nothing when either is missing,
/// since without its end the section would swallow whatever follows.
fn prompt(body: &str) -> Option<String> {
    let heading = |(_, line): &(usize, &str), wanted| line.trim_end() == wanted;
    let mut lines = lines(body);
    let (start, line) = lines.find(|line| heading(line, "# Goal Prompt"))?;
    let (end, _) = lines.find(|line| heading(line, "## Progress"))?;
    let text = body[start + line.len()..end].replace("\r\n", "\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn tasks(parent: &Map<String, Value>, key: &str) -> Vec<LegacyTask> {
    let list = parent.get(key).and_then(Value::as_array);
    let entries = list.into_iter().flatten().filter_map(Value::as_object);
    entries.filter_map(task).collect()
}

fn task(entry: &Map<String, Value>) -> Option<LegacyTask> {
    Some(LegacyTask {
        id: string(entry, "id")?,
        title: string(entry, "title").unwrap_or_default(),
        status: string(entry, "status"),
        verification_contract: string(entry, "verificationContract"),
        evidence: string(entry, "evidence"),
        subtasks: tasks(entry, "subtasks"),
    })
}

fn string(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSED: &str = include_str!("../../fixtures/documents/legacy-paused.md");

    #[test]
    fn a_whole_document_is_read() {
        let goal = parse(PAUSED).unwrap();
        assert_eq!(goal.id.as_str(), "mrexampl-000001");
        let objective = goal.objective.unwrap();
        assert!(objective.starts_with("Sort the seed catalogue."));
        assert!(objective.contains("\n# A line that only looks like a heading\n"));
        assert!(objective.ends_with("the body wins."));
        assert_eq!(goal.status.as_deref(), Some("paused"));
        assert_eq!(goal.auto_continue, Some(false));
        assert_eq!(goal.sisyphus, Some(true));
        let list = goal.task_list.unwrap();
        assert!(list.block_completion);
        assert_eq!(list.tasks.len(), 2);
        assert_eq!(list.tasks[1].subtasks[0].id, "task-2a");
        assert_eq!(list.tasks[0].evidence.as_deref(), Some("list.csv"));
    }

    #[test]
    fn the_header_speaks_where_the_body_is_silent() {
        let header = "{\"id\":\"a\",\"objective\":\" from the header \"}";
        for body in [
            "",
            "\n\n# Goal Prompt\n\nno end\n",
            "\n\n# Goal Prompt\n\n \n## Progress\n",
        ] {
            let goal = parse(&format!("{header}{body}")).unwrap();
            assert_eq!(goal.objective.as_deref(), Some("from the header"), "{body}");
        }
        assert_eq!(parse("{\"id\":\"a\"}").unwrap().objective, None);
    }

    #[test]
    fn crlf_and_a_bom_are_tolerated() {
        let text = format!("\u{feff}{}", PAUSED.replace('\n', "\r\n"));
        assert_eq!(parse(&text), parse(PAUSED));
    }

    #[test]
    fn wrong_types_count_as_absent_and_bad_ids_are_errors() {
        let goal = parse("{\"id\":\"a\",\"status\":7,\"taskList\":{\"tasks\":[1,{}]}}").unwrap();
        assert_eq!(goal.status, None);
        assert_eq!(goal.task_list.unwrap().tasks, []);
        assert_eq!(parse("{\"id\":1}"), Err(DocumentError::MissingField("id")));
        assert!(matches!(
            parse("{\"id\":\"../x\"}"),
            Err(DocumentError::Id(_))
        ));
        assert!(matches!(
            parse("---\nid: a\n---\n"),
            Err(DocumentError::NoHeader { .. })
        ));
    }
}
