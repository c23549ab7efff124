//! A terminal that has room for one pane only.

use super::*;

#[test]
fn the_list_and_after_tab_the_chosen_row() {
    let told = states::night();
    assert_snapshot!(shown(&told, (40, 10), &[]), @"
     goal watch   atlas-api  6 need you
    ── goals ───────────────────────────────
    NEEDS YOU
    ›? Migrate to UU…  question          11h
     ■ Refund webhoo…  blocked           10h
     ? EU region       approval           8h
     ↻ No flaky tests  stuck              3h
     $ Typo tolerance  over budget        3h
     ± Memory below…   change             2h
     q quit  ? keys  j k move  enter act
    ");
    assert_snapshot!(shown(&told, (40, 10), &[Press::Down, Press::Tab]), @"
     goal watch   atlas-api  6 need you
    ── Refund webhooks ─────────────────────
     blocked  Refund webhooks           10h
       the sandbox key expired (suggested:
       put a new key into .env.test)
       goal resume --goal g-refund
       goal abort --goal g-refund --reason
       TEXT

     q quit  ? keys  j k move  enter act
    ");
}
