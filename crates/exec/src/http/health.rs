//! Diagnostics for a server that did not respond: how its name resolves, and whether its health check succeeds
//! (seed 1, HTTP request evidence, `diagnostics`).

use std::time::{Duration, Instant};

use referee_model::plan::Work;
use referee_model::plan::service::Probe;
use referee_model::record::http::{HealthCheck, HttpEnding, NameResolution, NoAnswerCause};

use super::address::Address;
use super::progress::State;
use super::{Exchange, milliseconds, probe};

/// Maximum duration of a health check.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs both diagnostics. Both are None if the request was answered, interrupted, or never sent.
pub(super) fn look(
    exchange: &Exchange<'_>,
    ending: &HttpEnding,
    state: &State,
) -> (Option<NameResolution>, Option<HealthCheck>) {
    let is_unanswered = match ending {
        HttpEnding::Answered(_) | HttpEnding::Interrupted => false,
        HttpEnding::NoAnswer(answer) => answer.cause != NoAnswerCause::BadRequest,
        HttpEnding::DeadlineExceeded { .. } => true,
    };
    if !is_unanswered || state.host.is_empty() {
        return (None, None);
    }
    let addresses = state.addresses.iter().map(ToString::to_string).collect();
    (Some(NameResolution { host: state.host.clone(), addresses }), health(exchange, state))
}

/// Requests the readiness URL of a service in the plan that has the same host and port. None: there is no such
/// service.
fn health(exchange: &Exchange<'_>, state: &State) -> Option<HealthCheck> {
    let services = exchange.actions.iter().filter_map(|action| match &action.work {
        Work::Service(service) => Some(service),
        _ => None,
    });
    let urls = services.flat_map(|service| &service.ready).filter_map(|sign| match sign {
        Probe::Url { url, verify_tls } => Some((url.fill(exchange.captured, str::to_owned).ok()?, *verify_tls)),
        _ => None,
    });
    let (url, verify_tls) = urls.into_iter().find(|(url, _)| is_of_server(url, state))?;
    let began = Instant::now();
    let (held, result) = match probe(&url, verify_tls, PATIENCE) {
        Ok(status) => (true, format!("HTTP {status}")),
        Err(why) => (false, why),
    };
    Some(HealthCheck { url, held, result, duration_ms: milliseconds(began.elapsed()) })
}

/// Returns whether a URL belongs to the server that was requested last. All names of this machine count as one.
fn is_of_server(url: &str, state: &State) -> bool {
    let Ok(given) = Address::parse(url) else { return false };
    let host = given.address.host();
    let there = State { host: host.to_owned(), ..State::default() };
    let is_host = host.eq_ignore_ascii_case(&state.host) || (there.is_local() && state.is_local());
    is_host && Some(given.address.port()) == state.port
}
