//! The envelope, the schemas of everything that machines read, the tools that agents call, and the
//! dialects of hosts' hooks.

pub mod envelope;
pub mod hooks;
pub mod schema;
pub mod tools;
