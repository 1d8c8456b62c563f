//! The routes of the API that are about incidents, and about the API itself: one list, which router and description are made of.

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

/// All incidents.
const ALL: &str = "/api/errors/incidents";
/// One incident.
macro_rules! one {
    ($deed:literal) => {
        concat!("/api/errors/incidents/{id}", $deed)
    };
}

const LIST: [Parameter; 7] = [
    parameter("status", "Those that stand so: words with commas between them.", form::STATUSES),
    parameter("open", "Those in the inbox (true), or in the archive (false).", form::BOOLEAN),
    parameter("class", "Those of this class of failure.", form::TEXT),
    parameter("step", "Those of this step.", form::TEXT),
    parameter("search", "Those with all of these words in id, step, class, message or run.", form::TEXT),
    parameter("after", "What the last page said under `next`.", form::CURSOR),
    parameter("limit", "How many at most.", form::ROWS),
];
const PAGE: [Parameter; 2] = [
    parameter("after", "What the last page said under `next`.", form::CURSOR),
    parameter("limit", "How many incidents are looked through at most.", form::ROWS),
];
const EVENTS: [Parameter; 2] = [
    parameter("after", "The number of the last event that is known.", form::SEQUENCE),
    parameter("limit", "How many at most.", form::ROWS),
];
const FOLLOW: [Parameter; 1] =
    [parameter("after", "The number of the last event that is known. Without it: from now on.", form::SEQUENCE)];
const WAIT: [Parameter; 1] = [parameter("wait", "Seconds that the result is waited for.", form::SECONDS)];

const fn parameter(name: &'static str, meaning: &'static str, schema: Shape) -> Parameter {
    Parameter { name, meaning, schema }
}

/// What is looked at.
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

/// What is done with one incident.
fn done<Body: Described, Told: Described>(path: &'static str, name: &'static str, summary: &'static str) -> Route {
    Route {
        method: Method::Post,
        body: Some(Shape::of::<Body>()),
        refusals: &[404, 409],
        ..looked_at(path, name, summary, Answer::Json(Shape::of::<Told>()))
    }
}

/// Returns the routes.
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
                "Says that the server is there.",
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
            ..looked_at("/api/events", "follow", "Tells what happens to incidents, as it happens.", Answer::Events)
        },
        Route {
            query: &PAGE,
            handler: || get(reading::handbacks),
            ..looked_at(
                "/api/handbacks",
                "handbacks",
                "Lists what executors handed back.",
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
                "Lists incidents, the newest first.",
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
                "Captures a failure. 200: it was seen before, or skipped.",
            )
        },
        Route {
            refusals: &[404],
            handler: || get(reading::show),
            ..looked_at(
                one!(""),
                "show",
                "Shows an incident whole.",
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
                "Lists what happened to an incident.",
                Answer::Json(Shape::of::<EventsAnswer>()),
            )
        },
        Route {
            handler: || post(mutations::archive),
            ..done::<ArchiveBody, StandingAnswer>(one!("/archive"), "archive", "Closes an incident.")
        },
        Route {
            handler: || post(mutations::reopen),
            ..done::<ReasonBody, StandingAnswer>(one!("/reopen"), "reopen", "Opens an escalated incident again.")
        },
    ]
}

fn plans() -> Vec<Route> {
    vec![
        Route {
            handler: || post(mutations::plan),
            ..done::<PlanBody, RemediationPlan>(one!("/plan"), "plan", "Makes a plan for an incident.")
        },
        Route {
            refusals: &[],
            handler: || post(mutations::plan_all),
            ..done::<PlanBody, PlanAllAnswer>(
                "/api/errors/incidents/plan-all",
                "plan_all",
                "Makes plans for those that have none: fifty at once.",
            )
        },
        Route {
            needs_approver: true,
            handler: || post(mutations::approve),
            ..done::<ApproveBody, ApprovalAnswer>(one!("/approve"), "approve", "Approves of a plan as it is now.")
        },
        Route {
            handler: || post(mutations::reject),
            ..done::<ReasonBody, StandingAnswer>(one!("/reject"), "reject", "Refuses a plan.")
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
                "Hands an approved incident to an executor.",
            )
        },
        Route {
            handler: || post(mutations::recall),
            ..done::<NothingBody, StandingAnswer>(
                one!("/recall"),
                "recall",
                "Takes it back from an executor who has not begun.",
            )
        },
        Route {
            handler: || post(mutations::acknowledge),
            ..done::<AckBody, StandingAnswer>(one!("/ack"), "acknowledge", "Takes an incident, as its executor.")
        },
        Route {
            answer: (200, Answer::Document),
            handler: || post(mutations::hand_back),
            ..done::<HandbackDocument, StandingAnswer>(
                one!("/handback"),
                "hand_back",
                "Hands an incident back, as its executor: a claim.",
            )
        },
        Route {
            query: &WAIT,
            answer: (202, Answer::Json(Shape::of::<LoopBegun>())),
            also: Some((200, Answer::Json(Shape::of::<RunResultDocument>()))),
            handler: || post(loop_routes::go),
            ..done::<GoBody, LoopBegun>(one!("/go"), "go", "Begins the loop of repairs. 200: it is over already.")
        },
    ]
}
