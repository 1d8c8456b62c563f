//! `referee_incident_list`, `referee_incident_get` and `referee_incident_plan`. Approving is left to a person.

use referee_engine::event_sink::{Note, NoteSink};
use referee_engine::incident::{IncidentError, Query, backend, plan as planning, shown};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::limit as bound;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, Refusal, arguments, document, limit};
use crate::project::{BY, Project};

/// Number of incidents of a page, usually.
const LISTED: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    status: Vec<IncidentStatus>,
    open: Option<bool>,
    class: Option<String>,
    step: Option<String>,
    search: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdArgument {
    id: String,
}

impl IdArgument {
    fn incident(&self) -> Result<IncidentId, Refusal> {
        IncidentId::parse(&self.id).map_err(|error| Refusal::new(error.to_string()))
    }
}

pub(super) fn list(project: &Project, given: Value) -> Answer {
    let asked: ListArguments = arguments(given)?;
    let query = Query {
        statuses: asked.status,
        open: asked.open,
        failure_class: asked.class,
        step: asked.step,
        text: asked.search,
        after: asked.after,
        limit: limit(asked.limit, LISTED, bound::INCIDENTS_LISTED_MAX)?,
        ..Query::default()
    };
    let service = project.incidents()?;
    document(&service.context(BY).incidents.list(&query).map_err(IncidentError::from)?)
}

pub(super) fn get(project: &Project, given: Value) -> Answer {
    let id = arguments::<IdArgument>(given)?.incident()?;
    document(&shown::shown(project.incidents()?.context(BY), &id)?)
}

/// Plans by rules. An existing plan is not replaced: that would void its approval.
pub(super) fn plan(project: &Project, given: Value) -> Answer {
    let id = arguments::<IdArgument>(given)?.incident()?;
    // What a note says stands in the plan, too: which checks verify it.
    let mut notes: NoteSink = std::sync::Arc::new(|_: &Note<'_>| {});
    let request = backend::plan_request(&project.context, None, None, &mut notes)?;
    document(&planning::plan(project.incidents()?.context(BY), &id, &request)?)
}
