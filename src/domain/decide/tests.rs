//! tests of deciding
