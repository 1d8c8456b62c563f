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
mod expression;
mod javascript;
mod matcher;
mod pass;

use std::sync::Arc;

pub use error::CustomError;
pub use pass::read;

use crate::candidate::LineReader;
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

    /// Makes the reader of one prefix.
    fn reader(&self) -> Box<dyn LineReader> {
        match &self.kind {
            Kind::Matcher(matcher) => Box::new(matcher::Running::new(Arc::clone(matcher))),
            Kind::ErrorFormat(formats) => Box::new(errorformat::Running::new(Arc::clone(formats))),
        }
    }
}
