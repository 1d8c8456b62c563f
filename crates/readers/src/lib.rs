//! Raw tool output becomes readings.
