//! The envelope, the schemas of everything that machines read, the tools that agents call, and
//! these over MCP.

pub mod envelope;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod schema;
pub mod tools;
