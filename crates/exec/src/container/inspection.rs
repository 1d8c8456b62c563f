//! What docker and podman say of a container.

use std::collections::BTreeMap;

use referee_model::record::ContainerFacts;
use referee_model::time::Timestamp;
use serde::Deserialize;

/// Maximum length of a state and of the name of an image, in characters.
const STATE_CHARACTERS: usize = 40;
const IMAGE_CHARACTERS: usize = 1_000;

/// A container, as `inspect` shows it. Both programs use the same names, and leave out what they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Inspection {
    id: String,
    #[serde(default)]
    image: String,
    #[serde(default)]
    config: Configuration,
    state: State,
    #[serde(default)]
    host_config: HostConfiguration,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Configuration {
    #[serde(default)]
    image: String,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct State {
    status: String,
    exit_code: i64,
    finished_at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HostConfiguration {
    #[serde(default)]
    auto_remove: bool,
}

impl Inspection {
    /// Reads the answer of `inspect` about one container.
    pub(super) fn read(answer: &[u8], id: &str) -> Result<Self, String> {
        let mut all: Vec<Self> = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
        match (all.pop(), all.is_empty()) {
            (Some(one), true) if one.id == id => Ok(one),
            _ => Err("the answer is not about that one container".to_owned()),
        }
    }

    /// Whether the container has ended, or never began.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.state.status.as_str(), "exited" | "dead" | "stopped" | "created" | "configured" | "initialized")
    }

    /// Whether the program removes the container as soon as it ends.
    pub(super) fn removes_itself(&self) -> bool {
        self.host_config.auto_remove
    }

    pub(super) fn label(&self, name: &str) -> Option<&str> {
        self.config.labels.as_ref()?.get(name).map(String::as_str)
    }

    /// Returns the exit code of a container that has ended.
    pub(super) fn exit_code(&self) -> Option<i32> {
        let has_ended = matches!(self.state.status.as_str(), "exited" | "dead" | "stopped");
        i32::try_from(self.state.exit_code).ok().filter(|_| has_ended)
    }

    pub(super) fn finished(&self) -> Option<Timestamp> {
        Timestamp::parse(self.state.finished_at.as_deref()?).ok()
    }

    pub(super) fn facts(&self) -> ContainerFacts {
        ContainerFacts {
            id: self.id.clone(),
            image: self.config.image.chars().take(IMAGE_CHARACTERS).collect(),
            image_digest: digest(&self.image),
            state: self.state.status.chars().take(STATE_CHARACTERS).collect(),
            exit_code: self.exit_code(),
        }
    }
}

/// Returns the digest of an image as docker writes it; podman leaves its algorithm out.
fn digest(image: &str) -> Option<String> {
    let hexadecimal = image.strip_prefix("sha256:").unwrap_or(image);
    let is_digest =
        hexadecimal.len() == 64 && hexadecimal.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_digest.then(|| format!("sha256:{hexadecimal}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "05e28ad98394ce96e08201f604956f005c4cd6359da4232d7ee8c70a615b465c";
    const IMAGE: &str = "79176180c3e850f1c182cfac468e86a7bfb1fe5836c8fc853a4287cbd6aad510";

    fn answer(image: &str, state: &str) -> String {
        format!(r#"[{{"Id":"{ID}","Image":"{image}","Config":{{"Image":"busybox"}},"State":{state},"More":[1]}}]"#)
    }

    #[test]
    fn answers_of_both_programs_are_read() {
        let exited = r#"{"Status":"exited","Running":false,"ExitCode":3,"FinishedAt":"2026-11-28T16:06:36.5Z"}"#;
        for image in [IMAGE.to_owned(), format!("sha256:{IMAGE}")] {
            let read = Inspection::read(answer(&image, exited).as_bytes(), ID).unwrap();
            let facts = read.facts();
            assert_eq!(facts.image_digest, Some(format!("sha256:{IMAGE}")));
            assert_eq!((facts.image.as_str(), facts.state.as_str(), facts.exit_code), ("busybox", "exited", Some(3)));
            assert!(read.is_over() && !read.removes_itself() && read.finished().is_some());
            assert_eq!(read.label("referee.run"), None);
        }
        let running = Inspection::read(answer(IMAGE, r#"{"Status":"running","ExitCode":0}"#).as_bytes(), ID).unwrap();
        assert!(!running.is_over());
        assert_eq!((running.exit_code(), running.finished()), (None, None));
        let created = Inspection::read(answer(IMAGE, r#"{"Status":"created","ExitCode":0}"#).as_bytes(), ID).unwrap();
        assert_eq!((created.is_over(), created.exit_code()), (true, None));
    }

    #[test]
    fn what_is_no_answer_about_the_container_is_refused() {
        let good = answer(IMAGE, r#"{"Status":"exited","ExitCode":0}"#);
        for bad in ["", "[]", "{}", "null", "[1]", &good[..good.len() - 2], &good.replace(ID, IMAGE)] {
            assert!(Inspection::read(bad.as_bytes(), ID).is_err(), "{bad}");
        }
        assert!(Inspection::read(answer(IMAGE, r#"{"Status":"exited"}"#).as_bytes(), ID).is_err());
    }

    #[test]
    fn only_a_digest_counts_as_one() {
        for bad in ["", "sha256:", "busybox", "sha512:00", &IMAGE[1..], &IMAGE.to_uppercase()] {
            assert_eq!(digest(bad), None, "{bad}");
        }
    }
}
