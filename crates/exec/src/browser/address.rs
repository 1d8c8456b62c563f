//! The addresses that a browser may open: of the web, and of files in the workspace.

use std::path::{Path, PathBuf};

use referee_syntax::percent;

/// The empty page.
const BLANK: &str = "about:blank";

/// Checks an address that a command opens. An `Err` says why it is not opened.
pub(super) fn check(url: &str, workspace: &Path) -> Result<(), String> {
    if url == BLANK {
        return Ok(());
    }
    // Browsers leave out line breaks and tabs, wherever they are.
    if url.contains(|letter: char| letter.is_ascii_control()) || url.trim() != url {
        return Err("the address contains spaces or control characters".to_owned());
    }
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https") if url.contains("://") => Ok(()),
        Some("file") => file(url, workspace),
        _ => Err(format!("the address must begin with http:// or https://, or be {BLANK} or a file of the workspace")),
    }
}

/// Whether a page at this address is a file outside the workspace.
pub(super) fn is_outside(url: &str, workspace: &Path) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) && file(url, workspace).is_err()
}

fn file(url: &str, workspace: &Path) -> Result<(), String> {
    let outside = || "the address is a file outside the workspace".to_owned();
    let path = url.get("file:".len()..).unwrap_or_default();
    let path = path.strip_prefix("//localhost/").map_or_else(|| path.to_owned(), |path| format!("///{path}"));
    let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).ok_or_else(outside)?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = String::from_utf8(percent::decode(path)).map_err(|_| outside())?;
    let (real, workspace) = (std::fs::canonicalize(PathBuf::from(&path)), std::fs::canonicalize(workspace));
    match (real, workspace) {
        (Ok(real), Ok(workspace)) if real.starts_with(&workspace) => Ok(()),
        (Err(error), Ok(workspace)) if Path::new(&path).starts_with(&workspace) => {
            Err(format!("the file {path} cannot be opened: {error}"))
        }
        _ => Err(outside()),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are opened")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_web_and_files_of_the_workspace_are_opened_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().join("work space");
        std::fs::create_dir(&workspace).unwrap();
        std::fs::write(workspace.join("page.html"), "").unwrap();
        std::fs::write(directory.path().join("other.html"), "").unwrap();
        symlink("/etc/passwd", workspace.join("link.html")).unwrap();
        let inside = format!("file://{}/work%20space", directory.path().canonicalize().unwrap().display());
        for (url, expected) in [
            ("http://localhost:3000/a?b#c".to_owned(), true),
            ("HTTPS://example.org".to_owned(), true),
            ("about:blank".to_owned(), true),
            (format!("{inside}/page.html"), true),
            (format!("{inside}/page.html?a=1#b"), true),
            (format!("{}/page.html", inside.replace("file:///", "file://localhost/")), true),
            (format!("{inside}/gone.html"), false),
            (format!("{inside}/link.html"), false),
            (format!("{inside}/../other.html"), false),
            (format!("{inside}/%2e%2e/other.html"), false),
            ("file:///etc/passwd".to_owned(), false),
            ("FILE:///etc/passwd".to_owned(), false),
            ("file://host/etc/passwd".to_owned(), false),
            ("file:/etc/passwd".to_owned(), false),
            ("javascript:alert(1)".to_owned(), false),
            ("java\nscript:alert(1)".to_owned(), false),
            (" javascript:alert(1)".to_owned(), false),
            ("data:text/html,hello".to_owned(), false),
            ("chrome://version".to_owned(), false),
            ("view-source:http://localhost".to_owned(), false),
            ("about:config".to_owned(), false),
            ("http:localhost".to_owned(), false),
            ("localhost:3000".to_owned(), false),
            ("/login".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(check(&url, &workspace).is_ok(), expected, "{url}");
        }
    }

    #[test]
    fn a_page_that_left_the_workspace_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("page.html"), "").unwrap();
        let inside = format!("file://{}/page.html", directory.path().canonicalize().unwrap().display());
        for (url, expected) in [
            (inside.as_str(), false),
            ("http://localhost/", false),
            ("about:blank", false),
            ("", false),
            ("file:///etc/passwd", true),
            ("file:///", true),
        ] {
            assert_eq!(is_outside(url, directory.path()), expected, "{url}");
        }
    }
}
