//! What commands that change a run have in common.

use referee_engine::context::Context;
use referee_engine::problem::Problem;
use referee_engine::stage::{Opened, Workshop};
use referee_ledger::State;
use referee_ledger::redact::Redactor;

use crate::args::stage::Which;
use crate::command::person;
use crate::resolve;

/// Who does it where nobody is known.
const NOBODY: &str = "cli";
/// Who does it in an agent's shell.
const AGENT: &str = "agent";
/// Characters of a name.
const NAME_CHARACTERS: usize = 100;

/// A stage that is to be changed, and what that needs of the world.
pub(super) struct Door {
    state: Option<State>,
    redactor: Redactor,
    by: String,
}

impl Door {
    /// Opens the state folder and the stage. To take on a run of another place is a person's to do.
    pub(super) fn open(
        context: &Context,
        which: &Which,
        by: Option<&str>,
        adopt: bool,
    ) -> Result<(Self, Opened), Problem> {
        if adopt {
            person::refuse_an_agent(context, "take on a run from another place")?;
        }
        let folder = super::run_folder(context, &which.run)?;
        let state = context.state([folder.as_path()])?;
        let opened = super::open(context, which, state.as_ref())?;
        Ok((Self { state, redactor: context.redactor(), by: who(context, by)? }, opened))
    }

    /// The user's state folder.
    pub(super) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// What work at stages needs.
    pub(super) fn workshop(&self) -> Workshop<'_> {
        Workshop { state: self.state.as_ref(), now: resolve::now(), redactor: &self.redactor, by: &self.by }
    }
}

/// Who does it: as they say, or what the environment tells.
fn who(context: &Context, named: Option<&str>) -> Result<String, Problem> {
    let Some(named) = named.map(str::trim) else {
        let agent = context.host().agent.map(|_| AGENT.to_owned());
        return Ok(agent.or_else(|| person::user(context)).unwrap_or_else(|| NOBODY.to_owned()));
    };
    if named.is_empty() || named.chars().count() > NAME_CHARACTERS || named.chars().any(char::is_control) {
        let message = format!("a name after --by is one line of 1 to {NAME_CHARACTERS} characters");
        return Err(Problem::usage(message));
    }
    Ok(named.to_owned())
}
