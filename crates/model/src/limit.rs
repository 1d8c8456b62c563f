//! The bounds that hold for everyone. Units stand last in the names.

/// Longest text embedded in a report or record from one stream: this much of its head and this much of its tail
/// (ruling 18).
pub const EXCERPT_BYTES: usize = 16 * 1024;

/// Findings of one action that are kept one by one; all of them are counted (ruling 10).
pub const FINDINGS_KEPT: usize = 1_000;

/// Named test cases of one action that are kept one by one; all of them are counted.
pub const TEST_CASES_KEPT: usize = 20_000;

/// Distinct rules whose findings are counted apart; findings of further rules are counted under [`OTHER_RULES`].
pub const RULES_COUNTED: usize = 4_096;

/// The name under which findings beyond [`RULES_COUNTED`] distinct rules are counted.
pub const OTHER_RULES: &str = "(other rules)";

/// Longest message kept of one finding or one failed test.
pub const MESSAGE_BYTES: usize = 8 * 1024;

/// Longest line that a reader is shown; the rest of a longer one is counted, not read.
pub const LINE_BYTES: usize = 256 * 1024;

/// Output that one action may print before it is stopped: evidence that cannot be kept whole is no evidence.
pub const OUTPUT_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Time an action may take where nothing else is said (short form).
pub const ACTION_DEADLINE_MS: u64 = 300_000;

/// Time that installing dependencies may take where nothing else is said.
pub const SETUP_DEADLINE_MS: u64 = 600_000;

/// Longest deadline that a specification may ask for one action: a day.
pub const ACTION_DEADLINE_MS_MAX: u64 = 86_400_000;

/// Time between the polite signal and the one that cannot be ignored.
pub const GRACE_MS: u64 = 2_000;

/// Longest grace that a specification may ask for: a minute.
pub const GRACE_MS_MAX: u64 = 60_000;

/// Longest deadline that a specification may ask for over all: a week.
pub const TASK_DEADLINE_MS_MAX: u64 = 604_800_000;

/// Time that pipes may stay open after a command has ended before what holds them counts as leaked.
pub const LEAK_GRACE_MS: u64 = 200;

/// Largest specification that is read.
pub const SPECIFICATION_BYTES: u64 = 4 * 1024 * 1024;

/// Deepest nesting in a specification.
pub const SPECIFICATION_DEPTH: usize = 64;

/// Most values (texts, numbers, lists, mappings) in a specification.
pub const SPECIFICATION_VALUES: usize = 200_000;

/// Most values in a specification that may come from YAML anchors and aliases.
pub const SPECIFICATION_ALIASED_VALUES: usize = 10_000;

/// Complaints about one specification that are kept one by one; all of them are counted.
pub const COMPLAINTS_KEPT: usize = 500;

/// Most actions in one task.
pub const ACTIONS: usize = 10_000;

/// Largest file whose content is searched by a file check; larger ones are an observation of their own.
pub const FILE_CONTENT_BYTES: u64 = 64 * 1024 * 1024;

/// Longest output, body or file that a condition compares as a whole; texts are searched for in all of it.
pub const CONDITION_TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// Deepest nesting in a condition.
pub const CONDITION_DEPTH: usize = 64;

/// Longest condition, in bytes.
pub const CONDITION_BYTES: usize = 16 * 1024;

/// Largest body of an HTTP answer that is taken where nothing else is said.
pub const BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Largest body of an HTTP answer that a specification may ask to take.
pub const BODY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Redirects of one request that are followed.
pub const REDIRECTS: usize = 10;

/// Time an HTTP request may take where nothing else is said (schema 2.0.0, `HTTP_REQUEST.defaultTimeout`).
pub const HTTP_DEADLINE_MS: u64 = 10_000;

/// Time in which a service must be ready where nothing else is said (schema 2.0.0, `startupTimeout`).
pub const STARTUP_DEADLINE_MS: u64 = 30_000;

/// Time that a service without a sign of readiness must have run for.
pub const SETTLE_MS: u64 = 500;

/// Most attempts after the first (schema 2.0.0, `retryAttempts`).
pub const RETRIES: u32 = 5;

/// Most files that one pattern may name.
pub const GLOB_FILES: usize = 1_000;

/// Most actions that may run at once.
pub const JOBS: usize = 256;

/// Distinct diagnostics of one run that its report lists; all of them are counted.
pub const DIAGNOSTICS_LISTED: usize = 500;

/// Causes that a summary for prompts names where nothing else is asked (ruling 22).
pub const SUMMARY_CAUSES: usize = 5;

/// Longest summary for prompts, in characters.
pub const SUMMARY_CHARACTERS: usize = 4_000;

/// Longest message of one cause in a summary, in characters.
pub const SUMMARY_MESSAGE_CHARACTERS: usize = 300;

/// Items of debt that one action may leave; what lies beyond becomes one item that says how many there are.
pub const DEBT_ITEMS_PER_ACTION: usize = 50;

/// Places that one item of debt lists; all of them are counted.
pub const DEBT_PLACES_KEPT: usize = 50;

/// Lines of the log that one item of debt lists.
pub const DEBT_LOG_LINES_KEPT: usize = 100;

/// Steps, files, acceptance criteria or neighbours that one item of debt names, of each.
pub const DEBT_LINES_KEPT: usize = 20;

/// Changes of one item of debt that the register keeps; the oldest ones go.
pub const DEBT_CHANGES_KEPT: usize = 200;

/// Items of debt of one task that the register keeps; beyond them those go that were resolved longest ago.
pub const DEBT_ITEMS_REGISTERED: usize = 5_000;

/// The greatest number that an item of debt, a task of the sprint or an entry of the inventory can have.
pub const DEBT_NUMBER_MAX: u32 = 999_999_999;

/// Lines of a stream that a structured error carries (seed 2, `tailLines`).
pub const TAIL_LINES: usize = 50;

/// Most lines of a stream that may be asked for (`--tail-lines`).
pub const TAIL_LINES_MAX: usize = 10_000;

/// Largest document of others that is read: an agent's result with its streams, a verification report.
pub const FOREIGN_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;

/// Most values (texts, numbers, lists, mappings) in a document of others.
pub const FOREIGN_DOCUMENT_VALUES: usize = 1_000_000;

/// Longest stream of an agent that is kept in a document (seed 2, 1.4).
pub const AGENT_STREAM_BYTES: usize = 1024 * 1024;

/// Longest first line of a stream that a message quotes, in characters.
pub const QUOTED_LINE_CHARACTERS: usize = 200;
/// Longest message of one diagnostic in a report's log or in the register, in characters; the finding itself keeps
/// [`MESSAGE_BYTES`].
pub const DIAGNOSTIC_MESSAGE_CHARACTERS: usize = 2_000;

/// Longest command of one diagnostic in a report's log or in the register, in characters.
pub const DIAGNOSTIC_COMMAND_CHARACTERS: usize = 500;

/// Diagnostics that the register keeps, of all tasks together.
pub const DIAGNOSTICS_REGISTERED: usize = 10_000;

/// Runs that the register of diagnostics knows, of all tasks together.
pub const REGISTERED_RUNS: usize = 1_000;

/// Runs in a row with the same first failure after which trying again is no use (ruling 24, seed 3 `same-error-limit`).
pub const SAME_ERRORS: u32 = 3;

/// Failed runs in a row without progress after which another plan is needed (ruling 24, seed 3 `no-progress-limit`).
pub const RUNS_WITHOUT_PROGRESS: u32 = 2;

/// Equal snapshots in a row that count as stuck (seed 4, supervisor limits).
pub const EQUAL_SNAPSHOTS: u32 = 3;
/// Largest baseline that is read.
pub const BASELINE_BYTES: u64 = 64 * 1024 * 1024;

/// Longest beginning of a message that a baseline keeps of a finding or failed test, in characters.
pub const BASELINE_MESSAGE_CHARACTERS: usize = 200;

/// New findings and failed tests of one action that a report names one by one beside a baseline; all of them are counted.
pub const BASELINE_NEW_LISTED: usize = 50;
/// Time that an evaluator may take where nothing else is said.
pub const EVALUATOR_DEADLINE_MS: u64 = 60_000;

/// Output that an evaluator may print, both streams together, before it is stopped.
pub const EVALUATOR_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Longest standard output of an evaluator in which an answer is looked for.
pub const EVALUATOR_ANSWER_BYTES: usize = 64 * 1024;

/// Notes of an evaluator that are kept.
pub const EVALUATOR_NOTES: usize = 20;

/// Most files listed that changed during a run.
pub const TREE_CHANGES_LISTED: usize = 200;

/// Most files, links and directories that are copied into a clean room, or kept of what its set-up makes.
pub const ROOM_FILES: u64 = 2_000_000;

/// Protected files that were put back which a run lists one by one; all of them are counted.
pub const ROOM_RESTORED_LISTED: usize = 200;

/// Most bytes that are kept of what one set-up makes.
pub const DEPENDENCIES_BYTES: u64 = 32 * 1024 * 1024 * 1024;

/// Sets of dependencies that are kept of one project; the oldest ones go.
pub const DEPENDENCIES_KEPT: usize = 10;

/// Most programs that a specification may pin.
pub const PINS: usize = 1_000;
/// Most inputs that a workspace may have.
pub const TREE_FILES: usize = 2_000_000;

/// Largest input that is read for the digest of a tree, in bytes.
pub const TREE_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Most threads that list and hash the inputs of a workspace.
pub const TREE_THREADS: usize = 16;
/// Largest signed envelope that is read.
pub const ENVELOPE_BYTES: u64 = 16 * 1024 * 1024;

/// Largest file of attestations that is read.
pub const ATTESTATION_BYTES: u64 = 64 * 1024 * 1024;

/// Most signatures of one envelope that are looked at.
pub const ENVELOPE_SIGNATURES: usize = 16;

/// Names of tests and checks that a statement lists; all of them are counted.
pub const ATTESTED_NAMES: usize = 5_000;

/// Longest name that a statement lists, in bytes.
pub const ATTESTED_NAME_BYTES: usize = 256;

/// Largest file of a key that is read.
pub const KEY_BYTES: u64 = 16 * 1024;

/// Most keys in a trust store.
pub const TRUSTED_KEYS: usize = 1_000;

/// Largest trust store that is read.
pub const TRUST_BYTES: u64 = 4 * 1024 * 1024;

/// Largest answer that is taken from an agent that holds keys.
pub const AGENT_ANSWER_BYTES: u32 = 256 * 1024;
/// Most files that are protected.
pub const PROTECTED_FILES: usize = 50_000;

/// Largest protected file whose content is looked into; of a larger one only the digest is known.
pub const PROTECTED_CONTENT_BYTES: u64 = 4 * 1024 * 1024;

/// Most files of a workspace that are looked through for protected ones.
pub const WORKSPACE_FILES: usize = 500_000;

/// Largest lock that is read.
pub const LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// Most changes of protected files that are kept of one run; all of those that block are counted.
pub const DRIFT_LISTED: usize = 1_000;

/// Most files of tests of a change that a run keeps by name.
pub const PROBE_FILES_LISTED: usize = 1_000;

/// Most failed tests of a change that a probe keeps by name.
pub const PROBE_TESTS_LISTED: usize = 100;

/// Most bytes of files that a probe takes back.
pub const PROBE_BYTES: u64 = 256 * 1024 * 1024;

/// Most tests by name that a lock knows.
pub const LOCKED_TESTS: usize = 20_000;
/// Largest file in which suppressions are looked for; larger ones are passed over, and that is noted.
pub const SUPPRESSION_FILE_BYTES: u64 = 1024 * 1024;

/// Most suppressions in sources that a lock knows; of more it knows none.
pub const LOCKED_SUPPRESSIONS: usize = 100_000;

/// Most suppressions of one run that are kept one by one; how many more there are is noted.
pub const SUPPRESSIONS_KEPT: usize = 1_000;

/// Longest line of a suppression, and longest side of a weakening, that are kept, in characters.
pub const PROTECTION_TEXT_CHARACTERS: usize = 400;
/// Waivers that a run reads; further ones lift nothing, and that is said.
pub const WAIVERS: usize = 200;

/// Largest waiver that is read.
pub const WAIVER_BYTES: u64 = 64 * 1024;

/// Longest time that a waiver may hold, in milliseconds: 90 days.
pub const WAIVER_MS_MAX: u64 = 90 * 24 * 60 * 60 * 1_000;

/// Shortest reason of a waiver, in characters.
pub const WAIVER_REASON_CHARACTERS: usize = 10;

/// Longest text in a waiver, in characters.
pub const WAIVER_TEXT_CHARACTERS: usize = 2_000;

/// Largest verification policy that is read, in bytes.
pub const POLICY_BYTES: usize = 256 * 1024;

/// Loops of repair that one plan revision may take (ruling 24).
pub const LOOPS: u32 = 8;

/// Milliseconds that the loops of one plan revision may take (ruling 24: 45 minutes).
pub const LOOP_MS: u64 = 45 * 60 * 1000;

/// How often another plan may be asked for (ruling 24).
pub const REPLANS: u32 = 1;

/// Characters of an answer of the gate, and of what a hook tells its host, at most (conventions, "Agent hook contracts": hosts
/// cut at 10 000).
pub const GATE_ANSWER_CHARACTERS: usize = 9_500;

/// Causes that an answer of the gate lists, at most.
pub const GATE_CAUSES: usize = 10;

/// Last lines of a check's output that a cause without a place quotes, at most; each has at most
/// [`QUOTED_LINE_CHARACTERS`].
pub const GATE_OUTPUT_LINES: usize = 12;

/// Bytes of a host's event that are read, at most; a longer one is refused, and blocks.
pub const HOOK_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// Projects that may be enrolled in one state directory.
pub const ENROLMENTS: usize = 10_000;

/// Largest record of an enrolment that is read, in bytes.
pub const ENROLMENT_BYTES: u64 = 64 * 1024;

/// Largest configuration of a host of coding agents, and largest other small file, that `referee doctor` reads, in bytes.
pub const DOCTOR_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Files of one directory that `referee doctor` looks at.
pub const DOCTOR_FILES: usize = 200;
/// Largest receipt of a recorded verdict that is read, in bytes.
pub const RECEIPT_BYTES: u64 = 16 * 1024 * 1024;

/// Largest file that marks the state of dependencies and is read, in bytes.
pub const DEPENDENCY_MARKER_BYTES: u64 = 64 * 1024 * 1024;

/// Largest message of an agent that is read from a file as a claim, in bytes.
pub const CLAIM_BYTES: u64 = 8 * 1024 * 1024;
/// Milliseconds in which a host's event must have come whole.
pub const HOOK_EVENT_MS: u64 = 10_000;

/// Milliseconds after its deadline in which a hook that was stopped may still answer; then it is answered for it.
pub const HOOK_MARGIN_MS: u64 = 1_000;

/// Characters of a session's id that are taken; a longer one is none.
pub const SESSION_ID_CHARACTERS: usize = 500;

/// Agents and tasks of one session that have a loop guard of their own; those after them share one of their kind.
pub const SESSION_WORKERS: usize = 16;

/// Sessions that are kept; above that the oldest go, but for those of the last day.
pub const SESSIONS_KEPT: usize = 500;

/// Sessions that are kept at most, of whatever day.
pub const SESSIONS_AT_MOST: usize = 10_000;

/// Largest session that is read, in bytes.
pub const SESSION_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes of an agent's standard output from its beginning in which an answer as data is looked for; and of its end as many
/// as [`AGENT_STREAM_BYTES`].
pub const AGENT_ANSWER_STREAM_BYTES: usize = 8 * 1024 * 1024;

/// Output that an agent may print in one turn, both streams together, before it is stopped: little of it is kept.
pub const AGENT_OUTPUT_BYTES: u64 = 1024 * 1024 * 1024;

/// Calls of tools of one turn that are kept one by one.
pub const AGENT_TOOL_CALLS: usize = 1_000;

/// Time that an agent may take for one turn where nothing else is said: half an hour.
pub const AGENT_DEADLINE_MS: u64 = 30 * 60 * 1000;

/// Turns that a run of an agent may take where nothing else is said (seed 2, 1.6).
pub const AGENT_ITERATIONS: u32 = 3;

/// Most turns that a run of an agent may be given (seed 2, 1.8).
pub const AGENT_ITERATIONS_MAX: u32 = 10;

/// Largest file with a prompt that is read.
pub const PROMPT_BYTES: usize = 1024 * 1024;

/// Longest text that tells an agent what failed, in characters.
pub const FEEDBACK_CHARACTERS: usize = 9_500;

/// Warnings of one run of an agent that are kept.
pub const AGENT_WARNINGS: usize = 100;

/// Runs of agents that are listed, the latest first.
pub const AGENT_RUNS_LISTED: usize = 200;

/// Characters of an incident's id.
pub const INCIDENT_ID_CHARACTERS: usize = 128;

/// Characters of the run's name in an id that is made (seed 3).
pub const INCIDENT_RUN_CHARACTERS: usize = 48;

/// Bytes that are kept of the end of a log (seed 3).
pub const INCIDENT_LOG_BYTES: usize = 16_000;

/// Lines that are kept of the end of an audit log (seed 3).
pub const INCIDENT_AUDIT_LINES: usize = 200;

/// Characters of the message in an error signature (seed 3).
pub const SIGNATURE_MESSAGE_CHARACTERS: usize = 180;

/// Rows of evidence in a plan (seed 3).
pub const PLAN_EVIDENCE: usize = 12;

/// Characters of an excerpt in a plan (seed 3).
pub const PLAN_EXCERPT_CHARACTERS: usize = 220;

/// Time for which an approval that was signed elsewhere can be handed in: an hour.
pub const APPROVAL_ENVELOPE_MS: u64 = 60 * 60 * 1000;

/// How far the clock of whoever signed an approval may be ahead: a minute.
pub const APPROVAL_AHEAD_MS: u64 = 60 * 1000;

/// Characters of a name, a note or a reason that a person gives about an incident.
pub const APPROVAL_TEXT_CHARACTERS: usize = 2_000;

/// A planner's own commands that one approval can name.
pub const APPROVAL_COMMANDS: usize = 100;

/// Characters of an executor's name.
pub const EXECUTOR_CHARACTERS: usize = 128;

/// Bytes of a handback, or of the file that accepts control.
pub const HANDBACK_BYTES: usize = 256 * 1024;

/// Complaints about one handback that are told.
pub const HANDBACK_COMPLAINTS: usize = 50;

/// Takings and handings back of one incident that are kept.
pub const HANDBACKS_KEPT: usize = 99;

/// Lines of each side of a comparison of plans that are held against one another; beyond that a changed part is told as a whole.
pub const DIFFERENCE_LINES: usize = 2_000;

/// Bytes of one file of an incident that are read.
pub const INCIDENT_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes that a planner may answer with.
pub const PLANNER_ANSWER_BYTES: usize = 1024 * 1024;

/// Milliseconds that a planner may take, if nothing else is said.
pub const PLANNER_DEADLINE_MS: u64 = 120_000;

/// Incidents on a page of a list, if nothing else is said.
pub const INCIDENTS_LISTED: usize = 100;

/// Incidents on a page of a list at most.
pub const INCIDENTS_LISTED_MAX: usize = 1_000;

/// Bytes of a request's body.
pub const REQUEST_BYTES: usize = 1024 * 1024;

/// Runs on a page of a list, if nothing else is said.
pub const RUNS_LISTED: usize = 50;

/// Runs on a page of a list at most.
pub const RUNS_LISTED_MAX: usize = 200;

/// Runs that are looked at to fill one page of a list.
pub const RUNS_LOOKED_AT: usize = 1_000;

/// Bytes of a file of evidence that one answer of the API holds.
pub const EVIDENCE_PART_BYTES: u64 = 4 * 1024 * 1024;

/// Largest document of evidence that is shown whole, in bytes.
pub const SHOWN_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Largest file of evidence of which parts are shown, in bytes: all of it is hashed for each part.
pub const SHOWN_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Lines of a log that are shown at once, if nothing else is said.
pub const LOG_LINES: usize = 500;

/// Lines of a log that are shown at once at most.
pub const LOG_LINES_MAX: usize = 2_000;

/// Bytes of one line of a log that are shown.
pub const LOG_LINE_BYTES: usize = 4 * 1024;

/// Bytes of a sealed run that is judged again because the API was asked to.
pub const REPLAYED_BYTES: u64 = 256 * 1024 * 1024;

/// Items of debt, or diagnostics, on a page of a list, if nothing else is said.
pub const REGISTER_LISTED: usize = 100;

/// Items of debt, or diagnostics, on a page of a list at most.
pub const REGISTER_LISTED_MAX: usize = 1_000;
/// Characters of a class of failures.
pub const INCIDENT_CLASS_CHARACTERS: usize = 64;

/// Characters of an incident's message.
pub const INCIDENT_MESSAGE_CHARACTERS: usize = 1_000;

/// Characters of an incident's step, and of the run's name in it.
pub const INCIDENT_STEP_CHARACTERS: usize = 200;

/// Bytes that are kept of the end of an audit log, however long its lines are.
pub const INCIDENT_AUDIT_BYTES: usize = 256 * 1024;

/// Bytes of a context that is captured.
pub const INCIDENT_CONTEXT_BYTES: usize = 256 * 1024;

/// Bytes that are looked at before the end of a log which is kept: a secret that begins there is known by its beginning.
pub const INCIDENT_LOG_MARGIN_BYTES: usize = 64 * 1024;

/// Judged diagnostics that are kept with an incident, gravest first.
pub const INCIDENT_DIAGNOSTICS: usize = 50;

/// Sightings of an incident that are kept: the first one, and the latest.
pub const INCIDENT_SIGHTINGS: usize = 20;

/// Characters of a stage's id and of a workflow's name.
pub const STAGE_ID_CHARACTERS: usize = 64;

/// Characters of a path in a stage's directory.
pub const STAGE_PATH_CHARACTERS: usize = 512;

/// Stages of a workflow.
pub const WORKFLOW_STAGES: usize = 200;

/// Inputs, parameters, output parameters, files or data of one stage; shared templates of a workflow.
pub const STAGE_ITEMS: usize = 1_000;

/// Bytes of a file of a workflow's directory, or of a stage's that is read whole: configuration, schema, prompt, data
/// output.
pub const STAGE_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes of a file of a stage that is looked at or copied piece by piece: a file of holes costs nobody anything but who reads it.
pub const STAGE_LOOK_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Files of a run as it is composed.
pub const COMPOSED_FILES: usize = 20_000;

/// Bytes of all files of a run as it is composed.
pub const COMPOSED_BYTES: u64 = 256 * 1024 * 1024;

/// Lines of a run's log.
pub const STAGE_LOG_LINES: usize = 100_000;

/// Bytes of a run's log.
pub const STAGE_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// Files below the directories of a stage that nobody changes, as many as are looked at.
pub const STAGE_DIRECTORY_FILES: usize = 10_000;

/// Attempts at one stage that are kept.
pub const STAGE_ATTEMPTS: u32 = 999;

/// Violations of a schema that are listed of one file.
pub const STAGE_SCHEMA_COMPLAINTS: usize = 50;

/// Characters of an answer to a stage's question.
pub const STAGE_ANSWER_CHARACTERS: usize = 20_000;

/// Bytes of all values that a stage publishes, as JSON.
pub const STAGE_PARAMETERS_BYTES: usize = 1024 * 1024;
/// Characters of the reason that is kept of a verdict over a stage's specification.
pub const STAGE_REASON_CHARACTERS: usize = 1_000;

/// The greatest whole number that every reader of JSON holds exactly (RFC 8785, 3.2.2.3: numbers are doubles).
pub const INTEGER_MAX: u64 = (1 << 53) - 1;
