//! A plan becomes events and captured bytes.
//!
//! [`run`] does what a plan says and observes it: it starts commands and services, keeps what they print, ends what they
//! leave behind, makes HTTP requests, and looks at files. It knows no tool by name and never judges: it reports facts, and
//! asks its [`Observer`] before each action whether to go on. Linux only so far; what is special to it stands in `spawn`,
//! `roster`, `group`, `port` and `file`.
//!
//! Modules stand in the order in which the data passes.

mod host;

pub mod agent;

pub mod environment;

mod shell_line;

mod npm;

mod executable;

mod resolve;

mod interpreter;
pub mod private_home;
pub mod sandbox;

mod pins;

mod shim;

mod process_registry;

mod spawn;

pub mod signal;

mod control_group;

mod group;

mod meter;

mod notice;

mod capture;

mod file;

mod observer;

mod attempt;

mod port;

mod http;

mod command;

mod silence;

mod programs;

mod service;

mod dispatch;

mod evaluator;

pub mod agent_process;

pub mod git;
pub mod own;
pub mod program;

pub use crate::attempt::ExecError;
pub use crate::capture::{Capture, Sink, SinkError};
pub use crate::control_group::ControlGroups;
pub use crate::dispatch::{Schedule, run};
pub use crate::environment::search_path;
pub use crate::evaluator::ask;
pub use crate::group::sweep_orphans;
pub use crate::host::{Clock, Confines, Host};
pub use crate::observer::{Answer, Observer, ObserverError};
pub use crate::programs::{Programs, located, programs};
pub use crate::shim::run_shim;
pub use crate::signal::Cancellation;
pub use crate::silence::Silence;
