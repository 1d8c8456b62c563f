//! `referee key`: signing keys and trusted keys.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_ledger::State;
use referee_ledger::attest;
use referee_ledger::key::{KeyId, PrivateKey, PublicKey, file};
use referee_ledger::trust::{Role, TrustStore};
use referee_ledger::waivers::Approvers;
use referee_model::exit_code;
use referee_model::time::Timestamp;
use referee_model::trust as document;
use referee_report::human;
use referee_spec::discover;

use super::person;
use crate::args::PlainFormat;
use crate::args::key::{self as args, Distrust, Key, List, New, Show, Trust};
use crate::output;
use crate::resolve;

/// Payload type of an approver's signature for another approver.
const APPROVER: &str = "application/vnd.referee.approver";

/// Number of digits of an id that identify a key.
const ID_DIGITS: usize = 8;

/// Executes a subcommand. Nothing is run.
pub(super) fn execute(context: &Context, arguments: &Key) -> Result<u8, EngineError> {
    match arguments {
        Key::New(arguments) => new(context, arguments),
        Key::Show(arguments) => show(context, arguments),
        Key::List(arguments) => list(context, arguments),
        Key::Trust(arguments) => {
            person::refuse_to_move_the_gate(context, "say whose keys are trusted")?;
            trust(context, arguments)
        }
        Key::Distrust(arguments) => {
            person::refuse_to_move_the_gate(context, "say whose keys are trusted")?;
            distrust(context, arguments)
        }
    }
}

fn new(context: &Context, arguments: &New) -> Result<u8, EngineError> {
    let path = match &arguments.out {
        Some(path) => context.directory.join(path),
        None => default_directory(context)?.join(format!("{}.pem", arguments.name)),
    };
    outside_of_projects(context, &path)?;
    let key = PrivateKey::generate()?;
    let public = file::write_new(&path, &key)?;
    let made =
        human::keys::Made { private: &shown(&path), public: &shown(&public), id: &key.public().id().to_string() };
    let mut text = Vec::new();
    human::keys::made(&made, &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn default_directory(context: &Context) -> Result<PathBuf, EngineError> {
    keys::configuration_directory(context).ok_or_else(|| {
        EngineError::usage("neither XDG_CONFIG_HOME nor HOME is set: name a file for the key by --out".to_owned())
    })
}

/// Refuses a key inside a project, where anyone who changes the project could use it.
fn outside_of_projects(context: &Context, path: &Path) -> Result<(), EngineError> {
    let there = path.ancestors().skip(1).find(|directory| directory.is_dir());
    let Some(found) = there.and_then(|directory| discover::find(directory).ok()) else { return Ok(()) };
    Err(EngineError::usage(format!(
        "{} is in the project of {}, where agents can write: choose a path outside it with --out",
        context.shown(path).display(),
        context.shown(&found.file).display()
    )))
}

fn show(context: &Context, arguments: &Show) -> Result<u8, EngineError> {
    let named = match &arguments.key {
        Some(key) => key.clone(),
        None => default_directory(context)?.join("key.pem"),
    };
    let key = keys::public(context, &named)?;
    match arguments.format {
        PlainFormat::Json => output::answer(&document::render_key(key.id().digest(), &key.to_pem())?)?,
        PlainFormat::Human => {
            output::answer(key.to_pem().as_bytes())?;
            output::aside(format!("id: {}\n", key.id()).as_bytes())?;
        }
    }
    Ok(exit_code::PASSED)
}

fn trust(context: &Context, arguments: &Trust) -> Result<u8, EngineError> {
    let key = file::read_public(&context.directory.join(&arguments.key))?;
    let name = arguments.name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(EngineError::usage("--name: a name on one line is needed".to_owned()));
    }
    let role = match arguments.role {
        args::Role::Runner => Role::Runner,
        args::Role::Approver => Role::Approver,
        args::Role::Worker => Role::Worker,
    };
    let now = resolve::now();
    let until = arguments.until.as_deref().map(end_of).transpose()?;
    if until.is_some_and(|until| until <= now) {
        return Err(EngineError::usage("--until: that time is over".to_owned()));
    }
    let state = state(context)?;
    if role == Role::Approver {
        vouched(context, &state, &key, arguments.key.as_path(), arguments.by_key.as_deref())?;
    }
    let trusted = TrustStore::trust(&state, &key, name, role, (now, until))?;
    context.mention(&state);
    let until = trusted.until.map_or_else(|| "until it is distrusted".to_owned(), |until| format!("until {until}"));
    let roles: Vec<&str> = trusted.roles.iter().map(|role| role.as_str()).collect();
    let (id, roles) = (trusted.key.id(), roles.join(" and "));
    let mut text = Vec::new();
    human::keys::told(&format!("{id} is trusted as {name:?} ({roles}) {until}"), &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Ensures that a trusted key is added by a person at a terminal, or by the signature of an existing approver.
fn vouched(
    context: &Context,
    state: &State,
    key: &PublicKey,
    file: &Path,
    by: Option<&Path>,
) -> Result<(), EngineError> {
    let Some(by) = by else {
        if person::is_at_a_terminal() {
            return Ok(());
        }
        return Err(EngineError::usage(format!(
            "{}: an approver is added by a person at a terminal, or by one who is trusted already: name the key of that one by \
             --by-key",
            file.display()
        )));
    };
    let signer = keys::named(context, by, &[])?;
    let envelope = attest::sign(APPROVER, key.to_pem().as_bytes(), &signer)?;
    let approvers = Approvers::load(Some(state), resolve::now());
    match approvers.who_approved(&envelope, APPROVER, key.to_pem().as_bytes()) {
        Some(_) => Ok(()),
        None => Err(EngineError::usage(format!("--by-key {}: it is not a key of a trusted approver", by.display()))),
    }
}

/// Parses a time, or the end of a day.
fn end_of(text: &str) -> Result<Timestamp, EngineError> {
    let day = || Timestamp::parse(&format!("{text}T23:59:59.999Z"));
    Timestamp::parse(text).or_else(|_| day()).map_err(|_| {
        EngineError::usage(format!(
            "--until: {text:?} is neither a day such as 2027-06-30 nor a time such as 2027-06-30T12:00:00Z"
        ))
    })
}

fn list(context: &Context, arguments: &List) -> Result<u8, EngineError> {
    let store = TrustStore::read(&state(context)?)?;
    let entries = store.documents();
    output::document(
        arguments.format,
        || document::render(entries.clone()),
        |out| human::keys::list(&entries, resolve::now(), &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn distrust(context: &Context, arguments: &Distrust) -> Result<u8, EngineError> {
    let state = state(context)?;
    let store = TrustStore::read(&state)?;
    let meant = |id: &KeyId| arguments.key.len() >= ID_DIGITS && id.to_string().starts_with(&arguments.key);
    let mut found = store.entries().map(|entry| entry.key.id()).filter(meant);
    let key = match (found.next(), found.next()) {
        (Some(key), None) => key,
        (None, _) => {
            return Err(EngineError::usage(format!(
                "trusted key not found: {} (see `referee key list`)",
                arguments.key
            )));
        }
        (Some(_), Some(_)) => {
            return Err(EngineError::usage(format!("{} begins more than one id: give more digits", arguments.key)));
        }
    };
    let gone = TrustStore::distrust(&state, key)?;
    let name = gone.map(|entry| entry.name).unwrap_or_default();
    let mut text = Vec::new();
    human::keys::told(&format!("{key} ({name}) is no longer trusted"), &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Opens the user's state directory, which contains the trust store.
fn state(context: &Context) -> Result<State, EngineError> {
    let nowhere = "there is no place for the trust store: set REFEREE_STATE_DIR, XDG_STATE_HOME or HOME";
    context.state([])?.ok_or_else(|| EngineError::usage(nowhere.to_owned()))
}
