//! What the table of formats says of each.

/// A format of secrets that its issuer, or everybody, uses.
pub(super) struct Format {
    /// What stands in the place of such a secret, and in messages.
    pub name: &'static str,
    /// Where the pattern is tried.
    pub place: TriedAt,
    /// No match of the pattern has fewer bytes.
    pub least: usize,
    /// How many bytes of a match stand before the anchor, where the match begins at a fixed place.
    pub before: usize,
    /// Literals of which every match holds one; those that name a secret in any case of letters.
    pub anchors: &'static [&'static str],
    /// The secret is the group `secret`; without such a group, the whole match.
    pub pattern: &'static str,
    /// Whether what matched is a secret.
    pub check: fn(&Match<'_>) -> bool,
    /// Whose secret it is, for people.
    #[cfg(test)]
    pub of: &'static str,
    /// The page that describes it.
    #[cfg(test)]
    pub source: &'static str,
    /// Shapes of secrets, which the tests fill (`tests/filled.rs`), so that nothing in the table looks like
    /// one: `{a36}` is 36 made-up letters and digits. `‹›` enclose the secret where it is not all.
    #[cfg(test)]
    pub secrets: &'static [&'static str],
    /// Shapes that resemble it and are none.
    #[cfg(test)]
    pub others: &'static [&'static str],
}

/// Where a pattern is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TriedAt {
    /// At an anchor, or the bytes before it that the row names.
    Start,
    /// The same, and no letter or digit touches the secret.
    Alone,
    /// Anywhere in a word that holds an anchor, a word being what stands between white space,
    /// quotes and angle brackets.
    Within,
    /// At an anchor that is a word before the secret.
    After,
    /// Behind an anchor that is the end of a name, and what assigns a value to it: `=`, `:` and so
    /// on, and perhaps a quote.
    Named,
    /// Anywhere in a text that holds an anchor, over many lines.
    Lines,
    /// Nowhere: `lines.rs` finds it.
    Layout,
}

/// A match of a pattern.
pub(super) struct Match<'a> {
    pub secret: &'a str,
    /// What follows it.
    pub after: &'a str,
}

/// Rows of the table: `NAME "WHOSE" "SOURCE" PLACE LEAST after BEFORE [ANCHORS] PATTERN,
/// CHECK; yes [SECRETS]; no [OTHERS];`. What stands before the anchor and the check may be left out.
macro_rules! formats {
    ($(
        $name:ident $of:literal $source:literal
        $place:ident $least:literal $(after $before:literal)? [$($anchor:literal)*] $pattern:expr $(, $check:path)?;
        yes [$($secret:literal)+];
        no [$($other:literal)+];
    )+) => {
        &[$($crate::domain::redact::format::Format {
            name: stringify!($name),
            place: $crate::domain::redact::format::TriedAt::$place,
            least: $least,
            before: 0 $(+ $before)?,
            anchors: &[$($anchor),*],
            pattern: $pattern,
            check: $crate::domain::redact::format::checked!($($check)?),
            #[cfg(test)]
            of: $of,
            #[cfg(test)]
            source: $source,
            #[cfg(test)]
            secrets: &[$($secret),+],
            #[cfg(test)]
            others: &[$($other),+],
        }),+]
    };
}

/// A pattern whose match no letter or digit touches, for [`TriedAt::Within`].
macro_rules! alone {
    ($pattern:literal) => {
        concat!(
            "(?:^|[^A-Za-z0-9])(?<secret>",
            $pattern,
            ")(?:$|[^A-Za-z0-9])"
        )
    };
}

macro_rules! checked {
    () => {
        $crate::domain::redact::check::any
    };
    ($check:path) => {
        $check
    };
}

pub(super) use {alone, checked, formats};
