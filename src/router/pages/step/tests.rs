use super::*;

fn rule(text: Value) -> NextPage {
    serde_json::from_value(text).expect("a rule")
}

fn told(rule: &NextPage, arguments: &Value, headers: &[(&str, &str)], reply: &Value) -> String {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let arguments = arguments.as_object().expect("an object");
    match step(rule, arguments, &headers, Some(reply)) {
        Ok(Step::End) => "end".to_owned(),
        Ok(Step::Incomplete(_)) => "incomplete".to_owned(),
        Ok(Step::Arguments(arguments)) => Value::Object(arguments).to_string(),
        Ok(Step::Url(url)) => url,
        Err(error) => error.report().pointer.clone().unwrap_or_else(|| error.kind().to_string()),
    }
}

#[test]
fn links() {
    let rule = rule(json!({"link": {}}));
    let next = ("link", "<b>; rel=next");
    for (headers, due) in [
        (&[][..], "end"),
        (&[("x-link", "<b>; rel=next")], "end"),
        (&[next], "b"),
        (&[("link", "<a>; rel=prev"), next], "b"),
        (&[("link", "<>; rel=next")], "end"),
        (&[("link", "b; rel=next")], "contract_violation"),
        (&[next, ("link", "nonsense")], "b"),
    ] {
        assert_eq!(told(&rule, &json!({}), headers, &json!(null)), due, "{headers:?}");
    }
}

#[test]
fn urls_and_objects_with_href() {
    let rule = rule(json!({"url": {"pointer": "/links/next", "more": "/meta/more"}}));
    for (links, more, due) in [
        (json!({"next": "https://a.test/?p=2"}), json!(true), "https://a.test/?p=2"),
        (json!({"next": {"href": "https://a.test/?p=2", "meta": {}}}), json!(true), "https://a.test/?p=2"),
        (json!({"next": "/relative"}), json!(null), "/relative"),
        (json!({"next": null}), json!(false), "end"),
        (json!(null), json!(false), "end"),
        (json!({"next": null}), json!(null), "end"),
        (json!({"next": "https://a.test/?p=2"}), json!(false), "end"),
        (json!({"next_page": "https://a.test/?p=2"}), json!(true), "incomplete"),
        (json!({"next": {"href": null}}), json!(true), "incomplete"),
        (json!({"next": ""}), json!(true), "incomplete"),
        (json!({"next": {"href": ""}}), json!(false), "end"),
        (json!({"next": 7}), json!(true), "/links/next"),
        (json!({"next": {"href": {}}}), json!(true), "/links/next"),
        (json!({"next": "x"}), json!("yes"), "/meta/more"),
    ] {
        let reply = json!({"links": links, "meta": {"more": more}});
        assert_eq!(told(&rule, &json!({}), &[], &reply), due, "{reply}");
    }
}

#[test]
fn cursors() {
    let rule = rule(json!({"cursor": {"pointer": "/next", "argument": "after", "more": "/more"}}));
    for (reply, due) in [
        (json!({"next": "b"}), r#"{"q":1,"after":"b"}"#),
        (json!({"next": 18_446_744_073_709_551_615_u64}), r#"{"q":1,"after":18446744073709551615}"#),
        (json!({"next": 1.5}), r#"{"q":1,"after":1.5}"#),
        (json!({"next": 0}), r#"{"q":1,"after":0}"#),
        (json!({"next": 1e300}), "/next"),
        (json!({"next": [1]}), "/next"),
        (json!({"next": false}), "/next"),
        (json!({"next": ""}), "end"),
        (json!({"next": null, "more": false}), "end"),
        (json!({"next": "b", "more": false}), "end"),
        (json!({"next": "b", "more": true}), r#"{"q":1,"after":"b"}"#),
        (json!({"more": true}), "incomplete"),
        (json!([]), "end"),
    ] {
        assert_eq!(told(&rule, &json!({"q": 1}), &[], &reply), due, "{reply}");
    }
}

#[test]
fn last_items() {
    let rule = rule(
        json!({"last_item": {"items": "/data", "pointer": "/id", "argument": "after", "more": "/more"}}),
    );
    for (reply, due) in [
        (json!({"data": [{"id": 1}, {"id": "x"}]}), r#"{"after":"x"}"#),
        (json!({"data": [{"id": 1}], "more": false}), "end"),
        (json!({"data": []}), "end"),
        (json!({"data": null}), "end"),
        (json!({"data": [], "more": true}), "incomplete"),
        (json!({"data": [{"name": "x"}]}), "/id"),
        (json!({"items": []}), "/data"),
        (json!({"data": {}}), "/data"),
    ] {
        assert_eq!(told(&rule, &json!({}), &[], &reply), due, "{reply}");
    }
}

#[test]
fn offsets_and_numbers() {
    let offset = rule(json!({"offset": {"argument": "o", "items": "", "limit": "l"}}));
    let total = rule(json!({"offset": {"argument": "o", "items": "/d", "total": "/t"}}));
    let number = rule(json!({"page_number": {"argument": "p", "items": "/d", "pages": "/n"}}));
    let zero = rule(json!({"page_number": {"argument": "p", "items": "/d", "pages": "/n", "first": 0}}));
    for (rule, arguments, reply, due) in [
        (&offset, json!({}), json!([1, 2]), r#"{"o":2}"#),
        (&offset, json!({"o": 3}), json!([1, 2]), r#"{"o":5}"#),
        (&offset, json!({"o": 3, "l": 2}), json!([1, 2]), r#"{"o":5,"l":2}"#),
        (&offset, json!({"o": 3, "l": 3}), json!([1, 2]), "end"),
        (&offset, json!({"o": 3}), json!([]), "end"),
        (&offset, json!({"o": "3"}), json!([1]), "invalid_arguments"),
        (&offset, json!({"o": -1}), json!([1]), "invalid_arguments"),
        (&offset, json!({}), json!({"d": []}), ""),
        (&total, json!({}), json!({"d": [1, 2], "t": 3}), r#"{"o":2}"#),
        (&total, json!({"o": 1}), json!({"d": [1, 2], "t": 3}), "end"),
        (&total, json!({"o": 1}), json!({"d": [1, 2], "t": null}), r#"{"o":3}"#),
        (&number, json!({}), json!({"d": [1], "n": 2}), r#"{"p":2}"#),
        (&number, json!({"p": 2}), json!({"d": [1], "n": 2}), "end"),
        (&number, json!({"p": 2}), json!({"d": [1]}), r#"{"p":3}"#),
        (&number, json!({"p": 2}), json!({"d": []}), "end"),
        (&zero, json!({}), json!({"d": [1], "n": 2}), r#"{"p":1}"#),
        (&zero, json!({"p": 1}), json!({"d": [1], "n": 2}), "end"),
    ] {
        assert_eq!(told(rule, &arguments, &[], &reply), due, "{rule:?} {arguments} {reply}");
    }
}

#[test]
fn places_reach_into_arguments() {
    let Value::Object(mut arguments) = json!({"body": {"q": 1, "page": 7}}) else {
        unreachable!("an object")
    };
    place::put(&mut arguments, "/body/page/after", json!("x"));
    place::put(&mut arguments, "/a~1b/~0", json!(1));
    place::put(&mut arguments, "c", json!(2));
    let due = json!({"body": {"q": 1, "page": {"after": "x"}}, "a/b": {"~": 1}, "c": 2});
    assert_eq!(Value::Object(arguments.clone()), due);
    assert_eq!(place::get(&arguments, "/body/page/after"), Some(&json!("x")));
    assert_eq!(place::get(&arguments, "/body/none/after"), None);
}
