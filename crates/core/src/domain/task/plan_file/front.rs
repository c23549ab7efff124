//! Front matter: fields between two lines of three dashes, at the beginning of a file.

/// The front matter, the text behind it, and how many lines are before that.
pub(super) fn split(text: &str) -> (&str, &str, usize) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let none = ("", text, 0);
    let mut lines = text.split_inclusive('\n');
    let Some(fence) = lines.next().map(str::trim_end) else {
        return none;
    };
    if fence != "---" && fence != "+++" {
        return none;
    }
    let begin = text.find('\n').map_or(text.len(), |at| at + 1);
    let mut end = begin;
    let (mut has_comment, mut all_fields) = (false, true);
    for (count, line) in lines.enumerate() {
        let next = end + line.len();
        // A line of dashes can also be a rule, with a list behind it.
        if line.trim_start().starts_with("- [") {
            return none;
        }
        if line.trim_end() == fence {
            // Where other text is, a line that begins so is a heading.
            return match has_comment && !all_fields && fence == "---" {
                true => none,
                false => (&text[begin..end], &text[next..], count + 2),
            };
        }
        match line.starts_with('#') {
            true => has_comment = true,
            false => all_fields &= is_of_field(line),
        }
        end = next;
    }
    none
}

/// Whether a line is a field, or a part of the one above it: it is indented, or an item of a list.
fn is_of_field(line: &str) -> bool {
    let is_part = line.trim().is_empty() || line.starts_with([' ', '\t']) || line.starts_with("- ");
    let is_key = |(key, value): (&str, &str)| {
        !key.is_empty()
            && !key.contains(char::is_whitespace)
            && (value.is_empty() || value.starts_with(char::is_whitespace))
    };
    is_part || line.split_once(':').is_some_and(is_key)
}

/// The value of a field of one line, without quotes; nothing where it is empty.
pub(super) fn field(front: &str, name: &str) -> Option<String> {
    let mut values = front.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (key == name && !value.is_empty()).then(|| value.to_owned())
    });
    values.next()
}

/// The values of a field that is a list, in one line or in a line each.
pub(super) fn list(front: &str, name: &str) -> Vec<String> {
    let clean = |value: &str| value.trim().trim_matches(['"', '\'']).trim().to_owned();
    if let Some(value) = field(front, name) {
        let inside = value.trim_start_matches('[').trim_end_matches(']');
        let values = inside.split(',').map(clean);
        return values.filter(|value| !value.is_empty()).collect();
    }
    let mut lines = front.lines();
    let begins = |line: &str| line.split_once(':').is_some_and(|(key, _)| key == name);
    if lines.find(|line| begins(line)).is_none() {
        return Vec::new();
    }
    let items = lines.map_while(|line| line.trim_start().strip_prefix("- "));
    items.map(clean).collect()
}
