//! Publishes the results of a stage: its outputs as they were judged, and the values that other stages take from them.

use referee_model::handback::HANDBACK;
use referee_model::id::Digest;
use referee_model::stage::log::StageChange;
use referee_model::stage::parameters::{OUTPUT_PARAMETERS, OutputParametersDocument};
use referee_model::stage::path::StagePath;

use super::{Ended, Turn, changed};
use crate::stage::file_path::output_data;
use crate::stage::{StageError, sources};

impl Turn<'_> {
    /// Publishes. The line of the log follows the file, which has no effect without the line.
    pub(super) fn publish(&self) -> Result<Ended, StageError> {
        let params = self.judged.outputs.parameters.clone();
        let document = OutputParametersDocument {
            stage_id: self.opened.stage.clone(),
            published_at: self.workshop.now,
            parameters: params.clone(),
        };
        let bytes =
            referee_model::document::to_bytes(&document).map_err(|error| StageError::Internal(error.to_string()))?;
        let path = output_data(OUTPUT_PARAMETERS)?;
        let mut files = self.judged.outputs.found.clone();
        files.insert(path.to_string(), Digest::of(&bytes));
        if self.dry_run {
            return Ok(Ended::Published { params, files });
        }
        self.held.write(&self.opened.stage, &path, &bytes)?;
        if self.is_changed(&files)? {
            self.held.discard(&self.opened.stage, &path)?;
            return Ok(Ended::Refused(vec![changed("outputs or handback changed while they were judged")]));
        }
        self.append(StageChange::Finalized { handback: self.judged.handback(), outputs: files.clone() })?;
        Ok(Ended::Published { params, files })
    }

    /// Whether the outputs or the handback differ from what was judged.
    fn is_changed(
        &self,
        files: &std::collections::BTreeMap<String, referee_model::id::Digest>,
    ) -> Result<bool, StageError> {
        let (run, stage) = (&self.opened.run, &self.opened.stage);
        let handback: StagePath = output_data(HANDBACK)?;
        let lying = run.look(stage, &handback)?.map(|seen| seen.digest);
        Ok(lying != self.judged.handback() || !sources::changed(run, stage, files)?.is_empty())
    }
}
