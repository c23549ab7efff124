//! Enums whose values are words: ledger, JSON and messages use the same word for a value.

/// Makes an enum from rows: each value and its word. With `listed` after its name, the enum also has a
/// list of its values, and finds a value by its word.
#[doc(hidden)] // for the program alone
#[macro_export]
macro_rules! words {
    ($(#[$attr:meta])* pub enum $name:ident listed {
        $($(#[$doc:meta])* $value:ident = $word:literal,)*
    }) => {
        $crate::domain::words::words! {
            $(#[$attr])* pub enum $name { $($(#[$doc])* $value = $word,)* }
        }

        impl $name {
            /// Every value, in the order of the rows.
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$value),*];

            /// The value with this word.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|it| it.name() == word)
            }
        }
    };
    ($(#[$attr:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $value:ident = $word:literal,)*
    }) => {
        $(#[$attr])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value,)*
        }

        impl $name {
            /// The word for this value.
            pub fn name(self) -> &'static str {
                match self { $($name::$value => $word),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub use words;
