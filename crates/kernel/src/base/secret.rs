//! Secrets by type.

/// A value that must not be seen: it has no `Display` and no `Serialize`, and its `Debug` hides it.
///
/// Redaction by type cannot be forgotten at a place that prints; redaction by name can.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::secret::Secret;
///
/// let token = Secret::new("hunter2".to_owned());
/// assert_eq!(format!("{token:?}"), "Secret(***)");
/// assert_eq!(token.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T = String>(T);

impl<T> Secret<T> {
    /// Hides `value`.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, for the one place that puts it on the wire.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> std::fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(***)")
    }
}
