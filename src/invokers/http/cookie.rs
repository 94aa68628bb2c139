//! Arguments become cookies that stay one cookie each.

use serde_json::Value;

use crate::catalog::{Parameter, Style};

use super::expand::{self, Flat, NoForm, flatten};
use super::refusal::Refusal;

/// The cookie that a parameter makes of a value; `None` where the value is undefined.
///
/// `form` percent-encodes, as RFC 6570 says. Exploded lists and objects have no form: their pairs are joined by
/// `&`, which is wrong in a cookie (Appendix D of `OpenAPI` 3.1.1). Text that `content` describes goes out as it is.
///
/// # Errors
/// A value that has no such form; the message names the argument and never its value.
pub(super) fn cookie(parameter: &Parameter, value: &Value) -> Result<Option<(String, String)>, Refusal> {
    let no_form = |no_form: NoForm| no_form.refuse(&parameter.argument, None);
    if !is_cookie_name(&parameter.name) {
        return Err(no_form(NoForm::Place));
    }
    let text = match parameter.style {
        Style::Form { explode, .. } => match flatten(value).map_err(no_form)? {
            Some(Flat::List(_) | Flat::Members(_)) if explode => return Err(no_form(NoForm::Kind)),
            flat => flat.map(|flat| expand::simple(&flat, false, expand::encode)),
        },
        Style::Text => match expand::text(value).map_err(no_form)? {
            Some(text) if !text.bytes().all(is_cookie_octet) => {
                let rule = "holds a character that no cookie can carry (RFC 6265 section 4.1.1)";
                return Err(Refusal::of_argument(&parameter.argument, rule));
            }
            text => text.map(std::borrow::Cow::into_owned),
        },
        _ => return Err(no_form(NoForm::Place)),
    };
    Ok(text.map(|text| (parameter.name.to_string(), text)))
}

/// RFC 6265 section 4.1.1, `cookie-name`: a token (RFC 9110 section 5.6.2).
fn is_cookie_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// RFC 6265 section 4.1.1, `cookie-octet`: visible ASCII but for quotes, comma, semicolon and backslash.
fn is_cookie_octet(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\",;\\".contains(&byte)
}
