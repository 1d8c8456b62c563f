//! A terminal, at which a person types a command.

use std::path::Path;
use std::process::Command;

/// Types it at a terminal, with an answer to what is asked.
const TERMINAL: &str = "
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
os.write(terminal, sys.argv[1].encode())
printed = b''
while True:
    try:
        read = os.read(terminal, 4096)
    except OSError:
        break
    if not read:
        break
    printed += read
sys.stdout.buffer.write(printed)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

/// Returns a command that runs another one, with the variables that were set for it, as a person types it at a terminal, who
/// answers what is asked.
pub fn typed(command: &Command, answer: &str) -> Command {
    let variables = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let mut typed = Command::new("python3");
    typed.env_clear().envs(variables.collect::<Vec<_>>());
    typed.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    typed.args(["-c", TERMINAL, answer]).arg(command.get_program()).args(command.get_args());
    typed
}
