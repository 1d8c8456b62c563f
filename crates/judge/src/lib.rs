//! Facts become judgement: pure functions.
