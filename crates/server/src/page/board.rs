//! `/`: incidents by status.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use referee_engine::incident::{IncidentError, Query};
use referee_model::incident::list::{IncidentListDocument, IncidentRow};
use referee_model::incident::status::IncidentStatus;
use referee_syntax::percent::component;

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::harmless;
use super::moment::Moment;
use super::refusal;
use super::state::State;
use crate::auth::see;
use crate::service::{Project, Service};

/// Number of incidents of a status that are shown before the link to all of them.
const FIRST: usize = 12;

const PAGE: usize = 50;

/// Maximum length of a search, in characters.
const SEARCH_CHARACTERS: usize = 200;

#[derive(Template)]
#[template(path = "board.html")]
struct Board {
    frame: Frame,
    /// All statuses, with their numbers of incidents.
    states: Vec<Tally>,
    search: String,
    /// The selected status. `None`: all.
    chosen: Option<State>,
    sections: Vec<Section>,
    /// Messages about incidents that could not be read.
    degraded: Vec<String>,
    /// Message about an unknown value in the query.
    complaint: Option<String>,
}

/// A status with its number of incidents.
struct Tally {
    state: State,
    total: u64,
    address: String,
    is_chosen: bool,
}

/// Incidents under a heading.
struct Section {
    name: &'static str,
    word: String,
    meaning: &'static str,
    total: u64,
    rows: Vec<Row>,
    /// Link to further incidents: address and text. `None`: there are no more.
    more: Option<(String, String)>,
}

struct Row {
    incident: IncidentRow,
    state: State,
    updated: Moment,
}

#[derive(Default)]
struct BoardQuery {
    state: Option<IncidentStatus>,
    search: String,
    after: Option<String>,
    complaint: Option<String>,
}

impl BoardQuery {
    fn read(query: Option<&str>) -> Self {
        let form = match Form::read(query.unwrap_or_default().as_bytes()) {
            Ok(form) => form,
            Err(complaint) => return Self { complaint: Some(complaint), ..Self::default() },
        };
        let state = form.given("status").map(|text| (text, IncidentStatus::read(text)));
        let complaint = match state {
            Some((text, None)) => Some(format!("there is no state `{}`: all are shown", harmless::text(text))),
            _ => None,
        };
        Self {
            state: state.and_then(|(_, state)| state),
            search: form.one("q").trim().chars().take(SEARCH_CHARACTERS).collect(),
            after: form.given("after").map(str::to_owned),
            complaint,
        }
    }

    fn is_all(&self) -> bool {
        self.state.is_none() && self.search.is_empty()
    }

    /// Returns the address of the page that continues after `after`.
    fn address(&self, after: &str) -> String {
        let state = self.state.map_or("", IncidentStatus::as_str);
        format!("/?q={}&status={state}&after={}", component(&self.search), component(after))
    }
}

pub(super) async fn show(Shared(service): Shared<Arc<Service>>, RawQuery(query): RawQuery) -> Response {
    if service.fleet().is_ok() {
        return see("/runs");
    }
    let asked = BoardQuery::read(query.as_deref());
    match service.with_project(move |project| board(project, asked)).await {
        Ok(board) => answer(StatusCode::OK, &board),
        Err(error) => refusal::page(&error),
    }
}

fn board(project: &Project, asked: BoardQuery) -> Result<Board, IncidentError> {
    let incidents = project.office.context("page").incidents;
    let list = |states: Vec<IncidentStatus>, limit, after| {
        let text = Some(asked.search.clone()).filter(|text| !text.is_empty());
        incidents.list(&Query { statuses: states, text, after, limit, ..Query::default() })
    };
    let mut by_state = Vec::new();
    for state in State::ALL {
        by_state.push((state, list(vec![state.0], FIRST, None)?));
    }
    let states = by_state.iter().map(|(state, list)| tally(*state, list.total, &asked)).collect();
    let degraded = by_state.iter().flat_map(|(_, list)| &list.degraded).map(|text| harmless::text(text));
    let mut degraded: Vec<String> = degraded.collect();
    degraded.sort_unstable();
    degraded.dedup();
    let sections = if asked.is_all() {
        by_state.into_iter().filter(|(_, list)| list.total > 0).map(|(state, list)| of_state(state, list)).collect()
    } else {
        let found = list(asked.state.into_iter().collect(), PAGE, asked.after.clone())?;
        vec![of_search(&asked, found)]
    };
    let search = harmless::text(&asked.search);
    let frame = Frame::new("Incidents", Part::Incidents);
    Ok(Board { frame, states, search, chosen: asked.state.map(State), sections, degraded, complaint: asked.complaint })
}

fn tally(state: State, total: u64, asked: &BoardQuery) -> Tally {
    let mut address = format!("/?status={}", state.name());
    if !asked.search.is_empty() {
        address = format!("{address}&q={}", component(&asked.search));
    }
    Tally { state, total, address, is_chosen: asked.state == Some(state.0) }
}

fn of_state(state: State, list: IncidentListDocument) -> Section {
    let shown = list.incidents.len().min(FIRST);
    let more =
        (list.total > shown as u64).then(|| (format!("/?status={}", state.name()), format!("all {}", list.total)));
    Section {
        name: state.name(),
        word: state.word().to_owned(),
        meaning: state.meaning(),
        total: list.total,
        rows: rows(list.incidents.into_iter().take(FIRST)),
        more,
    }
}

fn of_search(asked: &BoardQuery, list: IncidentListDocument) -> Section {
    let more = list.next.as_deref().map(|next| (asked.address(next), "next page".to_owned()));
    let state = asked.state.map(State);
    Section {
        name: "found",
        word: state.map_or("Found", State::word).to_owned(),
        meaning: state.map_or("", State::meaning),
        total: list.total,
        rows: rows(list.incidents),
        more,
    }
}

fn rows(incidents: impl IntoIterator<Item = IncidentRow>) -> Vec<Row> {
    let row = |incident: IncidentRow| {
        let (state, updated) = (State(incident.status), Moment(incident.updated_at));
        Some(Row { incident: harmless::copy(&incident)?, state, updated })
    };
    incidents.into_iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_from_the_address() {
        let asked = BoardQuery::read(Some("q=+sel%20ector+&status=planned&after=x%2Fy"));
        assert_eq!((asked.search.as_str(), asked.state), ("sel ector", Some(IncidentStatus::PlanProposed)));
        assert_eq!(asked.address("a&b"), "/?q=sel%20ector&status=plan_proposed&after=a%26b");
        assert!(BoardQuery::read(None).is_all() && BoardQuery::read(Some("status=&q=")).is_all());
        let odd = BoardQuery::read(Some("status=%1b[31mgone"));
        assert_eq!(odd.complaint.unwrap(), "there is no state `gone`: all are shown");
        assert!(BoardQuery::read(Some("q=%ff")).complaint.is_some());
    }
}
