//! Redaction of plans, which contain command lines and variables. Raw output and records are redacted by the
//! ledger. The judge also sees the redacted plan, so that a replay sees the same.

mod plan;

use std::collections::BTreeMap;
use std::ffi::OsString;

use referee_ledger::redact::{Redactor, is_credential, looks_secret};
use referee_model::plan::{Action, Command, Interaction, Plan, Work};

pub(crate) use plan::plan;

/// Removes the secrets from a text.
type Redact<'run> = &'run dyn Fn(&str) -> String;

/// Returns the plan as a run of it would store it.
pub(crate) fn stored(planned: &Plan, caller: &[(OsString, OsString)]) -> Plan {
    let redactor = redactor(planned, caller);
    plan(planned, &|text| redactor.text(text))
}

/// Returns a redactor that knows the secrets of the caller and of a plan.
pub(crate) fn redactor(plan: &Plan, caller: &[(OsString, OsString)]) -> Redactor {
    Redactor::new(secrets(caller, plan), Vec::new())
}

/// Returns values that are secret by name: variables of the caller and of the specification, and headers of its
/// requests.
fn secrets(caller: &[(OsString, OsString)], plan: &Plan) -> Vec<(String, String)> {
    let of_caller = caller.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let of_actions = plan.actions.iter().filter_map(|action| command(&action.work)).map(|command| &command.environment);
    let declared = std::iter::once(&plan.environment).chain(of_actions).flatten();
    let mut secrets: Vec<(String, String)> = of_caller
        .chain(declared.map(|(name, value)| (name.as_str(), value.as_str())))
        .filter(|(name, _)| looks_secret(name))
        .chain(plan.actions.iter().flat_map(secret_headers))
        .chain(plan.actions.iter().filter_map(secret_connection))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// Returns the credentials in the headers of a request. For `Bearer abc` that is the second word, which a server
/// may repeat.
fn secret_headers(action: &Action) -> impl Iterator<Item = (&str, &str)> {
    let headers = match &action.work {
        Work::Http(request) => request.headers.as_slice(),
        Work::Command(_) | Work::File(_) | Work::Service(_) | Work::Interaction(_) => &[],
    };
    headers.iter().filter(|(name, _)| looks_secret(name) || is_credential(name)).filter_map(|(name, value)| {
        let value = value.as_plain()?;
        Some((name.as_str(), value.rsplit(' ').next().unwrap_or(value)))
    })
}

/// Returns the password in the connection of a query, which a driver may repeat.
fn secret_connection(action: &Action) -> Option<(&str, &str)> {
    let Work::Interaction(interaction) = &action.work else { return None };
    let Interaction::Query(query) = interaction.as_ref() else { return None };
    let url = query.connection.as_plain()?;
    let (_, password) = password(url)?;
    Some((CONNECTION_PASSWORD, password))
}

/// Name under which the password of a connection is redacted.
const CONNECTION_PASSWORD: &str = "connection-password";

/// Returns the password of a URL `scheme://user:password@host`, with the text before it. None: it has none. An
/// unescaped `/`, `?` or `#` in it belongs to the password.
fn password(url: &str) -> Option<(&str, &str)> {
    let start = url.find("://")? + 3;
    let rest = &url[start..];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let (credentials, _) = authority.rsplit_once('@').or_else(|| rest.rsplit_once('@'))?;
    let (user, password) = credentials.split_once(':')?;
    (!password.is_empty()).then(|| (&url[..=start + user.len()], password))
}

/// Returns the command that an action runs, or that starts its service.
fn command(work: &Work) -> Option<&Command> {
    match work {
        Work::Command(command) => Some(command),
        Work::Service(service) => service.command.as_ref(),
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => None,
    }
}

/// Redacts variables. Values with secret-looking names are hidden entirely, however short or common they are.
fn variables(variables: &mut BTreeMap<String, String>, redact: Redact<'_>) {
    for (name, value) in variables {
        *value = if looks_secret(name) { "*".repeat(value.len()) } else { redact(value) };
    }
}

fn texts(texts: &mut [String], redact: Redact<'_>) {
    for each in texts {
        text(each, redact);
    }
}

fn text(text: &mut String, redact: Redact<'_>) {
    *text = redact(text);
}
