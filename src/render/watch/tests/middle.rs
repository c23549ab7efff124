//! The six states at 128×36.

use super::*;

const SIZE: (u16, u16) = (128, 36);

#[test]
fn a_project_without_goals() {
    let told = states::empty();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you
    ── goals ───────────────────────────────────────────────── ── ─ ────────────────────────────────────────────────────────────────
     No goals yet. `goal set OBJECTIVE` creates one at once,
     `goal draft TOPIC` begins with a discussion.
























    ── latest ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────






     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn one_goal() {
    let told = states::one();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you · 1 live
    ── goals ───────────────────────────────────────────────── ── Tabs in the parser ───────────────────────────────────────────────
    LIVE                                                        g-parse · active, live · created 1 hour ago · owner ann · priority
    ›▶ Tabs in the parser     1/2 0.40         ann         20m  0.7
                                                                Tabs in the parser, as the page on it says.
                                                                2 tasks, 1 open; completion waits for the open ones
                                                                  [x] 1 write the parser
                                                                  [ ] 2 read old files
                                                                    [ ] 2.1 with tabs
                                                                next action
                                                                  read old files
                                                                latest evaluation: 0.4 of 1 by the user, 30 minutes ago
                                                                  old files fail
                                                                what happened last, in UTC
                                                                  20:10  goal noted the lexer is enough; next: read old files
                                                                  20:00  progress evaluated 0.4: old files fail
                                                                  19:50  task complete 1
                                                                  19:10  task list set 3 tasks; completion waits for them
                                                                  19:00  goal created Tabs in the parser









    ── latest ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     19:00  Tabs in the parser        goal created         Tabs in the parser
     19:10  Tabs in the parser        task list set        3 tasks; completion waits for them
     19:50  Tabs in the parser        task complete        1
     20:00  Tabs in the parser        progress evaluated   0.4: old files fail
     20:10  Tabs in the parser        goal noted           the lexer is enough; next: read old files

     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn a_night() {
    let told = states::night();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  6 need you · 2 waiting, 1 blocked, 1 live, 1 stuck, 2 quiet, 2 resting
    ── goals ───────────────────────────────────────────────── ── Migrate to UUIDv7 ────────────────────────────────────────────────
    NEEDS YOU                                                   question          Migrate to UUIDv7                    11 hours ago
    ›? Migrate to UUIDv7      question         claude-1    11h    The backfill found 312 orders without a customer. Delete them,
     ■ Refund webhooks        blocked          claude-1    10h    keep them with a null customer, or stop?
     ? EU region              approval         pi-1         8h      1  keep them with a null customer
     ↻ No flaky tests         stuck            codex-1      3h      2  delete them
     $ Typo tolerance         over budget      codex-1      3h      3  stop
     ± Memory below 200 MB    change           codex-1      2h    goal answer q-1 --pick N, or your own words
    LIVE
     ▶ Time zones                              codex-1     10m  g-uuid · active, waiting · created 13 hours ago · owner claude-1
    QUIET                                                       Migrate to UUIDv7, as the page on it says.
     ● Memory below 200 MB                     codex-1      2h  what happened last, in UTC
     ● Changelog                               ann         12h    09:30  question asked q-1: The backfill found 312 orders without…
    RESTING                                                       07:10  goal created Migrate to UUIDv7
     ○ Docs site                               pi-1         3h
     ○ Typo tolerance                          codex-1      3h











    ── latest ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     15:30  No flaky tests            audit result         disapproved: a test is ignored
     17:10  No flaky tests            audit result         disapproved: 1. `no test is ignored or retried`: tests/clock.rs:16 carrie
     17:20  Docs site                 goal paused          until the API is decided
     17:30  Typo tolerance            goal paused          costUsd is over 5
     17:40  Memory below 200 MB       draft proposed       d-1: Memory stays below 250 MB.
     20:20  Time zones                goal noted           half of the handlers
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn runs_under_way() {
    let told = states::running();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you · 2 live
    ── goals ───────────────────────────────────────────────── ── Tabs in the parser ───────────────────────────────────────────────
    LIVE                                                        g-parse · active, live · created 2 hours ago
    ›▶ Tabs in the parser     turn 1           run-g-par…   1h  run: r-g-parse, in turn 1 of at most 20, begun 1 hour ago
     ▶ Memory below 200 MB    turn 1           run-g-mem…  30m  leased to: session run-g-parse
                                                                Tabs in the parser, as the page on it says.
                                                                what happened last, in UTC
                                                                  19:30  run started r-g-parse with claude
                                                                  18:30  goal created Tabs in the parser



















    ── live ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    ▶ Tabs in the parser  turn 1 of 20, 1h
      I read src/parser.rs first.
      The lexer drops tabs in line 41; I change that.
      Running the tests now: 212 passed, 3 failed.
    ▶ Memory below 200 MB  turn 1 of 20, 30m
      Running the tests now: 212 passed, 3 failed.
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn everything_ended() {
    let told = states::ended();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you
    ── goals ───────────────────────────────────────────────── ── ─ ────────────────────────────────────────────────────────────────
     No goal is open: 0 open, 2 ended (2 aborted).

     `goal report` says what happened, `goal list --all` shows
     the ended ones.






















    ── latest ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     15:30  First                     goal created         First
     15:40  Second                    goal created         Second
     18:50  First                     goal aborted         not needed
     19:00  Second                    goal aborted         not needed either


     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn hostile_and_wide_words() {
    let told = states::hostile();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  1 needs you · 1 waiting, 2 live, 1 quiet
    ── goals ───────────────────────────────────────────────── ── �[2J�[31mred� �desrever ��5m ─────────────────────────────────────
    NEEDS YOU                                                   question          �[2J�[31mred� �desrever ��5m           1 hour ago
    ›? �[2J�[31mred� �desre…  question         �[2J�[31m…   1h    Which�[2J�[31mred� �desrever ��5m?
    LIVE                                                          Second line
     ▶ 漢字の題名がとても長…  turn 1           山田太郎…   50m      1  �[2J�[31mred� �desrever ��5m
     ▶ longlonglonglonglong…                               40m      2  漢字漢字
    QUIET                                                         goal answer q-1 --pick N, or your own words
     ● 👩‍👩‍👧 family ❤️ and é́ م…                                1h
                                                                g-evil · active, waiting · created 1 hour ago · owner �[2J�[31mred�
                                                                �desrever ��5m
                                                                �[2J�[31mred� �desrever ��5m, as the page on it says.
                                                                what happened last, in UTC
                                                                  19:30  question asked q-1: Which�[2J�[31mred� �desrever ��5m? Se…
                                                                  18:50  goal created �[2J�[31mred� �desrever ��5m













    ── live ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    ▶ 漢字の題名がとても長いので列に収まらないことがあります  turn 1, 50m
      red �desrever ��5m
      進捗: 漢字 done



     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}
