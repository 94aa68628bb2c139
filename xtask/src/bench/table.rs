//! The ratios, one a row, and how they are printed.

use std::fmt;

use super::rounds::{Pairs, median};

/// One comparison.
pub(super) struct Row {
    pub(super) document: String,
    /// What is compared with what, and by which measure.
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) pairs: Pairs,
    /// The most that the ratio should be.
    pub(super) goal: Option<f64>,
}

/// The comparisons so far.
#[derive(Default)]
pub(super) struct Table(pub(super) Vec<Row>);

const HEAD: [&str; 8] = ["document", "ours / floor", "ours", "floor", "ratio", "of rounds", "goal", ""];
/// The first columns are texts; numbers stand at the right of theirs.
const TEXTS: usize = 2;

impl Row {
    fn cells(&self) -> [String; 8] {
        let [ours, floor] = [0, 1].map(|at| median(self.pairs.iter().map(|pair| pair[at])));
        let ratio = ours / floor;
        let ratios = self.pairs.iter().map(|[ours, floor]| ours / floor);
        let (least, most) =
            ratios.fold((f64::MAX, f64::MIN), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
        let (goal, verdict) = match self.goal {
            None => (String::new(), ""),
            Some(goal) => (format!("<= {goal:.2}"), if ratio <= goal { "holds" } else { "missed" }),
        };
        [
            self.document.clone(),
            self.what.clone(),
            format!("{ours:.1} {}", self.unit),
            format!("{floor:.1} {}", self.unit),
            format!("{ratio:.3}"),
            format!("{least:.2}..{most:.2}"),
            goal,
            verdict.to_owned(),
        ]
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = HEAD.map(str::to_owned);
        let lines: Vec<_> = std::iter::once(head).chain(self.0.iter().map(Row::cells)).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        for line in &lines {
            let cells = line.iter().enumerate().map(|(column, cell)| {
                let width = width(column);
                if column < TEXTS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Table};

    fn row(document: &str, ours: f64, goal: Option<f64>) -> Row {
        let pairs = vec![[ours / 2.0, 100.0], [ours, 100.0], [ours * 2.0, 110.0]];
        Row { document: document.to_owned(), what: "read / parse: CPU".to_owned(), unit: "ms", pairs, goal }
    }

    #[test]
    fn medians_their_ratio_and_the_goal_are_in_columns() {
        let table =
            Table(vec![row("a", 80.0, Some(1.0)), row("longer", 100.1, Some(1.0)), row("b", 2000.0, None)]);
        let expected = "\
document  ours / floor            ours     floor   ratio     of rounds     goal
a         read / parse: CPU    80.0 ms  100.0 ms   0.800    0.40..1.45  <= 1.00   holds
longer    read / parse: CPU   100.1 ms  100.0 ms   1.001    0.50..1.82  <= 1.00  missed
b         read / parse: CPU  2000.0 ms  100.0 ms  20.000  10.00..36.36
";
        assert_eq!(table.to_string(), expected);
    }
}
