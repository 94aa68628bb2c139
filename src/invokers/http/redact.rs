//! What somebody else wrote, without our secrets in it.

use std::borrow::Cow;

use schemarouter_kernel::base::secret::Secret;

use super::expand::encode;

/// Shorter secrets are left alone: replacing them would tear unrelated words apart and still prove nothing.
const SHORTEST: usize = 4;

/// Replaces the credentials of one request wherever a text repeats them.
///
/// Servers echo what they were sent: "incorrect API key provided: sk-...", a redirect target with the key in its
/// query. Our own texts never hold a credential; this is for theirs.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Every spelling of every secret, longest first.
    spellings: Vec<Secret>,
}

impl Redactor {
    /// Remembers a secret in the spellings that replies use: plain, percent-encoded, and as JSON writes it.
    pub fn add(&mut self, secret: &str) {
        if secret.len() < SHORTEST {
            return;
        }
        let quoted = serde_json::Value::from(secret).to_string();
        let json = quoted[1..quoted.len() - 1].to_owned();
        for spelling in [secret.to_owned(), encode(secret), json.replace('/', r"\/"), json] {
            if !self.spellings.iter().any(|known| *known.expose() == spelling) {
                self.spellings.push(Secret::new(spelling));
            }
        }
        self.spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.expose().len()));
    }

    /// Whether there is nothing to take out.
    pub const fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }

    /// The text with `***` in place of every secret.
    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for spelling in &self.spellings {
            if text.contains(spelling.expose().as_str()) {
                text = Cow::Owned(text.replace(spelling.expose().as_str(), "***"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Redactor;

    #[test]
    fn case_096_an_echoed_key_is_replaced_in_every_spelling() {
        let mut redactor = Redactor::default();
        redactor.add("S3CR3T/+=key");
        redactor.add("S3CR3T/+=key-and-more");
        let table = [
            ("bad key S3CR3T/+=key.", "bad key ***."),
            ("https://e.test/?k=S3CR3T%2F%2B%3Dkey&a=1", "https://e.test/?k=***&a=1"),
            (r#"{"key":"S3CR3T\/+=key"}"#, r#"{"key":"***"}"#),
            ("S3CR3T/+=key-and-more", "***"),
            ("nothing", "nothing"),
        ];
        for (text, expected) in table {
            assert_eq!(redactor.apply(text), expected);
        }
        assert!(!format!("{redactor:?}").contains("S3CR3T"));
    }

    #[test]
    fn a_secret_of_three_letters_does_not_eat_words() {
        let mut redactor = Redactor::default();
        redactor.add("tok");
        assert_eq!(redactor.apply("token"), "token");
    }
}
