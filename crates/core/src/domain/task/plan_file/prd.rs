//! `prd.json` of ralph loops: user stories, each with criteria and whether it passes, in the order of
//! their priorities.

use serde_json::Value;

use super::formats::Source;
use super::json::{details, id, list, task, text, value, value_for};
use super::{LeftOut, Plan, PlanError};

pub(super) fn detect(source: &Source<'_>) -> bool {
    value(source).is_some_and(|value| stories(&value).iter().any(|it| it["passes"].is_boolean()))
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let value = value_for(source, "prd")?;
    let mut plan = Plan {
        title: text(&value, "project").map(str::to_owned),
        ..Plan::default()
    };
    let mut stories: Vec<&Value> = stories(&value).iter().collect();
    stories.sort_by_key(|story| story["priority"].as_i64().unwrap_or(i64::MAX));
    for story in stories {
        let Some(title) = text(story, "title") else {
            let text = format!("a story without a title: {}", story["id"]);
            plan.left_out.push(LeftOut { line: 0, text });
            continue;
        };
        let status = match story["passes"] == true {
            true => "done",
            false => "open",
        };
        let names: Vec<String> = list(story, "dependsOn").iter().filter_map(id).collect();
        let criteria = list(story, "acceptanceCriteria").iter();
        let criteria: Vec<String> = criteria
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect();
        let mut made = task(id(&story["id"]), title, status, &mut plan.remarks);
        made.success_criteria = (!criteria.is_empty()).then_some(criteria);
        made.details = details(&[
            made.details.as_deref(),
            text(story, "description"),
            text(story, "notes"),
        ]);
        made.after = names;
        plan.tasks.push(made);
    }
    Ok(plan)
}

fn stories(value: &Value) -> &[Value] {
    list(value, "userStories")
}
