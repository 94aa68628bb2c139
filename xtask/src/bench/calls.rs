//! What a call costs: where the catalog is large beside where it is the only operation, and over HTTP beside the bare
//! client.

use super::programs::Programs;
use super::rounds::Pairs;
use super::table::{Row, Table};
use crate::report::Outcome;

const OPERATIONS: &str = "20000";
const GOAL: f64 = 1.05;

/// How many are under way at once, and the goal beside the bare client.
const EXCHANGES: [(&str, f64); 2] = [("1", 1.25), ("64", 1.4)];

/// A call of registered code that answers at once, with both schemas checked and the budget on, beside the two checks alone;
/// there is no goal, since what it does beside them is all that a call is.
pub(super) fn pipeline(programs: &Programs, table: &mut Table) -> Outcome {
    row(programs, table, ["null", "1"], "no wire".to_owned(), "call / its validations: CPU", None)
}

/// The helper measures, since both catalogs have to be in one process.
pub(super) fn catalogs(programs: &Programs, table: &mut Table) -> Outcome {
    let document = format!("{OPERATIONS} operations");
    row(programs, table, ["call", OPERATIONS], document, "call / of 1: CPU", Some(GOAL))
}

/// A call over loopback beside the same exchange by the bare client, with both schemas checked and the budget on.
pub(super) fn exchanges(programs: &Programs, table: &mut Table) -> Outcome {
    for (at_once, goal) in EXCHANGES {
        let document = format!("{at_once} at once");
        match row(programs, table, ["exchange", at_once], document, "call / bare client: CPU", Some(goal)) {
            Outcome::Passed => {}
            other => return other,
        }
    }
    Outcome::Passed
}

fn row(
    programs: &Programs,
    table: &mut Table,
    [mode, of]: [&str; 2],
    document: String,
    what: &str,
    goal: Option<f64>,
) -> Outcome {
    let answer = match programs.helper(mode, of).output() {
        Ok(output) if output.status.success() => output.stdout,
        Ok(output) => return Outcome::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let Some(pairs) = pairs(&String::from_utf8_lossy(&answer)) else {
        return Outcome::Failed("the helper answered no pairs of numbers".to_owned());
    };
    table.0.push(Row { document, what: what.to_owned(), unit: "us", pairs, goal });
    Outcome::Passed
}

/// Two numbers of nanoseconds a line, as microseconds; at least one line.
fn pairs(answer: &str) -> Option<Pairs> {
    let pair = |line: &str| {
        let (ours, floor) = line.split_once(' ')?;
        Some([ours.parse::<f64>().ok()? / 1e3, floor.parse::<f64>().ok()? / 1e3])
    };
    answer.lines().map(pair).collect::<Option<Pairs>>().filter(|pairs| !pairs.is_empty())
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn every_line_is_a_pair_of_numbers() {
        assert_eq!(pairs("11203 11190\n900 1000\n"), Some(vec![[11.203, 11.19], [0.9, 1.0]]));
        for answer in ["", "1\n", "1 2\n1 x\n"] {
            assert_eq!(pairs(answer), None, "{answer}");
        }
    }
}
