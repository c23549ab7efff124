//! Tables of all kinds of rows, in every width.

use super::*;

#[derive(Debug)]
struct Pair(&'static str, &'static str);

impl Tabled for Pair {
    const COLUMNS: &'static [Column<Pair>] = &[
        Column::left("id", "", |row: &Pair, _| row.0.into()),
        Column::right("long", "", |row: &Pair, _| row.0.len().to_string().into()).spare(1),
        Column::cut("title", "", |row: &Pair, _| row.1.into()),
        Column::wrapped("text", "", |row: &Pair, _| row.1.into()),
        Column::left("none", "", |_: &Pair, _| "".into()),
        Column::left("now", "", |_: &Pair, now| now.to_string().into()).chosen(),
    ];
}

const PAIRS: [Pair; 2] = [
    Pair("a-1", "words that go on `in one command` below"),
    Pair("b-2", ""),
];

fn shown(names: &[&str], wide: usize) -> String {
    let names: Vec<String> = names.iter().map(|&it| it.to_owned()).collect();
    let columns = Columns::named(&names).unwrap();
    let text = Table::of(&columns, &PAIRS, wide, 7).text(&PAIRS);
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn texts_share_what_the_other_columns_leave() {
    insta::assert_snapshot!(shown(&[], 80), @"
    ID   LONG  TITLE                              TEXT
    a-1     3  words that go on `in one command…  words that go on `in one command`
                                                  below
    b-2     3
    ");
    insta::assert_snapshot!(shown(&[], 40), @"
    ID   LONG  TITLE
        TEXT
    a-1     3  words that go on `in one com…
        words that go on `in one command`
        below
    b-2     3
    ");
    insta::assert_snapshot!(shown(&["now", "text", "none", "id"], 60), @"
    NOW  TEXT                                     NONE  ID
    7    words that go on `in one command` below        a-1
    7                                                   b-2
    ");
    insta::assert_snapshot!(shown(&["text", "id", "long", "now"], 20), @"
    TEXT
        ID   LONG  NOW
    words that go on
    `in one command`
    below
        a-1     3  7
        b-2     3  7
    ");
}

#[test]
fn a_column_is_named_once_and_exists() {
    let refused = |names: [&str; 2]| Columns::<Pair>::named(&names.map(str::to_owned)).unwrap_err();
    assert_eq!(refused(["id", "id"]), "`--columns` names id twice");
    assert_eq!(
        refused(["id", "who"]),
        "no column is called \"who\"; there are id, long, title, text, none, now"
    );
}
