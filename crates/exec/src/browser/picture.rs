//! Pictures of a page.

use referee_syntax::base64;

/// First bytes of every PNG file.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Bytes of a chunk beside its data: its length, its type and its check value.
const CHUNK_BYTES: usize = 12;

/// Decodes a picture. None: it is not a PNG file, from its signature to its last chunk and nothing beyond. Pictures are
/// stored as they are, so nothing else may pass for one.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = base64::decode(text)?;
    is_png(&bytes).then_some(bytes)
}

fn is_png(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(SIGNATURE) else { return false };
    let mut wanted: Option<&[u8]> = Some(b"IHDR");
    while let Some((head, _)) = rest.split_first_chunk::<8>() {
        let (length, kind) = head.split_at(4);
        let length = length.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let Some(after) = length.checked_add(CHUNK_BYTES).and_then(|length| rest.get(length..)) else { return false };
        // Texts beside the picture would not be redacted.
        if wanted.take().is_some_and(|wanted| wanted != kind) || kind.ends_with(b"Xt") {
            return false;
        }
        if kind == b"IEND" {
            return after.is_empty();
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of one pixel.
    const PIXEL: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length, &kind[..], data, b"crc!"].concat()
    }

    #[test]
    fn a_whole_picture_is_one_and_nothing_else_is() {
        let png = decode(PIXEL).unwrap();
        assert!(png.starts_with(SIGNATURE));
        assert!(!is_png(&png[..png.len() - 1]) && !is_png(&[&png[..], b"x"].concat()));
        let made = |chunks: &[Vec<u8>]| is_png(&[SIGNATURE.to_vec(), chunks.concat()].concat());
        let (head, data, end) = (chunk(*b"IHDR", &[0; 13]), chunk(*b"IDAT", b"secret"), chunk(*b"IEND", b""));
        assert!(made(&[head.clone(), data.clone(), end.clone()]));
        assert!(!made(&[data.clone(), end.clone()]));
        assert!(!made(&[head.clone(), data.clone()]));
        assert!(!made(&[head.clone(), chunk(*b"tEXt", b"key\0secret"), end.clone()]));
        assert!(!made(&[head, b"\xff\xff\xff\xffIDAT....".to_vec(), end]));
        for junk in ["", "####", "aGVsbG8=", "iVBORw0KGgo="] {
            assert_eq!(decode(junk), None, "{junk}");
        }
    }
}
