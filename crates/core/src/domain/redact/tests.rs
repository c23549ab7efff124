//! Made-up secrets, put together at run time so that no scanner takes this file for a leak.

mod filled;
mod measured;
mod page;

use std::time::{Duration, Instant};

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use filled::{fill, formats};

fn filled(shape: &str) -> String {
    fill(shape, &mut Rng::with_seed(7)).replace(['‹', '›'], "")
}

#[test]
fn every_row_says_what_it_has_to() {
    for format in formats() {
        let name = format.name;
        assert!(format.source.starts_with("https://"), "{name}");
        assert!(!format.of.is_empty() && !format.others.is_empty(), "{name}");
        let shapes: Vec<_> = format.secrets.iter().map(|shape| filled(shape)).collect();
        for anchor in format.anchors {
            let of_anchor = |shape: &String| {
                let shape = shape.to_ascii_lowercase();
                let joined = anchor.to_ascii_lowercase().replace(['_', '-', ' '], "");
                shape.replace(['_', '-', ' '], "").contains(&joined)
            };
            assert!(
                shapes.iter().any(of_anchor),
                "no example of {anchor} in {name}"
            );
        }
        for shape in &shapes {
            assert!(shape.len() >= format.least, "{name}: {shape}");
        }
    }
}

#[test]
fn names_and_hosts_around_a_secret_stay() {
    for (text, expected) in [
        (
            "the end:\n{b64}\nab==\n-----END {k1}-----",
            "the end:\n[redacted:private_key]",
        ),
        (
            "aws_secret_access_key = \"{b40}\"",
            "aws_secret_access_key = \"[redacted:aws_secret_key]\"",
        ),
        (
            "postgres://app:{a7}@db.example.org:5432/x?y=1",
            "postgres://[redacted:url_password]@db.example.org:5432/x?y=1",
        ),
        (
            "redis://:p@ss:word@cache and more",
            "redis://[redacted:url_password]@cache and more",
        ),
        (
            "https://x-access-token:ghp_{a36}@github.com/a/b",
            "https://x-access-token:[redacted:github_token]@github.com/a/b",
        ),
        (
            "{\"a\":\"ghp_{a36}\",\"password\":\"{a14}5\",\"b\":1}",
            "{\"a\":\"[redacted:github_token]\",\"password\":\"[redacted:password]\",\"b\":1}",
        ),
        (
            "use \\`ghp\\_{a36}\\` now",
            "use \\`[redacted:github_token]\\` now",
        ),
    ] {
        assert_eq!(redact(&filled(text)).text, expected);
    }
}

#[test]
fn several_secrets_are_all_found_and_named_once_in_order() {
    let text = filled("npm_{a36} npm_{a36} AKIA{u16} npm_{a36}");
    let redacted = redact(&text);
    assert_eq!(redacted.found, ["aws_key_id", "npm_token"]);
    assert_eq!(
        redacted.text,
        "[redacted:npm_token] [redacted:npm_token] [redacted:aws_key_id] [redacted:npm_token]"
    );
}

#[test]
fn an_allowed_text_stays_and_only_that() {
    let text = filled("use ghp_{a36}, then npm_{a36}");
    let token = text[4..].split(',').next().unwrap().to_owned();
    let allow = |allowed: &str| redact_but(&text, &[allowed.to_owned()]).found;
    assert_eq!(allow(&token), ["npm_token"]);
    assert_eq!(allow(&format!("use {token}")), ["npm_token"]);
    assert_eq!(allow(&token[..20]), ["github_token", "npm_token"]);
    assert_eq!(allow(""), ["github_token", "npm_token"]);
    let longer = format!("{token}x");
    assert_eq!(redact_but(&longer, &[token]).found, ["github_token"]);
}

#[test]
fn what_is_shown_of_a_secret_is_its_beginning() {
    let text = filled("see ghp_{a36}");
    let found = secrets(&text, &[]);
    assert_eq!(found[0].format, "github_token");
    assert_eq!(shown(found[0].text), "`ghp_…` (40 characters)");
    assert_eq!(shown("é5é"), "`é…` (3 characters)");
}

#[test]
fn ordinary_text_is_borrowed_unchanged() {
    for text in [
        "",
        "7328cc5e0c8a1f4b9d2e6a7c3b5d8f1e2a4c6b80",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "123e4567-e89b-12d3-a456-426614174000",
        "mr5cf6ch-akrg4u",
        "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
        "s3://bucket:key@v, svn+ssh://u@h, matrix://@u:h.org, file:///a:b@c",
        "skopeo copy docker://quay.io:443/a docker://b",
        "npm:foo@npm:bar@1 and jdbc:oracle:thin:@//h:1521/s",
        "class=\"task-sk-cube-grid-item-number-one\"",
        "task-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "sha512-MJ7MSJwS1utMxA9QyQLytNDtd+5RGnx6m808qG1M2G+YndNbxf9JlnDaNCVbRbDP2DDoH2Bdz33FVC6TrpzXbw==",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV 0ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "arn:aws:iam::123456789012:role/x and /nix/store/3mzh8lvgbynm9daj7c82k2sfsfhrsfsy-x",
        r"C:\new_folder\table\_x and \d+\.\d+ and \\server\share",
    ] {
        let redacted = redact(text);
        assert_eq!(redacted.found, [""; 0], "{text}");
        assert!(matches!(redacted.text, Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn random_base64_is_no_secret() {
    for seed in 0..8 {
        let blob = fill("{b60000}", &mut Rng::with_seed(seed));
        assert_eq!(redact(&blob).found, [""; 0], "{seed}");
    }
}

/// Text made to be slow to read: every format's beginning over and over, alone and joined.
#[test]
fn the_time_grows_with_the_length_alone() {
    for format in formats() {
        let whole = filled(format.secrets[0]);
        let cut: String = whole.chars().take(whole.chars().count() * 2 / 3).collect();
        let anchor = format.anchors.first().map(|anchor| (*anchor).to_owned());
        for piece in [whole, cut].into_iter().chain(anchor) {
            // Time that another process takes is no matter here: one of some tries counts.
            let grows =
                || took(&piece, 16_000) > took(&piece, 2_000) * 24 + Duration::from_millis(50);
            assert!(!(0..5).all(|_| grows()), "{} {piece}", format.name);
        }
    }
}

/// How long a text of so many bytes takes that repeats this.
fn took(piece: &str, bytes: usize) -> Duration {
    let text = piece.repeat(1 + bytes / piece.len());
    let start = Instant::now();
    redact(&text);
    start.elapsed()
}

proptest! {
    #[test]
    fn redacting_twice_finds_nothing_more(
        picks in prop::collection::vec((0usize..512, 0usize..10, any::<bool>()), 0..6),
    ) {
        let shapes: Vec<&str> = formats().flat_map(|format| format.secrets).copied().collect();
        let mut text = String::new();
        for (shape, joint, cut) in picks {
            let secret = filled(shapes[shape % shapes.len()]);
            let end = if cut { secret.floor_char_boundary(secret.len() / 2) } else { secret.len() };
            text.push_str(&secret[..end]);
            text.push_str(["", " ", "-", "_", "\\n", "a", "://u:", "@", ".", "\\"][joint]);
        }
        let once = redact(&text);
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.found.is_empty(), "{:?} in {:?}", twice.found, once.text);
    }
}
