//! The wire format: one flat JSON object per line, `type` first, then the payload, then `at` and
//! the envelope (docs/ledger-format.md#lines-and-fields).

mod decode;
mod encode;
pub mod fields;
pub mod lenient;
mod stored;

pub use decode::{
    BOM, Decoded, Flaw, at_of, decode, event_of_line, is_conflict_marker, is_unfinished_line,
    prev_of,
};
pub use encode::{MAX_TEXT, TooLarge, encode, encode_sealed, fits_a_line, repair};
pub use stored::StoredLine;

#[cfg(test)]
mod odd_tests;
#[cfg(test)]
mod tests;
