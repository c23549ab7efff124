//! The envelope and the schemas of everything that machines read, and the dialects of hosts' hooks.

pub mod envelope;
pub mod hooks;
pub mod schema;
