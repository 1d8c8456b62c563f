//! The Erlang compiler, alone and within rebar3: `src/a.erl:125:7: Warning: variable 'Name' is unused`, with
//! the source line below since OTP 24 (`%  125| …`). Errors have no severity word.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("erlc", &["erlang", "rebar3"], Role::Compile)
    .lines(&[LineFormat::rows(&[".erl:", ".hrl:", ".yrl:", ".xrl:"], &TEXT)]);

static TEXT: Rows = Rows::new("erlc", "text").rows(&[
    part(r"^%[^|^]*\| (?<source>[^^]*)$").check(|made, _| made.source.is_none()),
    part("^%"),
    head(
        r"^(?<file>\S.*?\.[ehyx]rl):(?:(?<line>\d+):(?:(?<column>\d+):)?)? (?:(?<level>Warning|Error): )?(?<message>\S.*)$",
    ),
]);
