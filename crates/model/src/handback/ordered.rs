//! JSON as written: members in their order, numbers and texts in their spelling. Only white space is normalized.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// Maximum nesting depth of lists and objects, greater than in any JSON that is parsed strictly.
const DEPTH: usize = 128;

/// A JSON value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderedJson {
    /// Members of an object, in order.
    Object(Vec<(String, OrderedJson)>),
    /// Elements of a list.
    List(Vec<OrderedJson>),
    /// A text, a number, a boolean or `null`, as JSON spells it.
    Scalar(String),
}

impl OrderedJson {
    /// Parses JSON.
    ///
    /// # Errors
    /// Fails for text that is not JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Self::parse_within(text, DEPTH)
    }

    fn parse_within(text: &str, depth: usize) -> Result<Self, serde_json::Error> {
        let inner =
            || depth.checked_sub(1).ok_or_else(|| <serde_json::Error as Error>::custom("it is nested too deep"));
        match text.trim_start().as_bytes().first() {
            Some(b'{') => {
                let (members, inner) = (serde_json::from_str::<Members>(text)?.0, inner()?);
                let member =
                    |(name, member): (String, Box<RawValue>)| Ok((name, Self::parse_within(member.get(), inner)?));
                members.into_iter().map(member).collect::<Result<_, _>>().map(Self::Object)
            }
            Some(b'[') => {
                let (elements, inner) = (serde_json::from_str::<Vec<Box<RawValue>>>(text)?, inner()?);
                let element = |element: Box<RawValue>| Self::parse_within(element.get(), inner);
                elements.into_iter().map(element).collect::<Result<_, _>>().map(Self::List)
            }
            _ => serde_json::from_str::<Box<RawValue>>(text).map(|scalar| Self::Scalar(scalar.get().to_owned())),
        }
    }

    /// Returns the members of an object; empty for any other value.
    pub fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            Self::List(_) | Self::Scalar(_) => &[],
        }
    }
}

impl fmt::Display for OrderedJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for OrderedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => serializer.collect_map(members.iter().map(|(name, member)| (name, member))),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Scalar(text) => RawValue::from_string(text.clone()).map_err(S::Error::custom)?.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OrderedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(Box::<RawValue>::deserialize(deserializer)?.get()).map_err(D::Error::custom)
    }
}

struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry::<String, Box<RawValue>>()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back_but_for_white_space() {
        for text in [
            r#"{"z":1.0,"a":12345678901234567890123456789,"m":{"y":[1e3,-0,"é\u00e9\n"],"b":null}}"#,
            r#"{"2":{},"1":[],"a":[[{"b":true}]]}"#,
            "\"text\"",
        ] {
            let read = OrderedJson::parse(text).unwrap();
            assert_eq!(read.to_string(), text);
            let indented = serde_json::to_string_pretty(&read).unwrap();
            assert_eq!(OrderedJson::parse(&indented).unwrap(), read);
            assert_eq!(serde_json::from_str::<OrderedJson>(text).unwrap(), read);
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for text in ["", "{", "{\"a\"}", "[1,]", "{\"a\":1}x", deep.as_str()] {
            assert!(OrderedJson::parse(text).is_err(), "{text}");
        }
    }
}
