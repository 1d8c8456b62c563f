//! One request from specification to answer.
