//! Recognizes variables with secret names.

/// Words that make a name secret in any position.
const SECRET_WORDS: [&str; 17] = [
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "AUTHTOKEN",
    "AUTHORIZATION",
    "PGPASSWORD",
    "SSHPASS",
];

/// Words that make a following `KEY` secret.
const SECRET_KEYS: [&str; 8] = ["API", "PRIVATE", "ACCESS", "ENCRYPTION", "SIGNING", "MASTER", "SERVICE", "DEPLOY"];

/// Last words of names that describe where a secret is or how it is handled, not the secret itself.
const HARMLESS_ENDINGS: [&str; 14] = [
    "SOCK", "PATH", "FILE", "DIR", "HOME", "HOST", "PORT", "TIMEOUT", "TTL", "ENABLED", "TYPE", "METHOD", "LENGTH",
    "USER",
];

/// Returns whether a variable's name marks its value as secret: `GITHUB_TOKEN`, `apiKey` and `DB_PASSWORD` do,
/// `SSH_AUTH_SOCK`, `AUTHOR` and `KEYBOARD` do not. Only whole words count, in any naming style.
pub fn looks_secret(name: &str) -> bool {
    let words = words(name);
    let harmless = words.last().is_some_and(|last| HARMLESS_ENDINGS.contains(&last.as_str()));
    let secret_word = words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()));
    let secret_key = words
        .windows(2)
        .any(|pair| SECRET_KEYS.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "KEY" | "KEYS"));
    let mysql = words == ["MYSQL", "PWD"];
    !harmless && (secret_word || secret_key || mysql)
}

/// Returns whether a header's value is a credential, whatever it looks like.
pub fn is_credential(header: &str) -> bool {
    ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(&header.to_ascii_lowercase().as_str())
}

/// Splits a name into upper-case words, at underscores and the like, and before a capital that follows a small
/// letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        let starts_word = !character.is_alphanumeric() || (after_small && character.is_uppercase());
        if starts_word {
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_uppercase());
        }
        after_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_words() {
        for name in [
            "TOKEN",
            "GITHUB_TOKEN",
            "npm_config__authToken",
            "DB_PASSWORD",
            "MYSQL_PWD",
            "PGPASSWORD",
            "OPENAI_API_KEY",
            "apiKey",
            "AWS_SECRET_ACCESS_KEY",
            "SSH_PRIVATE_KEY",
            "CLIENT-SECRET",
            "REDISCLI_AUTH",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ] {
            assert!(looks_secret(name), "{name}");
        }
        for name in [
            "",
            "PATH",
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "AUTHOR",
            "GIT_AUTHOR_NAME",
            "KEYBOARD",
            "TOKENIZER",
            "PASSED",
            "SECRETARY",
            "AUTH_TIMEOUT",
            "TOKEN_PATH",
            "PASSWORD_FILE",
            "MONKEY",
            "XAUTHORITY",
            "KEY",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
