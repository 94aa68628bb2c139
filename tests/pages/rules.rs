//! Each rule for the next page, and what a server may do to it.

use super::*;
