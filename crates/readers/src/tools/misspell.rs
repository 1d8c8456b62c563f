//! misspell: `docs/a.md:3:10: "recieve" is a misspelling of "receive"`, which golint prints too.

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("misspell", &[], Role::Lint)
    .lines(&[LineFormat::new(&["\" is a misspelling of \""], |is_hinted| TEXT.reader(is_hinted))]);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("misspell", "text").level(Level::Warning).rows([finding(r#"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>"[^"]+" is a misspelling of "(?<fix>(?<suggestion>[^"]+))")$"#)])
});
