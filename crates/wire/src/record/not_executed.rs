//! The record of an action that the specification has a problem with, in documents.

use referee_model::id::ActionId;
use referee_model::plan::{Action, ActionType};
use referee_model::record::{Facts, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Authenticity, Head, NoticeDocument, Span, notices};
use crate::form;

/// No facts: the action was not executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotExecutedRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    /// The action.
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// 1 for the first.
    #[schemars(range(min = 1))]
    attempt: u32,
    /// The check's name.
    description: String,
    /// When it was its turn.
    execution: Span,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

impl NotExecutedRecord {
    pub(super) fn new(action: &Action, record: &Record) -> Self {
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type: action.work.action_type(),
            attempt: record.attempt,
            description: action.name.clone(),
            execution: record.into(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, None),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        let types = [self.action_type];
        let authenticity = Authenticity::new(self.execution.end_time, None);
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span: self.execution,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        head.record(&types, &authenticity, Facts::NotExecuted)
    }
}
