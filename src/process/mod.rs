//! Running an external command with caps, a deadline and its own process group.
