//! A page with words of others that try to get out of it.

use sha2::{Digest, Sha256};

use super::*;
use crate::render::report::testing::{HOSTILE, report};

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            let is_there = digit <= three.len();
            text.push(if is_there {
                char::from(DIGITS[value as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[test]
fn the_policy_names_the_hashes_of_style_and_script() {
    let hash = |text: &str| format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())));
    assert_eq!(hash("").len(), STYLE_HASH.len());
    assert_eq!((STYLE_HASH, SCRIPT_HASH), (&*hash(STYLE), &*hash(SCRIPT)));
}

/// The page without its own style and script, which no one else writes.
fn without_own(page: &str) -> String {
    page.replace(STYLE, "").replace(SCRIPT, "")
}

#[test]
fn words_of_others_are_shown_and_do_nothing() {
    let page = page(&report(4)).unwrap();
    let rest = without_own(&page);
    assert_eq!(rest.matches("<script>").count(), 1);
    assert_eq!(rest.matches("</script>").count(), 1);
    for odd in [
        "<img",
        "onerror=alert(1)>",
        "\u{1b}",
        "\u{202e}",
        "{{ 7*7 }} \"",
        ">49 ",
    ] {
        assert!(!rest.contains(odd), "{odd:?}");
    }
    assert!(rest.contains("&lt;img src=x onerror=alert(1)&gt;") || rest.contains("&lt;img"));
    // A word that could be an attribute stays within its quotes.
    let raw = HOSTILE.chars().take(20).collect::<String>();
    assert!(!rest.contains(&raw));
}

#[test]
fn what_is_copied_has_none_of_their_words() {
    let page = page(&report(4)).unwrap();
    let copied = page.split("data-copy=\"").skip(1);
    let copied: Vec<&str> = copied.filter_map(|rest| rest.split('"').next()).collect();
    assert!(!copied.is_empty());
    for command in copied {
        assert_eq!(command, "goal answer q-1 --pick 1");
    }
}

#[test]
fn the_page_asks_for_nothing_and_has_no_style_or_script_of_an_element() {
    let page = page(&report(4)).unwrap();
    // Names of elements and attributes, without values, in which words of others may stand.
    let rest = without_own(&page);
    let tags = rest
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    let names = tags.flat_map(|tag| tag.split('"').step_by(2));
    let names: String = names.collect::<Vec<_>>().join(" ");
    for odd in [
        "style=", "src=", "onclick", "onload", "onerror", "iframe", "link ", "img",
    ] {
        assert!(!names.contains(odd), "{odd}");
    }
    assert!(!STYLE.contains("http") && !STYLE.contains("@import") && !SCRIPT.contains("fetch("));
}

#[test]
fn the_same_report_is_the_same_page() {
    assert_eq!(page(&report(7)).unwrap(), page(&report(7)).unwrap());
}

#[test]
fn a_page_of_as_many_goals_as_a_report_tells_of_stays_small() {
    let mut report = report(crate::domain::report::window::MOST);
    for goal in &mut report.goals {
        for audit in &mut goal.audits {
            audit.report = "word <b> ".repeat(5000);
        }
    }
    let bytes = page(&report).unwrap().len();
    assert!(bytes < 2 * 1024 * 1024, "{bytes}");
}

#[test]
fn a_project_without_goals_has_a_page() {
    let page = page(&report(0)).unwrap();
    assert!(page.contains("Nothing waits for you."));
    assert!(page.contains("No goal was completed."));
}
