//! Judges a request without a complete answer: EXECUTION_ERROR (ruling 9; seed 1, detailed structure 2).

use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{Action, Phase, Plan, Service, Work};
use referee_model::record::HttpFacts;
use referee_model::record::http::{NoAnswer, NoAnswerCause};
use referee_syntax::cut::first_line;

use super::super::draft::{Draft, Item};
use super::super::service::{holders, whose};
use super::{asked, endpoint};

/// Explains why there is no complete answer, and what to do about it.
///
/// | cause                          | the agent is asked to |
/// |--------------------------------|-----------------------|
/// | cannot be sent                 | FIX_SPECIFICATION     |
/// | no server, no route, no trust  | FIX_PREREQUISITE      |
/// | anything else                  | FIX_PREREQUISITE      |
/// | the server's answer is invalid | IMPLEMENT_FIX         |
pub(super) fn judge(plan: &Plan, action: &Action, facts: &HttpFacts, none: &NoAnswer) -> Draft {
    let told = told(none);
    let code = none.error.code.as_deref().map_or_else(String::new, |code| format!(" ({code})"));
    let head = none.status.map_or_else(String::new, |status| format!("; its head had come, with status {status}"));
    let said = first_line(&none.error.message, 300);
    let reason = format!("{} got no whole answer: {}{code}: {said}{head}", asked(facts), told.what);
    let server = server(plan, action, none.error.port);
    let advice = match (&server, told.remedy) {
        (Some((server, _)), AgentAction::FixPrerequisite) => {
            let name = first_line(&server.name, 80);
            format!("Verify that {} ({name}) succeeded and still runs, check its log, and run again", server.id)
        }
        _ => told.advice.to_owned(),
    };
    let whose = match &server {
        Some((_, service)) if none.cause == NoAnswerCause::Refused => format!("{} ", whose(service)),
        _ if none.cause == NoAnswerCause::Refused => "Server ".to_owned(),
        _ => String::new(),
    };
    Draft::execution_error(Rule::HttpNoAnswer, reason)
        .because_of(causes(facts, none, told.causes))
        .advise(advice.clone())
        .ask(told.remedy)
        .leaving(Item {
            title: Some(format!("{whose}{}: {}", told.title, endpoint(facts))),
            fix: Some(advice),
            ..Item::default()
        })
}

/// Returns the action that starts or awaits the server at this port: a service of the plan, before this action.
fn server<'a>(plan: &'a Plan, action: &Action, port: Option<u16>) -> Option<(&'a Action, &'a Service)> {
    let port = port?;
    let earlier = plan.actions.iter().take_while(|other| other.id != action.id);
    earlier.filter(|other| other.phase != Phase::Cleanup).find_map(|other| match &other.work {
        Work::Service(service) if is_at(service, port) => Some((other, service.as_ref())),
        _ => None,
    })
}

fn is_at(service: &Service, port: u16) -> bool {
    service.port == Some(Port::Fixed(port))
        || service.ready.iter().any(|probe| match probe {
            Probe::Port(Port::Fixed(probed)) | Probe::Address { port: probed, .. } => *probed == port,
            Probe::Url { url, .. } => asks_port(&url.to_string(), port),
            Probe::Port(Port::Auto(_)) | Probe::Output(_) => false,
        })
}

/// Returns whether the host of a URL is followed by this port.
fn asks_port(url: &str, port: u16) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once(':').is_some_and(|(_, number)| number.parse() == Ok(port))
}

fn causes(facts: &HttpFacts, none: &NoAnswer, general: &[&str]) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    if let Some(check) = &facts.diagnostics.port_check {
        causes.push(match (check.in_use, holders(check)) {
            (false, _) => format!("nothing listens on port {} of this machine", check.port),
            (true, None) => format!("port {} is in use, by a process that could not be determined", check.port),
            (true, Some(holders)) => format!("port {} is held by {holders}", check.port),
        });
    }
    let port = none.error.port.map_or_else(|| "the port".to_owned(), |port| format!("port {port}"));
    causes.extend(general.iter().map(|cause| cause.replace("{port}", &port)));
    causes
}

struct CauseText {
    what: &'static str,
    /// Cause as the title of a debt item.
    title: &'static str,
    causes: &'static [&'static str],
    advice: &'static str,
    remedy: AgentAction,
}

fn told(none: &NoAnswer) -> CauseText {
    match none.cause {
        NoAnswerCause::BadRequest => CauseText {
            what: "the request cannot be sent",
            title: "Request Cannot Be Sent",
            causes: &["the URL, a header or the body is none", "a captured value does not fit where it is used"],
            advice: "Correct the request in the specification",
            remedy: AgentAction::FixSpecification,
        },
        NoAnswerCause::Refused => CauseText {
            what: "the connection was refused",
            title: "Not Running or Crashed",
            causes: &[
                "dev server not running",
                "server crashed during the run",
                "{port} not accessible: the server listens at another port or address",
                "firewall blocking the connection",
            ],
            advice: "Start the server, make sure that it listens there, and run again",
            remedy: AgentAction::FixPrerequisite,
        },
        NoAnswerCause::UnknownHost | NoAnswerCause::Unreachable => nowhere(none.cause),
        NoAnswerCause::Tls => CauseText {
            what: "no TLS connection was agreed on",
            title: "TLS Connection Failed",
            causes: &[
                "the certificate is not trusted, has expired, or is for another name",
                "the server at {port} does not speak TLS",
            ],
            advice: "Give the server a certificate that is trusted, or name its authority's file in the specification",
            remedy: AgentAction::FixPrerequisite,
        },
        NoAnswerCause::Other => CauseText {
            what: "the connection failed",
            title: "Connection Failed",
            causes: &["dev server not running", "the system lacks ports, files or memory"],
            advice: "Do what the message says, and run again",
            remedy: AgentAction::FixPrerequisite,
        },
        NoAnswerCause::Reset
        | NoAnswerCause::Truncated
        | NoAnswerCause::Protocol
        | NoAnswerCause::RedirectLoop
        | NoAnswerCause::BadRedirect
        | NoAnswerCause::BodyTooLarge => bad_answer(none.cause),
    }
}

/// Texts for causes where no server can be reached.
fn nowhere(cause: NoAnswerCause) -> CauseText {
    if cause == NoAnswerCause::UnknownHost {
        return CauseText {
            what: "the name of the host is not known",
            title: "Host Unknown",
            causes: &[
                "the name is misspelt",
                "no name server can be reached",
                "the name is known in another network only",
            ],
            advice: "Correct the name of the host, or make it known here",
            remedy: AgentAction::FixPrerequisite,
        };
    }
    CauseText {
        what: "there is no way to the host",
        title: "Host Unreachable",
        causes: &["the network is down, or another one", "firewall blocking the connection", "the host is not running"],
        advice: "Make the host reachable from here, and run again",
        remedy: AgentAction::FixPrerequisite,
    }
}

/// Texts for causes where the answer is incomplete or invalid.
fn bad_answer(cause: NoAnswerCause) -> CauseText {
    let (what, title, causes, advice): (_, _, &'static [&'static str], _) = match cause {
        NoAnswerCause::Reset => (
            "the connection was reset",
            "Connection Reset by Server",
            &["server crashed in this request", "a proxy or firewall ended the connection"],
            "Find out from the server's log why it ended the connection",
        ),
        NoAnswerCause::Truncated => (
            "the connection ended before the answer was whole",
            "Answer Cut Short",
            &["server crashed while it answered", "it announced another length than it sent"],
            "Find out from the server's log why it did not finish its answer",
        ),
        NoAnswerCause::RedirectLoop => (
            "the redirects go in circles, or are too many",
            "Redirect Loop",
            &["each of two pages redirects to the other", "a cookie that the server waits for is not sent"],
            "Make the redirects come to an end",
        ),
        NoAnswerCause::BadRedirect => (
            "a redirect leads nowhere",
            "Broken Redirect",
            &["the answer has no `Location`, or one that is no http or https URL"],
            "Make the redirect name a URL that can be asked",
        ),
        NoAnswerCause::BodyTooLarge => (
            "the body is larger than is taken",
            "Answer Too Large",
            &["the endpoint answers with more than it should, or never ends"],
            "Make the answer smaller, or raise the limit of the request's body",
        ),
        _ => (
            "what came is not HTTP",
            "Answer Is No HTTP",
            &["another program listens at {port}", "the server speaks TLS, and the URL says http"],
            "Make sure that an HTTP server listens there, and that the URL's scheme is the server's",
        ),
    };
    CauseText { what, title, causes, advice, remedy: AgentAction::ImplementFix }
}
