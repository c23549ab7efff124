//! Goals that rest: whose rest waits for the person.

use super::*;

#[test]
fn a_blocked_goal_waits_and_so_does_one_that_an_agent_paused() {
    let blocked = json!({"reason": "no access", "blocked": true});
    check(
        &[created(90, "g"), paused(60, blocked)],
        nothing,
        Standing::Blocked,
        &["blocked 2026-11-21T19:30:00.000Z goal resume --goal g"],
    );
    for fields in [
        json!({"reason": "tired"}),
        json!({"reason": "tired", "by": "user"}),
        // What a rule paused, and what another tool's user did.
        json!({"reason": "gave way", "by": "system", "source": "slots"}),
        json!({"reason": "tired", "source": "user"}),
    ] {
        let lines = [created(90, "g"), paused(60, fields)];
        check(&lines, nothing, Standing::Resting, &[]);
    }
    for fields in [
        json!({"reason": "A or B?", "by": "agent"}),
        // Other tools write who paused in this way.
        json!({"reason": "A or B?", "source": "agent"}),
    ] {
        let mut lines = vec![created(90, "g"), paused(60, fields)];
        let waits = ["paused 2026-11-21T19:30:00.000Z goal resume --goal g"];
        check(&lines, nothing, Standing::Waiting, &waits);
        // The user lets it rest.
        lines.push(paused(50, json!({"reason": "not now", "by": "user"})));
        check(&lines, nothing, Standing::Resting, &[]);
    }
    let over = json!({"reason": "over budget", "source": "budget"});
    check(
        &[created(90, "g"), paused(60, over)],
        nothing,
        Standing::Resting,
        &["budget 2026-11-21T19:30:00.000Z goal budget --goal g"],
    );
}
