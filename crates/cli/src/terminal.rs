//! Properties of the terminal, determined once.

use std::ffi::OsString;
use std::io::IsTerminal;

use referee_engine::context::Terminal;
use referee_report::style::{Style, Verbosity};

use crate::args::{Color, Global};

/// Line width if the width of the terminal is unknown, in columns.
const WIDTH_UNKNOWN: usize = 100;

/// Variables that describe terminals.
struct TerminalVariables {
    no_color: bool,
    force_color: bool,
    dumb: bool,
    unicode: bool,
    ci: bool,
}

/// Examines both outputs, and the environment.
pub(crate) fn look(global: &Global, environment: &[(OsString, OsString)]) -> Terminal {
    let wishes = TerminalVariables::of(environment);
    let verbosity = match (global.quiet, global.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, _) => Verbosity::Verbose,
    };
    let style = |is_terminal: bool, width: Option<usize>| Style {
        color: match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if wishes.no_color => false,
            Color::Auto => wishes.force_color || (is_terminal && !wishes.dumb),
        },
        unicode: wishes.unicode,
        width: width.unwrap_or(WIDTH_UNKNOWN),
        interactive: is_terminal && !wishes.dumb && !wishes.ci && !global.no_progress,
        verbosity,
    };
    Terminal {
        stdout: style(std::io::stdout().is_terminal(), columns(std::io::stdout())),
        stderr: style(std::io::stderr().is_terminal(), columns(std::io::stderr())),
    }
}

impl TerminalVariables {
    fn of(environment: &[(OsString, OsString)]) -> Self {
        let value = |name: &str| {
            environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy().into_owned())
        };
        let is_set = |name: &str| value(name).is_some_and(|value| !value.is_empty());
        let is_on = |name: &str| value(name).is_some_and(|value| !value.is_empty() && value != "0");
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| value(name).filter(|text| !text.is_empty()));
        Self {
            no_color: is_set("NO_COLOR"),
            force_color: is_on("CLICOLOR_FORCE") || is_on("FORCE_COLOR"),
            dumb: value("TERM").as_deref() == Some("dumb"),
            unicode: locale.is_none_or(|locale| {
                let locale = locale.to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8")
            }),
            ci: is_on("CI"),
        }
    }
}

fn columns(output: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(output).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Returns whether this process has a terminal that its children could open.
pub(crate) fn has_controlling_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}
