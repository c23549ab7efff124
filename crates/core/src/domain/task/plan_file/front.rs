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
    for (count, line) in lines.enumerate() {
        let next = end + line.len();
        // A line of dashes can also be a rule, with a list behind it.
        if line.trim_start().starts_with("- [") || line.starts_with('#') && fence == "---" {
            return none;
        }
        if line.trim_end() == fence {
            return (&text[begin..end], &text[next..], count + 2);
        }
        end = next;
    }
    none
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
