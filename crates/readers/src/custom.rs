//! User-defined readers: problem matchers of GitHub and VS Code, and Vim's `errorformat`.
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

use crate::candidate::LineReader;
use errorformat::ErrorFormat;
use matcher::Matcher;

/// A user-defined reader. It is validated on creation and cheap to clone.
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
    /// Parses problem matchers: in GitHub's form, `{"problemMatcher": [{"owner": …, "pattern": […]}]}`, or in
    /// that of VS Code: a matcher, a list of matchers, or a task with its `problemMatcher`.
    pub fn problem_matchers(json: &str) -> Result<Vec<Self>, CustomError> {
        let matchers = matcher::parse(json)?.into_iter();
        Ok(matchers.map(|matcher| Self { kind: Kind::Matcher(Arc::new(matcher)) }).collect())
    }

    /// Parses Vim format strings, one per element: not joined by commas, and not escaped as for Vim's `:set`.
    pub fn errorformat(name: &str, formats: &[&str]) -> Result<Self, CustomError> {
        Ok(Self { kind: Kind::ErrorFormat(Arc::new(ErrorFormat::new(name, formats)?)) })
    }

    /// Returns the name that findings are reported under: the owner of the matcher, or the name given with the
    /// formats.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Matcher(matcher) => matcher.owner(),
            Kind::ErrorFormat(formats) => formats.name(),
        }
    }

    /// Creates the reader of one prefix.
    fn reader(&self) -> Box<dyn LineReader> {
        match &self.kind {
            Kind::Matcher(matcher) => Box::new(matcher::Running::new(Arc::clone(matcher))),
            Kind::ErrorFormat(formats) => Box::new(errorformat::Running::new(Arc::clone(formats))),
        }
    }
}
