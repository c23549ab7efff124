//! The envelope, the schemas of everything that machines read, the tools that agents call, these
//! over MCP, and the dialects of hosts' hooks.

pub mod envelope;
pub mod hooks;
pub mod mcp;
pub mod schema;
pub mod tools;
