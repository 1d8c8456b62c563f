//! The routes of runs and registers, for router and OpenAPI description.

use std::sync::Arc;

use axum::routing::{MethodRouter, get};
use referee_model::debt_register::{DebtListDocument, RegisterDocument};
use referee_model::diagnostic_register::ListDocument;
#[cfg(feature = "schema")]
use referee_model::limit;
use referee_report::action_log::ActionLogDocument;
use referee_report::evidence_files::EvidenceFilesDocument;
use referee_report::evidence_verification::EvidenceVerificationDocument;
use referee_report::run_list::{RunDetailDocument, RunListDocument};

use super::{evidence, listed, registers};
use crate::route::{Answer, Method, Parameter, Route, Shape, shape};
use crate::service::Service;

/// Error statuses of a run that does not exist, whose evidence is refused, or whose files were pruned.
const OF_A_RUN: &[u16] = &[400, 404, 409, 410];

/// A route that returns a document.
struct Read {
    path: &'static str,
    name: &'static str,
    summary: &'static str,
    query: &'static [Parameter],
    answer: Answer,
    refusals: &'static [u16],
    handler: fn() -> MethodRouter<Arc<Service>>,
}

pub(super) fn routes() -> Vec<Route> {
    let read = of_runs().into_iter().chain(of_evidence()).chain(of_registers());
    read.map(Route::from).chain([file()]).collect()
}

impl From<Read> for Route {
    fn from(read: Read) -> Self {
        Self {
            method: Method::Get,
            path: read.path,
            name: read.name,
            summary: read.summary,
            query: read.query,
            body: None,
            answer: (200, read.answer),
            also: None,
            refusals: read.refusals,
            needs_approver: false,
            handler: read.handler,
        }
    }
}

fn of_runs() -> Vec<Read> {
    vec![
        Read {
            path: "/api/runs",
            name: "list_runs",
            summary: "Lists runs, latest first, with a summary of their sealed reports.",
            query: RUNS,
            answer: Answer::Json(Shape::of::<RunListDocument>()),
            refusals: &[400],
            handler: || get(listed::list),
        },
        Read {
            path: "/api/runs/{task}",
            name: "latest_run",
            summary: "Returns the latest sealed run of a task, and later runs that were never sealed.",
            query: &[],
            answer: Answer::Json(Shape::of::<RunDetailDocument>()),
            refusals: OF_A_RUN,
            handler: || get(listed::latest),
        },
        Read {
            path: "/api/runs/{task}/{execution}",
            name: "show_run",
            summary: "Returns one run; `latest` is the latest sealed run of the task.",
            query: &[],
            answer: Answer::Json(Shape::of::<RunDetailDocument>()),
            refusals: OF_A_RUN,
            handler: || get(listed::one),
        },
        Read {
            path: "/api/runs/{task}/{execution}/report",
            name: "run_report",
            summary: "Returns the report of a run, byte for byte as it was sealed.",
            query: &[],
            answer: Answer::Document,
            refusals: OF_A_RUN,
            handler: || get(listed::report),
        },
        Read {
            path: "/api/runs/{task}/{execution}/verification",
            name: "verify_run",
            summary: "Verifies a run: every file against its seal, and the seal against the chain. With `replay`, judges it again.",
            query: VERIFICATION,
            answer: Answer::Json(Shape::of::<EvidenceVerificationDocument>()),
            refusals: OF_A_RUN,
            handler: || get(listed::verification),
        },
    ]
}

fn of_evidence() -> Vec<Read> {
    vec![
        Read {
            path: "/api/runs/{task}/{execution}/evidence",
            name: "list_evidence",
            summary: "Lists the files of a run by its seal.",
            query: &[],
            answer: Answer::Json(Shape::of::<EvidenceFilesDocument>()),
            refusals: OF_A_RUN,
            handler: || get(evidence::files),
        },
        Read {
            path: "/api/runs/{task}/{execution}/actions/{action}/log",
            name: "read_log",
            summary: "Returns lines of an action's log, with the findings in them.",
            query: LOG,
            answer: Answer::Json(Shape::of::<ActionLogDocument>()),
            refusals: OF_A_RUN,
            handler: || get(evidence::log),
        },
        Read {
            path: "/api/runs/{task}/{execution}/actions/{action}/diagnostics",
            name: "action_diagnostics",
            summary: "Returns the findings of an action, as they were sealed.",
            query: &[],
            answer: Answer::Document,
            refusals: OF_A_RUN,
            handler: || get(evidence::diagnostics),
        },
    ]
}

/// Returns the route of a file, in full or in part.
fn file() -> Route {
    let file = Read {
        path: "/api/runs/{task}/{execution}/evidence/{name}",
        name: "read_evidence",
        summary: "Returns a file of a run, or a part of it. The whole file is verified against the seal first.",
        query: PART,
        answer: Answer::Bytes("*/*"),
        refusals: &[400, 404, 409, 410, 416],
        handler: || get(evidence::file),
    };
    Route { also: Some((206, Answer::Bytes("*/*"))), ..file.into() }
}

fn of_registers() -> Vec<Read> {
    vec![
        Read {
            path: "/api/diagnostics",
            name: "list_diagnostics",
            summary: "Lists the diagnostics of all runs, most severe first, and the cleared ones.",
            query: DIAGNOSTICS,
            answer: Answer::Json(Shape::of::<ListDocument>()),
            refusals: &[400, 404],
            handler: || get(registers::diagnostics),
        },
        Read {
            path: "/api/debt",
            name: "list_debt",
            summary: "Lists items of technical debt.",
            query: DEBT,
            answer: Answer::Json(Shape::of::<DebtListDocument>()),
            refusals: &[400],
            handler: || get(registers::debt),
        },
        Read {
            path: "/api/debt/{debt}",
            name: "show_debt",
            summary: "Returns one item of technical debt, as a register with this item alone.",
            query: &[],
            answer: Answer::Json(Shape::of::<RegisterDocument>()),
            refusals: &[400, 404],
            handler: || get(registers::debt_item),
        },
    ]
}

const RUNS: &[Parameter] = &[
    Parameter { name: "task", meaning: "Only runs of this task.", schema: TASK },
    Parameter {
        name: "decision",
        meaning: "Only runs with this decision.",
        schema: shape!({ "type": "string", "enum": ["PASS", "FAIL", "BLOCKED"] }),
    },
    Parameter {
        name: "limit",
        meaning: "Maximum number of items.",
        schema: shape!({ "type": "integer", "minimum": 1, "maximum": limit::RUNS_LISTED_MAX }),
    },
    Parameter {
        name: "after",
        meaning: "Cursor: the value of `next` in the previous page.",
        schema: shape!({ "type": "string", "pattern": "^(-|exec-[A-Za-z0-9-]{1,59})/T[0-9]{3,31}$" }),
    },
];

const VERIFICATION: &[Parameter] = &[Parameter {
    name: "replay",
    meaning: "Whether to judge the evidence again. One run at a time.",
    schema: shape!({ "type": "boolean" }),
}];

const PART: &[Parameter] = &[
    Parameter { name: "offset", meaning: "Start of the range, in bytes.", schema: WHOLE_NUMBER },
    Parameter { name: "length", meaning: "Maximum length of the range, in bytes.", schema: WHOLE_NUMBER },
];

const LOG: &[Parameter] = &[
    Parameter {
        name: "attempt",
        meaning: "Number of the attempt. Default: the last one.",
        schema: shape!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
    },
    Parameter {
        name: "from",
        meaning: "First line to return. Negative numbers count from the end: -1 is the last line.",
        schema: shape!({
            "type": "integer",
            "minimum": (-i64::try_from(limit::LOG_LINES_MAX).unwrap_or(i64::MAX)),
            "maximum": (u32::MAX),
            "not": { "const": 0 },
        }),
    },
    Parameter { name: "lines", meaning: "Number of lines to return.", schema: LINES },
];

const DIAGNOSTICS: &[Parameter] = &[
    Parameter { name: "task", meaning: "Only diagnostics of this task.", schema: TASK },
    Parameter {
        name: "severity",
        meaning: "Only diagnostics of this severity.",
        schema: shape!({ "type": "string", "enum": ["error", "warning", "info"] }),
    },
    Parameter {
        name: "source",
        meaning: "Only diagnostics of this origin.",
        schema: shape!({ "type": "string", "enum": ["test", "lint", "build", "runtime"] }),
    },
    Parameter {
        name: "since",
        meaning: "Only diagnostics first seen or cleared after this run; `latest` means in the latest run of their task.",
        schema: shape!({ "type": "string", "pattern": "^(latest|exec-[A-Za-z0-9-]{1,59})$" }),
    },
    Parameter { name: "limit", meaning: "Maximum number of items of each kind.", schema: ITEMS },
];

const DEBT: &[Parameter] = &[
    Parameter { name: "task", meaning: "Only items of this task.", schema: TASK },
    Parameter {
        name: "status",
        meaning: "Only items with this status.",
        schema: shape!({ "type": "string", "enum": ["OPEN", "IN_PROGRESS", "RESOLVED", "DEFERRED", "REOPENED"] }),
    },
    Parameter {
        name: "severity",
        meaning: "Only items of this severity.",
        schema: shape!({ "type": "string", "enum": ["CRITICAL", "HIGH", "MEDIUM", "LOW", "NONE"] }),
    },
    Parameter {
        name: "destination",
        meaning: "Only items with this destination.",
        schema: shape!({ "type": "string", "enum": ["SPRINT_TASKS", "INVENTORY", "UNDECIDED"] }),
    },
    Parameter {
        name: "after",
        meaning: "Cursor: the value of `next` in the previous page.",
        schema: shape!({ "type": "string", "pattern": "^DEBT-T[0-9]{3,31}-[0-9]{3,9}$" }),
    },
    Parameter { name: "limit", meaning: "Maximum number of items.", schema: ITEMS },
];

const TASK: Shape = shape!({ "type": "string", "pattern": "^T[0-9]{3,31}$" });

const WHOLE_NUMBER: Shape = shape!({ "type": "integer", "minimum": 0, "maximum": i64::MAX });

const LINES: Shape = shape!({ "type": "integer", "minimum": 1, "maximum": limit::LOG_LINES_MAX });

const ITEMS: Shape = shape!({ "type": "integer", "minimum": 1, "maximum": limit::REGISTER_LISTED_MAX });
