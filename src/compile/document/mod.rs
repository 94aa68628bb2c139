//! The document as one compact tree.
