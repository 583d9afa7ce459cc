use super::*;
use crate::{Run, Scenario};

const HOSTILE: [&str; 6] = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "\" onload=\"alert(1)",
    "' & &lt; ]]>",
    "\u{0}\u{1b}[2J\u{2028}",
    "</title><img src=https://example.net/x>",
];

fn plot(name: &str) -> Plot {
    Plot::new(name, Axis::new(name, name), Axis::new(name, ""))
        .series(Series::line(name, vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)]))
        .series(Series::steps("steps", vec![(0.0, 1.0)]))
        .series(Series::points("points", Vec::new()))
        .mark(1.0, name)
}

fn page(text: &str) -> String {
    let mut page = Page::new(text);
    page.section(text).paragraph(text).table(&[text, "n"], [[text, "1"]]).plot(&plot(text));
    page.to_html()
}

/// The page's own tags, in order, without what stands in its scripts and styles.
fn tags(html: &str) -> Vec<String> {
    let (mut rest, mut found) = (html, Vec::new());
    while let Some((_, behind)) = rest.split_once('<') {
        let (tag, behind) = behind.split_once('>').expect("every tag ends");
        found.push(tag.to_owned());
        let name = tag.split_whitespace().next().unwrap_or_default();
        rest = match name {
            "script" | "style" => &behind[behind.find(&format!("</{name}>")).expect("every script ends")..],
            _ => behind,
        };
    }
    found
}

#[test]
fn hostile_text_adds_no_tag_and_no_attribute() {
    let plain = tags(&page("plain"));
    for hostile in HOSTILE {
        assert_eq!(tags(&page(hostile)), plain, "{hostile:?}");
    }
}

#[test]
fn text_is_shown_as_it_was_given() {
    let html = page("a < b && \"c\"");
    assert!(html.contains("<h1>a &lt; b &amp;&amp; &quot;c&quot;</h1>"), "{html}");
    assert!(page("a\u{7}b").contains("<h1>a\u{fffd}b</h1>"));
}

#[test]
fn the_data_of_a_plot_comes_back_from_its_json() {
    for hostile in HOSTILE {
        let html = page(hostile);
        let (_, behind) = html.split_once("id=\"plot-0\">").expect("the plot's data");
        let (json, _) = behind.split_once("</script>").expect("an end");
        let back: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(back["title"], hostile);
        assert_eq!(back["marks"][0]["label"], hostile);
        assert_eq!(back["series"][0]["points"][1], serde_json::json!([1.0, null]), "a gap");
        assert_eq!(back["series"][1]["shape"], "steps");
    }
}

#[test]
fn nothing_is_fetched() {
    let html = page("plain");
    assert!(html.contains("default-src 'none'"));
    for tag in tags(&html) {
        let fetches = ["link", "img", "iframe", "object", "base"].iter().any(|name| tag.starts_with(name));
        assert!(!fetches && !tag.contains("src=") && !tag.contains("href="), "<{tag}>");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn the_same_calls_give_the_same_page() {
    assert_eq!(page("plain"), page("plain"));
    assert_ne!(page("plain"), page("other"));
}

#[test]
fn a_page_without_plots_carries_no_script() {
    let mut page = Page::new("words");
    page.paragraph("only words");
    assert!(!page.to_html().contains("<script"));
    page.plot(&plot("plot"));
    let html = page.to_html();
    assert!(html.contains("<script") && html.contains("Permission is hereby granted"), "the plotter and its licence");
}

#[test]
fn no_script_of_ours_ends_early() {
    for script in [PLOTTER, SCRIPT, PLOTTER_LICENCE] {
        assert!(!script.contains("</script") && !script.contains("<!--"));
    }
    assert!(!PLOTTER_LICENCE.contains("*/") && !STYLE.contains("</style"));
}

#[test]
fn columns_of_numbers_stand_to_the_right() {
    let mut page = Page::new("table");
    page.table(&["name", "n", "time", "note"], [vec!["a", "12", "1.5 s", "2 of 3 hold"], vec!["b", "-1", "–"]]);
    let html = page.to_html();
    assert!(html.contains("<th>name</th><th class=\"n\">n</th><th class=\"n\">time</th><th>note</th>"), "{html}");
    assert!(html.contains("<td>b</td><td class=\"n\">-1</td><td class=\"n\">–</td><td></td>"), "{html}");
}

#[test]
fn a_run_has_a_page_and_the_same_run_the_same_page() {
    let text = "[[node]]\nname='<a>'\n[[node]]\nname='b'\n[[link]]\nbetween=['<a>','b']\nrate='10mbit'\nloss='1%'\n\
                [[flow]]\nfrom='<a>'\nto='b'\nbytes='200kB'";
    let report = || Run::new(Scenario::parse(text).expect("a scenario")).finish().expect("no capture that could fail");
    let report = (report(), report());
    let html = of_report(&report.0);
    assert_eq!(html, of_report(&report.1));
    for expected in ["200000", "&lt;a&gt;", "loss", &report.0.digest] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
}
