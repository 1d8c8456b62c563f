//! What happened stays, and can be proven.
