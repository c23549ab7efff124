//! One use case a file: typed request to outcome.
