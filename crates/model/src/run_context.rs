//! The context of a run: facts that do not belong to a single action, observed before and after the actions
//! (design, "Evidence and trust"). Stored in the run's header, so that a replay judges by them too.

use serde::{Deserialize, Serialize};

use crate::id::Digest;

pub mod clean_room;
pub mod confinement;
pub mod probe;
pub mod probe_audit;
pub mod protection;
pub mod shared_receipt;
pub mod suppression;
pub mod tree;
pub mod waiver;
pub mod weakening;

use std::collections::BTreeMap;

use crate::id::ActionId;

pub use self::clean_room::CleanRoom;
pub use self::confinement::Confinement;
pub use self::probe::Probe;
pub use self::probe_audit::ProbeAudit;
pub use self::protection::Protection;
pub use self::shared_receipt::SharedReceipt;
pub use self::tree::TreeFacts;
pub use self::waiver::{Waiver, WaiverScope, WaiverStanding, WaiverState, WaiverTerms, WaiverUse};

/// The context of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunContext {
    /// State of the workspace's inputs before and after the run. None: not observed.
    pub tree: Option<TreeFacts>,
    /// Reason why the inputs could not be observed before the first action. None: they were observed, or not
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread_inputs: Option<String>,
    /// Comparison of protected files with their baseline. None: nothing is protected.
    pub protection: Option<Protection>,
    /// All waivers found, accepted or not, by id.
    pub waivers: Vec<Waiver>,
    /// Confinement of the commands. None: they were not confined.
    pub confinement: Option<Confinement>,
    /// The tree that was built for the run. None: it ran in the workspace itself.
    pub clean_room: Option<CleanRoom>,
    /// Key chosen to sign the run: SHA-256 of the public key, as SPKI. None: the run is self-asserted.
    pub signer: Option<Digest>,
    /// Greatest number of tests that each check ran in a run since the state that the work is compared with was
    /// made, as known from intact sealed runs. Checks without such a number are left out.
    #[serde(default)]
    pub earlier_tests: BTreeMap<ActionId, u64>,
    /// Compiled tests without sources, where Maven ran tests, which Surefire still runs: paths relative to the
    /// workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_tests: Vec<String>,
    /// Test files that passed as a whole without reporting a test, although they are known to contain tests or
    /// nothing in them can fail: by title in the reading, with the number of tests that they are known to
    /// declare.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub silent_files: BTreeMap<String, u64>,
    /// Whether the tests of the change fail without the change. None: not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Whether the checks still report planted defects that they are known to report. None: not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_audit: Option<ProbeAudit>,
    /// What became of the receipt of an earlier run by a worker. None: no worker was asked, or there was no receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_receipt: Option<SharedReceipt>,
}
