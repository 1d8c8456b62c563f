//! State folders beside the one that is meant. What one of them knows of a project holds whichever is named: whoever names
//! another one is held to it all the same.

use std::path::{Path, PathBuf};

use referee_ledger::State;

use crate::resolve::World;

/// The file that says which folder is a user's home, whatever variables say.
const USERS: &str = "/etc/passwd";

/// Where the state folder lies in a home folder.
const BELOW_HOME: &str = ".local/state/referee";

/// Returns the state folders beside the one that is meant, each once, but for those in the workspace, which whoever changes it
/// could make:
///
/// | in this order | because |
/// |---|---|
/// | what `XDG_STATE_HOME` and `HOME` name, where another variable goes before | it would be meant without that |
/// | the usual place in the home folder that the system names | variables are anybody's to set |
/// | what is mentioned in one of those | a lock or an enrolment is kept there |
pub(crate) fn others(world: &World, meant: Option<&State>, workspace: &Path) -> Vec<State> {
    let usual: Vec<State> = world
        .state_folders()
        .into_iter()
        .chain(of_user())
        .filter_map(|folder| State::find(&folder).ok().flatten())
        .collect();
    let mentioned: Vec<State> = usual.iter().flat_map(State::mentioned).collect();
    let mut found: Vec<State> = Vec::new();
    for state in usual.into_iter().chain(mentioned) {
        let is_known = meant.into_iter().chain(&found).any(|known| known.path() == state.path());
        if !is_known && !state.lies_in(workspace) {
            found.push(state);
        }
    }
    found
}

/// Remembers in the usual place that a lock or an enrolment is kept in another state folder. Where that place cannot be written
/// to, nothing remembers it.
pub(crate) fn mention(world: &World, state: &State) {
    let usual = world.state_folders().into_iter().skip(1).find_map(|folder| State::open(&folder).ok());
    if let Some(usual) = usual.filter(|usual| usual.path() != state.path()) {
        drop(usual.mention(state));
    }
}

/// The usual place in the home folder of the user that runs this program.
fn of_user() -> Option<PathBuf> {
    let users = std::fs::read_to_string(USERS).ok()?;
    home(&users, rustix::process::getuid().as_raw()).map(|home| home.join(BELOW_HOME))
}

/// The home folder of a user, as the list of users has it (passwd(5)).
fn home(users: &str, user: u32) -> Option<PathBuf> {
    let of_user = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let is_it = fields.next()?.parse() == Ok(user);
        fields.nth(2).filter(|home| is_it && home.starts_with('/')).map(PathBuf::from)
    };
    users.lines().find_map(of_user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_folder_is_found_by_the_users_number() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\n# junk\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\nnobody:x:7:7::nowhere:\n";
        for (user, found) in [(0, Some("/root")), (1000, Some("/home/ada")), (7, None), (8, None)] {
            assert_eq!(home(users, user), found.map(PathBuf::from));
        }
    }
}
