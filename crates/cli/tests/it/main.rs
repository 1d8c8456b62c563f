//! The real program on real projects with real processes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start the program, make files and look at what it left; what fails here fails the test"
)]

mod support;

mod agent_order;
mod agent_run;
mod answers;
mod attacks;
mod baseline;
mod chain;
mod ci;
mod claims;
mod clean_room;
mod confinement;
mod debt;
mod diagnostics;
mod diagnostics_cases;
mod doctor;
mod edits;
mod enroll;
mod error;
mod evaluator;
mod evidence;
mod example;
mod exit_forgiven;
mod expect;
mod explain;
mod failures;
mod faults;
mod faults_clock;
mod faults_limits;
mod findings;
mod full_form;
mod gate;
mod gate_moved;
mod gate_reuse;
mod held_out;
mod hollow;
mod hook;
mod hook_config;
mod hook_guard;
mod hook_hosts;
mod hosts;
mod incident_approval;
mod incident_capture;
mod incident_handoff;
mod incident_plan;
mod incident_redness;
mod incident_run;
mod incident_store;
mod init;
mod init_trial;
mod interruption;
mod known_names;
mod loaded;
mod lock;
mod lock_accept;
mod lock_author;
mod messages;
mod no_summary;
mod output;
mod parallel;
mod parse;
mod probe;
mod probe_learn;
mod process;
mod reference;
mod replay;
mod secrets;
mod serve;
mod serve_door;
mod serve_page;
mod serve_runs;
mod serve_whole;
mod served;
mod serving;
mod signing;
mod specification;
mod stage_compose;
mod stage_flow;
mod stage_handback;
mod stage_preflight;
mod stage_specification;
mod stage_store;
mod stage_validate;
mod stage_way;
mod status;
mod tamper;
mod tree;
mod unloadable;
mod waive;
mod weaker;
