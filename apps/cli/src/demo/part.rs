//! What one part of the demonstration found.

use serde_json::{Value, json};
use tng_experiments::page::{Page, Plot};

use super::{Chart, Table};
use crate::talk::Talk;

/// A claim, and what a run in virtual time says to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Its name for programs.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The network, and what passes over it.
    pub setting: String,
    /// What is claimed, and where.
    pub claim: &'static str,
    /// What was measured, in one sentence.
    pub measured: String,
    /// Whether the measurement bears the claim out.
    pub holds: bool,
    /// What must be measured for it to hold.
    pub bar: String,
    /// The figures behind it.
    pub table: Option<Table>,
    /// Curves for the terminal.
    pub chart: Option<Chart>,
    /// The same for the page.
    pub plot: Plot,
    /// Every figure for programs: an object.
    pub figures: Value,
    /// Determines everything above.
    pub seed: u64,
    /// Digest of everything that happened to packets.
    pub digest: String,
}

impl Part {
    /// Whether it holds, in a few words.
    fn verdict(&self) -> String {
        format!("{}; the bar: {}", if self.holds { "holds" } else { "does not hold" }, self.bar)
    }

    /// Shows it to whoever listens.
    pub fn tell(&self, talk: Talk) {
        let Part { title, setting, claim, measured, seed, .. } = self;
        talk.payload(format_args!("{title}"));
        let seeded = format!("{seed}, digest {}", &self.digest[..16]);
        let verdict = self.verdict();
        for (what, words) in [
            ("setting", setting.as_str()),
            ("seed", &seeded),
            ("claim", claim),
            ("measured", measured),
            ("verdict", &verdict),
        ] {
            talk.payload(format_args!("  {what:<9} {words}"));
        }
        talk.payload("");
        self.chart.iter().for_each(|chart| talk.payload(chart));
        self.table.iter().for_each(|table| talk.payload(table));
        talk.event(
            "part",
            &json!({
                "name": self.name, "setting": setting, "claim": claim, "measured": measured, "bar": self.bar,
                "holds": self.holds, "figures": self.figures, "seed": seed, "digest": self.digest,
            }),
        );
    }

    /// Its section of the page.
    pub fn write(&self, page: &mut Page) {
        let (seed, verdict) = (self.seed.to_string(), self.verdict());
        let rows = [
            ["setting", &self.setting],
            ["claim", self.claim],
            ["measured", &self.measured],
            ["verdict", &verdict],
            ["seed", &seed],
            ["digest", &self.digest],
        ];
        page.section(self.title).table(&["", ""], rows).plot(&self.plot);
        if let Some(table) = &self.table {
            let head: Vec<&str> = table.head().iter().map(String::as_str).collect();
            page.table(&head, table.rows());
        }
    }
}

#[cfg(test)]
mod tests {
    use tng_experiments::page::Axis;

    use super::*;

    #[test]
    fn a_claim_that_does_not_hold_says_so_on_the_page() {
        let page = |holds| {
            let part = Part {
                name: "part",
                title: "A claim",
                setting: "a <network>".to_owned(),
                claim: "fast",
                measured: "slow".to_owned(),
                holds,
                bar: "2 times".to_owned(),
                table: Some(Table::new(&["figure"])),
                chart: None,
                plot: Plot::new("curves", Axis::new("x", ""), Axis::new("y", "")),
                figures: json!({}),
                seed: 1,
                digest: "0".repeat(64),
            };
            let mut page = Page::new("page");
            part.write(&mut page);
            page.to_html()
        };
        assert!(page(true).contains("<td>holds; the bar: 2 times</td>"));
        assert!(page(false).contains("<td>does not hold; the bar: 2 times</td>"));
        assert!(page(true).contains("a &lt;network&gt;") && page(true).contains("<th>figure</th>"));
    }
}
