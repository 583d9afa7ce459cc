//! One picture of all works beside all peers: a bar for each peer, a panel for each work, in SVG.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Failure;

/// In pixels: a column of panels, the peers' names, the longest bar, a bar's height, a panel's title.
const COLUMN: usize = 560;
const NAMES: usize = 130;
const BAR_MAX: f64 = 270.0;
const BAR: usize = 18;
const TITLE: usize = 40;
const COLUMNS: usize = 2;
/// What letters are drawn with.
const FONT: &str = r#"font-family="sans-serif" font-size="12""#;

/// Which figure of a work is drawn, and what it is.
fn drawn(work: &str) -> Option<(&'static str, &'static str)> {
    Some(match work {
        "bulk" => ("rate_gbit_per_s", "Gbit/s: more is better"),
        "guest" => ("cpu_s_per_gb", "both processors, s/GB: less is better"),
        "rr" | "handshakes" => ("rate_per_s", "a second: more is better"),
        "idle" => ("rss_per_connection_bytes", "bytes a connection: less is better"),
        "streams" => ("rss_per_stream_bytes", "bytes a stream: less is better"),
        "many" => ("cpu_us_per_datagram", "us of both processors a datagram: less is better"),
        "cores" => ("server_cpu_s_per_gb", "the server's processor, s/GB: less is better"),
        "relay" => ("bytes_per_cpu_s", "bytes for a second of the relay's processor: more is better"),
        "stateless" => ("server_bytes_per_cpu_s", "bytes for a second of the server's processor: more is better"),
        "downloads" => ("rss_at_all_bytes", "bytes of the server with all clients: less is better"),
        _ => return None,
    })
}

/// Draws what the files hold.
///
/// # Errors
/// If a file cannot be read, or is not what `--json` prints.
pub fn draw(files: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for file in files {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| told(&error))?;
        match serde_json::from_str(&text).map_err(|error| told(&error))? {
            Value::Array(many) => reports.extend(many),
            one => reports.push(one),
        }
    }
    Ok(std::fs::write(out, picture(&reports)?)?)
}

fn picture(reports: &[Value]) -> Result<String, Failure> {
    let mut panels = String::new();
    let mut heights = [10_usize; COLUMNS];
    for report in reports {
        let column = usize::from(heights[1] < heights[0]);
        let (panel, height) = panel(report)?;
        writeln!(panels, r#"<g transform="translate({},{})">"#, 10 + column * COLUMN, heights[column])?;
        panels.push_str(&panel);
        panels.push_str("</g>\n");
        heights[column] += height;
    }
    let (width, height) = (COLUMNS * COLUMN + 10, heights.into_iter().max().unwrap_or(0) + 10);
    Ok(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {FONT}>
<rect width="100%" height="100%" fill="#fff"/>
{panels}</svg>
"##
    ))
}

fn panel(report: &Value) -> Result<(String, usize), Failure> {
    let work = report["work"].as_str().ok_or("not what --json prints: there is no work in it")?;
    let (figure, unit) = drawn(work).ok_or_else(|| format!("a work that nobody knows: {work}"))?;
    let params = report["params"].as_object().ok_or("a work without parameters")?;
    let said = |(name, value): (&String, &Value)| format!("{name} {}", value.to_string().replace('"', ""));
    let params: Vec<String> = params.iter().map(said).collect();
    let peers = report["peers"].as_object().ok_or("a work without peers")?;
    let of = |peer: &Value| peer[figure].as_f64().filter(|value| value.is_finite());
    let most = peers.values().filter_map(of).fold(0.0, f64::max);
    if most == 0.0 {
        return Err(format!("{work}: no peer has a figure {figure}").into());
    }
    let mut lines = String::new();
    writeln!(lines, r#"<text y="12" font-weight="bold">{}</text>"#, plain(&format!("{work}: {}", params.join(", "))))?;
    writeln!(lines, r##"<text y="28" fill="#666">{}</text>"##, plain(unit))?;
    let mut y = TITLE;
    for (name, peer) in peers {
        // Some peers do not count what this is about.
        let Some(value) = of(peer) else { continue };
        let rounds = peer["rounds"].as_array().map(Vec::as_slice).unwrap_or_default();
        let all = || rounds.iter().filter_map(of);
        let scale = |value: f64| NAMES as f64 + BAR_MAX * value / most;
        let middle = y + BAR / 2;
        let color = match name.split('-').next() {
            Some("tng") => "#2266aa",
            Some("floor") => "#999999",
            _ => "#cc8844",
        };
        writeln!(lines, r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#, NAMES - 6, middle + 4, plain(name))?;
        writeln!(
            lines,
            r#"<rect x="{NAMES}" y="{}" width="{:.1}" height="{}" fill="{color}"/>"#,
            y + 2,
            scale(value) - NAMES as f64,
            BAR - 4
        )?;
        // From the least round to the greatest.
        let (least, greatest) = (all().fold(value, f64::min), all().fold(value, f64::max));
        writeln!(
            lines,
            r##"<line x1="{:.1}" x2="{:.1}" y1="{middle}" y2="{middle}" stroke="#000"/>"##,
            scale(least),
            scale(greatest)
        )?;
        let at = scale(greatest) + 6.0;
        writeln!(lines, r#"<text x="{at:.1}" y="{}">{}</text>"#, middle + 4, crate::report::short(value))?;
        y += BAR;
    }
    Ok((lines, y + 20))
}

/// Text that holds no markup.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_figure_and_a_peer_without_one_has_none() {
        let peers = json!({
            "quinn": { "rate_gbit_per_s": 4.0, "rounds": [] }, "tng": { "rate_gbit_per_s": 8.0, "rounds": [] },
            "s2n": { "rate_gbit_per_s": null, "rounds": [] },
        });
        let report = json!({ "work": "bulk", "params": { "bytes": 5 }, "peers": peers });
        let picture = picture(&[report]).expect("a picture");
        assert!(picture.contains(r#"width="135.0""#) && picture.contains(r#"width="270.0""#), "{picture}");
        assert!(!picture.contains("s2n"));
        let nobody = json!({ "work": "cores", "params": {}, "peers": { "tng": { "rounds": [] } } });
        assert!(super::picture(&[nobody]).is_err(), "a panel without a bar is of another figure");
        assert!(super::picture(&[json!({ "work": "nothing" })]).is_err());
    }
}
