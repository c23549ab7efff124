//! Which goals there are.

pub mod sort;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::{Standing, standing};
use crate::domain::focus::focused;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::Status;
use crate::domain::select::{ShortestIds, TitleWords};
use crate::ops::attention::{counted, facts_of_standing};
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::elsewhere::{Elsewhere, outside};
use crate::ops::failure::Failure;
use crate::ops::list::sort::Sort;
use crate::ops::store;
use crate::ops::workers::Workers;
use crate::render::stores::StoreAge;
use crate::render::view::GoalRow;

/// Which goals are asked for.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// The ended ones too.
    pub all: bool,
    /// Only goals of these statuses; any when empty.
    pub statuses: Vec<Status>,
    /// Only goals that stand so; however they stand when empty.
    pub standings: Vec<Standing>,
    /// Only goals of this owner.
    pub owner: Option<String>,
    /// Only goals whose titles have these words.
    pub words: TitleWords,
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<usize>,
    /// How much of its id tells a goal from all others.
    pub shortest_ids: bool,
}

/// The goals that were asked for, in the order that was asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub goals: Vec<GoalRow>,
    /// How many goals the project has of each status, whatever was asked for.
    pub counts: BTreeMap<Status, u64>,
    /// How many goals that fit what was asked for stand how, also those beyond the limit.
    pub standings: BTreeMap<Standing, u64>,
    /// How many more goals fit what was asked for, beyond the limit.
    #[serde(skip_serializing_if = "is_zero")]
    pub beyond_limit: u64,
    /// The store that the ledger belongs to, and how old the file is that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreAge>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Lists goals as the caller's session sees them: the open ones, or those that were asked for.
///
/// # Errors
/// The system refuses to read the project.
pub fn list(call: &Call, asked: &ListRequest) -> Result<Listed, Failure> {
    let snapshot = call.look()?;
    let ends = asked.standings.contains(&Standing::Ended);
    let wanted = |status: Status| match asked.statuses.is_empty() {
        true => asked.all || ends || status.is_open(),
        false => asked.statuses.contains(&status),
    };
    let focus = focused(&snapshot.state, call.caller.session.as_deref());
    let workers = Workers::of_all(call);
    // Only a completed goal is proven; a listing of open ones reads no key.
    let mut attester = None;
    let rows = snapshot.rows(wanted)?;
    let facts = facts_of_standing(call, &snapshot, &rows, &workers)?;
    let fits = |row: &Row| {
        let owner = asked.owner.as_deref();
        owner.is_none_or(|owner| row.owner.as_deref() == Some(owner))
            && (asked.words.is_empty() || asked.words.are_in(row.heading()))
    };
    let stands = |row: Row| (standing(&row, &facts), row);
    let fitting = rows.into_iter().filter(fits).map(stands);
    let mut found: Vec<(Standing, Row)> = fitting
        .filter(|(standing, _)| asked.standings.is_empty() || asked.standings.contains(standing))
        .collect();
    asked.sort.sort(&mut found);
    let standings = counted(found.iter().map(|(standing, _)| *standing));
    let beyond = asked
        .limit
        .map_or(0, |most| found.len().saturating_sub(most));
    found.truncate(found.len() - beyond);
    let ids = match asked.shortest_ids {
        true => ShortestIds::of(&snapshot.state),
        false => ShortestIds::default(),
    };
    let (mut goals, mut audited_elsewhere) = (Vec::new(), Vec::new());
    for (standing, row) in found {
        let attested = match row.audited {
            None => None,
            audited => {
                let attester = match &attester {
                    Some(attester) => attester,
                    None => attester.insert(ApprovalChecker::of(&call.workspace, &snapshot)?),
                };
                attester.prove_completion(&snapshot, &row.id, audited)?
            }
        };
        let there = Elsewhere::of_completion(&call.workspace, &snapshot, &row.id, row.audited)?;
        audited_elsewhere.extend(there.map(|there| (goals.len(), there)));
        let telling = ids.of_id(&row.id);
        let at_work = workers.on(&row);
        let row = GoalRow::of(row, standing, focus, at_work, attested);
        goals.push(GoalRow { telling, ..row });
    }
    attester.iter().for_each(ApprovalChecker::keep);
    for (at, path) in outside(&call.workspace, audited_elsewhere) {
        goals[at].elsewhere = Some(path);
    }
    Ok(Listed {
        goals,
        counts: snapshot.state.counts(),
        standings,
        beyond_limit: beyond as u64,
        store: store::age(call, &snapshot.state),
    })
}
