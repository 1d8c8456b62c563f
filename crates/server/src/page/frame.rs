//! Layout of every page, and conversion of a page into a response.

use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::asset;
use crate::service::Service;

/// Data of the layout around a page.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// Title of the window. Must be harmless.
    pub(super) title: String,
    /// The section that the page belongs to.
    pub(super) part: Part,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
    pub(super) mark: &'static str,
}

/// A section in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Incidents,
    Runs,
    /// Runs of a depot.
    FleetRuns,
    Loops,
    Orders,
    Door,
}

impl Part {
    /// Returns the section of runs.
    pub(super) fn of_runs(service: &Service) -> Self {
        if service.fleet().is_ok() { Self::FleetRuns } else { Self::Runs }
    }

    pub(super) fn is_fleet(self) -> bool {
        matches!(self, Self::FleetRuns | Self::Loops | Self::Orders)
    }
}

impl Frame {
    pub(super) fn new(title: impl Into<String>, part: Part) -> Self {
        Self { title: title.into(), part, style: asset::style(), script: asset::script(), mark: asset::mark() }
    }
}

pub(super) fn answer(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the page could not be made").into_response(),
    }
}

#[derive(Template)]
#[template(path = "trouble.html")]
struct Trouble<'trouble> {
    frame: Frame,
    headline: &'trouble str,
    explanation: &'trouble str,
}

/// Returns an error page, with an explanation that must be harmless.
pub(super) fn trouble(status: StatusCode, part: Part, headline: &str, explanation: &str) -> Response {
    answer(status, &Trouble { frame: Frame::new(headline, part), headline, explanation })
}
