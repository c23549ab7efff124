//! Goal documents: both header styles, Notes, replacing, archiving.
