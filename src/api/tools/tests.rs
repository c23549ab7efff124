//! The table as a whole: names, schemas, and that schemas and readers agree.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;
use crate::domain::goal::contract::ContractChange;
use crate::ops::phase::{Phase, SessionPhase, Use};
use crate::ops::set::set;
use crate::ops::testing::Project;
use crate::render::surface::named_tools;
use crate::roles::transcripts::READING;

fn schema_of(tool: &Tool) -> Value {
    let listed = list().tools;
    let found = listed.into_iter().find(|it| it.name == tool.name);
    found.unwrap().input_schema
}

fn answer(tool: &str, call: Call, arguments: Value) -> Result<ToolAnswer, Failure> {
    named(tool).unwrap().call(call, arguments)
}

fn takes_anything(property: &Value) -> bool {
    *property == true || property["type"].is_null() && property.get("enum").is_none()
}

/// A value that this property takes, from its schema.
fn sample(schema: &Value, property: &Value) -> Value {
    if let Some(values) = property["enum"].as_array() {
        return values[0].clone();
    }
    if let Some(of) = property["anyOf"].as_array() {
        let of = of.iter().find(|it| it["type"] != "null").unwrap();
        return sample(schema, of);
    }
    if let Some(reference) = property["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').unwrap();
        return sample(schema, schema.pointer(pointer).unwrap());
    }
    if let Some(of) = property["oneOf"].as_array() {
        return match &of[0]["const"] {
            Value::Null => sample(schema, &of[0]),
            value => value.clone(),
        };
    }
    if let Some(pattern) = property["pattern"].as_str() {
        assert!(pattern.contains("{32}"), "{pattern}");
        return "0".repeat(32).into();
    }
    if takes_anything(property) {
        return json!([1]);
    }
    let kind = match &property["type"] {
        Value::Array(kinds) => kinds[0].clone(),
        kind => kind.clone(),
    };
    match kind.as_str().unwrap() {
        "string" => "x".into(),
        "boolean" => true.into(),
        "integer" => 1.into(),
        "number" => json!(0.5),
        "array" => json!([sample(schema, &property["items"])]),
        "object" if property["required"].is_null() => {
            json!({ "x": sample(schema, &property["additionalProperties"]) })
        }
        "object" => {
            let required = property["required"].as_array().unwrap().iter();
            let names = required.map(|name| name.as_str().unwrap().to_owned());
            let given = names.map(|name| {
                let value = sample(schema, &property["properties"][&name]);
                (name, value)
            });
            Value::Object(given.collect())
        }
        other => panic!("{other}: {property}"),
    }
}

fn properties(schema: &Value) -> &Map<String, Value> {
    schema["properties"].as_object().unwrap()
}

#[test]
fn names_are_unique_and_descriptions_one_sentence() {
    let names: BTreeSet<_> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    for tool in TOOLS {
        let text = tool.description;
        assert!(
            text.ends_with('.') && !text[..text.len() - 1].contains(". "),
            "{text}"
        );
    }
    assert_eq!(named("get_goal").unwrap().name, "get_goal");
    assert!(named("Get_goal").is_none());
}

#[test]
fn every_schema_is_valid_and_closed() {
    for tool in list().tools {
        let output = tool.output_schema.as_ref().unwrap();
        for schema in [&tool.input_schema, output] {
            // Also that every reference leads somewhere.
            jsonschema::draft202012::new(schema).unwrap();
            assert!(jsonschema::draft202012::meta::is_valid(schema));
            let text = schema.to_string();
            assert!(!text.contains("\"format\":\"uint"), "{}", tool.name);
        }
        let takes_anything = ["step_complete", "create_goal"].contains(&tool.name);
        assert_eq!(
            tool.input_schema["additionalProperties"], takes_anything,
            "{}",
            tool.name
        );
        for name in ["goalId", "revision", "session", "turn", "key"] {
            assert!(
                properties(&tool.input_schema).contains_key(name),
                "{}: {name}",
                tool.name
            );
        }
    }
}

/// Arguments that do not go with the tool's others.
fn in_place_of_others(tool: &str) -> &[&str] {
    match tool {
        "set_goal_tasks" => &["append", "under"],
        "add_evidence" => &["facts"],
        "update_goal_task" => &["evidenceKey", "value", "reason", "evidence", "summary"],
        "iterate_goal" => &["iterationId", "output", "learned", "outcome", "summary"],
        _ => &[],
    }
}

#[test]
fn what_the_schema_allows_is_read_and_nothing_else() {
    for tool in TOOLS
        .iter()
        .filter(|tool| !["step_complete", "create_goal"].contains(&tool.name))
    {
        let project = project();
        let schema = schema_of(tool);
        let mut all = Map::new();
        for (name, property) in properties(&schema) {
            all.insert(name.clone(), sample(&schema, property));
        }
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let mut whole = all.clone();
        whole.retain(|name, _| !in_place_of_others(tool.name).contains(&name.as_str()));
        let whole = Value::Object(whole);
        assert!(validator.is_valid(&whole), "{}: {whole}", tool.name);
        // Everything is understood: what is refused is refused for another reason.
        let refused = answer(tool.name, agent(&project), whole).err();
        assert!(
            refused.as_ref().is_none_or(|it| it.code != "usage"),
            "{}: {refused:?}",
            tool.name
        );

        let call = || agent(&project);
        for (name, property) in properties(&schema) {
            let compound = ["$ref", "anyOf", "oneOf"];
            if compound.iter().all(|it| property.get(it).is_none()) && takes_anything(property) {
                continue;
            }
            let mut wrong = all.clone();
            // An object of any fields takes this one too.
            let odd = match property["type"].to_string().contains("object") {
                true => json!(["a"]),
                false => json!({ "a": {} }),
            };
            wrong.insert(name.clone(), odd);
            assert!(!validator.is_valid(&Value::Object(wrong.clone())));
            let failure = answer(tool.name, call(), Value::Object(wrong)).unwrap_err();
            assert_eq!(failure.code, "usage", "{}: {name}", tool.name);
            assert!(
                failure.message.contains(&format!("`{name}")),
                "{}",
                failure.message
            );
        }
        for value in [Value::Bool(true), Value::Null] {
            let mut unknown = all.clone();
            unknown.insert("sudo".into(), value);
            let failure = answer(tool.name, call(), Value::Object(unknown)).unwrap_err();
            assert!(failure.message.contains("`sudo`"), "{}", failure.message);
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let mut missing = all.clone();
            missing.remove(name.as_str().unwrap());
            let failure = answer(tool.name, call(), Value::Object(missing)).unwrap_err();
            assert!(
                failure.message.contains(name.as_str().unwrap()),
                "{}",
                failure.message
            );
        }
        for odd in [json!([]), json!("x"), json!(1)] {
            let failure = answer(tool.name, call(), odd).unwrap_err();
            assert_eq!(failure.message, "a tool's arguments must be a JSON object");
        }
    }
}

/// Where a session stands that makes use of nothing, and of everything.
fn stands() -> Vec<SessionPhase> {
    let phases = [
        Phase::None,
        Phase::Draft,
        Phase::Active,
        Phase::Resting,
        Phase::Elsewhere,
    ];
    let all = BTreeSet::from([
        Use::Drafts,
        Use::Changes,
        Use::Tasks,
        Use::Plans,
        Use::Steps,
        Use::Iterations,
        Use::Delegation,
        Use::Interpretation,
        Use::Waiting,
    ]);
    let at = |uses: &BTreeSet<Use>| {
        phases.map(|phase| SessionPhase {
            phase: Some(phase),
            uses: uses.clone(),
        })
    };
    [at(&BTreeSet::new()), at(&all)].concat()
}

#[test]
fn each_phase_shows_its_tools() {
    let names = |stand: &SessionPhase| {
        let tools = shown(stand).tools.into_iter();
        tools.map(|tool| tool.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&SessionPhase::default()), "");
    let shown: Vec<String> = stands().iter().map(names).collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    get_goal propose_goal_draft
    get_goal propose_goal_draft
    get_goal apply_goal_tweak note_progress ask_user set_goal_tasks update_goal_task pause_goal update_goal abort_goal
    get_goal note_progress ask_user
    get_goal list_goals
    get_goal propose_goal_draft interpret_message
    get_goal propose_goal_draft apply_goal_tweak withdraw_question
    get_goal propose_goal_draft apply_goal_tweak note_progress plan_goal perform_step interpret_message ask_user withdraw_question get_goal_tasks set_goal_tasks update_goal_task iterate_goal delegate_goal pause_goal update_goal abort_goal
    get_goal note_progress ask_user withdraw_question
    get_goal list_goals propose_goal_draft
    ");
}

/// How many tokens a model reads for a list of tools, as a host passes them on. Of all sets of the
/// test below one token of the encoding o200k_base is at least this many bytes, as measured with
/// gpt-tokenizer 3.4.0; a tokenizer of our own would be larger than what it measures.
const BYTES_PER_TOKEN: usize = 4;

#[test]
fn what_a_model_is_shown_is_short() {
    for stand in stands() {
        let most = match (stand.phase, stand.uses.is_empty()) {
            (Some(Phase::Active), true) => 1_300,
            (Some(Phase::Active), false) => 3_600,
            _ => 750,
        };
        let tools = shown(&stand).tools.into_iter();
        let bytes: usize = tools
            .map(|tool| {
                let passed_on = json!({
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                });
                passed_on.to_string().len()
            })
            .sum();
        let tokens = bytes / BYTES_PER_TOKEN;
        assert!(tokens <= most, "{stand:?}: {bytes} bytes");
    }
}

#[test]
fn what_a_model_is_shown_is_taken() {
    for stand in stands() {
        for tool in shown(&stand).tools {
            let all = schema_of(named(tool.name).unwrap());
            assert_eq!(
                all["required"], tool.input_schema["required"],
                "{}",
                tool.name
            );
            jsonschema::draft202012::new(&tool.input_schema).unwrap();
            let text = tool.input_schema.to_string();
            for noise in [
                "$schema",
                "null",
                "anyOf",
                "\"default\"",
                "goalId",
                "revision",
            ] {
                assert!(!text.contains(noise), "{}: {noise}", tool.name);
            }
            let validator = jsonschema::draft202012::new(&all).unwrap();
            for (name, property) in properties(&tool.input_schema) {
                let whole = &properties(&all)[name];
                if let (Some(described), Some(shown)) =
                    (whole.get("description"), property.get("description"))
                {
                    assert_eq!(shown, described, "{name}");
                }
                let given = json!({ name: sample(&tool.input_schema, property) });
                let mut errors = validator.iter_errors(&given);
                let wrong = errors.find(|it| !it.to_string().contains("required"));
                assert!(wrong.is_none(), "{}: {wrong:?}", tool.name);
            }
        }
    }
}

#[test]
fn optional_arguments_may_be_null() {
    for tool in TOOLS {
        let project = project();
        let schema = schema_of(tool);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut fields = Map::new();
        let mut required = required;
        // One of two is needed, which the schema cannot say in few words.
        required.extend(match tool.name {
            "update_goal_task" => vec!["taskId".into(), "status".into()],
            "add_evidence" => vec!["evidenceKey".into(), "value".into()],
            _ => Vec::new(),
        });
        for (name, property) in properties(&schema) {
            let value = match required.contains(&Value::from(name.clone())) {
                true => sample(&schema, property),
                false => Value::Null,
            };
            fields.insert(name.clone(), value);
        }
        let refused = answer(tool.name, agent(&project), Value::Object(fields)).err();
        assert!(
            refused.as_ref().is_none_or(|it| it.code != "usage"),
            "{}: {refused:?}",
            tool.name
        );
    }
}

#[test]
fn the_model_is_told_what_was_left_out() {
    let project = project();
    let note = json!({ "note": format!("log in with ghp_{}", "a1".repeat(18)) });
    let told = answer("note_progress", agent(&project), note).unwrap();
    let text = told.data["text"].as_str().unwrap();
    assert!(
        text.starts_with("Noted. ") && text.contains("github_token"),
        "{text}"
    );
    assert_eq!(text.matches("Note: what looks").count(), 1, "{text}");
    let proposal = json!({ "objective": "o" });
    let told = answer("propose_goal_draft", agent(&project), proposal).unwrap();
    let text = told.data["text"].as_str().unwrap();
    assert_eq!(text.matches("Note: missing").count(), 1, "{text}");
}

#[test]
fn the_host_says_what_the_model_may_only_repeat() {
    let project = project();
    let call = || {
        let mut call = agent(&project);
        call.caller.session = Some("s".into());
        call
    };
    let note = |session: Value| json!({ "note": "n", "session": session });
    assert!(answer("note_progress", call(), note("s".into())).is_ok());
    assert!(answer("note_progress", call(), note(Value::Null)).is_ok());
    let failure = answer("note_progress", call(), note("t".into())).unwrap_err();
    assert_eq!(
        failure.message,
        "`session` is not what the host said of this call"
    );
    let failure = answer("note_progress", agent(&project), note("a\nb".into()));
    assert!(failure.unwrap_err().message.contains("control characters"));
}

#[test]
fn every_other_status_names_its_tool_or_the_user() {
    let project = project();
    for (status, instead) in [
        ("paused", "pause_goal"),
        ("blocked", "pause_goal"),
        ("aborted", "abort_goal"),
        ("active", "goal resume"),
        ("failed", "goal abort --as failed"),
        ("abandoned", "goal abort --as abandoned"),
        ("achieved", "`complete`"),
        ("x\u{1b}[31m", "`complete`"),
    ] {
        let failure = answer("update_goal", agent(&project), json!({ "status": status }));
        let failure = failure.unwrap_err();
        assert_eq!(failure.code, "wrong_tool");
        assert!(failure.hint.contains(instead), "{status}: {}", failure.hint);
        assert!(!failure.message.contains('\u{1b}'));
    }
}

/// A project with one goal, which is focused.
fn project() -> Project {
    let project = Project::with(&[] as &[&str]);
    let contract = ContractChange {
        objective: Some("x".into()),
        ..ContractChange::default()
    };
    set(&project.call(None), contract, None, Default::default()).unwrap();
    project
}

fn agent(project: &Project) -> Call {
    let mut call = project.call(None);
    call.caller.actor = Actor::Agent;
    call
}

#[test]
fn get_goal_says_who_else_is_at_the_goal() {
    let nothing: &[&str] = &[];
    let now = Project::with(nothing).call(None).onlooker().now;
    let at = crate::domain::time::rfc3339(now);
    let project = Project::with(&[format!(
        r#"{{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"{at}","session":"other"}}"#
    )]);
    let told = |session: &str| {
        let mut call = project.call(None);
        call.caller.session = Some(session.to_owned());
        answer("get_goal", call, json!({})).unwrap()
    };
    let (mine, theirs) = (told("other"), told("mine"));
    let said = "Also at this goal: session other, just now.";
    for (told, is_said) in [(&mine, false), (&theirs, true)] {
        let text = told.data["text"].as_str().unwrap();
        assert_eq!(text.contains(said), is_said, "{text}");
        assert_eq!(text.contains("in another session"), is_said, "{text}");
    }
    for told in [mine, theirs] {
        assert_eq!(told.data["goal"]["worker"]["session"], "other");
    }
}

/// Texts for models and readers of transcripts stand below this table, and name its tools all the same.
#[test]
fn what_names_tools_names_those_that_are_there() {
    for tool in named_tools() {
        assert!(named(tool).is_some(), "{tool}");
    }
    let reads = TOOLS.iter().filter(|it| it.effect == Effect::Reads);
    let mut reads: Vec<&str> = reads.map(|it| it.name).collect();
    reads.sort_unstable();
    assert_eq!(reads, READING);
}
