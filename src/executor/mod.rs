//! The trusted boundary at which calls are attempted, waited for and given up.

mod credentials;

pub use credentials::{Credential, Credentials};
