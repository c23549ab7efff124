//! Lines that stand together in the order.

use crate::domain::causal::NodeIndex;

/// Lines that keep together.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub(super) lines: Vec<NodeIndex>,
    /// The line whose time and id decide where it stands: the first of a write, the last of a run.
    pub(super) key: NodeIndex,
    /// The units that it names, each once.
    pub(super) names: Vec<usize>,
}
