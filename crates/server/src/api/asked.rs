//! What the API is asked with. A key that nobody knows is refused, so that a misspelt one does not silently vanish. None of
//! them names a file or a command: those are settled where the server is started.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

mod whole;

/// What is sent to a route.
pub(crate) trait RequestBody: DeserializeOwned {
    /// The name of its schema in the description of the API.
    const NAME: &'static str;
}

macro_rules! bodies {
    ($($body:ident)*) => {
        $(
            impl RequestBody for $body {
                const NAME: &'static str = stringify!($body);
            }
        )*
    };
}

bodies! { NothingBody CaptureBody PlanBody ApproveBody ReasonBody HandoffBody AckBody GoBody ArchiveBody }

/// A character that can be seen, written so that every dialect of patterns reads it alike: what is asked for in words has one.
#[cfg(feature = "schema")]
const VISIBLE: &str = concat!(
    r"[^\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f",
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]"
);
/// A name in one line, with something to be seen at both ends.
#[cfg(feature = "schema")]
const NAME: &str = r"^[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]([^\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff])?$";

/// Which incidents are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IncidentQuery {
    /// Those that stand so: words of `status.txt`, with commas between them.
    pub status: Option<String>,
    /// Those in the inbox (true), or in the archive (false).
    pub open: Option<bool>,
    /// Those of this class.
    pub class: Option<String>,
    /// Those of this step.
    pub step: Option<String>,
    /// Those with all of these words.
    pub search: Option<String>,
    /// What the last page said under `next`.
    pub after: Option<String>,
    /// How many at most.
    pub limit: Option<usize>,
}

/// Which part of a sequence is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventQuery {
    /// The number of the last event that is known.
    pub after: Option<u64>,
    /// How many at most.
    pub limit: Option<usize>,
}

/// From where on what happens is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FollowQuery {
    /// The number of the last event that is known. None: what happens from now on is told.
    pub after: Option<u64>,
}

/// Which page of incidents is looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageQuery {
    /// What the last page said under `next`.
    pub after: Option<String>,
    /// How many incidents are looked through at most.
    pub limit: Option<usize>,
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaitQuery {
    /// Seconds.
    pub wait: Option<u64>,
}

/// Nothing may be asked with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoQuery {}

/// A body without keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NothingBody {}

/// A failure that is to be captured. A message, a log or a report tells of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(extend("anyOf" = [
    { "required": ["message"], "properties": { "message": { "type": "string", "pattern": VISIBLE } } },
    { "required": ["log"], "properties": { "log": { "type": "string", "pattern": VISIBLE } } },
    { "required": ["report"], "properties": { "report": { "type": "object" } } },
])))]
pub struct CaptureBody {
    /// The id that it is to have. None: one is made.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")))]
    pub incident_id: Option<String>,
    /// Whether an incident of this id is written anew.
    pub force: bool,
    /// The run that failed.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub run_id: String,
    /// What failed.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub step: String,
    /// The class, where nothing can be computed.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")))]
    pub failure_class: Option<String>,
    /// What is wrong. None: it is told from the evidence.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub message: Option<String>,
    /// The year that it is about.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 9999)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub year: Option<i32>,
    /// The month that it is about.
    #[cfg_attr(feature = "schema", schemars(range(min = -1000, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub month: Option<i64>,
    /// The log. Its end is kept.
    pub log: Option<String>,
    /// The audit log, a line each. Its end is kept.
    pub audit: Option<String>,
    /// What is known of the circumstances.
    pub context: Option<Map<String, Value>>,
    /// A report of a sealed run that failed (`execution-report.json`). What is judged in it goes before the log.
    pub report: Option<Map<String, Value>>,
}

/// How a plan is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PlanBody {
    /// Whether a plan that is there is replaced.
    pub force: bool,
}

/// A person's word. The credential stands in the header `X-Referee-Approver`, or is the envelope.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ApproveBody {
    /// Who approves.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub person: String,
    /// Why, or under which condition.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub note: String,
    /// A planner's own commands that are approved too, each as the plan has it.
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub commands: Vec<String>,
    /// The digest of the plan that was looked at, as the incident shows it: another plan is not approved. None: whichever
    /// lies there now is meant.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[0-9a-f]{64}$")))]
    pub plan_digest: Option<String>,
    /// An approval that was signed elsewhere (DSSE).
    pub envelope: Option<Map<String, Value>>,
}

/// Why something is done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReasonBody {
    /// Why.
    #[cfg_attr(feature = "schema", schemars(length(max = 2_000), regex(pattern = VISIBLE)))]
    pub reason: String,
}

/// How an incident is handed off. Where its package goes is settled where the server is started.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HandoffBody {
    /// Who is to carry it out.
    #[cfg_attr(feature = "schema", schemars(length(max = 128), regex(pattern = NAME)))]
    pub executor: String,
    /// Whether another package of this incident is replaced.
    #[serde(default)]
    pub force: bool,
}

/// What an executor says to a handoff.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AckBody {
    /// Who says it.
    #[cfg_attr(feature = "schema", schemars(length(max = 128), regex(pattern = NAME)))]
    pub executor: String,
    /// What else is to be known.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub note: String,
}

/// How a loop of repairs is asked for. The agent's command is settled where the server is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GoBody {
    /// Turns.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub max_loops: Option<u32>,
    /// Minutes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1440)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub max_runtime_minutes: Option<u64>,
    /// Turns in a row with the same first failure.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub same_error_limit: Option<u32>,
    /// Turns in a row without progress.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub no_progress_limit: Option<u32>,
    /// Whether another plan may be asked for. True, where nothing is said.
    pub auto_replan: Option<bool>,
    /// One turn, and no more.
    pub single_iteration: bool,
    /// Whether what was changed is committed when it is resolved.
    pub commit_on_resolve: bool,
    /// Whether the commit is pushed.
    pub push_on_resolve: bool,
    /// What the commit says.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub commit_message: Option<String>,
    /// What is committed beside the changed files of the plan's target paths.
    pub commit_scope: Option<CommitScopeWord>,
    /// Where it is pushed to.
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 128), regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*$"))
    )]
    pub remote: Option<String>,
    /// The branch.
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 128), regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*$"))
    )]
    pub branch: Option<String>,
    /// Whether it is archived when it is resolved. True, where nothing is said.
    pub archive_on_success: Option<bool>,
    /// Whether it is archived when it is escalated. True, where nothing is said.
    pub archive_on_escalate: Option<bool>,
}

/// What is committed beside the changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CommitScopeWord {
    /// The incident's directory.
    Incident,
    /// Its plan's directory.
    Plan,
    /// Its loop's directory.
    Run,
}

/// How an incident is closed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ArchiveBody {
    /// Status in which the incident is closed.
    pub result: ClosingWord,
    /// Why.
    #[cfg_attr(feature = "schema", schemars(length(max = 2_000), regex(pattern = VISIBLE)))]
    pub reason: String,
    /// A note for people.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 65_536)))]
    pub note: Option<String>,
}

/// How work at an incident ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClosingWord {
    /// Its checks passed.
    Resolved,
    /// It is left to a person.
    Escalated,
}
