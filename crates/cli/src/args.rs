//! What a person typed, and nothing resolved: the environment, the clock and the disk are looked at later.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use referee_engine::selection;
use referee_model::id::TaskId;
use referee_model::limit;

pub(crate) mod agent;
pub(crate) mod agent_fleet;
pub(crate) mod ci;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod debt;
pub(crate) mod depot;
pub(crate) mod diagnostics;
pub(crate) mod doctor;
pub(crate) mod enroll;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod fleet;
pub(crate) mod gate;
pub(crate) mod gate_options;
pub(crate) mod handback;
pub(crate) mod hook;
pub(crate) mod hook_config;
pub(crate) mod incident;
pub(crate) mod key;
pub(crate) mod lock;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod order;
pub(crate) mod probe;
pub(crate) mod report;
pub(crate) mod sandbox;
pub(crate) mod selftest;
pub(crate) mod serve;
pub(crate) mod stage;
pub(crate) mod standby;
pub(crate) mod status;
pub(crate) mod waive;
pub(crate) mod watch;
pub(crate) mod worker;
pub(crate) use self::baseline::Baseline;
pub(crate) use self::clean_room::CleanRoom;
pub(crate) use self::depot::DepotProject;
pub(crate) use self::evidence_root::EvidenceRoot;

mod baseline;
mod clean_room;
pub(crate) mod duration;
mod evidence_root;
mod explain;
mod sealed_runs;

pub(crate) use self::explain::Explain;
pub(crate) use self::init::Init;
pub(crate) use self::sealed_runs::SealedRuns;

mod init;

/// The impartial gate between a coding agent and the word "done".
///
/// Referee runs a declarative specification of checks, keeps what happened as evidence, judges it by fixed rules, and
/// answers with one report: what failed, why, where, whether it blocks, and what to do next.
#[derive(Debug, Parser)]
#[command(name = "referee", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  referee init                         create a referee.yaml for the project
  referee run                          run the checks of the nearest referee.yaml
  referee run fixed.yaml               run the checks of another specification
  referee check                        check the specification for errors
  referee plan                         show the steps that would run, in order
  referee explain STEP.2               explain the result of an action
  referee evidence verify evidence/T001 --replay
                                       verify the evidence, and judge it again

Help topics:
  referee help exit-codes              exit codes of all commands
  referee help specification           format of referee.yaml
  referee help evidence                files of a run, and how to verify them";

/// Global options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global Options")]
pub(crate) struct Global {
    /// Change to DIR before doing anything.
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Control when colored output is used.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true, env = "REFEREE_COLOR")]
    pub(crate) color: Color,
    /// Print only the decision and what blocks it.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Use verbose output (-vv for all details).
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Disable progress output.
    #[arg(long, global = true, env = "REFEREE_NO_PROGRESS", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_progress: bool,
}

/// Control when colored output is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Color when writing to a terminal; honors NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
    Auto,
    /// Always use colors.
    Always,
    /// Never use colors.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a referee.yaml with checks that fit the project.
    Init(Init),
    /// Run the checks and report the result.
    Run(Run),
    /// Run the checks again whenever their inputs change.
    Watch(Box<watch::Watch>),
    /// Decide whether the work is done (reuses the last verdict if nothing changed).
    Gate(Box<gate::Gate>),
    /// Run as a coding agent's stop hook, or install and test the hook.
    #[command(subcommand)]
    Hook(Box<hook::Hook>),
    /// Run a coding agent in a loop until the gate passes.
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Run all checks in CI and verify attestations against the result.
    Ci(Box<ci::Ci>),
    /// Check the specification for errors without running anything.
    Check(Check),
    /// Show the steps that would run, in order.
    Plan(Plan),
    /// Extract findings and test results from a tool's output.
    Parse(Parse),
    /// Record current findings as a baseline; later runs fail only on new ones.
    Baseline(Baseline),
    /// Write referee.lock: hashes of the specification, tests, configuration, CI and hooks.
    Lock(lock::Lock),
    /// Plant defects to see whether the checks report them.
    #[command(subcommand)]
    Probe(probe::Probe),
    /// Show the status of tasks, computed from sealed evidence.
    Status(status::Status),
    /// Run tasks again and update their status.
    #[command(mut_arg("tasks", |tasks| {
        tasks.help("Tasks to run again, with their dependencies.")
    }))]
    Retest(status::Retest),
    /// Waive one blocking check, rule or file until a date, signed by an approver.
    Waive(Box<waive::Waive>),
    /// Explain the result of a task or an action, a rule, an outcome or a code.
    Explain(Explain),
    /// Compare two runs of a task: what is new, gone, flaky and slower.
    Compare(compare::Compare),
    /// Write sealed runs for other programs, as JUnit XML, SARIF, HTML and others.
    Report(report::Report),
    /// Manage incidents: capture, plan, approve, repair and archive failures.
    #[command(subcommand, after_help = incident::LIFE)]
    Incident(incident::Incident),
    /// Serve incidents, runs and evidence over HTTP.
    Serve(Box<serve::Serve>),
    /// Perform runs that other machines order.
    Worker(worker::Worker),
    /// Go on with loops of agents whose machine is gone.
    Standby(standby::Standby),
    /// List and cancel orders that workers perform.
    #[command(subcommand)]
    Order(order::OrderCommand),
    /// Serve runs, evidence and incidents as tools for coding agents (MCP).
    Mcp(Box<mcp::Mcp>),
    /// Run the stages of a workflow.
    #[command(subcommand, after_help = stage::WAY)]
    Stage(stage::Stage),
    /// Show a stage's handback and verify its claims.
    Handback(Box<handback::Handback>),
    /// Verify, list, show, prune, push and pull evidence.
    #[command(subcommand)]
    Evidence(Evidence),
    /// Manage signing keys and trusted keys.
    #[command(subcommand)]
    Key(key::Key),
    /// Classify errors of agents, reports and programs.
    #[command(subcommand)]
    Error(error::ErrorCommand),
    /// Manage technical debt recorded from failed runs.
    #[command(subcommand)]
    Debt(debt::Debt),
    /// List findings over all runs, with age and count.
    Diagnostics(diagnostics::Diagnostics),
    /// Test on this machine that deliberate faults are detected.
    ///
    /// Works in a temporary directory below the state directory. Exits with 0 if every fault is detected, else with 70:
    /// results of Referee on this machine are then not reliable.
    Selftest(selftest::Selftest),
    /// Enroll a project, so that hooks block in it even if its specification is removed.
    Enroll(enroll::Enroll),
    /// Check the installation: hooks, their protection, keys, state and sandbox.
    Doctor(doctor::Doctor),
    /// Print the JSON Schema of a document.
    Schema(Schema),
    /// Print the script that completes commands in a shell.
    Completions(completions::Completions),
    /// Print a manual page, or write those of all commands.
    Man(man::Man),
}

/// Specifications.
#[derive(Debug, Clone, Args)]
pub(crate) struct Specification {
    /// Specification files, or directories to search for them [default: the nearest referee.yaml in this directory or a
    /// parent].
    #[arg(value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) files: Vec<PathBuf>,
    /// Override the workspace directory.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
}

/// Selection of steps. A run that leaves a step out is reduced, and never counts as done.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Step Selection")]
pub(crate) struct Selection {
    /// Set of steps to run [default: as specified, or strict].
    #[arg(long, value_enum, value_name = "PROFILE", env = "REFEREE_PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Run only this step, by id or name, and what it needs (can be repeated).
    #[arg(long, value_name = "STEP")]
    pub(crate) only: Vec<String>,
    /// Skip this action, by id or name, and what needs it (can be repeated).
    #[arg(long, value_name = "ACTION")]
    pub(crate) skip: Vec<String>,
    /// Run only the steps that did not pass in the last sealed run.
    #[arg(long)]
    pub(crate) rerun_failed: bool,
}

/// Set of steps to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// All steps.
    Strict,
    /// Skip slow steps and steps that rarely fail.
    Fast,
    /// File checks, type checkers and compilers only.
    Smoke,
    /// Same as smoke.
    Yolo,
}

impl Selection {
    /// Returns what the engine is told of it.
    pub(crate) fn value(&self) -> selection::Selection {
        let profile = self.profile.map(|profile| match profile {
            Profile::Strict => selection::Profile::Strict,
            Profile::Fast => selection::Profile::Fast,
            Profile::Smoke => selection::Profile::Smoke,
            Profile::Yolo => selection::Profile::Yolo,
        });
        selection::Selection {
            profile,
            only: self.only.clone(),
            skip: self.skip.clone(),
            rerun_failed: self.rerun_failed,
        }
    }
}

fn task_id(text: &str) -> Result<TaskId, String> {
    TaskId::parse(text).map_err(|error| error.to_string())
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse::<NonZeroUsize>().ok().filter(|jobs| jobs.get() <= limit::JOBS);
    jobs.ok_or_else(|| format!("expected a whole number from 1 to {}", limit::JOBS))
}

/// Output format of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for humans.
    Human,
    /// A single JSON document.
    Json,
    /// One JSON document per line, written as events happen.
    Jsonl,
}

/// Output format of a command that does not stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// Text for humans.
    Human,
    /// A single JSON document.
    Json,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee run                      run the nearest referee.yaml
  referee run ci/referee.yaml      run another specification
  referee run .                    run all specifications below this directory
  referee -C service run           run in another directory
  referee run --task T030          run one task and its dependencies
  referee run --jobs 4             run up to four steps in parallel
  referee run --only lint          run one step and what it needs (never counts as done)
  referee run --rerun-failed       run only the steps that did not pass last time
  referee run --baseline baseline.json
                                   block only on findings that are not in the baseline
  referee run --sandbox            let commands write only to the workspace and caches
  referee run --clean-room         run in a fresh copy of the sources, after `setup`
  referee run --key ~/.config/referee/key.pem
                                   sign the evidence
  referee run --trusted origin/main
                                   run nothing if protected files differ from that commit
  referee run --evidence s3://evidence
                                   push the evidence to object storage
  referee run --fleet --label gpu --evidence s3://evidence
                                   run on another machine, by a worker
  referee run --format jsonl       stream events, then the report
  referee run --report junit=junit.xml --report html=report.html
                                   write reports for other programs
  referee run -q                   print only the decision and what blocks it")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Run only this task and its dependencies (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Block only on findings and failed tests that are not in this baseline: a file written by `referee baseline`, or an
    /// evidence directory.
    #[arg(long, value_name = "PATH")]
    pub(crate) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gate: gate_options::GateArguments,
    #[command(flatten)]
    pub(crate) incidents: incident::Automatic,
    #[command(flatten)]
    pub(crate) depot: depot::RunDepot,
    #[command(flatten)]
    pub(crate) fleet: fleet::Fleet,
    #[command(flatten)]
    pub(crate) reports: report::ReportFiles,
    /// Output format; jsonl streams versioned events, then the report.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee check                    check the nearest referee.yaml
  referee check --format json      print all errors as JSON")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee plan                     show the steps that would run, in order
  referee plan --format json       print the complete plan
  referee plan --executables       print hashes of the executables for `pins`")]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Print the executables that the checks and their scripts use, with SHA-256, as a `pins` block.
    #[arg(long, conflicts_with = "format")]
    pub(crate) executables: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo check 2>&1 | referee parse          detect the tool from the content
  npx tsc --noEmit | referee parse --tool tsc
  npx eslint . | referee parse --format json
  referee parse --format sarif build.log test.log
  mytool | referee parse --errorformat '%f:%l:%c: %m'
  mytool | referee parse --matcher .github/mytool-matcher.json
  referee parse --list                      list known tools")]
pub(crate) struct Parse {
    /// Tool that produced the output [default: detected from the content].
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// Use only the problem matchers in this file, in GitHub's or VS Code's format (can be repeated).
    #[arg(long, value_name = "JSON", conflicts_with = "tool")]
    pub(crate) matcher: Vec<PathBuf>,
    /// Use only this errorformat, in Vim's syntax (can be repeated).
    #[arg(long, value_name = "FORMAT", conflicts_with = "tool", allow_hyphen_values = true)]
    pub(crate) errorformat: Vec<String>,
    /// Log files to read; `-` is standard input [default: -].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ParseFormat::Human)]
    pub(crate) format: ParseFormat,
    /// List known tools with their role and aliases.
    #[arg(long, conflicts_with_all = ["tool", "files"])]
    pub(crate) list: bool,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParseFormat {
    /// Text for humans, with source lines.
    Human,
    /// A single JSON object.
    Json,
    /// One finding or failed test per line as JSON, then the totals.
    Jsonl,
    /// SARIF 2.1.0.
    Sarif,
    /// Reviewdog Diagnostic Format, one finding per line.
    Rdjsonl,
    /// GitHub workflow commands, which annotate source lines.
    Github,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    /// Verify that evidence is unchanged since it was sealed.
    ///
    /// Exits with 0 if it is authentic and the run passed, 1 if it is authentic and the run did not pass, 3 if it cannot be
    /// verified, 4 if it was modified.
    Verify(Verify),
    /// List kept runs, latest first.
    List(evidence::List),
    /// Show one run and its sealed files.
    Show(evidence::Show),
    /// Remove files of old runs; seals and tombstones stay, so the chain remains verifiable.
    Prune(evidence::Prune),
    /// Push sealed runs to a depot: object storage, or a directory.
    Push(depot::Push),
    /// Pull runs from a depot, verify and publish them.
    ///
    /// Nothing is trusted because it comes from a depot: the seal, the chain and the signature are verified before a run is
    /// published or copied.
    Pull(depot::Pull),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence verify evidence/T001            verify the seal of all files
  referee evidence verify evidence/T001 --replay   also judge the evidence again
  referee evidence verify evidence/T001 --fresh    also require that the project is unchanged
  referee evidence verify evidence/T001 --key ci.pub.pem
                                                   also require a signature")]
pub(crate) struct Verify {
    /// Evidence directory of a task.
    #[arg(value_name = "DIR")]
    pub(crate) evidence: PathBuf,
    /// Judge the evidence again, and require the same report, byte for byte.
    #[arg(long)]
    pub(crate) replay: bool,
    /// Require that the project's files are still those that the run left.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Workspace to compare [default: the workspace of the run].
    #[arg(long, value_name = "DIR", requires = "fresh")]
    pub(crate) workspace: Option<PathBuf>,
    /// Require a signature by this public key, Ed25519 in SPKI PEM (can be repeated; one signature is enough).
    #[arg(long = "key", value_name = "PUBLIC.pem")]
    pub(crate) keys: Vec<PathBuf>,
    /// Verify against this policy (see `referee schema verification-policy`).
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee schema                   list the names of all documents
  referee schema specification     print the schema of referee.yaml, for an editor")]
pub(crate) struct Schema {
    /// Name of the document [default: list all names].
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
