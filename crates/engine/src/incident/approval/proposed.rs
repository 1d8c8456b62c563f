//! The plan to be approved, and which approvals are about it.

use std::collections::BTreeSet;

use referee_ledger::incidents::Part;
use referee_model::document::from_bytes;
use referee_model::id::Digest;
use referee_model::incident::approval::ApprovalTerms;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, RemediationPlan, Verification};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_syntax::count::list;

use super::super::{IncidentContext, IncidentError};

/// The plan to be approved.
pub(in crate::incident) struct Proposed {
    /// Bytes of the plan, which an approval binds.
    pub(in crate::incident) bytes: Vec<u8>,
    pub(in crate::incident) digest: Digest,
    pub(in crate::incident) plan: RemediationPlan,
}

impl Proposed {
    /// Reads the plan of an incident.
    pub(super) fn read(context: IncidentContext<'_>, id: &IncidentId) -> Result<Self, IncidentError> {
        let bytes = context.incidents.file(id, Part::Plan, PLAN)?;
        let missing = || format!("incident {id} has no plan to approve: make one by `referee incident plan {id}`");
        Self::of(id, bytes.ok_or_else(|| IncidentError::Refused(missing()))?)
    }

    /// Parses these bytes as the plan of an incident.
    pub(in crate::incident) fn of(id: &IncidentId, bytes: Vec<u8>) -> Result<Self, IncidentError> {
        let again = format!("make another one by `referee incident plan {id} --force`");
        let plan = from_bytes::<RemediationPlan>(PLAN, &bytes)
            .map_err(|error| IncidentError::Refused(format!("this plan cannot be approved: {error}; {again}")))?;
        if plan.incident_id != *id {
            let other = &plan.incident_id;
            return Err(IncidentError::Refused(format!("the plan of incident {id} is about {other}; {again}")));
        }
        Ok(Self { digest: Digest::of(&bytes), bytes, plan })
    }

    /// Returns the commands in it that are the planner's own.
    fn of_planner(&self) -> BTreeSet<String> {
        let verifications = self.plan.verifications().into_iter();
        let own = |one| if let Verification::Planner { command } = one { Some(command) } else { None };
        verifications.filter_map(own).collect()
    }

    /// Accepts the planner's own commands that a person names: they must be exactly those in the plan.
    pub(super) fn takes(&self, commands: &[String]) -> Result<(), IncidentError> {
        let own = self.of_planner();
        if let Some(other) = commands.iter().find(|command| !own.contains(*command)) {
            return Err(IncidentError::Invalid(format!(
                "the plan has no command {other:?} of a planner's own: there {}",
                listed(own.iter())
            )));
        }
        let missing: Vec<&String> = own.iter().filter(|command| !commands.contains(command)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(IncidentError::Refused(format!(
            "the plan has commands of a planner's own, which run in a shell: approve each by name (`--command`), or reject \
             the plan; there {}",
            listed(missing.into_iter())
        )))
    }

    /// Fails if this is not the plan that was reviewed.
    pub(super) fn is_the_one(&self, expected: Option<Digest>) -> Result<(), IncidentError> {
        if expected.is_none_or(|expected| expected == self.digest) {
            return Ok(());
        }
        Err(IncidentError::Refused("the plan is not the one that you looked at: read it again".to_owned()))
    }

    /// Returns an error that says why these terms are not about this plan.
    pub(super) fn is_meant(&self, terms: &ApprovalTerms, now: Timestamp) -> Result<(), String> {
        if terms.incident != self.plan.incident_id {
            return Err(format!("it is about incident {}", terms.incident));
        }
        if terms.plan != self.digest {
            return Err("it is about another plan, or this one as it was before".to_owned());
        }
        if terms.revision != self.plan.revision {
            return Err(format!("it is about revision {}, and this is {}", terms.revision, self.plan.revision));
        }
        if terms.approved_at > now.plus_milliseconds(limit::APPROVAL_AHEAD_MS) {
            return Err(format!("it is dated {}, and that is still to come", terms.approved_at));
        }
        let own = self.of_planner();
        let missing: Vec<&String> = own.iter().filter(|command| !terms.commands.contains(command)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!("it leaves out commands of a planner's own: there {}", listed(missing.into_iter())))
    }
}

/// Maximum number of commands that a message lists.
const COMMANDS_LISTED: usize = 10;

fn listed<'command>(commands: impl ExactSizeIterator<Item = &'command String>) -> String {
    let count = commands.len();
    if count == 0 {
        return "is none".to_owned();
    }
    let shown = list(commands.map(|command| format!("{command:?}")), COMMANDS_LISTED);
    format!("{} {shown}", if count == 1 { "is" } else { "are" })
}
