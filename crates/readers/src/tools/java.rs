//! The Java virtual machine: an uncaught exception with its stack, and errors of the launcher.
//!
//! ```text
//! Exception in thread "main" java.lang.IllegalStateException: wrapped
//!     at Boom.main(Boom.java:5)
//! Caused by: java.lang.NullPointerException: …
//! ```
//!
//! A thread can end like this in a program that otherwise works: every candidate that is certain takes
//! precedence.

use crate::prelude::*;
use crate::shapes::jvm;
use crate::tools::javac;

/// The virtual machine. Called with a source file, it compiles that first.
pub(crate) static TOOL: Tool = Tool::new("java", &["jvm"], Role::Other)
    .lines(&[
        LineFormat::new(
            &[
                "Exception in thread \"",
                "Error: Could not find or load main class",
                "Error: Unable to access jarfile",
                "Error: Main method not found",
            ],
            |is_hinted| Box::new(Java { is_hinted, findings: Findings::default(), open: None }),
        ),
        LineFormat::new(javac::PREFILTER, |_| LAUNCHER.reader(false)),
    ])
    .merge(candidate::together);

static LAUNCHER: LazyLock<Rows> = LazyLock::new(|| javac::rows("javac", &["error: compilation failed"]));

/// An exception that ended a thread.
static UNCAUGHT: Pattern = Pattern::new(r#"^Exception in thread "[^"]*" (?<class>[\w.$]+)(?:: (?<message>.*))?$"#);

/// An error of the launcher.
static LAUNCH: Pattern = Pattern::new(
    r"^Error: (?<message>(?:Could not find or load main class|Unable to access jarfile|Main method not found in class|A JNI error has occurred|Unable to initialize main class).*)$",
);

const CAUSES_KEPT: usize = 8;

struct Java {
    is_hinted: bool,
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Java {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(found) = LAUNCH.find(text) {
            self.close();
            self.open = Some(found.diagnostic("java", "java/launcher", line, Level::Error));
            return true;
        }
        let uncaught = UNCAUGHT.find(text).map(|found| (found.text("class"), found.text("message")));
        let is_bare = self.is_hinted && self.open.is_none();
        let Some((class, message)) = uncaught.or_else(|| jvm::exception(text).filter(|_| is_bare)) else {
            return false;
        };
        self.close();
        let said = if message.is_empty() { class } else { message };
        let mut made = diagnostic("java", "java/exception", line, Level::Error, said);
        made.code = Some(name(class));
        self.open = Some(made);
        true
    }
}

impl LineReader for Java {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) {
            return Use::Line;
        }
        let Some(found) = &mut self.open else { return Use::None };
        let text = line.text.trim();
        if let Some(cause) = text.strip_prefix("Caused by: ") {
            if found.related.len() < CAUSES_KEPT {
                let message = cut::head(cause, limit::MESSAGE_BYTES / CAUSES_KEPT).to_owned();
                found.related.push(RelatedPlace { file: None, line: None, column: None, message });
            }
        } else if !jvm::is_stack_line(text) {
            self.close();
            return Use::None;
        } else if let Some(frame) = jvm::frame(text).filter(|frame| jvm::is_in_project(frame.class)) {
            let (file, line) = match found.related.last_mut() {
                Some(cause) => (&mut cause.file, &mut cause.line),
                None => (&mut found.file, &mut found.line),
            };
            if file.is_none() {
                *file = Some(name(frame.file));
                *line = frame.line;
            }
        }
        found.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Candidate::of("exception", self.findings).confidence(Confidence::Likely))
    }
}
