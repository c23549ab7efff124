//! What a document says, and that no text can imitate a section.
