//! Limits that apply everywhere. Names end in their unit.

/// Maximum excerpt of one stream in a report or record: this much of its beginning and this much of its end, in
/// bytes (ruling 18).
pub const EXCERPT_BYTES: usize = 16 * 1024;

/// Maximum number of findings of one action that are stored individually; all are counted (ruling 10).
pub const FINDINGS_KEPT: usize = 1_000;

/// Maximum number of named test cases of one action that are stored individually; all are counted.
pub const TEST_CASES_KEPT: usize = 20_000;

/// Maximum number of distinct rules counted separately; findings of further rules are counted under [`OTHER_RULES`].
pub const RULES_COUNTED: usize = 4_096;

/// Name under which findings beyond [`RULES_COUNTED`] distinct rules are counted.
pub const OTHER_RULES: &str = "(other rules)";

/// Maximum length of the message of one finding or failed test, in bytes.
pub const MESSAGE_BYTES: usize = 8 * 1024;

/// Maximum length of a line passed to a reader, in bytes; the remainder is counted but not read.
pub const LINE_BYTES: usize = 256 * 1024;

/// Maximum output of one action, in bytes; beyond it the action is stopped, since output that cannot be stored
/// completely is not evidence.
pub const OUTPUT_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Default time limit of an action (short form), in milliseconds.
pub const ACTION_DEADLINE_MS: u64 = 300_000;

/// Default time limit for installing dependencies, in milliseconds.
pub const SETUP_DEADLINE_MS: u64 = 600_000;

/// Maximum time limit of an action in a specification: one day, in milliseconds.
pub const ACTION_DEADLINE_MS_MAX: u64 = 86_400_000;

/// Default time between the termination signal and the kill signal, in milliseconds.
pub const GRACE_MS: u64 = 2_000;

/// Maximum grace period in a specification: one minute, in milliseconds.
pub const GRACE_MS_MAX: u64 = 60_000;

/// Maximum time limit of a whole task in a specification: one week, in milliseconds.
pub const TASK_DEADLINE_MS_MAX: u64 = 604_800_000;

/// Time that pipes may stay open after a command ended before the processes holding them count as leaked, in
/// milliseconds.
pub const LEAK_GRACE_MS: u64 = 200;

/// Maximum size of a specification, in bytes.
pub const SPECIFICATION_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum nesting depth of a specification.
pub const SPECIFICATION_DEPTH: usize = 64;

/// Maximum number of values (texts, numbers, lists, mappings) in a specification.
pub const SPECIFICATION_VALUES: usize = 200_000;

/// Maximum number of values in a specification that come from YAML anchors and aliases.
pub const SPECIFICATION_ALIASED_VALUES: usize = 10_000;

/// Maximum number of problems of one specification that are stored individually; all are counted.
pub const COMPLAINTS_KEPT: usize = 500;

/// Maximum number of actions in a task.
pub const ACTIONS: usize = 10_000;

/// Maximum size of a file whose content a file check searches, in bytes; a larger file is reported as such.
pub const FILE_CONTENT_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum length of output, bodies and files that a condition compares as a whole, in bytes; searching for texts
/// has no limit.
pub const CONDITION_TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum nesting depth of a condition.
pub const CONDITION_DEPTH: usize = 64;

/// Maximum length of a condition, in bytes.
pub const CONDITION_BYTES: usize = 16 * 1024;

/// Default maximum size of an HTTP response body, in bytes.
pub const BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of an HTTP response body that a specification may allow, in bytes.
pub const BODY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Maximum number of rows of a query that are kept; all of them are counted.
pub const QUERY_ROWS: usize = 1_000;

/// Maximum size of the kept rows of a query, in bytes of JSON.
pub const QUERY_BYTES: usize = 1024 * 1024;

/// Maximum output of the program that asks databases, in bytes: the kept rows, their columns and the plan.
pub const QUERY_ANSWER_BYTES: u64 = 8 * 1024 * 1024;

/// Maximum size of the plan of a query, in bytes.
pub const QUERY_PLAN_BYTES: usize = 64 * 1024;

/// Maximum number of redirects that one request follows.
pub const REDIRECTS: usize = 10;

/// Default time limit of an HTTP request, in milliseconds (schema 2.0.0, `HTTP_REQUEST.defaultTimeout`).
pub const HTTP_DEADLINE_MS: u64 = 10_000;

/// Default time limit for a service to become ready, in milliseconds (schema 2.0.0, `startupTimeout`).
pub const STARTUP_DEADLINE_MS: u64 = 30_000;

/// Time for which a service without a readiness check must have run, in milliseconds.
pub const SETTLE_MS: u64 = 500;

/// Maximum number of retries (schema 2.0.0, `retryAttempts`).
pub const RETRIES: u32 = 5;

/// Maximum number of files that one pattern may match.
pub const GLOB_FILES: usize = 1_000;

/// Maximum number of actions that may run in parallel.
pub const JOBS: usize = 256;

/// Maximum number of distinct diagnostics listed in a report; all are counted.
pub const DIAGNOSTICS_LISTED: usize = 500;

/// Default number of causes in a summary for prompts (ruling 22).
pub const SUMMARY_CAUSES: usize = 5;

/// Maximum length of a summary for prompts, in characters.
pub const SUMMARY_CHARACTERS: usize = 4_000;

/// Maximum length of the message of one cause in a summary, in characters.
pub const SUMMARY_MESSAGE_CHARACTERS: usize = 300;

/// Maximum number of debt items of one action; the remainder becomes one item that states their number.
pub const DEBT_ITEMS_PER_ACTION: usize = 50;

/// Maximum number of locations listed in one debt item; all are counted.
pub const DEBT_PLACES_KEPT: usize = 50;

/// Maximum number of log lines listed in one debt item.
pub const DEBT_LOG_LINES_KEPT: usize = 100;

/// Maximum number of steps, files, acceptance criteria or related actions in one debt item, each.
pub const DEBT_LINES_KEPT: usize = 20;

/// Maximum number of changes of one debt item in the register; the oldest are dropped.
pub const DEBT_CHANGES_KEPT: usize = 200;

/// Maximum number of debt items of one task in the register; beyond it, the items resolved longest ago are dropped.
pub const DEBT_ITEMS_REGISTERED: usize = 5_000;

/// The greatest number of a debt item, a sprint task or an inventory entry.
pub const DEBT_NUMBER_MAX: u32 = 999_999_999;

/// Default number of lines of a stream in a structured error (seed 2, `tailLines`).
pub const TAIL_LINES: usize = 50;

/// Maximum number of lines of a stream that can be requested (`--tail-lines`).
pub const TAIL_LINES_MAX: usize = 10_000;

/// Maximum size of a document of another program, in bytes: an agent's result with its streams, a verification
/// report.
pub const FOREIGN_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of values (texts, numbers, lists, mappings) in a document of another program.
pub const FOREIGN_DOCUMENT_VALUES: usize = 1_000_000;

/// Maximum length of an agent's stream in a document, in bytes (seed 2, 1.4).
pub const AGENT_STREAM_BYTES: usize = 1024 * 1024;

/// Maximum length of a stream's first line quoted in a message, in characters.
pub const QUOTED_LINE_CHARACTERS: usize = 200;
/// Maximum length of the message of a diagnostic in a report's log or in the register, in characters; the finding
/// itself keeps [`MESSAGE_BYTES`].
pub const DIAGNOSTIC_MESSAGE_CHARACTERS: usize = 2_000;

/// Maximum length of the command of a diagnostic in a report's log or in the register, in characters.
pub const DIAGNOSTIC_COMMAND_CHARACTERS: usize = 500;

/// Maximum number of diagnostics in the register, of all tasks together.
pub const DIAGNOSTICS_REGISTERED: usize = 10_000;

/// Maximum number of runs in the register of diagnostics, of all tasks together.
pub const REGISTERED_RUNS: usize = 1_000;

/// Number of consecutive runs with the same first failure after which further attempts are pointless (ruling 24,
/// seed 3 `same-error-limit`).
pub const SAME_ERRORS: u32 = 3;

/// Number of consecutive failed runs without progress after which another plan is needed (ruling 24, seed 3
/// `no-progress-limit`).
pub const RUNS_WITHOUT_PROGRESS: u32 = 2;

/// Number of consecutive equal snapshots that count as stuck (seed 4, supervisor limits).
pub const EQUAL_SNAPSHOTS: u32 = 3;
/// Maximum size of a baseline, in bytes.
pub const BASELINE_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum length of a message in a baseline, in characters.
pub const BASELINE_MESSAGE_CHARACTERS: usize = 200;

/// Maximum number of new findings and failed tests of one action that a report lists when compared with a
/// baseline; all are counted.
pub const BASELINE_NEW_LISTED: usize = 50;
/// Default time limit of an evaluator, in milliseconds.
pub const EVALUATOR_DEADLINE_MS: u64 = 60_000;

/// Maximum output of an evaluator, both streams together, in bytes; beyond it the evaluator is stopped.
pub const EVALUATOR_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Maximum length of an evaluator's standard output in which an answer is searched for, in bytes.
pub const EVALUATOR_ANSWER_BYTES: usize = 64 * 1024;

/// Maximum number of notes of an evaluator that are stored.
pub const EVALUATOR_NOTES: usize = 20;

/// Maximum number of listed files that changed during a run.
pub const TREE_CHANGES_LISTED: usize = 200;

/// Maximum number of files, links and directories copied into a clean room, or stored of the results of its setup.
pub const ROOM_FILES: u64 = 2_000_000;

/// Maximum number of restored protected files that a run lists; all are counted.
pub const ROOM_RESTORED_LISTED: usize = 200;

/// Maximum size of the stored results of one setup, in bytes.
pub const DEPENDENCIES_BYTES: u64 = 32 * 1024 * 1024 * 1024;

/// Maximum number of dependency sets stored for one project; the oldest are dropped.
pub const DEPENDENCIES_KEPT: usize = 10;

/// Maximum number of programs that a specification may pin.
pub const PINS: usize = 1_000;
/// Maximum number of input files of a workspace.
pub const TREE_FILES: usize = 2_000_000;

/// Maximum size of an input file that is read for a tree digest, in bytes.
pub const TREE_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Maximum total size of the files of a tree, or of a run, that is fetched for an order, in bytes.
pub const ORDER_FETCHED_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Maximum number of parts that a run is split into for workers.
pub const ORDER_PARTS: usize = 64;

/// Maximum size of a receipt in a depot, in bytes.
pub const SHARED_RECEIPT_BYTES: u64 = 64 * 1024;

/// Time after which a receipt in a depot answers nobody, whatever is asked for, in milliseconds.
pub const SHARED_RECEIPT_AGE_MS: u64 = 30 * 24 * 3_600_000;

/// Maximum number of threads that list and hash the inputs of a workspace.
pub const TREE_THREADS: usize = 16;
/// Maximum size of a signed envelope, in bytes.
pub const ENVELOPE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of a file of attestations, in bytes.
pub const ATTESTATION_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum number of signatures of one envelope that are examined.
pub const ENVELOPE_SIGNATURES: usize = 16;

/// Maximum number of test and check names in a statement; all are counted.
pub const ATTESTED_NAMES: usize = 5_000;

/// Maximum length of a name in a statement, in bytes.
pub const ATTESTED_NAME_BYTES: usize = 256;

/// Maximum size of a key file, in bytes.
pub const KEY_BYTES: u64 = 16 * 1024;

/// Maximum number of keys in a trust store.
pub const TRUSTED_KEYS: usize = 1_000;

/// Maximum size of a trust store, in bytes.
pub const TRUST_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum size of a response of a key agent, in bytes.
pub const AGENT_ANSWER_BYTES: u32 = 256 * 1024;
/// Maximum number of protected files.
pub const PROTECTED_FILES: usize = 50_000;

/// Maximum size of a protected file whose content is examined, in bytes; of a larger one only the digest is known.
pub const PROTECTED_CONTENT_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum number of workspace files searched for protected ones.
pub const WORKSPACE_FILES: usize = 500_000;

/// Maximum size of a lock, in bytes.
pub const LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum number of changes of protected files stored for one run; all blocking ones are counted.
pub const DRIFT_LISTED: usize = 1_000;

/// Maximum number of test files of a change that a run lists.
pub const PROBE_FILES_LISTED: usize = 1_000;

/// Maximum number of failed tests of a change that a probe lists.
pub const PROBE_TESTS_LISTED: usize = 100;

/// Maximum total size of the files that a probe reverts, in bytes.
pub const PROBE_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum number of test names in a lock.
pub const LOCKED_TESTS: usize = 20_000;
/// Maximum size of a file searched for suppressions, in bytes; larger files are skipped with a note.
pub const SUPPRESSION_FILE_BYTES: u64 = 1024 * 1024;

/// Maximum number of suppressions in a lock; if there are more, the lock holds none.
pub const LOCKED_SUPPRESSIONS: usize = 100_000;

/// Maximum number of suppressions of one run that are stored individually; the number of further ones is noted.
pub const SUPPRESSIONS_KEPT: usize = 1_000;

/// Maximum length of the line of a suppression, and of each side of a weakening, in characters.
pub const PROTECTION_TEXT_CHARACTERS: usize = 400;
/// Maximum number of waivers that a run reads; further ones have no effect, which is reported.
pub const WAIVERS: usize = 200;

/// Maximum size of a waiver, in bytes.
pub const WAIVER_BYTES: u64 = 64 * 1024;

/// Maximum validity of a waiver: 90 days, in milliseconds.
pub const WAIVER_MS_MAX: u64 = 90 * 24 * 60 * 60 * 1_000;

/// Minimum length of the reason of a waiver, in characters.
pub const WAIVER_REASON_CHARACTERS: usize = 10;

/// Maximum length of a text in a waiver, in characters.
pub const WAIVER_TEXT_CHARACTERS: usize = 2_000;

/// Maximum size of a verification policy, in bytes.
pub const POLICY_BYTES: usize = 256 * 1024;

/// Default number of repair loops for one plan revision (ruling 24).
pub const LOOPS: u32 = 8;

/// Default time limit for the repair loops of one plan revision: 45 minutes, in milliseconds (ruling 24).
pub const LOOP_MS: u64 = 45 * 60 * 1000;

/// Default number of additional plans that may be requested (ruling 24).
pub const REPLANS: u32 = 1;

/// Maximum length of the gate's answer, and of a hook's message to its host, in characters (conventions, "Agent
/// hook contracts": hosts cut at 10 000).
pub const GATE_ANSWER_CHARACTERS: usize = 9_500;

/// Maximum number of causes in the gate's answer.
pub const GATE_CAUSES: usize = 10;

/// Maximum number of last output lines quoted for a cause without a location; each has at most
/// [`QUOTED_LINE_CHARACTERS`].
pub const GATE_OUTPUT_LINES: usize = 12;

/// Maximum size of a host's event, in bytes; a larger one is rejected, which blocks.
pub const HOOK_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// Maximum number of enrolled projects in one state directory.
pub const ENROLMENTS: usize = 10_000;

/// Maximum size of an enrollment record, in bytes.
pub const ENROLMENT_BYTES: u64 = 64 * 1024;

/// Maximum size of a host's configuration file or another small file that `referee doctor` reads, in bytes.
pub const DOCTOR_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum number of files of one directory that `referee doctor` examines.
pub const DOCTOR_FILES: usize = 200;
/// Maximum size of the receipt of a recorded verdict, in bytes.
pub const RECEIPT_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of a file that marks the state of dependencies, in bytes.
pub const DEPENDENCY_MARKER_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size of a file with an agent's message that is checked for claims, in bytes.
pub const CLAIM_BYTES: u64 = 8 * 1024 * 1024;
/// Time within which a host's event must arrive completely, in milliseconds.
pub const HOOK_EVENT_MS: u64 = 10_000;

/// Time after its deadline in which a stopped hook may still answer, in milliseconds; then it is answered on its
/// behalf.
pub const HOOK_MARGIN_MS: u64 = 1_000;

/// Maximum length of a session id, in characters; a longer one is treated as missing.
pub const SESSION_ID_CHARACTERS: usize = 500;

/// Maximum number of subagents and tasks of one session with a loop guard of their own; further ones share one
/// per kind.
pub const SESSION_WORKERS: usize = 16;

/// Number of sessions kept; beyond it the oldest are removed, except those of the last day.
pub const SESSIONS_KEPT: usize = 500;

/// Maximum number of sessions kept, regardless of age.
pub const SESSIONS_AT_MOST: usize = 10_000;

/// Maximum size of a session document, in bytes.
pub const SESSION_BYTES: u64 = 4 * 1024 * 1024;
/// Length of the beginning of an agent's standard output that is searched for a structured answer, in bytes; at
/// the end [`AGENT_STREAM_BYTES`] are searched.
pub const AGENT_ANSWER_STREAM_BYTES: usize = 8 * 1024 * 1024;

/// Maximum output of an agent in one turn, both streams together, in bytes; beyond it the agent is stopped. Only
/// a small part is stored.
pub const AGENT_OUTPUT_BYTES: u64 = 1024 * 1024 * 1024;

/// Maximum number of tool calls of one turn that are stored individually.
pub const AGENT_TOOL_CALLS: usize = 1_000;

/// Default time limit of an agent's turn: 30 minutes, in milliseconds.
pub const AGENT_DEADLINE_MS: u64 = 30 * 60 * 1000;

/// Default maximum number of turns of an agent run (seed 2, 1.6).
pub const AGENT_ITERATIONS: u32 = 3;

/// Greatest number of turns that an agent run may be given (seed 2, 1.8).
pub const AGENT_ITERATIONS_MAX: u32 = 10;

/// Maximum size of a prompt file, in bytes.
pub const PROMPT_BYTES: usize = 1024 * 1024;

/// Maximum length of the feedback on failures for an agent, in characters.
pub const FEEDBACK_CHARACTERS: usize = 9_500;

/// Maximum number of warnings of one agent run that are stored.
pub const AGENT_WARNINGS: usize = 100;

/// Maximum number of agent runs listed, latest first.
pub const AGENT_RUNS_LISTED: usize = 200;

/// Maximum length of an incident id, in characters.
pub const INCIDENT_ID_CHARACTERS: usize = 128;

/// Maximum length of the run's name in a generated incident id, in characters (seed 3).
pub const INCIDENT_RUN_CHARACTERS: usize = 48;

/// Length of the end of a log that is captured, in bytes (seed 3).
pub const INCIDENT_LOG_BYTES: usize = 16_000;

/// Number of lines at the end of an audit log that are captured (seed 3).
pub const INCIDENT_AUDIT_LINES: usize = 200;

/// Maximum length of the message in an error signature, in characters (seed 3).
pub const SIGNATURE_MESSAGE_CHARACTERS: usize = 180;

/// Maximum number of evidence rows in a plan (seed 3).
pub const PLAN_EVIDENCE: usize = 12;

/// Maximum length of an excerpt in a plan, in characters (seed 3).
pub const PLAN_EXCERPT_CHARACTERS: usize = 220;

/// Validity of an approval that was signed elsewhere: one hour, in milliseconds.
pub const APPROVAL_ENVELOPE_MS: u64 = 60 * 60 * 1000;

/// Maximum clock difference by which a signed approval may lie in the future: one minute, in milliseconds.
pub const APPROVAL_AHEAD_MS: u64 = 60 * 1000;

/// Maximum length of a name, note or reason that a person enters for an incident, in characters.
pub const APPROVAL_TEXT_CHARACTERS: usize = 2_000;

/// Maximum number of commands proposed by a planner that one approval can name.
pub const APPROVAL_COMMANDS: usize = 100;

/// Maximum length of an executor's name, in characters.
pub const EXECUTOR_CHARACTERS: usize = 128;

/// Maximum size of a handback, or of the file that accepts control, in bytes.
pub const HANDBACK_BYTES: usize = 256 * 1024;

/// Maximum number of problems reported for one handback.
pub const HANDBACK_COMPLAINTS: usize = 50;

/// Maximum number of numbered copies kept of each handoff document that passes control of an incident.
pub const HANDBACKS_KEPT: usize = 99;

/// Maximum number of lines on each side of a plan comparison; beyond it a changed part is shown as a whole.
pub const DIFFERENCE_LINES: usize = 2_000;

/// Maximum size of an incident file that is read, in bytes.
pub const INCIDENT_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of a planner's answer, in bytes.
pub const PLANNER_ANSWER_BYTES: usize = 1024 * 1024;

/// Default time limit of a planner, in milliseconds.
pub const PLANNER_DEADLINE_MS: u64 = 120_000;

/// Default number of incidents on a page of a list.
pub const INCIDENTS_LISTED: usize = 100;

/// Maximum number of incidents on a page of a list.
pub const INCIDENTS_LISTED_MAX: usize = 1_000;

/// Maximum size of a request body, in bytes.
pub const REQUEST_BYTES: usize = 1024 * 1024;

/// Default number of runs on a page of a list.
pub const RUNS_LISTED: usize = 50;

/// Maximum number of runs on a page of a list.
pub const RUNS_LISTED_MAX: usize = 200;

/// Default number of orders on a page of a list.
pub const ORDERS_LISTED: usize = 50;

/// Maximum number of orders on a page of a list.
pub const ORDERS_LISTED_MAX: usize = 200;

/// Maximum number of runs examined to fill one page of a list.
pub const RUNS_LOOKED_AT: usize = 1_000;

/// Maximum size of the part of an evidence file in one API response, in bytes.
pub const EVIDENCE_PART_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum size of an evidence document that is shown as a whole, in bytes.
pub const SHOWN_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size of an evidence file of which parts are shown, in bytes: the whole file is hashed for each part.
pub const SHOWN_FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Default number of log lines shown at once.
pub const LOG_LINES: usize = 500;

/// Maximum number of log lines shown at once.
pub const LOG_LINES_MAX: usize = 2_000;

/// Maximum length of a log line that is shown, in bytes.
pub const LOG_LINE_BYTES: usize = 4 * 1024;

/// Maximum size of a sealed run that is judged again on an API request, in bytes.
pub const REPLAYED_BYTES: u64 = 256 * 1024 * 1024;

/// Default number of debt items or diagnostics on a page of a list.
pub const REGISTER_LISTED: usize = 100;

/// Maximum number of debt items or diagnostics on a page of a list.
pub const REGISTER_LISTED_MAX: usize = 1_000;
/// Maximum length of a failure class, in characters.
pub const INCIDENT_CLASS_CHARACTERS: usize = 64;

/// Maximum length of an incident's message, in characters.
pub const INCIDENT_MESSAGE_CHARACTERS: usize = 1_000;

/// Maximum length of an incident's step, and of the run's name in it, in characters.
pub const INCIDENT_STEP_CHARACTERS: usize = 200;

/// Maximum length of the captured end of an audit log, in bytes, whatever the length of its lines.
pub const INCIDENT_AUDIT_BYTES: usize = 256 * 1024;

/// Maximum size of a captured context, in bytes.
pub const INCIDENT_CONTEXT_BYTES: usize = 256 * 1024;

/// Length of the text examined before the captured end of a log, in bytes: a secret that begins there is
/// recognized by its beginning.
pub const INCIDENT_LOG_MARGIN_BYTES: usize = 64 * 1024;

/// Maximum number of judged diagnostics stored with an incident, most severe first.
pub const INCIDENT_DIAGNOSTICS: usize = 50;

/// Maximum number of stored sightings of an incident: the first one and the latest.
pub const INCIDENT_SIGHTINGS: usize = 20;

/// Maximum length of a stage id and of a workflow name, in characters.
pub const STAGE_ID_CHARACTERS: usize = 64;

/// Maximum length of a path in a stage directory, in characters.
pub const STAGE_PATH_CHARACTERS: usize = 512;

/// Maximum number of stages of a workflow.
pub const WORKFLOW_STAGES: usize = 200;

/// Maximum number of inputs, parameters, output parameters, files or data of one stage, and of a workflow's
/// shared templates.
pub const STAGE_ITEMS: usize = 1_000;

/// Maximum size of a file of a workflow or stage that is read as a whole, in bytes: configuration, schema,
/// prompt, data output.
pub const STAGE_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of a stage file that is read or copied in pieces, in bytes, since a sparse file is cheap to
/// create and expensive to read.
pub const STAGE_LOOK_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Maximum number of files of a composed run.
pub const COMPOSED_FILES: usize = 20_000;

/// Maximum total size of the files of a composed run, in bytes.
pub const COMPOSED_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum number of lines of a workflow run's log.
pub const STAGE_LOG_LINES: usize = 100_000;

/// Maximum size of a workflow run's log, in bytes.
pub const STAGE_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum number of files examined in the unchanging directories of a stage.
pub const STAGE_DIRECTORY_FILES: usize = 10_000;

/// Maximum number of stored attempts at one stage.
pub const STAGE_ATTEMPTS: u32 = 999;

/// Maximum number of schema violations listed for one file.
pub const STAGE_SCHEMA_COMPLAINTS: usize = 50;

/// Maximum length of an answer to a stage's question, in characters.
pub const STAGE_ANSWER_CHARACTERS: usize = 20_000;

/// Maximum size of all values that a stage publishes, as JSON, in bytes.
pub const STAGE_PARAMETERS_BYTES: usize = 1024 * 1024;
/// Maximum length of the stored reason of a verdict on a stage's specification, in characters.
pub const STAGE_REASON_CHARACTERS: usize = 1_000;

/// The greatest whole number that every JSON parser represents exactly (RFC 8785, 3.2.2.3: numbers are doubles).
pub const INTEGER_MAX: u64 = (1 << 53) - 1;
