//! Under which circumstances a run was made: facts that belong to no single action, observed before and after them
//! (design, "Evidence and trust"). They stand in the run's header record, so that a replay judges by them too.

pub mod clean_room;
pub mod confinement;
pub mod protection;
pub mod tree;
pub mod waiver;

pub use self::clean_room::CleanRoom;
pub use self::confinement::Confinement;
pub use self::protection::Protection;
pub use self::tree::TreeFacts;
pub use self::waiver::Waiver;

/// Under which circumstances a run was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The state of the workspace's inputs before and after. None: it was not observed.
    pub tree: Option<TreeFacts>,
    /// How protected files compare with their baseline. None: nothing is protected.
    pub protection: Option<Protection>,
    /// The waivers that were found, accepted or not, by id.
    pub waivers: Vec<Waiver>,
    /// How commands were confined. None: they were not.
    pub confinement: Option<Confinement>,
    /// The tree that was built for the run. None: it ran in the workspace itself.
    pub clean_room: Option<CleanRoom>,
}
