//! Interfaces for machines: the envelope of JSON answers, schemas, the tools that agents call (also over
//! MCP), and hooks in the formats of their hosts.

pub mod envelope;
pub mod hooks;
pub mod mcp;
pub mod schema;
pub mod tools;
