//! What a run may spend, by profile and by the size of its task (seed 4, 3.2).

/// How large a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskSize {
    /// A word or a line.
    Tiny,
    /// What most tasks are.
    Normal,
    /// Many files.
    Large,
}

impl TaskSize {
    /// All sizes.
    pub const ALL: [Self; 3] = [Self::Tiny, Self::Normal, Self::Large];

    /// Returns the size as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Normal => "normal",
            Self::Large => "large",
        }
    }
}

/// What an agent may do in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandPolicy {
    /// Commands that it may run.
    pub max_commands: u32,
    /// Test runs among them.
    pub max_test_runs: u32,
    /// Whether it may install packages.
    pub allow_package_installs: bool,
    /// Whether it may run the application.
    pub allow_app_run: bool,
}

/// What a whole run may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunBudget {
    /// Commands.
    pub commands: u32,
    /// Test runs. A test run is a command too.
    pub test_runs: u32,
    /// Requests to the web.
    pub web_requests: u32,
}

/// One thing that is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spending {
    /// A command that is no test run.
    Command,
    /// A test run.
    TestRun,
    /// A request to the web.
    WebRequest,
}

/// What of a budget can be used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetPart {
    /// Commands.
    Commands,
    /// Test runs.
    TestRuns,
    /// Requests to the web.
    WebRequests,
}

impl BudgetPart {
    /// Returns it in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::TestRuns => "test runs",
            Self::WebRequests => "web requests",
        }
    }
}
