//! What an agent writes while it works, as lines for people. Agents' hosts write JSON, an event a line: of it the
//! agent's words are shown, and which tool it uses on what. Other lines stand as they are.

use anstream::adapter::strip_str;
use serde_json::Value;

use crate::render::text::{clean, one_line, short};

/// Most characters of what a tool is used on.
const ON: usize = 120;

/// What a tool is used on, by the names that hosts give it, the most telling first.
const TELLING: [&str; 9] = [
    "command",
    "cmd",
    "file_path",
    "path",
    "pattern",
    "url",
    "query",
    "description",
    "prompt",
];

/// The last lines of an agent's output that are not blank, made safe to show. Where a program drew over
/// a line, the line is what it drew last.
pub fn last_lines(output: &str, most: usize) -> Vec<String> {
    let lines: Vec<String> = output.lines().flat_map(lines_of).collect();
    let before = lines.len().saturating_sub(most);
    lines.into_iter().skip(before).collect()
}

/// What a line of an agent's output tells a person, in lines that are not blank and safe to show.
pub fn lines_of(line: &str) -> Vec<String> {
    let plain = |text: &str| strip_str(text).to_string();
    let told: Vec<String> = match event_of(line) {
        Some(event) => told(&event).iter().map(|it| plain(it)).collect(),
        None => {
            let line = plain(line);
            let mut drawn = line.rsplit('\r');
            let last = drawn.find(|it| !clean(it).trim().is_empty());
            last.map(str::to_owned).into_iter().collect()
        }
    };
    let lines = told.iter().flat_map(|it| it.lines()).map(clean);
    lines.filter(|it| !it.trim().is_empty()).collect()
}

/// The event of a host that the line is, if it is one.
fn event_of(line: &str) -> Option<Value> {
    let line = line.trim();
    // Of a line that begins before what was read, only the end is here.
    let event = line
        .starts_with('{')
        .then(|| serde_json::from_str(line).ok());
    event.flatten().filter(|it: &Value| is_of_a_host(it))
}

/// Whether hosts write events of this type. An agent of the user's own may write other JSON.
fn is_of_a_host(event: &Value) -> bool {
    const TYPES: [&str; 21] = [
        "system",
        "assistant",
        "user",
        "result",
        "rate_limit_event",
        "stream_event",
        "session",
        "agent_start",
        "agent_end",
        "agent_settled",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "message_end",
        "tool_execution_start",
        "tool_execution_end",
        "init",
        "message",
        "tool_use",
        "tool_result",
    ];
    let kind = event
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let of_codex = ["thread.", "turn.", "item."];
    TYPES.contains(&kind) || of_codex.iter().any(|begin| kind.starts_with(begin))
}

/// What an event tells a person.
fn told(event: &Value) -> Vec<String> {
    match event
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
    {
        "assistant" => parts(&event["message"]),
        "message_end" if event["message"]["role"] == "assistant" => parts(&event["message"]),
        "message" if event["role"] == "assistant" => texts(event, "content"),
        "tool_use" => vec![used(
            event["tool_name"].as_str().unwrap_or("tool"),
            &event["parameters"],
        )],
        "item.started" => match event["item"]["type"].as_str() {
            Some("command_execution") => vec![used("command", &event["item"])],
            _ => Vec::new(),
        },
        "item.completed" => of_item(&event["item"]),
        "turn.failed" => texts(&event["error"], "message"),
        _ => Vec::new(),
    }
}

/// The words of a message, and the tools that it uses.
fn parts(message: &Value) -> Vec<String> {
    let parts = message.get("content").and_then(Value::as_array);
    let part = |part: &Value| match part.get("type").and_then(Value::as_str) {
        Some("tool_use") => Some(used(part["name"].as_str()?, &part["input"])),
        Some("toolCall") => Some(used(part["name"].as_str()?, &part["arguments"])),
        _ => part.get("text")?.as_str().map(str::to_owned),
    };
    parts.into_iter().flatten().filter_map(part).collect()
}

/// What Codex did.
fn of_item(item: &Value) -> Vec<String> {
    match item.get("type").and_then(Value::as_str) {
        Some("agent_message" | "reasoning") => texts(item, "text"),
        Some("file_change") => {
            let changes = item.get("changes").and_then(Value::as_array);
            let changes = changes.into_iter().flatten();
            changes.map(|change| used("edit", change)).collect()
        }
        Some("mcp_tool_call") => vec![used(
            item["tool"].as_str().unwrap_or("tool"),
            &item["arguments"],
        )],
        Some("error") => texts(item, "message"),
        _ => Vec::new(),
    }
}

fn texts(of: &Value, name: &str) -> Vec<String> {
    let text = of.get(name).and_then(Value::as_str);
    text.map(str::to_owned).into_iter().collect()
}

/// `› Bash cargo test`.
fn used(tool: &str, input: &Value) -> String {
    let on = TELLING.iter().find_map(|name| input.get(name)?.as_str());
    let on = on.map_or_else(String::new, |on| format!(" {}", short(&one_line(on), ON)));
    format!("› {}{on}", one_line(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_those_with_a_word_as_they_were_drawn_last() {
        let output = "one\r\n  two\n\u{1b}[31mget 1 %\rget 9 %\r\u{1b}[0m\n \n\u{202e}end\n\n";
        assert_eq!(
            last_lines(output, 9),
            ["one", "  two", "get 9 %", "\u{fffd}end"]
        );
        assert_eq!(last_lines(output, 1), ["\u{fffd}end"]);
        assert!(last_lines("\n \r\n", 1).is_empty());
    }

    #[test]
    fn of_the_events_of_a_host_words_and_tools_are_told() {
        for (line, expected) in [
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Two\nlines"},{"type":"tool_use","name":"Bash","input":{"description":"d","command":"cargo test"}}]}}"#,
                &["Two", "lines", "› Bash cargo test"][..],
            ),
            (r#"{"type":"system","subtype":"init"}"#, &[]),
            (r#"{"type":"result","result":"said before"}"#, &[]),
            (
                r#"{"type":"item.started","item":{"type":"command_execution","command":"ls -l"}}"#,
                &["› command ls -l"],
            ),
            (
                r#"{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}"#,
                &["Done."],
            ),
            (
                r#"{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a.rs"}]}}"#,
                &["› edit a.rs"],
            ),
            (
                r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"path":"b"}}]}}"#,
                &["› read b"],
            ),
            (
                r#"{"type":"turn.failed","error":{"message":"no"}}"#,
                &["no"],
            ),
            // What is no event of a host stands as it is.
            (r#"{"type":"mine","n":1}"#, &[r#"{"type":"mine","n":1}"#]),
            ("{ broken", &["{ broken"]),
            ("\u{1b}[31mred\u{1b}[0m", &["red"]),
        ] {
            assert_eq!(lines_of(line), expected, "{line}");
        }
    }

    #[test]
    fn what_a_tool_is_used_on_steers_no_terminal() {
        let line = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"a\u001b[2J\nb"}}]}}"#;
        let told = lines_of(line);
        assert_eq!(told.len(), 1);
        assert!(!told[0].contains('\u{1b}'), "{told:?}");
    }
}
