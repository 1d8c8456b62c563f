//! Forms and query strings.

use referee_syntax::percent;

/// Maximum number of fields in a form, which is more than any form of the pages has.
const FIELDS: usize = 256;

/// Maximum size of a form in bytes, enough for a plan's commands and a note.
const BYTES: usize = 256 * 1024;

/// The fields of a form, in order. A name may occur more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// Fails if the form is too large, or not UTF-8 text.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > BYTES {
            return Err(format!("a form has at most {BYTES} bytes"));
        }
        if String::from_utf8(percent::decode(bytes)).is_err() {
            return Err("a form has text only".to_owned());
        }
        let fields: Vec<_> = percent::fields(bytes).take(FIELDS + 1).collect();
        if fields.len() > FIELDS { Err(format!("a form has at most {FIELDS} fields")) } else { Ok(Self(fields)) }
    }

    /// Returns the first value of a field, empty if it is missing.
    pub(super) fn one(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Returns the first value of a field, trimmed. `None`: the field is missing or blank.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        Some(self.one(name).trim()).filter(|value| !value.is_empty())
    }

    /// Returns every value of a field.
    pub(super) fn all<'form>(&'form self, name: &str) -> impl Iterator<Item = &'form str> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether a field is present, such as a checked box.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// Removes a field that must not be shown again.
    pub(super) fn forget(&mut self, name: &str) {
        self.0.retain(|(found, _)| found != name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_browsers_send_it() {
        let form = Form::read(b"q=a+b%2Fc&box=on&&note=&command=1&command=2&odd=%zz%4&%C3%A4=1").unwrap();
        assert_eq!((form.one("q"), form.one("odd"), form.one("\u{e4}")), ("a b/c", "%zz%4", "1"));
        assert_eq!(form.all("command").collect::<Vec<_>>(), ["1", "2"]);
        assert!(form.has("box") && !form.has("other"));
        assert_eq!((form.given("note"), form.given("q")), (None, Some("a b/c")));
    }

    #[test]
    fn junk_and_floods_are_refused() {
        assert!(Form::read(b"a=%ff").is_err());
        assert!(Form::read(&vec![b'a'; BYTES + 1]).is_err());
        assert!(Form::read("a=1&".repeat(FIELDS + 1).as_bytes()).is_err());
        assert_eq!(Form::read(b"").unwrap(), Form::default());
    }

    #[test]
    fn what_is_encoded_is_read_back() {
        for text in ["", "a b&c=d", "\u{1f980}%2F+", "a\0b"] {
            assert_eq!(Form::read(format!("x={}", percent::component(text)).as_bytes()).unwrap().one("x"), text);
        }
    }
}
