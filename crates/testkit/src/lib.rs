//! Fake tools for tests; never shipped.
