//! `/loops`: the loops of agents in the depot.

use std::sync::Arc;

use askama::Template;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::Response;
use referee_model::loop_list::{LoopEntry, LoopStatus};

use super::frame::{Frame, Part, answer};
use super::harmless;
use super::moment::Moment;
use super::refusal;
use crate::depot_loops;
use crate::service::Service;

#[derive(Template)]
#[template(path = "loops.html")]
struct LoopsPage {
    frame: Frame,
    loops: Vec<LoopRow>,
}

/// A loop in the list, for display.
struct LoopRow {
    name: String,
    subject: String,
    status: LoopStatus,
    turn: Option<u32>,
    renewed: Option<Moment>,
    /// Who signed its checkpoint, or why that is not verified.
    origin: String,
}

impl From<LoopEntry> for LoopRow {
    fn from(LoopEntry { name, status, checkpoint, problem }: LoopEntry) -> Self {
        let origin = checkpoint.as_ref().map_or_else(|| problem.unwrap_or_default(), |found| found.signers.join(", "));
        Self {
            name: name.to_string(),
            subject: checkpoint.as_ref().map_or_else(|| name.to_string(), |found| found.of.to_string()),
            status,
            turn: checkpoint.as_ref().and_then(|found| found.turn),
            renewed: checkpoint.as_ref().map(|found| Moment(found.renewed_at)),
            origin: harmless::text(&origin),
        }
    }
}

impl LoopRow {
    fn tone(&self) -> &'static str {
        if self.status == LoopStatus::Unverified { "odd" } else { "plain" }
    }
}

pub(super) async fn show(Shared(service): Shared<Arc<Service>>) -> Response {
    match depot_loops::list(&service).await {
        Ok(list) => {
            let loops = list.loops.into_iter().map(LoopRow::from).collect();
            answer(StatusCode::OK, &LoopsPage { frame: Frame::new("Loops", Part::Loops), loops })
        }
        Err(problem) => refusal::page_of(Part::Loops, &problem),
    }
}
