//! A listing of the workspace at one moment of a run, shared by all users of it.

use referee_ledger::tree::{self, Listing};
use referee_ledger::workspace::Listed;

use crate::inputs;
use crate::protection::{self, ProtectionError};
use crate::request::TaskRequest;

/// The workspace at one moment.
pub(super) struct Moment {
    /// Inputs of the task, or why they cannot be listed. `None` if they were not requested.
    pub(super) inputs: Option<Result<Listing, String>>,
    /// Files of the workspace, among which protected ones are looked for; empty if nothing is protected.
    pub(super) files: Vec<Listed>,
}

impl Moment {
    /// Lists the workspace as it is now: files if there is a baseline, inputs if they are requested.
    ///
    /// # Errors
    /// Fails if there is a baseline and the workspace cannot be listed: files that were not inspected do not count
    /// as unchanged.
    pub(super) fn look(request: &TaskRequest<'_>, with_inputs: bool) -> Result<Self, ProtectionError> {
        let plan = request.plan;
        let exclusions = with_inputs.then(|| inputs::exclusions(plan, &plan.workspace, request.run.state));
        if request.run.protection.is_none() {
            let list = |exclusions: &_| tree::list(&plan.workspace, exclusions).map_err(|error| error.to_string());
            let inputs = exclusions.map(|exclusions| exclusions.and_then(|exclusions| list(&exclusions)));
            return Ok(Self { inputs, files: Vec::new() });
        }
        Ok(match exclusions {
            None => Self { inputs: None, files: protection::list(plan)? },
            Some(Err(why)) => Self { inputs: Some(Err(why)), files: protection::list(plan)? },
            Some(Ok(exclusions)) => {
                let beside = std::slice::from_ref(&plan.evidence_root);
                let (listing, files) = tree::list_both(&plan.workspace, &exclusions, beside)?;
                Self { inputs: Some(Ok(listing)), files: protection::of_plan(plan, files) }
            }
        })
    }
}
