//! Events and reports become text for someone.
