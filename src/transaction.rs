//! Lock, read, replay, decide, append, project: the only writer.
