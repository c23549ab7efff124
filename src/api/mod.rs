//! The envelope, the schemas of everything that machines read, and the tools that agents call.

pub mod envelope;
pub mod schema;
pub mod tools;
