//! What a file is, by the end of its name.

/// Whether a path ends with one of some extensions, which are given without their dots, in any case.
pub(crate) fn has(path: &str, extensions: &[&str]) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        return false;
    };
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_counts() {
        assert!(has("a/b.spec.RB", &["erb", "rb"]) && has("C:\\p\\a.php", &["php"]));
        assert!(!has("a.rb/b", &["rb"]) && !has("rb", &["rb"]) && !has("", &[""]));
    }
}
