//! What a person typed, and nothing resolved: the environment, the clock and the disk are looked at later.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use referee_engine::selection;
use referee_model::id::TaskId;
use referee_model::limit;

pub(crate) mod agent;
pub(crate) mod ci;
pub(crate) mod debt;
pub(crate) mod diagnostics;
pub(crate) mod doctor;
pub(crate) mod enroll;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod gate;
pub(crate) mod gate_options;
pub(crate) mod handback;
pub(crate) mod hook;
pub(crate) mod hook_config;
pub(crate) mod incident;
pub(crate) mod key;
pub(crate) mod lock;
pub(crate) mod sandbox;
pub(crate) mod selftest;
pub(crate) mod serve;
pub(crate) mod stage;
pub(crate) mod status;
pub(crate) mod waive;
pub(crate) use self::baseline::Baseline;
pub(crate) use self::clean_room::CleanRoom;
pub(crate) use self::evidence_root::EvidenceRoot;

mod baseline;
mod clean_room;
mod duration;
mod evidence_root;
mod explain;

pub(crate) use self::explain::Explain;
pub(crate) use self::init::Init;

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
  referee init                         look at the project, and write a referee.yaml for it
  referee run                          run the checks of the nearest referee.yaml
  referee run fixed.yaml               run those of another specification
  referee check                        say everything that is wrong with the specification
  referee plan                         show what would run, in which order, and why
  referee explain STEP.2               why an action came out as it did, and what that means
  referee evidence verify evidence/T001 --replay
                                       check the evidence, and judge it again

Exit codes:
  0 passed · 1 failed · 2 usage · 3 specification error · 4 nothing ran · 5 prerequisite failed
  6 a tool did not work · 7 timeout · 70 internal error · 74 evidence could not be kept
  130, 143 interrupted";

/// Options that every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Go to this folder first.
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true, env = "REFEREE_COLOR")]
    pub(crate) color: Color,
    /// Say only the decision and what blocks.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more; twice for everything.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Show no live progress, even at a terminal.
    #[arg(long, global = true, env = "REFEREE_NO_PROGRESS", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_progress: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// At a terminal, unless NO_COLOR is set or TERM is dumb; also where CLICOLOR_FORCE is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at the project, and write a referee.yaml with checks that fit it.
    Init(Init),
    /// Run the checks, keep the evidence, judge, and answer.
    Run(Run),
    /// Answer one question: may this be called done? By a recorded verdict where nothing that it rests on has changed, else
    /// by running the checks.
    Gate(Box<gate::Gate>),
    /// Stand where a coding agent wants to hand back: read its host's event, and answer in the host's way. Configure that at a
    /// host, and see how it answers.
    #[command(subcommand)]
    Hook(Box<hook::Hook>),
    /// Run a coding agent until its work passes, and look at such runs.
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Run the checks in CI, whatever was recorded before, and hold what was attested elsewhere against what they come to.
    Ci(Box<ci::Ci>),
    /// Say everything that is wrong with the specification, and run nothing.
    Check(Check),
    /// Show what would run, in which order, and why.
    Plan(Plan),
    /// Read a tool's raw output from standard input, and print what was found in it.
    Parse(Parse),
    /// Take down what stands now, so that later runs can block only on what is new.
    Baseline(Baseline),
    /// Take down what the gate rests on, so that a change of it is seen: specification, tests, configuration, CI, hooks.
    Lock(lock::Lock),
    /// Say how every task stands, by its sealed evidence; whatever files say.
    Status(status::Status),
    /// Run tasks again, and write down how they stand then.
    #[command(mut_arg("tasks", |tasks| {
        tasks.help("Run this task again, and those that it depends on; may be given several times. One at least is needed.")
    }))]
    Retest(status::Retest),
    /// Let one named thing not block for a while, with a reason and an approver's signature.
    Waive(Box<waive::Waive>),
    /// Say why the last sealed run, or one action of it, came out as it did.
    Explain(Explain),
    /// Work on failures: capture, plan, approve, hand off, repair in a loop, archive.
    #[command(subcommand, after_help = incident::LIFE)]
    Incident(incident::Incident),
    /// Serve incidents, runs and evidence over HTTP, and as a page.
    Serve(Box<serve::Serve>),
    /// Work through the stages of a workflow: compose a run, pass control, judge what comes back, publish it.
    #[command(subcommand, after_help = stage::WAY)]
    Stage(stage::Stage),
    /// Show how control of a stage is given back, and what that is worth. Writes nothing.
    Handback(Box<handback::Handback>),
    /// Look at recorded evidence.
    #[command(subcommand)]
    Evidence(Evidence),
    /// Keys that sign runs, and whose keys you believe.
    #[command(subcommand)]
    Key(key::Key),
    /// Structured errors: what kind of failure a document tells of.
    #[command(subcommand)]
    Error(error::ErrorCommand),
    /// What failed runs leave to be done: the register over all runs.
    #[command(subcommand)]
    Debt(debt::Debt),
    /// List what went wrong over all runs: since when, how often, and what is gone.
    Diagnostics(diagnostics::Diagnostics),
    /// Make faults on purpose on this machine, and see that each is answered as it must be.
    ///
    /// Everything happens in a temporary folder below the state folder. Exits with 0 where all hold, and with 70 where one
    /// does not: then what Referee says on this machine is not to be relied on.
    Selftest(selftest::Selftest),
    /// Enrol a project: hooks have an opinion in it, whatever becomes of its specification.
    Enroll(enroll::Enroll),
    /// Say whether the gate is really armed here: hooks, what protects them, keys, state, sandbox; and how to mend what is not.
    Doctor(doctor::Doctor),
    /// Print the JSON Schema of a document, or the names of all.
    Schema(Schema),
}

/// Which specifications are meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct Specification {
    /// The specifications: files, or folders for all that lie in them and below. Without any the nearest referee.yaml,
    /// from here upwards.
    #[arg(value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) files: Vec<PathBuf>,
    /// The workspace, whatever the specification says.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
}

/// How much runs. Whatever leaves a step out makes a reduced run, which never counts as done.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// How much to run: strict is everything, fast leaves out what is slow or says little, smoke and yolo run only
    /// files, type checkers and compilers. Default: what the specification says, or strict.
    #[arg(long, value_enum, value_name = "PROFILE", env = "REFEREE_PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Run this step, by id or name, and what it needs; may be given several times.
    #[arg(long, value_name = "STEP")]
    pub(crate) only: Vec<String>,
    /// Leave out this action, by id or name, and what needs it; may be given several times.
    #[arg(long, value_name = "ACTION")]
    pub(crate) skip: Vec<String>,
    /// Leave out the steps that passed in the last sealed run.
    #[arg(long)]
    pub(crate) rerun_failed: bool,
}

/// How much to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// Everything.
    Strict,
    /// What is quick and telling.
    Fast,
    /// The least that is worth asking.
    Smoke,
    /// As smoke.
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

/// How a command prints its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON document a line, as things happen.
    Jsonl,
}

/// How a command that has nothing to stream prints its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee run                      the nearest referee.yaml, from here upwards
  referee run ci/referee.yaml      another one
  referee run .                    all below this folder, one after another
  referee -C service run           in another folder
  referee run --task T030          one task of several, and those that it depends on
  referee run --jobs 4             up to four steps at once
  referee run --only lint          one step and what it needs: a reduced run, never counted as done
  referee run --rerun-failed       only what did not pass the last time
  referee run --baseline baseline.json
                                   block only on what is new since `referee baseline` wrote that file
  referee run --sandbox            let commands write only to the workspace and to caches
  referee run --clean-room         in a tree built of the sources alone, with `setup` run first
  referee run --key ~/.config/referee/key.pem
                                   sign what it comes to
  referee run --trusted origin/main
                                   nothing runs where what is protected is not as at that commit
  referee run --format jsonl       one event a line, then the report
  referee run -q                   only the decision and what blocks")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Run this task, and those that it depends on; may be given several times. Default: all.
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Block only on what is new: findings and failed tests that stood in this baseline do not block. A file that
    /// `referee baseline` wrote, or sealed evidence: the folder of a task, or that of all tasks.
    #[arg(long, value_name = "PATH")]
    pub(crate) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gate: gate_options::GateArguments,
    #[command(flatten)]
    pub(crate) incidents: incident::Automatic,
    /// How to print the answer; json and jsonl print the versioned event stream and the report.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee check                    the nearest referee.yaml
  referee check --format json      every complaint as data")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// How to print the complaints.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee plan                     what would run, in which order, and why
  referee plan --format json       the full plan, as evidence binds to it
  referee plan --executables       which files the programs are, as a block for `pins`")]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Print which files the programs are that the checks name, and those that their scripts are handed to, with SHA-256: a
    /// block for `pins`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) executables: bool,
    /// How to print the plan.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo check 2>&1 | referee parse          the content tells whose output it is
  npx tsc --noEmit | referee parse --tool tsc
  npx eslint . | referee parse --format json
  referee parse --format sarif build.log test.log
  mytool | referee parse --errorformat '%f:%l:%c: %m'
  mytool | referee parse --matcher .github/mytool-matcher.json
  referee parse --list                      the tools whose output is known")]
pub(crate) struct Parse {
    /// The tool that printed it; without it the content tells.
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// Read with the problem matchers of this file alone (GitHub's form or VS Code's); may be given several times.
    #[arg(long, value_name = "JSON", conflicts_with = "tool")]
    pub(crate) matcher: Vec<PathBuf>,
    /// Read with this errorformat (Vim's, as reviewdog takes it) alone; may be given several times for one of several
    /// parts.
    #[arg(long, value_name = "FORMAT", conflicts_with = "tool", allow_hyphen_values = true)]
    pub(crate) errorformat: Vec<String>,
    /// Read these files instead of standard input, each as a log of its own; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print what was found.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ParseFormat::Human)]
    pub(crate) format: ParseFormat,
    /// Print the tools whose output is known: name, what it is for, other names.
    #[arg(long, conflicts_with_all = ["tool", "files"])]
    pub(crate) list: bool,
}

/// How to print what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParseFormat {
    /// For people, with the lines of source that are meant.
    Human,
    /// One JSON object.
    Json,
    /// JSON, one finding or failed test a line, and the sums behind them.
    Jsonl,
    /// SARIF 2.1.0.
    Sarif,
    /// Reviewdog's diagnostic format, one finding a line.
    Rdjsonl,
    /// GitHub workflow commands, which annotate the lines that they are about.
    Github,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    /// Check that a folder of evidence is as it was sealed.
    ///
    /// Exits with 0 where it is authentic and the run passed, 1 where it is authentic and the run did not pass, 3 where
    /// it cannot be verified, 4 where something was changed.
    Verify(Verify),
    /// List the runs that are kept, the latest first, whatever became of them.
    List(evidence::List),
    /// Show what is known of one run, and the files that were sealed.
    Show(evidence::Show),
    /// Remove the files of old runs in the history. Seals stay, and a tombstone each, so the chain goes on.
    Prune(evidence::Prune),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence verify evidence/T001            are all files as they were sealed?
  referee evidence verify evidence/T001 --replay   and does the report follow from them?
  referee evidence verify evidence/T001 --fresh    and are the project's files still what the run saw?
  referee evidence verify evidence/T001 --key ci.pub.pem
                                                   and has our CI signed it?")]
pub(crate) struct Verify {
    /// The folder of one task's evidence.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Judge the evidence again; the report must come out the same, byte for byte.
    #[arg(long)]
    pub(crate) replay: bool,
    /// Compare the project's files as they are now with those that the run left; where they differ, or where the run does
    /// not say which it left, the evidence is not verifiable (exit 3).
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The workspace that is compared, where it is not the one that the run was made in.
    #[arg(long, value_name = "DIR", requires = "fresh")]
    pub(crate) workspace: Option<PathBuf>,
    /// A public key (Ed25519, SPKI PEM) by which it must be signed; may be given several times, and one of them is enough.
    #[arg(long = "key", value_name = "PUBLIC.pem")]
    pub(crate) keys: Vec<PathBuf>,
    /// Hold it against this verification policy (`referee schema verification-policy`): whatever that asks for and is not
    /// there exits with 3.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// How to print what was found.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee schema                   the names of all documents
  referee schema specification     the schema of referee.yaml, for an editor")]
pub(crate) struct Schema {
    /// The document.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
