//! What a call costs where the catalog is large, beside the same call where it is the only operation.

use super::programs::Programs;
use super::rounds::Pairs;
use super::table::{Row, Table};
use crate::report::Outcome;

const OPERATIONS: &str = "20000";
const GOAL: f64 = 1.05;

/// The helper measures, since both catalogs have to be in one process.
pub(super) fn run(programs: &Programs, table: &mut Table) -> Outcome {
    let answer = match programs.helper("call", OPERATIONS).output() {
        Ok(output) if output.status.success() => output.stdout,
        Ok(output) => return Outcome::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let Some(pairs) = pairs(&String::from_utf8_lossy(&answer)) else {
        return Outcome::Failed("the helper answered no pairs of numbers".to_owned());
    };
    let document = format!("{OPERATIONS} operations");
    table.0.push(Row { document, what: "call / of 1: CPU".to_owned(), unit: "us", pairs, goal: Some(GOAL) });
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
