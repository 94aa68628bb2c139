//! Names of contracts by their content.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A SHA-256 digest that stands for a contract or a part of one: equal where the content is.
///
/// It is written as 64 hexadecimal digits, in files and on the command line.
///
/// # Examples
/// ```
/// use schemarouter_kernel::base::fingerprint::Fingerprint;
///
/// let text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// let fingerprint: Fingerprint = text.parse()?;
/// assert_eq!(fingerprint.to_string(), text);
/// assert_eq!(fingerprint.short(), "001122334455");
/// # Ok::<(), schemarouter_kernel::base::fingerprint::NoFingerprint>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

/// A text that is no fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is 64 hexadecimal digits, as `describe` prints them")]
pub struct NoFingerprint;

impl Fingerprint {
    /// The fingerprint of these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first twelve digits, to tell a few apart in a message.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = NoFingerprint;

    fn from_str(text: &str) -> Result<Self, NoFingerprint> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if !rest.is_empty() || pairs.len() != 32 {
            return Err(NoFingerprint);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn digit(byte: u8) -> Result<u8, NoFingerprint> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        b'A'..=b'F' => Ok(byte - b'A' + 10),
        _ => Err(NoFingerprint),
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fingerprint {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fingerprint".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
    }
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, NoFingerprint};

    #[test]
    fn texts_are_64_hexadecimal_digits() {
        let text = "0f".repeat(32);
        let fingerprint = Fingerprint::from_bytes([15; 32]);
        assert_eq!(text.parse(), Ok(fingerprint));
        assert_eq!(text.to_uppercase().parse(), Ok(fingerprint));
        assert_eq!(serde_json::to_string(&fingerprint).ok(), Some(format!("\"{text}\"")));
        assert_eq!(serde_json::from_str(&format!("\"{text}\"")).ok(), Some(fingerprint));
        for wrong in
            ["", "0f", &text[1..], &format!("{text}0f"), &format!("{}0g", &text[2..]), &"é".repeat(32)]
        {
            assert_eq!(wrong.parse::<Fingerprint>(), Err(NoFingerprint), "{wrong}");
        }
    }
}
