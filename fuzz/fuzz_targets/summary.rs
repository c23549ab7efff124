//! What is shown of any ledger: the summary keeps its limit, the document its Notes, and no text
//! holds what could steer a terminal.
#![no_main]

use std::collections::BTreeMap;

use goal_core::domain::attention::Standing;
use goal_core::domain::focus::focused;
use goal_core::domain::goal::chain::Audited;
use goal_core::domain::goal::row::Row;
use goal_core::domain::goal::state::Goal;
use goal_core::domain::id::{EventId, GoalId};
use goal_core::domain::line::LineRef;
use goal_core::domain::state::State;
use goal_ledger::internals::render::document::{DocumentInput, document};
use goal_ledger::internals::render::list;
use goal_ledger::internals::render::log::{LogLine, Logged};
use goal_ledger::internals::render::clock::Clock;
use goal_ledger::internals::render::show::show;
use goal_ledger::internals::render::table::{Columns, Table};
use goal_ledger::internals::render::summary::{Limits, SummaryInput, summary};
use goal_ledger::internals::render::view::{AtWork, Extras, GoalRow, GoalView, RecentEvent};
use goal_ledger::internals::render::work::Onlooker;
use goal_ledger_fuzz::{Read, assert_visible, bytes_of, each_line, read};
use libfuzzer_sys::fuzz_target;

/// The contract of the focused goal, verbatim up to 32 KiB, with what stands around it.
const CONTRACT: usize = 34 * 1024;

/// Somebody without a session, in 1970.
const NOBODY: Onlooker<'static> = Onlooker {
    session: None,
    now: 0,
};

fuzz_target!(|ledger: &[u8]| {
    let whole = read(ledger);
    let id = |line| bytes_of(ledger, line).map(|bytes| EventId::of_line(&bytes));
    let mut audited = BTreeMap::new();
    for goal in whole.state.goals.values() {
        if let Ok(Some(how)) = goal.audited(|line| id(line).ok_or(())) {
            audited.insert(goal.id.clone(), how);
        }
    }
    let id = |line| id(line).expect("a line that was read");
    assert_summary(&whole, &audited, &id);
    let focus = focused(&whole.state, None);
    for goal in whole.state.goals.values() {
        assert_goal(goal, focus, audited.get(&goal.id).copied(), &whole, &id);
    }
    each_line(ledger, |raw| {
        if let Some(line) = LogLine::of(raw) {
            // Colours are ours; the rest is not.
            assert_visible("log --json", &line.json().expect("a line is JSON"));
            let rows = [Logged { line, title: None }];
            let columns = Columns::named(&[]).expect("without names they are those that are shown");
            let table = Table::of(&columns, &rows, usize::MAX, NOBODY.now);
            assert_visible("log", &table.rows(&rows).replace('\x1b', ""));
        }
    });
});

fn assert_summary(
    whole: &Read,
    audited: &BTreeMap<GoalId, Audited>,
    id: &dyn Fn(LineRef) -> EventId,
) {
    let state: &State = &whole.state;
    let goal = focused(state, None).and_then(|id| state.goals.get(id));
    let events = goal.map_or_else(Vec::new, |goal| recent(goal, whole, id));
    for max_bytes in [16 * 1024, 1024, 0] {
        let limits = Limits {
            max_bytes,
            ..Limits::default()
        };
        let input = SummaryInput {
            state,
            session: None,
            events: &events,
            audited,
            outside: audited
                .values()
                .filter(|how| **how == Audited::None)
                .count() as u64,
            document: Some(".pi/goals/active_goal_*.md"),
        };
        let text = summary(&input, &limits);
        assert!(text.len() <= max_bytes.max(1) + CONTRACT, "{}", text.len());
        assert_visible("summary", &text);
        assert_eq!(text, summary(&input, &limits));
    }
}

/// A goal's latest events.
fn recent(goal: &Goal, whole: &Read, id: &dyn Fn(LineRef) -> EventId) -> Vec<RecentEvent> {
    let of_goal = whole
        .applied
        .iter()
        .filter(|(_, event)| event.goal_id.as_ref() == Some(&goal.id));
    of_goal
        .map(|(line, event)| RecentEvent::of(*line, id(*line), event.clone()))
        .collect()
}

fn assert_goal(
    goal: &Goal,
    focus: Option<&GoalId>,
    audited: Option<Audited>,
    whole: &Read,
    id: &dyn Fn(LineRef) -> EventId,
) {
    let view = GoalView::of(
        goal,
        Extras {
            focused: focus == Some(&goal.id),
            audited,
            attested: None,
            to_settle: None,
            revision: goal.revision.map(id),
            standing: Standing::Quiet,
            needs: Default::default(),
            audit: None,
            source: None,
            planning: false,
            document: None,
            lease: None,
            run: None,
            recent: recent(goal, whole, id),
        },
    );
    let row = GoalRow::of(
        Row::of(goal, audited),
        Standing::Quiet,
        focus,
        AtWork::default(),
        None,
    );
    assert_visible("show", &show(&view, Clock::of(NOBODY.now, None), None).replace('\x1b', ""));
    // Behind what is read from right to left the listing itself puts a mark.
    let rows = list::rows(&[row], NOBODY, 80).replace(['\x1b', '\u{200e}'], "");
    assert_visible("list", &rows);

    let facts = DocumentInput {
        path: ".pi/goals/a.md",
        revision: None,
        event: None,
        audited,
    };
    let body = document(goal, &facts).body;
    assert_visible("document", &body);
    assert!(body.lines().all(|line| line.trim_end() != "## Notes"));
}
