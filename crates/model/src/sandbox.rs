//! Whether commands are confined.

use serde::{Deserialize, Serialize};

document_words! {
    /// Whether commands are confined; the greater, the stricter.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum SandboxMode {
        /// Commands are not confined.
        #[default]
        Off = "off",
        /// Commands are confined if the machine supports it; otherwise the run notes that they were not.
        On = "on",
        /// Commands are confined, or nothing runs.
        Require = "require",
    }
}

impl SandboxMode {
    /// Returns whether commands are not to be confined.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}
