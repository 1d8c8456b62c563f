//! Whether a host trusts a directory, and runs the hooks in it, by the files in which it stores its trust.

use std::path::Path;

use serde_json::Value;

use super::Trust;

/// Reads the trust of Copilot: `trustedFolders` in its `config.json` lists directories, and everything below
/// them is trusted, too. `copilot -p` does not ask, and skips the hooks of others.
pub fn of_copilot(directory: &Path, config: Option<&[u8]>, shown: &str) -> Trust {
    // Copilot writes comment lines at the top.
    let text = config.map(String::from_utf8_lossy).unwrap_or_default();
    let plain: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let root: Value = serde_json::from_str(&plain.join("\n")).unwrap_or_default();
    let lists = ["trustedFolders", "trusted_folders"].into_iter().filter_map(|key| root.get(key)?.as_array());
    let mut directories = lists.flatten().filter_map(Value::as_str);
    if directories.any(|trusted| directory.starts_with(trusted)) {
        Trust::Given(shown.to_owned())
    } else {
        Trust::Lacking(format!("`trustedFolders` in {shown}"))
    }
}

/// Reads the trust of Gemini CLI: among the directories in `trustedFolders.json` that contain the directory,
/// the one with the longest name counts; `TRUST_PARENT` refers to the parent of the listed directory. The
/// user's settings can disable the question.
pub fn of_gemini(directory: &Path, trusted: Option<&[u8]>, settings: Option<&[u8]>, shown: &str) -> Trust {
    let read = |bytes: Option<&[u8]>| -> Value {
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    };
    let settings = read(settings);
    let is_asked = ["/security/folderTrust/enabled", "/folderTrust"].into_iter().find_map(|key| settings.pointer(key));
    if is_asked == Some(&Value::Bool(false)) {
        return Trust::Unasked;
    }
    let rules = read(trusted);
    let mut best: Option<(usize, &str)> = None;
    for (path, level) in rules.as_object().into_iter().flatten() {
        let level = level.as_str().unwrap_or_default();
        let of = if level == "TRUST_PARENT" { Path::new(path).parent() } else { Some(Path::new(path)) };
        let is_longer = best.is_none_or(|(length, _)| path.len() > length);
        if is_longer && of.is_some_and(|of| directory.starts_with(of)) {
            best = Some((path.len(), level));
        }
    }
    match best {
        Some((_, "TRUST_FOLDER" | "TRUST_PARENT")) => Trust::Given(shown.to_owned()),
        _ => Trust::Lacking(shown.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_trusted(trust: &Trust) -> bool {
        !matches!(trust, Trust::Lacking(_))
    }

    #[test]
    fn copilot_trusts_the_directories_that_it_lists_and_what_is_in_them() {
        let of = |config: &str| of_copilot(Path::new("/work/it"), Some(config.as_bytes()), "config.json");
        for config in [
            r#"{"trustedFolders": ["/else", "/work/it"]}"#,
            r#"{"trustedFolders": ["/work"]}"#,
            "// written by Copilot\n{\"trusted_folders\": [\"/work/it\"]}",
        ] {
            assert!(is_trusted(&of(config)), "{config}");
        }
        for config in
            ["", "{", "{}", r#"{"trustedFolders": ["/wor", "/work/it/below", 7]}"#, r#"{"trustedFolders": {}}"#]
        {
            assert!(!is_trusted(&of(config)), "{config}");
        }
        assert!(!is_trusted(&of_copilot(Path::new("/work/it"), None, "config.json")));
    }

    #[test]
    fn gemini_goes_by_the_longest_rule_and_asks_nothing_where_its_user_says_so() {
        let of = |rules: &str| of_gemini(Path::new("/work/it"), Some(rules.as_bytes()), None, "trustedFolders.json");
        for rules in [
            r#"{"/work/it": "TRUST_FOLDER"}"#,
            r#"{"/work": "TRUST_FOLDER"}"#,
            r#"{"/work/other": "TRUST_PARENT"}"#,
            r#"{"/work": "DO_NOT_TRUST", "/work/it": "TRUST_FOLDER"}"#,
        ] {
            assert!(is_trusted(&of(rules)), "{rules}");
        }
        for rules in [
            "",
            "[]",
            "{}",
            r#"{"/wor": "TRUST_FOLDER"}"#,
            r#"{"/work": "TRUST_FOLDER", "/work/it": "DO_NOT_TRUST"}"#,
            r#"{"/work/it": "trust"}"#,
            r#"{"/work/it": true}"#,
        ] {
            assert!(!is_trusted(&of(rules)), "{rules}");
        }
        let off = br#"{"security": {"folderTrust": {"enabled": false}}}"#;
        assert_eq!(of_gemini(Path::new("/work"), None, Some(off), "x"), Trust::Unasked);
    }
}
