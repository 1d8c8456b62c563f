//! Pictures of pages in a browser, as parts of the page.

use std::collections::BTreeMap;
use std::io::{self, Write};

use referee_model::id::Digest;
use referee_model::record::Screenshot;
use referee_model::report::{ActionReport, Report};
use referee_syntax::{base64, size};

use super::markup::Text;
use crate::formats::FileSource;

/// Maximum size of a picture in the page, in bytes; a larger one is named.
const PICTURE_BYTES: u64 = 1024 * 1024;

/// Maximum size of all pictures in the page, in bytes; those beyond are named.
const PICTURES_BYTES: u64 = 8 * 1024 * 1024;

/// First bytes of every PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The pictures that the page contains, in base64, by the digest of their bytes.
#[derive(Debug, Default)]
pub(super) struct Pictures(BTreeMap<Digest, String>);

impl Pictures {
    /// Reads the pictures of all checks, in order, as far as there is room.
    pub(super) fn of(reports: &[&Report], files: FileSource<'_>) -> Self {
        let mut pictures = BTreeMap::new();
        let mut left = PICTURES_BYTES;
        for report in reports {
            let ran = report.actions.iter().filter_map(ActionReport::ran);
            for taken in ran.flat_map(|ran| ran.record.screenshots()) {
                let image = &taken.image;
                if image.bytes > PICTURE_BYTES.min(left) || pictures.contains_key(&image.sha256) {
                    continue;
                }
                let Ok(bytes) = files(report, &image.file) else { continue };
                if bytes.starts_with(PNG) && Digest::of(&bytes) == image.sha256 {
                    left -= image.bytes;
                    pictures.insert(image.sha256, base64::encode(&bytes));
                }
            }
        }
        Self(pictures)
    }

    /// Writes a picture, or its name and file where the page does not contain it.
    pub(super) fn write(&self, taken: &Screenshot, out: &mut dyn Write) -> io::Result<()> {
        let (name, file) = (Text(&taken.name), Text(&taken.image.file));
        write!(out, r#"<figure class="screenshot">"#)?;
        if let Some(picture) = self.0.get(&taken.image.sha256) {
            write!(out, r#"<img alt="{name}" src="data:image/png;base64,{picture}">"#)?;
        }
        let size = size::short(taken.image.bytes);
        writeln!(out, "<figcaption>{name}: <code>{file}</code>, {size}</figcaption></figure>")
    }
}
