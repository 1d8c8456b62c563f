//! Runs a plan, producing events and captured output.
//!
//! [`run`] carries out a plan and observes it: it starts commands and services, captures their output, ends the
//! processes that they leave behind, makes HTTP requests, and examines files. It knows no tool by name and never
//! judges: it reports facts, and asks its [`Observer`] before each action whether to continue. It supports Linux
//! only; code that is specific to Linux is in `spawn`, `process_registry`, `group`, `port` and `file`.
//!
//! Modules are listed in the order in which the data passes through them.

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

mod excerpt;

mod equality;

mod http;

mod launch;

mod container;

mod command;

mod silence;

mod programs;

mod service;

mod query;

mod browser;

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
pub use crate::programs::{Programs, has_external, located, missing, programs};
pub use crate::shim::run_shim;
pub use crate::signal::Cancellation;
pub use crate::silence::Silence;
