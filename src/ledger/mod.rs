//! The file of events: framing, the lock, appending, reading.
