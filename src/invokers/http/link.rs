//! The header field `Link` (RFC 8288).

/// A field that cannot be read as links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoLinks;

/// The target of the first link of this relation, as it is written.
///
/// A link with an `anchor` is about something else than the reply (section 3.2), and is passed over.
///
/// # Errors
/// Where the text before such a link is no list of links: what cannot be read may have been that link.
///
/// # Examples
/// ```
/// use schemarouter::invokers::http::link::target;
///
/// let field = r#"</items?page=1>; rel="first prev"; title="a, <b>", </items?page=3>;rel=next"#;
/// assert_eq!(target(field, "next"), Ok(Some("/items?page=3")));
/// assert_eq!(target(field, "last"), Ok(None));
/// assert!(target("/items?page=3; rel=next", "next").is_err());
/// ```
pub fn target<'a>(field: &'a str, relation: &str) -> Result<Option<&'a str>, NoLinks> {
    let mut rest = field;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return Ok(None);
        }
        let (target, parameters) = rest.strip_prefix('<').and_then(|r| r.split_once('>')).ok_or(NoLinks)?;
        let mut link = Link::default();
        rest = link.read(parameters)?;
        if link.is(relation) {
            return Ok(Some(target));
        }
    }
}

/// The parameters of one link that count.
#[derive(Default)]
struct Link {
    relations: Option<String>,
    has_anchor: bool,
}

impl Link {
    /// Reads the parameters of a link; what follows it is left (appendix B.3).
    fn read<'a>(&mut self, text: &'a str) -> Result<&'a str, NoLinks> {
        let mut rest = text;
        loop {
            rest = blank(rest);
            match rest.as_bytes().first() {
                None | Some(b',') => return Ok(rest),
                Some(b';') => rest = blank(&rest[1..]),
                Some(_) => return Err(NoLinks),
            }
            let end = rest.find([' ', '\t', '=', ';', ',']).unwrap_or(rest.len());
            let name = rest[..end].to_ascii_lowercase();
            rest = blank(&rest[end..]);
            let mut value = String::new();
            if let Some(given) = rest.strip_prefix('=') {
                (value, rest) = self::value(blank(given))?;
            }
            match name.as_str() {
                // The first one counts (section 3.3).
                "rel" if self.relations.is_none() => self.relations = Some(value),
                "anchor" => self.has_anchor = true,
                _ => {}
            }
        }
    }

    fn is(&self, relation: &str) -> bool {
        let mut relations = self.relations.iter().flat_map(|all| all.split_ascii_whitespace());
        !self.has_anchor && relations.any(|mine| mine.eq_ignore_ascii_case(relation))
    }
}

fn blank(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// A token or a quoted string (RFC 9110 section 5.6.4), and what follows it.
fn value(text: &str) -> Result<(String, &str), NoLinks> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return Ok((text[..end].trim_end_matches([' ', '\t']).to_owned(), &text[end..]));
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            _ if is_escaped => {
                value.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            '"' => return Ok((value, &quoted[at + 1..])),
            _ => value.push(c),
        }
    }
    Err(NoLinks)
}

#[cfg(test)]
mod tests {
    use super::{NoLinks, target};

    #[test]
    fn next_links_of_rfc_8288() {
        let table: &[(&str, Result<Option<&str>, NoLinks>)] = &[
            ("", Ok(None)),
            (" , ,", Ok(None)),
            ("<https://a.test/?page=2>; rel=\"next\"", Ok(Some("https://a.test/?page=2"))),
            ("<https://a.test/?page=2>;rel=next", Ok(Some("https://a.test/?page=2"))),
            ("<b>; rel = \"prev\" , <c> ; REL = NEXT", Ok(Some("c"))),
            ("<b>; rel=\"last next\"", Ok(Some("b"))),
            ("<b>; rel=\"next-archive\", <c>; rel=\"up next\"", Ok(Some("c"))),
            ("<b?f=1,2;3>; rel=next", Ok(Some("b?f=1,2;3"))),
            ("<a>; title=\"x\\\", <evil>; rel=next\"; rel=prev, <b>; rel=next", Ok(Some("b"))),
            ("<a>; title=\"rel=next\"", Ok(None)),
            ("<a>; rel=prev; rel=next, <b>; rel=next", Ok(Some("b"))),
            ("<a>; rel=next; anchor=\"/other\", <b>; rel=next", Ok(Some("b"))),
            ("<a>; rel=next;, <b>; rel=last", Ok(Some("a"))),
            ("<a>; flag; rel=next", Ok(Some("a"))),
            ("<>; rel=next", Ok(Some(""))),
            ("<a>, <b>; rel=next", Ok(Some("b"))),
            ("<a>; title*=UTF-8''n%c3%a4chste; rel=next", Ok(Some("a"))),
            ("a; rel=next", Err(NoLinks)),
            ("<a; rel=next", Err(NoLinks)),
            ("<a> rel=next", Err(NoLinks)),
            ("<a>; title=\"open; rel=next", Err(NoLinks)),
            ("<a>; title=\"x\" rel=next", Err(NoLinks)),
            ("<a>; rel=next, nonsense", Ok(Some("a"))),
        ];
        for (field, expected) in table {
            assert_eq!(target(field, "next"), *expected, "{field}");
        }
    }
}
