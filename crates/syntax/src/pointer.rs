//! JSON pointers (RFC 6901).

/// Returns the pointer step for a key: `/a~1b`.
pub fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns the key of a step without its slash.
pub fn key(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_steps_are_each_other() {
        assert_eq!(step("a/b~c~1"), "/a~1b~0c~01");
        assert_eq!(key("a~1b~0c~01"), "a/b~c~1");
    }
}
