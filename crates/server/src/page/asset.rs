//! Style sheet, script and logo of the pages: embedded in the program, with a content hash in their names.

use std::sync::LazyLock;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_syntax::hex;
use sha2::{Digest, Sha256};

/// Path prefix of the assets on the server.
const DIRECTORY: &str = "/assets/";

/// Number of hash bytes in a name.
const HASH_BYTES: usize = 6;

struct Asset {
    path: String,
    media: &'static str,
    content: &'static str,
}

static STYLE: LazyLock<Asset> =
    LazyLock::new(|| named("page", "css", "text/css; charset=utf-8", include_str!("../../assets/page.css")));
static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| named("page", "js", "text/javascript; charset=utf-8", include_str!("../../assets/page.js")));
static MARK: LazyLock<Asset> =
    LazyLock::new(|| named("mark", "svg", "image/svg+xml", include_str!("../../assets/mark.svg")));

fn named(stem: &str, ending: &str, media: &'static str, content: &'static str) -> Asset {
    let hash = hex::encode(&Sha256::digest(content)[..HASH_BYTES]);
    Asset { path: format!("{DIRECTORY}{stem}-{hash}.{ending}"), media, content }
}

pub(super) fn style() -> &'static str {
    &STYLE.path
}

pub(super) fn script() -> &'static str {
    &SCRIPT.path
}

pub(super) fn mark() -> &'static str {
    &MARK.path
}

/// Serves an asset. A name is never used as a path: it is one of the three names, or not found.
pub(super) fn serve(name: &str) -> Response {
    let asked = format!("{DIRECTORY}{name}");
    match [&*STYLE, &*SCRIPT, &*MARK].into_iter().find(|asset| asset.path == asked) {
        Some(asset) => {
            let kept = "public, max-age=31536000, immutable";
            ([(header::CONTENT_TYPE, asset.media), (header::CACHE_CONTROL, kept)], asset.content).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
