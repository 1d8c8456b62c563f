//! A plan becomes events and captured bytes.
