//! The order of random ledgers, against a naive oracle.
