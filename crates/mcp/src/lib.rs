//! MCP server for coding agents: runs, the gate, reports, evidence and incidents as tools, over standard streams or HTTP.
//!
//! A tool is one call of the engine. It names tasks, runs and incidents by id, and a path only below the project. What
//! only a person may do is not offered: approving, waiving, locking, enrolling, and keys. A check that fails is a result;
//! an error says why nothing could be asked.

mod answer;

pub mod project;

mod observer;

mod work;

mod tool;

mod resource;

mod prompt;

mod handler;

mod stop;

pub mod stdio;

pub mod http;
