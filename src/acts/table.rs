//! The rows of the table of commands, in the order of help.

use super::{Act, Group, Who};

/// Everybody may call it.
const fn anybody(path: &'static str) -> Act {
    Act::new(path, Who::Anybody)
}

/// The user and agents may call it.
const fn worker(path: &'static str) -> Act {
    Act::new(path, Who::Worker)
}

/// Only the user may call it.
const fn user(path: &'static str) -> Act {
    Act::new(path, Who::User)
}

/// Tools whose names hosts have for tools of their own goals, and how ours are called there: a model that
/// is shown both could not tell them apart. `create_goal` is another such name; ours is shown to nobody.
pub const SECOND_NAMES: [(&str, &str); 2] = [
    ("get_goal", "get_ledger_goal"),
    ("update_goal", "update_ledger_goal"),
];

pub const GROUPS: &[Group] = &[
    Group {
        title: "What needs me",
        by_people: true,
        acts: &[
            anybody("status").first().tool("get_goal"),
            anybody("inbox").first(),
            user("answer").first(),
            anybody("watch"),
            anybody("report").yours("with --mark"),
            anybody("audits"),
            anybody("questions").tool("list_questions"),
            anybody("settle").yours("with --take, --accept, --leave or --finding"),
        ],
    },
    Group {
        title: "Goals",
        by_people: true,
        acts: &[
            user("set").first().slash("/goals-set"),
            anybody("draft")
                .first()
                .yours("without --list")
                .slash("/goals"),
            user("confirm").first(),
            anybody("list").first().slash("/goal-list"),
            anybody("show").first().tool("get_goal"),
            worker("tweak")
                .first()
                .yours("without a field to change or with --from-document")
                .tool("apply_goal_tweak"),
            worker("pause").first().tool("pause_goal"),
            user("resume").first().slash("/goal-resume"),
            worker("complete")
                .first()
                .yours("with --auditor or --pending")
                .tool("update_goal"),
            user("reject"),
            user("focus").slash("/goal-focus"),
            worker("abort")
                .yours("with --as failed or --as abandoned")
                .tool("abort_goal"),
            worker("propose").tool("propose_goal_draft"),
            anybody("drafts").spelled("draft --list"),
            user("unfocus")
                .spelled("focus --none")
                .slash("/goal-unfocus"),
            user("adopt"),
            user("fail").spelled("abort --as failed"),
            user("abandon").spelled("abort --as abandoned"),
            worker("block").tool("pause_goal"),
            worker("delegate").tool("delegate_goal"),
            anybody("commitments"),
        ],
    },
    Group {
        title: "Work",
        by_people: true,
        acts: &[
            anybody("task").first().tool("update_goal_task"),
            worker("task set")
                .yours("with --free, or where it drops open tasks that hold completion")
                .tool("set_goal_tasks"),
            worker("task add").tool("set_goal_tasks"),
            worker("task start").tool("update_goal_task"),
            worker("task complete").tool("update_goal_task"),
            worker("task skip").tool("update_goal_task"),
            worker("task fail").tool("update_goal_task"),
            worker("task block").tool("update_goal_task"),
            worker("task reopen").tool("update_goal_task"),
            anybody("task tree").tool("get_goal_tasks"),
            anybody("task stack").tool("get_goal_tasks"),
            worker("task step").tool("perform_step"),
            worker("task import").yours("with --as goals"),
            anybody("task export"),
            worker("note").first().tool("note_progress"),
            worker("wait").tool("note_progress"),
            anybody("next").tool("get_goal_tasks"),
            worker("ask").tool("ask_user"),
            worker("evidence"),
            worker("evidence add").tool("update_goal_task"),
            anybody("evidence list"),
            worker("check"),
            worker("plan")
                .yours("with --planner, or for a new plan where open tasks hold completion")
                .tool("plan_goal"),
            anybody("plan procedures"),
            anybody("plan procedures list"),
            anybody("plan procedures show"),
            anybody("plan procedures check"),
            worker("progress"),
            worker("progress evaluate").tool("note_progress"),
            user("progress baseline"),
            worker("progress agenda").tool("note_progress"),
            worker("progress agenda set").tool("note_progress"),
            worker("progress agenda done").tool("note_progress"),
            worker("progress iterate").tool("iterate_goal"),
            worker("progress iterate start").tool("iterate_goal"),
            worker("progress iterate validate").tool("iterate_goal"),
            worker("progress iterate next").tool("iterate_goal"),
            worker("progress iterate complete").tool("iterate_goal"),
            anybody("progress iterate stats"),
            worker("progress escalate")
                .yours("with --planner, or where open tasks hold completion"),
            worker("progress review").yours("with --reviewer"),
            worker("withdraw")
                .yours("where the user asked or proposed it")
                .tool("withdraw_question"),
            anybody("stack")
                .spelled("task stack")
                .tool("get_goal_tasks"),
            worker("step").spelled("task step").tool("perform_step"),
            worker("import")
                .spelled("task import")
                .yours("with --as goals"),
            anybody("procedure").spelled("plan procedures"),
            worker("evaluate")
                .spelled("progress evaluate")
                .tool("note_progress"),
            user("baseline").spelled("progress baseline"),
            worker("agenda")
                .spelled("progress agenda")
                .tool("note_progress"),
            worker("iterate")
                .spelled("progress iterate")
                .tool("iterate_goal"),
            worker("escalate")
                .spelled("progress escalate")
                .yours("with --planner, or where open tasks hold completion"),
            worker("review")
                .spelled("progress review")
                .yours("with --reviewer"),
        ],
    },
    Group {
        title: "Runs and the ledger",
        by_people: true,
        acts: &[
            user("run").first(),
            anybody("log").first().tool("get_goal"),
            anybody("runs"),
            anybody("budget").yours("with a limit to set or to drop"),
            worker("usage"),
            worker("usage add"),
            anybody("usage report"),
            worker("lease"),
            worker("lease acquire").yours("with --take-over"),
            worker("lease renew"),
            worker("lease release"),
            anybody("lease list"),
            anybody("verify"),
            anybody("doctor"),
            worker("sync").yours("with --join"),
            worker("store"),
            user("store init"),
            worker("store pull"),
            worker("store push"),
            anybody("store status"),
            anybody("store check"),
            user("store leave"),
            worker("repair").yours("with --drop"),
        ],
    },
    Group {
        title: "Set-up",
        by_people: true,
        acts: &[
            worker("init").yours("with --here, --new or --auditor"),
            anybody("config"),
            user("config set"),
            user("config unset"),
            user("config edit"),
            anybody("trust").yours("without --show"),
            worker("auditor"),
            worker("auditor test").yours("with --auditor"),
            anybody("completions"),
            anybody("tour"),
        ],
    },
    Group {
        title: "For programs",
        by_people: false,
        acts: &[
            anybody("tool"),
            anybody("schema"),
            anybody("hook"),
            anybody("mcp"),
            anybody("prompt"),
            anybody("summary").tool("get_goal"),
            worker("interpret").tool("interpret_message"),
            worker("context"),
            worker("context summarize"),
        ],
    },
];
