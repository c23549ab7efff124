//! Pure text from state and given templates.
