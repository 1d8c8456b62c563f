//! Percent-encoding (RFC 3986) and form encoding.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

const COMPONENT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: AsciiSet = COMPONENT.remove(b'/');
const ADDRESS: AsciiSet =
    CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// Encodes a component of a URL, such as the value of a query parameter.
pub fn component(text: &str) -> String {
    utf8_percent_encode(text, &COMPONENT).to_string()
}

/// Encodes a path, except its slashes.
pub fn path(path: &str) -> String {
    utf8_percent_encode(path, &PATH).to_string()
}

/// Encodes characters that are not allowed in a URL. Existing escapes are preserved.
pub fn address(text: &str) -> String {
    utf8_percent_encode(text, &ADDRESS).to_string()
}

/// Decodes percent-encoded bytes. An invalid escape is preserved.
pub fn decode(text: impl AsRef<[u8]>) -> Vec<u8> {
    percent_decode(text.as_ref()).collect()
}

/// Parses the fields of a form or a query (`application/x-www-form-urlencoded`), in order.
pub fn fields(form: &[u8]) -> impl Iterator<Item = (String, String)> + '_ {
    form_urlencoded::parse(form).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_stand_as_it_is_is_encoded() {
        assert_eq!(component("a b/c&d=ä-._~"), "a%20b%2Fc%26d%3D%C3%A4-._~");
        assert_eq!(path("a b)(<>/\n\"ä:@+"), "a%20b%29%28%3C%3E/%0A%22%C3%A4%3A%40%2B");
        assert_eq!(address("/b c\u{e4}\n{id}[0]%20?q=^|`"), "/b%20c%C3%A4%0A%7Bid%7D[0]%20?q=%5E%7C%60");
        assert_eq!(decode("a%20%zz%4%C3%A4+"), "a %zz%4ä+".as_bytes());
    }

    #[test]
    fn forms_are_read_in_order() {
        let found: Vec<_> = fields(b"token=a%2Bb+c&empty=&bare&&odd=%zz%4&=x").collect();
        let expected = [("token", "a+b c"), ("empty", ""), ("bare", ""), ("odd", "%zz%4"), ("", "x")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
