//! The result of ending a stage as a document, without secrets.

use std::collections::BTreeMap;

use referee_model::stage::check::{Check, CheckFailure, CheckStatus, Checks};
use referee_model::stage::life::StageState;
use referee_model::stage::standing::{Objection, StandingName};
use referee_report::stage::changes::{self, StageFinalizedDocument, StageOutcome};
use referee_syntax::count::count;
use serde_json::{Map, Value};

use super::{Ended, Kept};
use crate::stage::history::StageHistory;
use crate::stage::judgement::Judged;
use crate::stage::standing::{HandbackFound, Verdict};
use crate::stage::{Opened, Workshop, change};

pub(super) struct FinalizationFacts<'told> {
    pub(super) workshop: &'told Workshop<'told>,
    pub(super) opened: &'told Opened,
    pub(super) before: &'told StageHistory,
    pub(super) judged: &'told Judged,
    pub(super) dry_run: bool,
}

impl FinalizationFacts<'_> {
    /// Builds the document of the result.
    pub(super) fn document(&self, ended: Ended, warnings: &[String]) -> StageFinalizedDocument {
        let (outcome, state) = self.standing(&ended);
        let is_done = matches!(outcome, StageOutcome::Published | StageOutcome::AlreadyPublished);
        let summary = self.summary(&ended);
        let next = match ended {
            Ended::Failed(Kept::Lost(_)) => change::command(self.opened, "stage finalize", &self.opened.stage, ""),
            _ => self.next(outcome),
        };
        let mut document = StageFinalizedDocument {
            stage_finalized_version: changes::version(),
            status: CheckStatus::of(is_done),
            outcome,
            stage_id: self.opened.stage.clone(),
            run_id: change::run_id(&self.opened.history).ok(),
            state,
            attempt: self.before.attempt,
            dry_run: self.dry_run,
            checks: self.checks(),
            objections: Vec::new(),
            output_params_written: outcome == StageOutcome::Published && !self.dry_run,
            output_params: Map::new(),
            published: BTreeMap::new(),
            reason: None,
            description: None,
            verdict: match &self.judged.verdict {
                Verdict::Known(verdict) => Some(verdict.clone()),
                Verdict::NotAsked | Verdict::Unknown => None,
            },
            message: None,
            incident_id: None,
            incident: None,
            warnings: warnings.iter().map(|warning| self.clean(warning)).collect(),
            summary,
            next,
        };
        if let HandbackFound::Valid(handback, _) = &self.judged.handed.document {
            document.reason = Some(handback.reason().as_str().to_owned());
            document.description = Some(self.clean(&handback.description));
        }
        self.fill(&mut document, ended);
        document
    }

    fn fill(&self, document: &mut StageFinalizedDocument, ended: Ended) {
        match ended {
            Ended::Published { params, files } => {
                let clean = self.workshop.redactor.data_strictly(Value::Object(params));
                document.output_params = clean.as_object().cloned().unwrap_or_default();
                document.published = files;
            }
            Ended::Already { files } => document.published = files,
            Ended::Questioned { message } => document.message = Some(message),
            Ended::Failed(kept) => match kept {
                Kept::Incident(id, sentence) => {
                    document.incident_id = id;
                    document.incident = Some(self.clean(&sentence));
                }
                Kept::None(why) => document.incident = Some(why.to_owned()),
                Kept::Lost(why) => {
                    document.incident = Some(format!("it could not be kept as an incident: {}", self.clean(&why)));
                }
                Kept::Would => document.incident = Some("it would be captured as an incident".to_owned()),
            },
            Ended::Refused(objections) => {
                document.objections = objections.iter().map(|objection| self.objection(objection)).collect();
            }
        }
    }

    fn standing(&self, ended: &Ended) -> (StageOutcome, StageState) {
        match ended {
            Ended::Published { .. } => (StageOutcome::Published, StageState::Completed),
            Ended::Already { .. } => (StageOutcome::AlreadyPublished, StageState::Completed),
            Ended::Questioned { .. } => (StageOutcome::Question, StageState::Blocked),
            Ended::Failed(Kept::Lost(_)) => (StageOutcome::Error, self.before.state),
            Ended::Failed(_) => (StageOutcome::Error, StageState::Failed),
            Ended::Refused(_) => (StageOutcome::Refused, self.before.state),
        }
    }

    fn summary(&self, ended: &Ended) -> String {
        let stage = &self.opened.stage;
        let dry_run = self.dry_run;
        match ended {
            Ended::Published { files, .. } => {
                let files = count(files.len(), "file");
                if dry_run {
                    format!("stage {stage} would be done, and {files} published")
                } else {
                    format!("stage {stage} is done: {files} published")
                }
            }
            Ended::Already { .. } => format!("stage {stage} was done already, and what it published holds"),
            Ended::Questioned { message } => {
                let waits = if dry_run { "would wait" } else { "waits" };
                format!("stage {stage} {waits} for an answer: the question is in {message}")
            }
            Ended::Failed(Kept::Lost(_)) => {
                format!(
                    "stage {stage} is not ended: its executor handed it back with an error, which could not be kept"
                )
            }
            Ended::Failed(_) => {
                let failed = if dry_run { "would have failed" } else { "failed" };
                format!("stage {stage} {failed}: its executor handed it back with an error")
            }
            Ended::Refused(objections) => {
                let objections = count(objections.len(), "objection");
                let checks = count(self.judged.outputs.checks.failed().count(), "failed check");
                format!("stage {stage} is not finalized: {objections}, {checks}")
            }
        }
    }

    fn next(&self, outcome: StageOutcome) -> String {
        let objections = &self.judged.handed.standing.objections;
        let is_over = objections.iter().any(|objection| objection.name == StandingName::WithoutControl);
        let (words, more) = match outcome {
            StageOutcome::Published | StageOutcome::Question | StageOutcome::Error if self.dry_run => {
                ("stage finalize", "")
            }
            StageOutcome::Published | StageOutcome::AlreadyPublished => return self.after(),
            // Validating the outputs again is of no use if no executor has control of them.
            StageOutcome::Refused if is_over => return self.after(),
            StageOutcome::Question => ("stage answer", "--text TEXT"),
            StageOutcome::Error => ("stage accept", ""),
            StageOutcome::Refused => ("stage validate", ""),
        };
        change::command(self.opened, words, &self.opened.stage, more)
    }

    fn after(&self) -> String {
        let directory = change::command(self.opened, "stage status", &self.opened.stage, "");
        directory.replacen(&format!("stage status {}", self.opened.stage), "stage status", 1)
    }

    fn checks(&self) -> Checks {
        let failure = |failure: &CheckFailure| CheckFailure {
            action: self.clean(&failure.action),
            details: failure.details.iter().map(|detail| self.clean(detail)).collect(),
            ..failure.clone()
        };
        let one = |check: &Check| Check {
            message: self.clean(&check.message),
            failure: check.failure.as_ref().map(failure),
            ..check.clone()
        };
        Checks { checks: self.judged.outputs.checks.checks.iter().map(one).collect(), warnings: Vec::new() }
    }

    fn objection(&self, objection: &Objection) -> Objection {
        let (message, action) = (self.clean(&objection.message), self.clean(&objection.action));
        Objection { message, action, ..objection.clone() }
    }

    fn clean(&self, text: &str) -> String {
        self.workshop.redactor.text_strictly(text)
    }
}
