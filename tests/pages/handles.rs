//! Handles are text that anybody can write.

use super::*;
