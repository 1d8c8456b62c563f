//! A context for tests, with the caller's search path and the system clock.
#![expect(clippy::disallowed_methods, reason = "a test is its own caller")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use referee_model::time::Timestamp;
use referee_report::style::{Style, Verbosity};

use super::{Context, Terminal};

/// Returns a context whose current directory is `directory`.
pub(crate) fn context(directory: &Path) -> Context {
    let style = Style { color: false, unicode: true, width: 80, interactive: false, verbosity: Verbosity::Normal };
    Context {
        directory: directory.to_path_buf(),
        environment: std::env::var_os("PATH").map(|path| ("PATH".into(), path)).into_iter().collect(),
        terminal: Terminal { stdout: style, stderr: style },
        // No process is started through it: it only has to exist, as the file that receipts name.
        program: std::env::current_exe().ok(),
        has_controlling_terminal: false,
        processors: NonZeroUsize::MIN,
        clock: || {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            Timestamp::from_millisecond(time.as_millis().try_into().unwrap())
        },
        random: || Ok([1, 2, 3, 4]),
    }
}
