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
        LineFormat::rows(
            &[
                "Exception in thread \"",
                "Error: Could not find or load main class",
                "Error: Unable to access jarfile",
                "Error: Main method not found",
            ],
            &TEXT,
        ),
        LineFormat::new(javac::PREFILTER, |_| LAUNCHER.reader(false)),
    ])
    .merge(candidate::together);

static LAUNCHER: Rows = javac::rows("javac", &["error: compilation failed"]);

static TEXT: Rows = Rows::new("java", "exception").confidence(Confidence::Likely).yields().rows(&[
    head(r"^Error: (?<message>(?:Could not find or load main class|Unable to access jarfile|Main method not found in class|A JNI error has occurred|Unable to initialize main class).*)$")
        .rule("java/launcher"),
    head(r#"^Exception in thread "[^"]*" (?<code>[\w.$]+)(?:: (?<message>.*))?$"#).then(name_class),
    related(r"^\s*Caused by: (?<message>.*)$"),
    part("^.*$").check(|made, found| {
        let is_stack = jvm::is_stack_line(found.matched());
        if let Some(frame) = jvm::frame(found.matched()).filter(|frame| is_stack && jvm::is_in_project(frame.class)) {
            locate(made, &frame);
        }
        is_stack
    }),
    head(jvm::EXCEPTION).then(name_class).hinted(),
]);

/// Sets the message of an exception that has none: its class.
fn name_class(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    if made.message.is_empty() {
        made.message = made.code.clone().unwrap_or_default();
    }
}

/// Sets the location of an exception or of its last cause, unless a frame above has set it.
fn locate(made: &mut Diagnostic, frame: &jvm::Frame<'_>) {
    let (file, line) = match made.related.last_mut() {
        Some(cause) => (&mut cause.file, &mut cause.line),
        None => (&mut made.file, &mut made.line),
    };
    if file.is_none() {
        (*file, *line) = (Some(name(frame.file)), frame.line);
    }
}
