//! The six states at 80×24.

use super::*;

const SIZE: (u16, u16) = (80, 24);

#[test]
fn a_project_without_goals() {
    let told = states::empty();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you
    ── goals ───────────────────────────────────────────────────────────────────────
     No goals yet. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC`
     begins with a discussion.






    ── ─ ───────────────────────────────────────────────────────────────────────────








    ── latest ──────────────────────────────────────────────────────────────────────



     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn one_goal() {
    let told = states::one();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you · 1 live
    ── goals ───────────────────────────────────────────────────────────────────────
    LIVE
    ›▶ Tabs in the parser                           1/2 0.40         ann         20m






    ── Tabs in the parser ──────────────────────────────────────────────────────────
     g-parse · active, live · created 1 hour ago · owner ann · priority 0.7
     Tabs in the parser, as the page on it says.
     2 tasks, 1 open; completion waits for the open ones
       [x] 1 write the parser
       [ ] 2 read old files
         [ ] 2.1 with tabs
     next action
       read old files
    ── latest ──────────────────────────────────────────────────────────────────────
     19:50  Tabs in the parser    task complete        1
     20:00  Tabs in the parser    progress evaluated   0.4: old files fail
     20:10  Tabs in the parser    goal noted           the lexer is enough; next: re
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn a_night() {
    let told = states::night();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  6 need you · 2 waiting, 1 blocked, 1 live, 1 stuck, 2…
    ── goals ───────────────────────────────────────────────────────────────────────
    NEEDS YOU
    ›? Migrate to UUIDv7                            question         claude-1    11h
     ■ Refund webhooks                              blocked          claude-1    10h
     ? EU region                                    approval         pi-1         8h
     ↻ No flaky tests                               stuck            codex-1      3h
     $ Typo tolerance                               over budget      codex-1      3h
     ± Memory below 200 MB                          change           codex-1      2h
    LIVE
    ── Migrate to UUIDv7 ───────────────────────────────────────────────────────────
     question          Migrate to UUIDv7                               11 hours ago
       The backfill found 312 orders without a customer. Delete them, keep them
       with a null customer, or stop?
         1  keep them with a null customer
         2  delete them
         3  stop
       goal answer q-1 --pick N, or your own words

    ── latest ──────────────────────────────────────────────────────────────────────
     17:30  Typo tolerance        goal paused          costUsd is over 5
     17:40  Memory below 200 MB   draft proposed       d-1: Memory stays below 250 M
     20:20  Time zones            goal noted           half of the handlers
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn runs_under_way() {
    let told = states::running();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you · 2 live
    ── goals ───────────────────────────────────────────────────────────────────────
    LIVE
    ›▶ Tabs in the parser                           turn 1           run-g-par…   1h
     ▶ Memory below 200 MB                          turn 1           run-g-mem…  30m





    ── Tabs in the parser ──────────────────────────────────────────────────────────
     g-parse · active, live · created 2 hours ago
     run: r-g-parse, in turn 1 of at most 20, begun 1 hour ago
     leased to: session run-g-parse
     Tabs in the parser, as the page on it says.
     what happened last, in UTC
       19:30  run started r-g-parse with claude
       18:30  goal created Tabs in the parser

    ── live ────────────────────────────────────────────────────────────────────────
    ▶ Tabs in the parser  turn 1 of 20, 1h
      The lexer drops tabs in line 41; I change that.
      Running the tests now: 212 passed, 3 failed.
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn everything_ended() {
    let told = states::ended();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  nothing needs you
    ── goals ───────────────────────────────────────────────────────────────────────
     No goal is open: 0 open, 2 ended (2 aborted).

     `goal report` says what happened, `goal list --all` shows the ended ones.





    ── ─ ───────────────────────────────────────────────────────────────────────────








    ── latest ──────────────────────────────────────────────────────────────────────
     15:40  Second                goal created         Second
     18:50  First                 goal aborted         not needed
     19:00  Second                goal aborted         not needed either
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}

#[test]
fn hostile_and_wide_words() {
    let told = states::hostile();
    assert_snapshot!(shown(&told, SIZE, &[]), @"
     goal watch   atlas-api  1 needs you · 1 waiting, 2 live, 1 quiet
    ── goals ───────────────────────────────────────────────────────────────────────
    NEEDS YOU
    ›? �[2J�[31mred� �desrever ��5m                 question         �[2J�[31m…   1h
    LIVE
     ▶ 漢字の題名がとても長いので列に収まらないこ…  turn 1           山田太郎…   50m
     ▶ longlonglonglonglonglonglonglonglonglonglo…                               40m
    QUIET
     ● 👩‍👩‍👧 family ❤️ and é́ می‌خواهم                                                 1h

    ── �[2J�[31mred� �desrever ��5m ────────────────────────────────────────────────
     question          �[2J�[31mred� �desrever ��5m                      1 hour ago
       Which�[2J�[31mred� �desrever ��5m?
       Second line
         1  �[2J�[31mred� �desrever ��5m
         2  漢字漢字
       goal answer q-1 --pick N, or your own words

     g-evil · active, waiting · created 1 hour ago · owner �[2J�[31mred� �desrever
    ── live ────────────────────────────────────────────────────────────────────────
    ▶ 漢字の題名がとても長いので列に収まらないことがあります  turn 1, 50m
      red �desrever ��5m
      進捗: 漢字 done
     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}
