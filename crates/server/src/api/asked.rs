//! Queries and request bodies of the API. Unknown keys are refused, so that a misspelled one is not silently
//! ignored. None of them can name a file or a command: those are configured when the server starts.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

mod whole;

/// A request body of a route.
pub(crate) trait RequestBody: DeserializeOwned {
    /// Name of its schema in the OpenAPI description.
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

/// Pattern of a visible character, in a form that all regular expression dialects agree on. A text that is
/// required must contain one.
#[cfg(feature = "schema")]
const VISIBLE: &str = concat!(
    r"[^\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f",
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]"
);
/// Pattern of a one-line name with a visible character at both ends.
#[cfg(feature = "schema")]
const NAME: &str = r"^[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]([^\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff])?$";

/// Query of a list of incidents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IncidentQuery {
    /// Only incidents with these statuses: values of `status.txt`, separated by commas.
    pub status: Option<String>,
    /// Only open incidents in the inbox (true), or only archived ones (false).
    pub open: Option<bool>,
    /// Only incidents of this failure class.
    pub class: Option<String>,
    /// Only incidents of this step.
    pub step: Option<String>,
    /// Only incidents that contain all of these words.
    pub search: Option<String>,
    /// Cursor: the `next` value of the previous page.
    pub after: Option<String>,
    /// Maximum number of incidents.
    pub limit: Option<usize>,
}

/// Query of a list of events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventQuery {
    /// Number of the last known event.
    pub after: Option<u64>,
    /// Maximum number of events.
    pub limit: Option<usize>,
}

/// Query of the event stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FollowQuery {
    /// Number of the last known event. `None`: only events from now on are sent.
    pub after: Option<u64>,
}

/// Query of a paginated search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageQuery {
    /// Cursor: the `next` value of the previous page.
    pub after: Option<String>,
    /// Maximum number of incidents to search.
    pub limit: Option<usize>,
}

/// Query of a request that can wait for its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaitQuery {
    /// Maximum time to wait, in seconds.
    pub wait: Option<u64>,
}

/// An empty query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoQuery {}

/// A body without keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NothingBody {}

/// A failure to capture. At least one of message, log and report is required.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(extend("anyOf" = [
    { "required": ["message"], "properties": { "message": { "type": "string", "pattern": VISIBLE } } },
    { "required": ["log"], "properties": { "log": { "type": "string", "pattern": VISIBLE } } },
    { "required": ["report"], "properties": { "report": { "type": "object" } } },
])))]
pub struct CaptureBody {
    /// Id for the incident. Default: one is generated.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")))]
    pub incident_id: Option<String>,
    /// Whether an existing incident with this id is overwritten.
    pub force: bool,
    /// Id of the failed run.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub run_id: String,
    /// The failed step.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub step: String,
    /// Failure class, used if none can be computed.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")))]
    pub failure_class: Option<String>,
    /// Error message. Default: derived from the evidence.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub message: Option<String>,
    /// Year that the failure is about.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 9999)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub year: Option<i32>,
    /// Month that the failure is about.
    #[cfg_attr(feature = "schema", schemars(range(min = -1000, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub month: Option<i64>,
    /// The log. Only its end is kept.
    pub log: Option<String>,
    /// The audit log, one entry per line. Only its end is kept.
    pub audit: Option<String>,
    /// Further context of the failure.
    pub context: Option<Map<String, Value>>,
    /// The report of a failed, sealed run (`execution-report.json`). Its judgements take precedence over the log.
    pub report: Option<Map<String, Value>>,
}

/// Options for planning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PlanBody {
    /// Whether an existing plan is replaced.
    pub force: bool,
}

/// A person's approval. The credential is either the header `X-Referee-Approver` or the envelope.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ApproveBody {
    /// Name of the approver.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    pub person: String,
    /// Reason or condition of the approval.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub note: String,
    /// Verification commands of the planner's own to approve, too, each exactly as in the plan.
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub commands: Vec<String>,
    /// Digest of the plan that was reviewed, as shown with the incident. If the plan has changed, it is not
    /// approved. Default: the current plan is approved, whichever it is.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[0-9a-f]{64}$")))]
    pub plan_digest: Option<String>,
    /// An approval that was signed elsewhere (DSSE).
    pub envelope: Option<Map<String, Value>>,
}

/// The reason for an operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReasonBody {
    /// The reason.
    #[cfg_attr(feature = "schema", schemars(length(max = 2_000), regex(pattern = VISIBLE)))]
    pub reason: String,
}

/// Options for a handoff. The target directory of the package is configured when the server starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HandoffBody {
    /// Name of the executor that gets the incident.
    #[cfg_attr(feature = "schema", schemars(length(max = 128), regex(pattern = NAME)))]
    pub executor: String,
    /// Whether an existing package of the incident is replaced.
    #[serde(default)]
    pub force: bool,
}

/// An executor's acceptance of a handoff.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AckBody {
    /// Name of the executor.
    #[cfg_attr(feature = "schema", schemars(length(max = 128), regex(pattern = NAME)))]
    pub executor: String,
    /// Further remarks.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub note: String,
}

/// Options for a repair loop. The agent's command is configured when the server starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GoBody {
    /// Maximum number of turns.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub max_loops: Option<u32>,
    /// Maximum run time, in minutes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1440)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub max_runtime_minutes: Option<u64>,
    /// Number of consecutive turns with the same first failure after which the incident is escalated.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub same_error_limit: Option<u32>,
    /// Number of consecutive turns without progress after which another plan is requested.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    #[serde(deserialize_with = "whole::deserialize")]
    pub no_progress_limit: Option<u32>,
    /// Whether the loop may request another plan. Default: true.
    pub auto_replan: Option<bool>,
    /// Whether the loop runs only one turn.
    pub single_iteration: bool,
    /// Whether the changes are committed when the incident is resolved.
    pub commit_on_resolve: bool,
    /// Whether the commit is pushed.
    pub push_on_resolve: bool,
    /// The commit message.
    #[cfg_attr(feature = "schema", schemars(length(max = 10_000)))]
    pub commit_message: Option<String>,
    /// Directory that is committed in addition to the changed files in the plan's target paths.
    pub commit_scope: Option<CommitScopeWord>,
    /// Git remote to push to.
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 128), regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*$"))
    )]
    pub remote: Option<String>,
    /// Git branch to push to.
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 128), regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*$"))
    )]
    pub branch: Option<String>,
    /// Whether the incident is archived when it is resolved. Default: true.
    pub archive_on_success: Option<bool>,
    /// Whether the incident is archived when it is escalated. Default: true.
    pub archive_on_escalate: Option<bool>,
}

/// Directory that is committed in addition to the changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CommitScopeWord {
    /// The incident's directory.
    Incident,
    /// The directory of the incident's plan.
    Plan,
    /// The directory of the incident's loop.
    Run,
}

/// Options for closing an incident.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ArchiveBody {
    /// Status in which the incident is closed.
    pub result: ClosingWord,
    /// The reason.
    #[cfg_attr(feature = "schema", schemars(length(max = 2_000), regex(pattern = VISIBLE)))]
    pub reason: String,
    /// A note for people.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 65_536)))]
    pub note: Option<String>,
}

/// Status of a closed incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClosingWord {
    /// The incident's checks passed.
    Resolved,
    /// The incident is left to a person.
    Escalated,
}
