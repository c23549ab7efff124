//! The marker's grammar: `<(approved|disapproved)\s*/>`, case-sensitive (DESIGN §5).

/// The two things that an auditor can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Approved,
    Disapproved,
}

/// How many approving and how many disapproving markers stand anywhere in a text.
pub(super) fn count(text: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for (at, _) in text.match_indices('<') {
        match leading(&text[at..]) {
            Some((Marker::Approved, _)) => counts.0 += 1,
            Some((Marker::Disapproved, _)) => counts.1 += 1,
            None => {}
        }
    }
    counts
}

/// The marker that a line consists of, apart from trailing white space.
pub(super) fn only(line: &str) -> Option<Marker> {
    match leading(line.trim_end()) {
        Some((marker, "")) => Some(marker),
        _ => None,
    }
}

/// The marker that a text begins with, and what follows it.
fn leading(text: &str) -> Option<(Marker, &str)> {
    let inner = text.strip_prefix('<')?;
    let (marker, rest) = if let Some(rest) = inner.strip_prefix("approved") {
        (Marker::Approved, rest)
    } else {
        (Marker::Disapproved, inner.strip_prefix("disapproved")?)
    };
    let rest = rest.trim_start().strip_prefix("/>")?;
    Some((marker, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_strict_about_everything_but_inner_white_space() {
        for text in [
            "<approved/>",
            "<approved />",
            "<approved\t/>",
            "<approved/> \r",
        ] {
            assert_eq!(only(text), Some(Marker::Approved), "{text:?}");
        }
        for text in [
            "<Approved/>",
            "< approved/>",
            "<approved>",
            "<approved / >",
            "</approved>",
            " <approved/>",
            "<approved/>.",
            "<approved/>\0",
        ] {
            assert_eq!(only(text), None, "{text:?}");
        }
        assert_eq!(only("<disapproved/>"), Some(Marker::Disapproved));
    }

    #[test]
    fn markers_are_counted_wherever_they_stand() {
        assert_eq!(count("a<approved/>b<<approved\n/>"), (2, 0));
        assert_eq!(count("`<disapproved />` or <approved/>"), (1, 1));
        assert_eq!(count("<disapproved> approved/>"), (0, 0));
    }
}
