//! The rows of the list: first what waits, a row each as in the inbox, then the other goals by
//! standing. A list that the person is in keeps its order: see [`kept`].

use std::collections::{HashMap, HashSet};

use ratatui_core::style::Style;

use crate::domain::attention::{Need, Standing};
use crate::domain::id::GoalId;
use crate::domain::select::folded;
use crate::render::marks::{self, Mark, verdicts};
use crate::render::text::one_line;
use crate::render::view::GoalRow;
use crate::render::watch::scene::Scene;
use crate::render::watch::style::{self, DIM};

/// What a row is about, by which it is found again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowId {
    Need {
        kind: &'static str,
        goal: Option<GoalId>,
        /// Of the draft or question, else the remote's name.
        of: String,
    },
    Goal(GoalId),
}

/// Under which heading a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Needs,
    Stands(Standing),
    /// It came while the order was kept.
    New,
}

impl Group {
    pub fn heading(self) -> &'static str {
        match self {
            Group::Needs => "needs you",
            Group::Stands(standing) => standing.name(),
            Group::New => "new",
        }
    }
}

/// One row, with all that is drawn of it.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: RowId,
    pub group: Group,
    pub mark: (&'static str, Style),
    pub title: String,
    pub note: String,
    pub owner: String,
    pub since: Option<String>,
    pub goal: Option<GoalId>,
    /// It waits no more, or stands elsewhere: it only keeps its place.
    pub gone: bool,
}

impl RowId {
    pub fn of_need(need: &Need) -> RowId {
        let of = need.draft_id.as_ref().or(need.question_id.as_ref());
        RowId::Need {
            kind: need.kind.name(),
            goal: need.goal_id.clone(),
            of: match (of, &need.goal_id) {
                (Some(of), _) => of.clone(),
                (None, Some(_)) => String::new(),
                (None, None) => need.title.clone(),
            },
        }
    }
}

/// The rows in their newest order.
pub fn arranged(scene: &Scene) -> Vec<Row> {
    let mut rows: Vec<Row> = scene.needs.iter().map(of_need).collect();
    let turns: HashMap<&GoalId, u64> = scene
        .runs
        .iter()
        .map(|it| (&it.goal_id, it.run.turns + 1))
        .collect();
    let about: HashSet<&GoalId> = scene
        .needs
        .iter()
        .filter_map(|it| it.goal_id.as_ref())
        .collect();
    for standing in Standing::ALL {
        // What stands so waits for the person, and is there already with what it waits for.
        let waits = matches!(
            standing,
            Standing::Waiting | Standing::Contested | Standing::Blocked | Standing::Stuck
        );
        let stands = scene.goals.iter().filter(|it| it.standing == standing);
        let stands = stands.filter(|it| !waits || !about.contains(&it.goal_id));
        rows.extend(stands.map(|it| of_goal(it, turns.get(&it.goal_id).copied())));
    }
    rows
}

/// The rows in the order that they have, with what is known of them now: what is new stands at the
/// end, and what is no longer there keeps its place.
pub fn kept(rows: &[Row], scene: &Scene) -> Vec<Row> {
    let fresh = arranged(scene);
    let standing: HashMap<&GoalId, Standing> = scene
        .goals
        .iter()
        .map(|it| (&it.goal_id, it.standing))
        .collect();
    let known: HashSet<RowId> = rows.iter().map(|row| row.id.clone()).collect();
    let (old, new): (Vec<Row>, Vec<Row>) =
        fresh.into_iter().partition(|row| known.contains(&row.id));
    let mut old: HashMap<RowId, Row> = old.into_iter().map(|row| (row.id.clone(), row)).collect();
    let mut all: Vec<Row> = Vec::with_capacity(rows.len() + new.len());
    for row in rows {
        all.push(match old.remove(&row.id) {
            Some(now) => now.under(row.group),
            None => row.gone(&standing),
        });
    }
    all.extend(new.into_iter().map(|row| Row {
        group: Group::New,
        ..row
    }));
    all
}

impl Row {
    /// The same under the heading that it has; where it stands elsewhere by now, it says so.
    fn under(self, group: Group) -> Row {
        let note = match (group, self.group) {
            (Group::Stands(then), Group::Stands(now)) if then != now => format!("now {now}"),
            _ => self.note,
        };
        Row {
            group,
            note,
            ..self
        }
    }

    /// The row of what is no longer there.
    fn gone(&self, standing: &HashMap<&GoalId, Standing>) -> Row {
        let now = self.goal.as_ref().and_then(|goal| standing.get(goal));
        let note = match (&self.id, now) {
            (RowId::Need { .. }, _) => "settled".to_owned(),
            (RowId::Goal(_), Some(standing)) => format!("now {standing}"),
            (RowId::Goal(_), None) => "ended".to_owned(),
        };
        Row {
            mark: ("✓", DIM),
            note,
            gone: true,
            ..self.clone()
        }
    }

    /// Whether the row has all of these words, which are folded.
    pub fn has(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let goal = self.goal.as_ref().map_or("", |goal| goal.as_str());
        let heading = self.group.heading();
        let text = format!(
            "{} {} {} {heading} {goal}",
            self.title, self.note, self.owner
        );
        let text = folded(&text);
        words.iter().all(|word| text.contains(word))
    }
}

/// The mark as a row has it.
fn styled(mark: Mark) -> (&'static str, Style) {
    (mark.mark, style::of(mark.tone))
}

fn of_need(need: &Need) -> Row {
    let mark = marks::of_need(need.kind);
    Row {
        id: RowId::of_need(need),
        group: Group::Needs,
        mark: styled(mark),
        title: one_line(&need.title),
        note: mark.word.to_owned(),
        owner: need.owner.as_deref().map(one_line).unwrap_or_default(),
        since: need.since.clone(),
        goal: need.goal_id.clone(),
        gone: false,
    }
}

fn of_goal(goal: &GoalRow, turn: Option<u64>) -> Row {
    let turn = turn.map(|turn| format!("turn {turn}"));
    let audits = verdicts(&goal.audits);
    let tasks = goal.tasks.map(|it| format!("{}/{}", it.done, it.all));
    let score = goal.score.map(|score| format!("{score:.2}"));
    let parts = [turn, Some(audits), tasks, score].into_iter().flatten();
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    let worker = goal.worker.as_ref().map(|it| it.session.as_str());
    let owner = goal.owner.as_deref().or(worker);
    Row {
        id: RowId::Goal(goal.goal_id.clone()),
        group: Group::Stands(goal.standing),
        mark: styled(marks::of_goal(goal.standing, goal.status)),
        title: one_line(goal.heading()),
        note: parts.join(" "),
        owner: owner.map(one_line).unwrap_or_default(),
        since: Some(goal.updated_at.clone()),
        goal: Some(goal.goal_id.clone()),
        gone: false,
    }
}
