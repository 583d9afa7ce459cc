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
    page.contents(&[text, ""], [[text, text]])
        .section(text)
        .paragraph(text)
        .table(&[text, "n"], [[text, "1"]])
        .plot(&plot(text));
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
        let leads_away = tag.contains("href=") && !tag.contains("href=\"#section-");
        assert!(!fetches && !tag.contains("src=") && !leads_away, "<{tag}>");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn a_table_of_contents_leads_to_the_sections_behind_it() {
    let mut page = Page::new("page");
    page.section("before").contents(&["what"], [["one"], ["two"]]).section("one").section("two");
    let html = page.to_html();
    for (link, heading) in [("#section-2\">one", "section-2\">one</h2>"), ("#section-3\">two", "section-3\">two</h2>")]
    {
        assert!(html.contains(link) && html.contains(heading), "{link}");
    }
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
    let text = "[[node]]\nname='<a>'\n[[node]]\nname='b'\n[[link]]\nname='wire'\nbetween=['<a>','b']\nrate='10mbit'\n\
                loss='1%'\n[[flow]]\nname='<files>'\nfrom='<a>'\nto='b'\n[[flow.stream]]\nname='few'\ncount=3\n\
                bytes='100kB'\n[[flow.stream]]\nname='more'\ncount=2\nbytes='50kB'\n[[flow.datagrams]]\nname='voice'\n\
                size='160B'\ninterval='20ms'\ncount=5\n[[event]]\nat='50ms'\nkind='link'\nlink='wire'\nloss='2%'";
    let report = || Run::new(Scenario::parse(text).expect("a scenario")).finish().expect("no capture that could fail");
    let report = (report(), report());
    let html = of_report(&report.0);
    assert_eq!(html, of_report(&report.1));
    let what = Escaped(&report.0.events[0].what).to_string();
    for expected in ["300000", "&lt;files&gt;", "3 of 3", "loss", "voice", &what, &report.0.digest] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
    assert!(
        html.contains("<th>streams</th>") && !html.contains("<th>parent</th>") && !html.contains("message p50"),
        "{html}"
    );
    let (_, behind) = html.split_once("id=\"plot-0\">").expect("what arrived");
    let data: serde_json::Value =
        serde_json::from_str(behind.split_once("</script>").expect("an end").0).expect("JSON");
    let fastest = data["series"].as_array().into_iter().flatten().flat_map(|series| series["points"].as_array());
    let fastest = fastest.flatten().filter_map(|point| point[1].as_f64()).fold(0.0, f64::max);
    assert!((1.0..100.0).contains(&fastest), "Mbit/s of a link that has 10, held up and let go: {fastest}");
    assert_eq!(
        html.matches("class=\"plot\"").count(),
        4,
        "arrivals, round trips, queues, and which streams were whole when"
    );
}

#[test]
fn a_page_is_bounded_whatever_a_run_had() {
    let flows: String = (0..CURVES_MAX + 1)
        .map(|n| format!("[[flow]]\nname='flow {n}'\nfrom='a'\nto='b'\nbytes='1kB'\nstart='{n}s'\n"))
        .collect();
    let text = format!(
        "[world]\ninterval='1ms'\n[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\ndelay='1ms'\n\
         {flows}"
    );
    let report = Run::new(Scenario::parse(&text).expect("a scenario")).finish().expect("no capture that could fail");
    let html = of_report(&report);
    assert!(html.contains(&format!("the first {CURVES_MAX} of {}", CURVES_MAX + 1)), "{html}");
    assert!(report.time_s / report.interval_s > 10.0 * CURVE_POINTS_MAX as f64);
    let points = html.matches("],[").count();
    assert!(points <= 3 * CURVES_MAX * CURVE_POINTS_MAX, "arrivals, round trips, queues: {points}");
}
