//! The corridor: one request from specification to answer. The only crate that knows every room.
//!
//! A [`request::RunRequest`] goes through [`pipeline::run`]: events are appended to the journal before anyone is told,
//! output is stored before it is read, every action is judged from what is stored, and the folder is sealed before the
//! [`request::Answer`] is given. [`replay`] takes the same steps over a sealed folder, and [`verification`] says whether
//! that folder can be trusted.
#![warn(missing_docs)]

pub mod request;

pub mod selection;

mod redaction;

mod stored;

mod place;

mod material;

mod held;

mod evaluation;

mod judging;

mod course;

pub mod replay;

pub mod debt;

mod diagnostic_register;

pub mod pipeline;

mod earlier;

pub mod suite;

pub mod recorded;

mod agreement;

pub mod verification;

pub mod baseline;
