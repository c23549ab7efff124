//! Objections in every spelling, and with what nobody sees: none leaves an approval.

use proptest::prelude::*;

use super::tests::said;
use super::*;

/// A disapproving marker with what a person does not see, or reads as what it stands for.
fn objection() -> impl Strategy<Value = String> {
    let hidden = prop_oneof![
        Just("\u{ad}"),
        Just("\u{200b}"),
        Just("\u{200d}"),
        Just("\u{2060}"),
        Just("\u{feff}"),
        Just("\u{fe0f}"),
        Just("\u{e0041}"),
        Just("&shy;"),
        Just("&#173;"),
        Just("&#x200b;"),
        Just("&ZeroWidthSpace;"),
        Just("\\u00ad"),
        Just("\\u{200b}"),
        Just("\x07"),
        Just("\x1b[0m"),
        Just("\x1b[8mhidden\x1b[28m"),
    ];
    let piece = (prop::collection::vec(hidden, 0..3), 0..9u8);
    prop::collection::vec(piece, OBJECTION.len()).prop_map(|pieces| {
        let spelled = OBJECTION.chars().zip(pieces).map(|(c, (hidden, form))| {
            let code = u32::from(c);
            let c = match form {
                0 => format!("&#{code};"),
                1 => format!("&#0{code};"),
                2 => format!("&#x{code:x};"),
                3 => format!("\\x{code:02x}"),
                4 => format!("\\u{code:04X}"),
                5 => format!("%{code:02x}"),
                _ => c.to_string(),
            };
            c + &hidden.concat()
        });
        spelled.collect()
    })
}

const OBJECTION: &str = "<disapproved/>";

proptest! {
    #[test]
    fn no_spelling_of_an_objection_leaves_an_approval(objection in objection()) {
        for stdout in [
            format!("No: {objection}\n<approved/>\n"),
            format!("<approved/>\n{objection}\n"),
        ] {
            prop_assert_eq!(said(&stdout).0, Verdict::Error, "{:?}", stdout);
        }
        let quoted = format!("{}\n<approved/>\n", fence(&defang(&objection)));
        prop_assert_eq!(said(&quoted), (Verdict::Approved, None), "{:?}", quoted);
    }
}
