//! Clean rooms: trees built for one run from a candidate's files, with the protected files taken from a
//! baseline (design, "Lock").
//!
//! Files in the candidate's directory other than its sources (build output, caches, installed dependencies,
//! everything that git ignores) are left out, so no check passes because of them. The modules are listed in the
//! order of the data: `layout` decides which files belong in the room, `candidate` lists them, `room` builds
//! it, `key` computes the cache key of installed dependencies, `dependencies` caches them.

mod error;

mod layout;

mod candidate;

pub(crate) mod copy;

pub mod room;

pub(crate) mod manifest;

mod local_code;

pub mod key;

pub mod dependencies;

pub use self::dependencies::{Dependencies, Kept, Restored};
pub use self::error::RoomError;
pub use self::key::{Circumstance, key};
pub use self::manifest::{TreeScope, manifest};
pub use self::room::{Blueprint, Room};

#[cfg(test)]
mod tests;
