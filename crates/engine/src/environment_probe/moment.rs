//! The workspace at one moment of a run, listed once for all who ask.

use referee_ledger::tree::{self, Listing};
use referee_ledger::workspace::Listed;

use crate::inputs;
use crate::protection::{self, ProtectionError};
use crate::request::TaskRequest;

/// The workspace at one moment.
pub(super) struct Moment {
    /// Its inputs, or why they cannot be listed. None: nobody asks for them.
    pub(super) inputs: Option<Result<Listing, String>>,
    /// Its files, among which protected ones are looked for; none where nothing is protected.
    pub(super) files: Vec<Listed>,
}

impl Moment {
    /// Lists what is there now: files where there is a baseline, inputs where they are asked for.
    ///
    /// # Errors
    /// Fails where there is a baseline and the workspace cannot be listed: what was not looked at is not as it was.
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
