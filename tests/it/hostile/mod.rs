//! Hostile input, a test a row (see also `paths`, `actors`, `gate`, `checks` and `output`): what
//! arrives as text, as bytes of the ledger, from the environment, and from an auditor that means
//! harm. Nothing of it may run something, complete something, or be lost.

mod auditors;
mod environment;
mod hooks;
mod iterations;
mod owners;
mod progress;
mod runs;
mod shown;
mod smuggling;
mod steps;
mod tasks;
mod text;
mod tools;
