//! pre-commit: the lines around the output of its hooks. Findings of the hooks are read by the readers of their
//! tools.
//!
//! ```text
//! ruff check...............................................................Failed
//! - hook id: ruff
//! - exit code: 1
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("pre-commit", &["prek"], Role::Lint)
    .lines(&[LineFormat::new(
        &["....Passed", "....Failed", "....Skipped", "....(no files to check)Skipped", "- hook id: "],
        |is_hinted| Box::new(PreCommit { is_hinted, ..PreCommit::default() }),
    )])
    .merge(candidate::together);

static HOOK: Pattern =
    Pattern::new(r"^(?<hook>\S.*?)\.{3,}(?:\((?:no files to check|.*)\))?(?<outcome>Passed|Failed|Skipped)$");

#[derive(Default)]
struct PreCommit {
    is_hinted: bool,
    hooks: u64,
    failed: Vec<String>,
}

impl LineReader for PreCommit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.contains("...")
            && let Some(captures) = HOOK.find(text)
        {
            self.hooks += 1;
            if captures.text("outcome") == "Failed" && self.failed.len() < 20 {
                self.failed.push(format!("the hook `{}` failed", cut::head(captures.text("hook"), 200)));
            }
            return Use::Line;
        }
        let is_own = ["- hook id: ", "- exit code: ", "- duration: ", "- files were modified by this hook"]
            .iter()
            .any(|own| text.starts_with(own));
        if is_own && 0 < self.hooks { Use::Line } else { Use::None }
    }

    /// Returns nothing if there is a hint, so that the readers of all tools are used.
    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_recognized = 0 < self.hooks && !self.is_hinted;
        is_recognized.then(|| Candidate { format: "hooks", notes: self.failed, ..Candidate::default() })
    }
}
