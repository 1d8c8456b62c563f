//! Clean rooms: trees that are built for one run out of a candidate's files, with the protected ones from a baseline
//! (design, "Lock").
//!
//! What a candidate's directory holds beside its sources (built files, caches, installed dependencies, whatever git
//! ignores) is not there, so no check passes thanks to it. Modules stand in the order in which the data passes:
//! `layout` says what
//! is to stand where, `candidate` lists the files for it, `room` builds it, `key` tells what installed dependencies follow from,
//! `dependencies` keeps them.

mod error;

mod layout;

mod candidate;

mod copy;

pub mod room;

mod local_code;

pub mod key;

pub mod dependencies;

pub use self::dependencies::{Dependencies, Kept, Restored};
pub use self::error::RoomError;
pub use self::key::{Circumstance, key};
pub use self::room::{Blueprint, Room};

#[cfg(test)]
mod tests;
