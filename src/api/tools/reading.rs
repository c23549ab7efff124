//! The tools that only read.

use std::num::NonZeroU32;

use crate::api::tools::arguments::{GetGoal, ListGoals, Nothing};
use crate::api::tools::told::{ToolAnswer, read};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::list::{ListRequest, list};
use crate::ops::orient::orient;
use crate::ops::summary::summarise;
use crate::render::columns::unstyled;
use crate::render::list::{Listing as Text, list as render};
use crate::render::summary::Limits;
use crate::render::table::Columns;
use crate::render::text::count;
use crate::render::work::others;
use crate::transaction::place::is_missing;

/// Most goals in a listing, where the model does not say.
const LIMIT: NonZeroU32 = NonZeroU32::new(50).unwrap();

/// How wide a listing for a model is.
const COLUMNS: usize = 160;

pub(super) fn get_goal(call: &Call, asked: GetGoal) -> Result<ToolAnswer, Failure> {
    let orientation = orient(call, asked.calls.unwrap_or(1))?;
    let mut text = orientation.prompt.clone();
    if let Some(beside) = &orientation.beside {
        text = format!("{beside}\n{text}");
    }
    if let Some(uncounted) = &orientation.uncounted {
        text.push_str(&format!("\n{uncounted} Tell the user.\n"));
    }
    if let Some(nudge) = &orientation.nudge {
        text = format!("{nudge}\n\n{text}");
    }
    if let Some(goal) = &orientation.goal
        && let Some(others) = others(goal.worker.as_ref(), goal.lease.as_ref(), call.onlooker())
    {
        text.push_str(&format!(
            "\nAlso at this goal: {others}. Look at its latest notes, so that nothing is done twice.\n"
        ));
    }
    read(orientation, text)
}

pub(super) fn list_goals(call: &Call, asked: ListGoals) -> Result<ToolAnswer, Failure> {
    let statuses = asked.status.unwrap_or_default();
    let filtered = !statuses.is_empty();
    let all = asked.all.unwrap_or_default();
    let listed = list(
        call,
        &ListRequest {
            all,
            statuses,
            limit: Some(asked.limit.unwrap_or(LIMIT).get() as usize),
            ..ListRequest::default()
        },
    )?;
    let mut text = unstyled(&render(&Text {
        rows: &listed.goals,
        counts: &listed.counts,
        standings: &listed.standings,
        filtered,
        grouped: false,
        columns: &Columns::usual(),
        width: COLUMNS,
        beyond: 0,
        onlooker: call.onlooker(),
        lost: listed.counts.is_empty() && is_missing(&call.workspace),
    }));
    if listed.beyond_limit > 0 {
        let more = count(listed.beyond_limit, "more goal");
        text.push_str(&format!("{more}: a higher `limit` shows them\n"));
    }
    read(listed, text)
}

pub(super) fn goal_summary(call: &Call, _: Nothing) -> Result<ToolAnswer, Failure> {
    let summarised = summarise(call, &Limits::default())?;
    let text = summarised.summary.clone();
    read(summarised, text)
}
