//! Names of runs, calls and attempts.

/// The name of one run: everything that one `ainvoke` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The name of one attempt: run, call in the run (from 1), attempt in the call (from 1).
///
/// It is taken before anything is sent, so that whatever happens to the request has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId {
    /// The run.
    pub run: RunId,
    /// Which call of the run, from 1.
    pub call: u32,
    /// Which attempt of the call, from 1.
    pub number: u32,
}

impl std::fmt::Display for AttemptId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}-{}", self.run, self.call, self.number)
    }
}
