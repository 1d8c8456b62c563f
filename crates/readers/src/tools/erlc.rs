//! The Erlang compiler, alone and within rebar3: `src/a.erl:125:7: Warning: variable 'Name' is unused`, with the source
//! line below since OTP 24 (`%  125| …`). An error has no word for its level.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, head, part};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "erlc",
    aliases: &["erlang", "rebar3"],
    role: Role::Compile,
    lines: &[LineFormat {
        prefilter: &[".erl:", ".hrl:", ".yrl:", ".xrl:"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "erlc",
        "text",
        [
            part(r"^%[^|^]*\| (?<source>[^^]*)$").check(|made, _| made.source.is_none()),
            part("^%"),
            head(
                r"^(?<file>\S.*?\.[ehyx]rl):(?:(?<line>\d+):(?:(?<column>\d+):)?)? (?:(?<level>Warning|Error): )?(?<message>\S.*)$",
            ),
        ],
    )
});
