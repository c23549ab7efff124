//! The table of docs/auditor-protocol.md#the-verdict, a row a case, and what defanging promises.

use std::sync::LazyLock;

use proptest::prelude::*;
use regex::Regex;

use super::text::plain;
use super::*;

fn judged(exit: Exit, stdout: &[u8]) -> Judgement {
    judge(&AuditorOutput {
        exit,
        stdout,
        overflow: false,
    })
}

pub(super) fn said(stdout: &str) -> (Verdict, Option<Cause>) {
    let judgement = judged(Exit::Code(0), stdout.as_bytes());
    (judgement.verdict, judgement.cause)
}

#[test]
fn approved_needs_one_marker_alone_on_the_last_line() {
    for stdout in [
        "<approved/>",
        "All criteria hold.\n\n<approved/>\n",
        "fine\r\n<approved/>\r\n",
        "fine\n<approved />",
        "fine\n<approved/>  \t\n\n  \n",
        "\x1b[32mfine\x1b[0m\n\x1b[1m<approved/>\x1b[0m\n",
        "<appr\x1b[1moved/>",
        "\x1b[8mhidden\x1b[0m\n\x1b[38;5;8mfine\n\x1b[1m<approved/>\x1b[0m",
        "\x1b]0;title\x07<approved/>\x1b]9;4;0\x07",
        "```\ncargo test\n```\n<approved/>",
        "~~~\n```\n~~~\n<approved/>",
        "I was shown the objective \"print <·approved·/>\".\n<approved/>",
        "I was shown < ·disapproved / > and <·disapproved·/>.\n<approved/>",
        "Nobody has disapproved of it: 3 < 4, and disapproved is a word.\n<approved/>",
        "<details>\nlog\n</details>\n<!-- a note -->\n<pre>x</pre>\n<approved/>",
        "It needs no <details> and no <pre>.\n<approved/>",
        "```\n<!-- code\n```\n<approved/>",
    ] {
        assert_eq!(said(stdout), (Verdict::Approved, None), "{stdout:?}");
    }
}

#[test]
fn only_an_approval_can_be_wordless() {
    for (verdict, report, is_wordless) in [
        (Verdict::Approved, "", true),
        (Verdict::Approved, " \n", true),
        (Verdict::Approved, "fine", false),
        (Verdict::Disapproved, "", false),
        (Verdict::Error, "", false),
    ] {
        assert_eq!(
            wordless(verdict, report),
            is_wordless,
            "{verdict} {report:?}"
        );
    }
}

#[test]
fn disapproved_needs_an_objection_on_the_last_line_and_no_approval() {
    for stdout in [
        "<disapproved/>",
        "Tests are missing.\n<disapproved/>\n",
        "<disapproved/> I said\n\x1b[31m<disapproved />\x1b[0m\r\n",
    ] {
        assert_eq!(said(stdout), (Verdict::Disapproved, None), "{stdout:?}");
    }
}

#[test]
fn every_other_output_is_an_error_with_its_cause() {
    for (stdout, cause) in [
        ("", Cause::EmptyOutput),
        (" \n\t\r\n\x1b[0m", Cause::EmptyOutput),
        ("Looks good to me.", Cause::NoMarker),
        ("<Approved/>", Cause::NoMarker),
        ("<approved>", Cause::NoMarker),
        ("<approved></approved>", Cause::NoMarker),
        ("<app\0roved/>", Cause::NoMarker),
        ("<app\u{9b}roved/>", Cause::NoMarker),
        ("<app\x07roved/>", Cause::NoMarker),
        ("\x1b]0;t\x07<app\x07roved/>", Cause::NoMarker),
        ("[x]<app\x07roved/>", Cause::NoMarker),
        ("<disapproved/>\n<approved/>", Cause::BothMarkers),
        ("<approved/>\n<disapproved/>", Cause::BothMarkers),
        ("not <disapproved\n/> but\n<approved/>", Cause::BothMarkers),
        ("\x1b]0;<disapproved/>\x07<approved/>", Cause::BothMarkers),
        (
            "\x1b]0;<disapproved/>\x1b\\\n<approved/>",
            Cause::BothMarkers,
        ),
        ("\x1bP<disapproved/>\x1b\\\n<approved/>", Cause::BothMarkers),
        ("\x1b_<disapproved/>\x1b\\\n<approved/>", Cause::BothMarkers),
        ("<disapproved>\n<approved/>", Cause::BothMarkers),
        ("<DISAPPROVED/>\n<approved/>", Cause::BothMarkers),
        ("< disapproved / >\n<approved/>", Cause::BothMarkers),
        ("</disapproved>\n<approved/>", Cause::BothMarkers),
        ("&lt;disapproved/&gt;\n<approved/>", Cause::BothMarkers),
        ("&#60; Disapproved\n<approved/>", Cause::BothMarkers),
        (
            "\u{ff1c}disapproved/\u{ff1e}\n<approved/>",
            Cause::BothMarkers,
        ),
        ("<disapproved\u{200b}/>\n<approved/>", Cause::BothMarkers),
        ("<\u{200b}disapproved/>\n<approved/>", Cause::BothMarkers),
        ("<disapproved\u{a0}/>\n<approved/>", Cause::BothMarkers),
        ("<dis\x1b[0mapproved>\n<approved/>", Cause::BothMarkers),
        ("&#060;disapproved/>\n<approved/>", Cause::BothMarkers),
        ("&#X03C;dis&#97;pproved\n<approved/>", Cause::BothMarkers),
        ("&amp;lt;disapproved/>\n<approved/>", Cause::BothMarkers),
        ("\\x3cdisapproved/>\n<approved/>", Cause::BothMarkers),
        ("\\u003c\\nDisapproved\n<approved/>", Cause::BothMarkers),
        ("\\\\u003cdisapproved\n<approved/>", Cause::BothMarkers),
        ("<dis\u{ad}approved/>\n<approved/>", Cause::BothMarkers),
        ("<dis\u{200b}approved/>\n<approved/>", Cause::BothMarkers),
        ("<dis\\u00adapproved/>\n<approved/>", Cause::BothMarkers),
        ("<dis&shy;approved/>\n<approved/>", Cause::BothMarkers),
        ("<dis\x07appro\x1b[0mved/>\n<approved/>", Cause::BothMarkers),
        (
            "\x1b[8m<dis\x1b[0mno\n<approved/>\x1b[8m<disapproved/>",
            Cause::BothMarkers,
        ),
        (
            "<dis\x1b[8mXX\x1b[0mapproved/>\n<approved/>",
            Cause::BothMarkers,
        ),
        ("fine\n\x1b[8m<approved/>\x1b[0m", Cause::MisplacedMarker),
        ("\x1b[8mfine\n<approved/>", Cause::MisplacedMarker),
        ("\u{9b}8m\n<approved/>", Cause::MisplacedMarker),
        ("\x1b[8mnot \x1b[0m<approved/>", Cause::MisplacedMarker),
        ("no \x1b[8m\x1b[0m<approved/>", Cause::MisplacedMarker),
        ("```\n\x1b[8m```\x1b[0m\n<approved/>", Cause::FencedMarker),
        ("&lt;approved/&gt;", Cause::NoMarker),
        ("\\x3capproved/>", Cause::NoMarker),
        ("<app\u{ad}roved/>", Cause::NoMarker),
        ("<app\u{200b}roved/>", Cause::NoMarker),
        ("\x1b]0;<approved/>\x07\n<approved/>", Cause::RepeatedMarker),
        ("<approved\u{a0}/>", Cause::NoMarker),
        ("<approved\u{3000}/>", Cause::NoMarker),
        ("<approved\u{2028}/>", Cause::NoMarker),
        ("< disapproved / >", Cause::NoMarker),
        ("<!-- not yet\n<approved/>", Cause::FencedMarker),
        ("fine\n<pre>\n<approved/>", Cause::FencedMarker),
        (
            "<details>\n<summary>x</summary>\n\n<approved/>",
            Cause::FencedMarker,
        ),
        ("<approved/>\n<approved/>", Cause::RepeatedMarker),
        (
            "I would emit <approved/> once the tests pass.\n<approved/>",
            Cause::RepeatedMarker,
        ),
        ("<approved/>\nor so I think", Cause::MisplacedMarker),
        (
            "I would emit <approved/> once the tests pass.",
            Cause::MisplacedMarker,
        ),
        ("verdict: <approved/>", Cause::MisplacedMarker),
        ("<approved/>.", Cause::MisplacedMarker),
        ("> <approved/>", Cause::MisplacedMarker),
        ("    <approved/>", Cause::MisplacedMarker),
        ("`<approved/>`", Cause::MisplacedMarker),
        ("<approved/>\0", Cause::MisplacedMarker),
        ("<approved/>\x7f", Cause::MisplacedMarker),
        ("<approved/>\u{200b}", Cause::MisplacedMarker),
        ("no\r<approved/>", Cause::MisplacedMarker),
        ("<approved\n/>", Cause::MisplacedMarker),
        ("<disapproved/>\nbut maybe", Cause::MisplacedMarker),
        ("```\n<approved/>", Cause::FencedMarker),
        ("~~~ text\n<approved/>\n", Cause::FencedMarker),
        ("```\n<approved/>\n```", Cause::FencedMarker),
        ("````\n```\n<approved/>", Cause::FencedMarker),
    ] {
        assert_eq!(said(stdout), (Verdict::Error, Some(cause)), "{stdout:?}");
    }
}

#[test]
fn no_output_makes_up_for_a_bad_ending() {
    for stdout in ["fine\n<approved/>", "bad\n<disapproved/>"] {
        for (exit, cause) in [
            (Exit::Code(3), Cause::NonZeroExit),
            (Exit::Code(-1), Cause::NonZeroExit),
            (Exit::Signal(9), Cause::Signal),
            (Exit::TimedOut, Cause::Timeout),
            (Exit::Cancelled, Cause::Cancelled),
        ] {
            let judgement = judged(exit, stdout.as_bytes());
            assert_eq!(judgement.verdict, Verdict::Error, "{exit:?}");
            assert_eq!(judgement.cause, Some(cause), "{exit:?}");
        }
    }
}

#[test]
fn oversized_and_undecodable_outputs_are_errors() {
    for exit in [Exit::Code(0), Exit::Signal(9)] {
        let judgement = judge(&AuditorOutput {
            exit,
            stdout: b"<approved/>",
            overflow: true,
        });
        assert_eq!(judgement.cause, Some(Cause::OversizedOutput));
    }
    let judgement = judged(Exit::Code(0), b"caf\xe9\n<approved/>");
    assert_eq!(judgement.cause, Some(Cause::InvalidUtf8));
    assert_eq!(judgement.report, "caf\u{fffd}");
    // A replacement character that the auditor wrote itself is text like any other.
    assert_eq!(said("caf\u{fffd}\n<approved/>").0, Verdict::Approved);
}

#[test]
fn the_report_is_the_output_without_marker_and_control_characters() {
    for (stdout, report) in [
        (
            "\x1b[31mTests\x1b[0m\tare\x00 missing.\r\n\n<disapproved/>\n",
            "Tests\tare missing.",
        ),
        ("<approved/>", ""),
        ("Nothing to say.\n\n", "Nothing to say."),
        ("I quote <approved/> here.", "I quote <approved/> here."),
        ("one\rtwo\u{9b}\n", "one\ntwo"),
    ] {
        assert_eq!(judged(Exit::Code(0), stdout.as_bytes()).report, report);
    }
}

#[test]
fn a_long_report_keeps_head_and_tail() {
    let body = "ä word ".repeat(20_000);
    let report = judged(
        Exit::Code(0),
        format!("first {body} last\n<approved/>").as_bytes(),
    )
    .report;
    assert!(report.len() <= REPORT_BYTES, "{}", report.len());
    assert!(report.starts_with("first ") && report.ends_with(" last"));
    assert!(report.contains("bytes cut …]"));
    // No white space anywhere: the cut still falls between characters.
    let report = head_and_tail(&"ä".repeat(1000), 333);
    assert!(report.len() <= 333, "{}", report.len());
    assert_eq!(head_and_tail("short", 5), "short");
}

#[test]
fn a_report_is_cut_only_above_48_kib() {
    let report = |len: usize| judged(Exit::Code(0), "x".repeat(len).as_bytes()).report;
    assert_eq!(report(48 * 1024).len(), 48 * 1024);
    assert!(report(48 * 1024 + 1).contains("bytes cut …]"));
}

#[test]
fn a_cut_says_how_much_is_gone_and_moves_to_white_space_only_when_it_is_near() {
    let x = "x".repeat(100);
    assert_eq!(
        head_and_tail(&"x".repeat(1000), 248),
        format!("{x}\n[… 800 bytes cut …]\n{x}")
    );
    assert_eq!(tail("short", 5), "short");
    assert_eq!(tail("one two three", 8), " three");
    // The only space stands 1,500 bytes behind the cut, and the end just behind it.
    let far = format!("{} y", "x".repeat(2000));
    assert_eq!(tail(&far, 1500).len(), 1500);
    let far = format!("y {}", "x".repeat(4000));
    assert!(head_and_tail(&far, 2048).starts_with(&far[..1000]));
}

/// A private key in as many bytes as asked for, which the filter makes short.
fn private_key(len: usize) -> String {
    let (begin, end) = (
        "-----BEGIN PRIVATE KEY-----\n",
        "\n-----END PRIVATE KEY-----\n",
    );
    format!("{begin}{}{end}", "A".repeat(len - begin.len() - end.len()))
}

#[test]
fn a_secret_as_long_as_the_margin_is_found_whole_wherever_the_cut_falls() {
    let key = private_key(MARGIN - 1000);
    let long = "x ".repeat(20_000);
    for text in [format!("{key}{long}"), format!("{long}{key}")] {
        let kept = head_and_tail(&text, 2048);
        assert!(!kept.contains("AAAA"), "{kept}");
    }
}

#[test]
fn a_text_is_filtered_whole_as_long_as_that_is_no_more_than_what_is_read_of_a_longer_one() {
    let limit = 2048;
    let read = 2 * ((limit - 48) / 2 + MARGIN);
    let keys = |len: usize| {
        format!(
            "{}{}",
            private_key(2000).repeat(8),
            private_key(len - 16_000)
        )
    };
    assert!(!head_and_tail(&keys(read), limit).contains("bytes cut"));
    assert!(head_and_tail(&keys(read + 1), limit).contains("bytes cut"));
}

/// Half a secret is none that the filter knows, so a cut must not leave one.
#[test]
fn no_cut_leaves_half_a_secret() {
    let token = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6");
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n".repeat(20)
    );
    let url = format!("https://user:hunter2secret{}@host/", "p".repeat(600));
    for secret in [token, pem, url] {
        let body = &secret[secret.len() / 4..secret.len() / 2];
        let long = "x".repeat(20_000);
        for at in (0..secret.len() + 600).step_by(7) {
            // It stands where the head ends, where the tail begins, and where what is left of an
            // output begins.
            let head = format!("{} {secret} {long}", "x".repeat(600 - at.min(600)));
            let back = format!("{long} {secret} {}", "x".repeat(600 - at.min(600)));
            for text in [head_and_tail(&head, 1200), head_and_tail(&back, 1200)] {
                assert!(!text.contains(body), "{at}: {text}");
            }
            let kept = tail(&back, 500 + at);
            assert!(!kept.contains(body), "{at}: {kept}");
            assert!(kept.len() <= 500 + at);
        }
    }
}

#[test]
fn verdicts_are_strict_on_the_wire() {
    for verdict in [Verdict::Approved, Verdict::Disapproved, Verdict::Error] {
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(json, format!("\"{verdict}\""));
        assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), verdict);
    }
    assert!(serde_json::from_str::<Verdict>("\"maybe\"").is_err());
}

#[test]
fn a_defanged_marker_can_still_be_read() {
    assert_eq!(
        defang("print <approved /> or <disapproved/>"),
        "print <·approved· /> or <·disapproved·/>"
    );
    assert_eq!(defang("an approved plan"), "an approved plan");
    assert_eq!(defang("<APProved"), "<·APProved");
    assert_eq!(defang("roved <dis<DISapproved"), "roved <dis<·DISapproved");
    assert_eq!(
        defang("approved\u{a0}\n/>approved/ >"),
        "approved·\u{a0}\n/>approved/ >"
    );
}

#[test]
fn a_fence_is_longer_than_any_run_inside() {
    assert_eq!(fence("a"), "```\na\n```");
    assert_eq!(fence(""), "```\n```");
    assert_eq!(fence("x\n````\ny\n"), "`````\nx\n````\ny\n`````");
}

/// Text that is likely to be a marker, or nearly one, once cleaned.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<"),
        Just("&lt;"),
        Just("approved"),
        Just("disapproved"),
        Just("DisApproved"),
        Just("dis"),
        Just("/>"),
        Just("<approved/>"),
        Just("app"),
        Just("roved"),
        Just(" "),
        Just("\n"),
        Just("\r"),
        Just("\0"),
        Just("\x07"),
        Just("\x1b"),
        Just("\x1b[1m"),
        Just("\x1b]0;"),
        Just("\u{9b}"),
        Just("·"),
        Just("é"),
        Just("[31m"),
        Just("```"),
        Just("\u{200b}"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// What an auditor may write around an echo, short of a marker of its own.
fn around() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("text"),
        Just("\n"),
        Just("approved"),
        Just("/>"),
        Just("\x1b["),
        Just("\x1b]0;"),
        Just("\x07"),
        Just("```\n"),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A pattern in which `~` stands for what nobody sees, after each letter of a word too.
fn pattern(pattern: &str) -> Regex {
    let spaced = |word: &str| word.chars().flat_map(|c| [c, '~']).collect::<String>();
    let pattern = pattern
        .replace("DIS", &spaced("dis"))
        .replace("APPROVED", &spaced("approved"))
        .replace('~', r"\u{200b}*");
    Regex::new(&pattern).unwrap()
}

static OPENING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)((?:<|&lt;?)~(?:[\W&&[^·<\u{200b}]]~){0,8})((?:DIS)?APPROVED)"));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(APPROVED)((?:\s~)*/~>)"));

proptest! {
    #[test]
    fn an_echo_never_approves(before in around(), text in hostile(), after in around()) {
        for echo in [defang(&text), fence(&defang(&text)), defang(&fence(&text))] {
            let stdout = format!("{before}{echo}{after}");
            prop_assert_eq!(said(&stdout).0, Verdict::Error, "{:?}", stdout);
        }
    }

    #[test]
    fn a_quotation_does_not_block_approval(text in hostile()) {
        let stdout = format!("I was shown:\n{}\n<approved/>\n", fence(&defang(&text)));
        prop_assert_eq!(said(&stdout), (Verdict::Approved, None), "{:?}", stdout);
    }

    #[test]
    fn defanging_twice_changes_nothing(text in hostile()) {
        let once = defang(&text);
        prop_assert_eq!(fences::count(&once), (0, 0));
        prop_assert!(!fences::reads_as_objection(&once), "{:?}", once);
        prop_assert_eq!(defang(&once), once);
    }

    /// The rule as patterns say it.
    #[test]
    fn both_seams_of_every_marker_are_broken_and_nothing_else(text in hostile()) {
        let plain = plain(&text);
        let opened = OPENING.replace_all(&plain, "$1·$2");
        prop_assert_eq!(defang(&text), CLOSING.replace_all(&opened, "$1·$2"));
    }

    #[test]
    fn what_holds_nothing_to_remove_is_as_it_was(text in "[<>a-z/ \n\té漢·\u{200b}\u{feff}\u{a0}]{0,40}") {
        prop_assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain(&text));
        prop_assert_eq!(plain(&text), text);
    }

    #[test]
    fn a_report_is_clean_and_within_its_limit(text in hostile(), limit in 64usize..200) {
        let judgement = judged(Exit::Code(0), text.repeat(8).as_bytes());
        prop_assert!(!judgement.report.contains(|c: char| c.is_control() && !"\n\t".contains(c)));
        prop_assert!(head_and_tail(&judgement.report, limit).len() <= limit);
    }
}
