//! The routes for incidents, and for the API itself. Router and OpenAPI description are generated from this one list.

use axum::routing::{get, post};
use referee_model::handback::HandbackDocument;
use referee_model::incident::remediation::RemediationPlan;

use super::{form, general, loop_routes, mutations, reading};
use crate::api::HealthDocument;
use crate::api::answered::{
    ApprovalAnswer, CapturedAnswer, EventsAnswer, HandbacksAnswer, IncidentDetailDocument, LoopBegun, PlanAllAnswer,
    StandingAnswer,
};
use crate::api::asked::{
    AckBody, ApproveBody, ArchiveBody, CaptureBody, GoBody, HandoffBody, NothingBody, PlanBody, ReasonBody,
};
use referee_model::incident::attempt::RunResultDocument;
use referee_model::incident::list::IncidentListDocument;

use crate::route::{Answer, Described, Method, Parameter, Route, Shape};
use crate::stream;

/// Path of all incidents.
const ALL: &str = "/api/errors/incidents";
/// Path of one incident, with a suffix.
macro_rules! one {
    ($operation:literal) => {
        concat!("/api/errors/incidents/{id}", $operation)
    };
}

const LIST: [Parameter; 7] = [
    parameter("status", "Only incidents with one of these statuses, separated by commas.", form::STATUSES),
    parameter("open", "Only incidents in the inbox (true) or in the archive (false).", form::BOOLEAN),
    parameter("class", "Only incidents of this failure class.", form::TEXT),
    parameter("step", "Only incidents of this step.", form::TEXT),
    parameter(
        "search",
        "Only incidents that contain all of these words in their id, step, class, message or run.",
        form::TEXT,
    ),
    parameter("after", "Cursor: the value of `next` in the previous page.", form::CURSOR),
    parameter("limit", "Maximum number of items.", form::ROWS),
];
const PAGE: [Parameter; 2] = [
    parameter("after", "Cursor: the value of `next` in the previous page.", form::CURSOR),
    parameter("limit", "Maximum number of incidents to search.", form::ROWS),
];
const EVENTS: [Parameter; 2] = [
    parameter("after", "Sequence number of the last event that the client has.", form::SEQUENCE),
    parameter("limit", "Maximum number of items.", form::ROWS),
];
const FOLLOW: [Parameter; 1] = [parameter(
    "after",
    "Sequence number of the last event that the client has. Default: only new events.",
    form::SEQUENCE,
)];
const WAIT: [Parameter; 1] = [parameter("wait", "Seconds to wait for the result.", form::SECONDS)];

const fn parameter(name: &'static str, meaning: &'static str, schema: Shape) -> Parameter {
    Parameter { name, meaning, schema }
}

/// Returns a route that reads.
fn looked_at(path: &'static str, name: &'static str, summary: &'static str, answer: Answer) -> Route {
    Route {
        method: Method::Get,
        path,
        name,
        summary,
        query: &[],
        body: None,
        answer: (200, answer),
        also: None,
        refusals: &[],
        needs_approver: false,
        handler: || get(general::health),
    }
}

/// Returns a route that changes one incident.
fn done<Body: Described, Told: Described>(path: &'static str, name: &'static str, summary: &'static str) -> Route {
    Route {
        method: Method::Post,
        body: Some(Shape::of::<Body>()),
        refusals: &[404, 409],
        ..looked_at(path, name, summary, Answer::Json(Shape::of::<Told>()))
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = general_routes();
    routes.extend(incidents());
    routes.extend(plans());
    routes.extend(work());
    routes
}

fn general_routes() -> Vec<Route> {
    vec![
        Route {
            handler: || get(general::health),
            ..looked_at(
                "/api/health",
                "health",
                "Checks that the server responds.",
                Answer::Json(Shape::of::<HealthDocument>()),
            )
        },
        Route {
            handler: || get(general::description),
            ..looked_at("/api/openapi.json", "description", "Describes the API.", Answer::Document)
        },
        Route {
            query: &FOLLOW,
            handler: || get(stream::follow),
            ..looked_at("/api/events", "follow", "Streams the events of incidents as they happen.", Answer::Events)
        },
        Route {
            query: &PAGE,
            handler: || get(reading::handbacks),
            ..looked_at(
                "/api/handbacks",
                "handbacks",
                "Lists the handbacks of executors.",
                Answer::Json(Shape::of::<HandbacksAnswer>()),
            )
        },
    ]
}

fn incidents() -> Vec<Route> {
    vec![
        Route {
            query: &LIST,
            handler: || get(reading::list),
            ..looked_at(
                ALL,
                "list",
                "Lists incidents, newest first.",
                Answer::Json(Shape::of::<IncidentListDocument>()),
            )
        },
        Route {
            answer: (201, Answer::Json(Shape::of::<CapturedAnswer>())),
            also: Some((200, Answer::Json(Shape::of::<CapturedAnswer>()))),
            refusals: &[409],
            handler: || post(mutations::capture),
            ..done::<CaptureBody, CapturedAnswer>(
                ALL,
                "capture",
                "Captures a failure as an incident. Status 200 if it is known already, or skipped.",
            )
        },
        Route {
            refusals: &[404],
            handler: || get(reading::show),
            ..looked_at(
                one!(""),
                "show",
                "Returns an incident with all of its documents.",
                Answer::Json(Shape::of::<IncidentDetailDocument>()),
            )
        },
        Route {
            query: &EVENTS,
            refusals: &[404],
            handler: || get(reading::events),
            ..looked_at(
                one!("/events"),
                "events",
                "Lists the events of an incident.",
                Answer::Json(Shape::of::<EventsAnswer>()),
            )
        },
        Route {
            handler: || post(mutations::archive),
            ..done::<ArchiveBody, StandingAnswer>(one!("/archive"), "archive", "Closes an incident.")
        },
        Route {
            handler: || post(mutations::reopen),
            ..done::<ReasonBody, StandingAnswer>(one!("/reopen"), "reopen", "Reopens an escalated incident.")
        },
    ]
}

fn plans() -> Vec<Route> {
    vec![
        Route {
            handler: || post(mutations::plan),
            ..done::<PlanBody, RemediationPlan>(one!("/plan"), "plan", "Creates a remediation plan for an incident.")
        },
        Route {
            refusals: &[],
            handler: || post(mutations::plan_all),
            ..done::<PlanBody, PlanAllAnswer>(
                "/api/errors/incidents/plan-all",
                "plan_all",
                "Creates remediation plans for incidents that have none, at most fifty per request.",
            )
        },
        Route {
            needs_approver: true,
            handler: || post(mutations::approve),
            ..done::<ApproveBody, ApprovalAnswer>(
                one!("/approve"),
                "approve",
                "Approves the current plan of an incident.",
            )
        },
        Route {
            handler: || post(mutations::reject),
            ..done::<ReasonBody, StandingAnswer>(one!("/reject"), "reject", "Rejects the plan of an incident.")
        },
    ]
}

fn work() -> Vec<Route> {
    vec![
        Route {
            answer: (200, Answer::Document),
            handler: || post(mutations::hand_off),
            ..done::<HandoffBody, StandingAnswer>(
                one!("/handoff"),
                "handoff",
                "Hands off an approved incident to an executor.",
            )
        },
        Route {
            handler: || post(mutations::recall),
            ..done::<NothingBody, StandingAnswer>(
                one!("/recall"),
                "recall",
                "Recalls an incident from an executor that has not started.",
            )
        },
        Route {
            handler: || post(mutations::acknowledge),
            ..done::<AckBody, StandingAnswer>(one!("/ack"), "acknowledge", "Acknowledges an incident, as its executor.")
        },
        Route {
            answer: (200, Answer::Document),
            handler: || post(mutations::hand_back),
            ..done::<HandbackDocument, StandingAnswer>(
                one!("/handback"),
                "hand_back",
                "Hands an incident back, as its executor. This is a claim, not a verdict.",
            )
        },
        Route {
            query: &WAIT,
            answer: (202, Answer::Json(Shape::of::<LoopBegun>())),
            also: Some((200, Answer::Json(Shape::of::<RunResultDocument>()))),
            handler: || post(loop_routes::go),
            ..done::<GoBody, LoopBegun>(
                one!("/go"),
                "go",
                "Starts the repair loop. Status 200 if it has already ended.",
            )
        },
    ]
}
