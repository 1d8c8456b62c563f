//! Text becomes a checked specification, and that becomes a plan.
