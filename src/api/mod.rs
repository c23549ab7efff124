//! The envelope and the schemas of everything that machines read.

pub mod envelope;
pub mod schema;
