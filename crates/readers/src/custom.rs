//! Readers that a person wrote: problem matchers of GitHub and VS Code, and Vim's `errorformat`.
//!
//! ```
//! use referee_readers::custom::{self, Custom};
//! use referee_readers::source::MemorySource;
//!
//! let lint = Custom::errorformat("lint", &["%f:%l:%c: %trror: %m"])?;
//! let source = MemorySource::stdout(b"a.x:3:7: error: bad\n".to_vec());
//! let reading = custom::read(&source, &[lint]).expect("memory can be read");
//! assert_eq!(reading.counts.errors, 1);
//! # Ok::<(), referee_readers::custom::CustomError>(())
//! ```

mod error;
mod errorformat;
mod javascript;
mod matcher;
mod pass;

use std::sync::Arc;

pub use error::CustomError;
pub use pass::read;

use crate::claim::{Claim, LineReader, Use};
use crate::scan::Line;
use errorformat::ErrorFormat;
use matcher::Matcher;

/// A reader that a person wrote. It is checked when it is made, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Custom {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Matcher(Arc<Matcher>),
    ErrorFormat(Arc<ErrorFormat>),
}

impl Custom {
    /// Reads problem matchers: GitHub's form, `{"problemMatcher": [{"owner": …, "pattern": […]}]}`, or VS Code's, a
    /// matcher, a list of matchers, or a task with its `problemMatcher`.
    pub fn problem_matchers(json: &str) -> Result<Vec<Self>, CustomError> {
        let matchers = matcher::parse(json)?.into_iter();
        Ok(matchers.map(|matcher| Self { kind: Kind::Matcher(Arc::new(matcher)) }).collect())
    }

    /// Reads format strings of Vim, one a format: not joined by commas, and not escaped as in Vim's `:set`.
    pub fn errorformat(name: &str, formats: &[&str]) -> Result<Self, CustomError> {
        Ok(Self { kind: Kind::ErrorFormat(Arc::new(ErrorFormat::new(name, formats)?)) })
    }

    /// Returns the name that its findings go by: the matcher's owner, or the name that the formats were given.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Matcher(matcher) => matcher.owner(),
            Kind::ErrorFormat(formats) => formats.name(),
        }
    }

    /// Makes the reader of one stream.
    #[expect(dead_code, reason = "for a pass that runs it beside the readers of the registry")]
    pub(crate) fn reader(&self) -> Box<dyn LineReader> {
        Box::new(self.running())
    }

    fn running(&self) -> Running {
        match &self.kind {
            Kind::Matcher(matcher) => Running::Matcher(Box::new(matcher::Running::new(Arc::clone(matcher)))),
            Kind::ErrorFormat(formats) => {
                Running::ErrorFormat(Box::new(errorformat::Running::new(Arc::clone(formats))))
            }
        }
    }
}

/// What a reader did with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It is none of its own, or may be the first line of a finding: that shows later.
    None,
    /// It is one of a finding, or ends one.
    Whole,
    /// It ends a finding that the line before it began.
    WithPrevious,
}

/// A reader at work on the lines of one stream.
enum Running {
    Matcher(Box<matcher::Running>),
    ErrorFormat(Box<errorformat::Running>),
}

impl Running {
    fn take(&mut self, line: &Line<'_>) -> Taken {
        match self {
            Self::Matcher(running) => running.take(line),
            Self::ErrorFormat(running) => running.take(line),
        }
    }

    /// Forgets what was begun, for another reader took the line.
    fn reset(&mut self) {
        match self {
            Self::Matcher(running) => running.reset(),
            Self::ErrorFormat(running) => running.reset(),
        }
    }

    fn claim(self) -> Option<Claim> {
        match self {
            Self::Matcher(running) => running.finish(),
            Self::ErrorFormat(running) => running.finish(),
        }
    }
}

impl LineReader for Running {
    fn line(&mut self, line: &Line<'_>) -> Use {
        match self.take(line) {
            Taken::None => Use::None,
            Taken::Whole => Use::Line,
            Taken::WithPrevious => Use::WithPrevious,
        }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        self.claim()
    }
}
