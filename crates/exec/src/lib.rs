//! Runs a plan, producing events and captured output.
//!
//! [`run`] carries out a plan and observes it: it starts commands and services, captures their output, ends the
//! processes that they leave behind, makes HTTP requests, and examines files. It knows no tool by name and never
//! judges: it reports facts, and asks its [`Observer`] before each action whether to continue.
//!
//! What only Linux has is in one module per mechanism, beside a twin for every other POSIX system: `process_table`,
//! `process_handle`, `memory_file`, `sandbox`, `control_group`, `port`, and single calls in `file`, `signal` and `capture`.
//! The feature `portable` chooses the twins on Linux, for tests.
//!
//! Modules are listed in the order in which the data passes through them.

#[cfg(all(target_os = "linux", feature = "portable", not(debug_assertions)))]
compile_error!("the feature `portable` is for tests: a program that is shipped for Linux confines commands");

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

mod memory_file;

mod process_handle;

mod process_registry;

mod process_table;

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
pub use crate::http::fetch::{OwnRequest, fetch};
pub use crate::observer::{Answer, Observer, ObserverError};
pub use crate::programs::{Programs, has_external, located, missing, programs};
pub use crate::shim::run_shim;
pub use crate::signal::Cancellation;
pub use crate::silence::Silence;
