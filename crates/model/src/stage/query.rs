//! Location of a parameter in a JSON document: `summary.by_impact.critical`, `components[0].name`,
//! `goals.length` (seed 5).

use std::fmt;

/// A path into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    text: String,
    steps: Vec<QueryStep>,
}

/// One step of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryStep {
    /// Key of an object. As the last step on a list or text, `length` gives its number of elements or characters.
    Key(String),
    /// Index into a list, from 0.
    Index(usize),
}

/// Error for a text that is not a valid query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a query: {problem}; write keys with dots between them and elements as `[0]`, such as `components[0].name`"
)]
pub struct QueryError {
    text: String,
    problem: &'static str,
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// Fails for an empty text, an empty key, and an index that is not a number.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let wrong = |problem| QueryError { text: text.chars().take(120).collect(), problem };
        let mut steps = Vec::new();
        for (place, part) in text.split('.').enumerate() {
            let (key, mut rest) = part.find('[').map_or((part, ""), |bracket| part.split_at(bracket));
            if !key.is_empty() {
                if key.contains(']') {
                    return Err(wrong("it has a `]` without a `[`"));
                }
                steps.push(QueryStep::Key(key.to_owned()));
            } else if place > 0 || rest.is_empty() {
                return Err(wrong("a key is empty"));
            }
            while !rest.is_empty() {
                let inside = rest.strip_prefix('[').ok_or_else(|| wrong("something follows a `]`"))?;
                let (index, after) = inside.split_once(']').ok_or_else(|| wrong("a `[` is not closed"))?;
                if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(wrong("an element is named by a whole number from 0"));
                }
                let index = index.parse().map_err(|_| wrong("an element's number is too large"))?;
                steps.push(QueryStep::Index(index));
                rest = after;
            }
        }
        Ok(Self { text: text.to_owned(), steps })
    }

    /// Returns the query as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the steps; there is at least one.
    pub fn steps(&self) -> &[QueryStep] {
        &self.steps
    }
}

impl fmt::Display for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_keys_and_elements() {
        let key = |key: &str| QueryStep::Key(key.to_owned());
        let steps = |text: &str| Query::parse(text).unwrap().steps;
        assert_eq!(steps("summary.by_impact.critical"), [key("summary"), key("by_impact"), key("critical")]);
        assert_eq!(steps("components[0].name"), [key("components"), QueryStep::Index(0), key("name")]);
        assert_eq!(steps("[1][2].a"), [QueryStep::Index(1), QueryStep::Index(2), key("a")]);
        for bad in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a[",
            "a[]",
            "a[x]",
            "a[-1]",
            "a]b",
            "a[0]b",
            "a.[0]",
            "a[99999999999999999999999]",
        ] {
            assert!(Query::parse(bad).is_err(), "{bad:?}");
        }
    }
}
