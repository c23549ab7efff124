//! Replay on small ledgers: a table of cases from files, what each leaves in the state, how much
//! of the ledger is read again, and properties over ledgers that nobody thought of.

mod agents;
mod cases;
mod details;
mod effort;
mod histories;
mod properties;
mod repeated;
