//! How time and memory grow with size, as a curve and as the rows that say whether they grow as they should.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::measurement::{Usage, milliseconds};
use crate::table::{Aim, Row, Unit};

/// Time may grow a little faster than size: caches are left behind.
const POWER_MAX: f64 = 1.15;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 70.0;

#[derive(Debug, Clone, Copy)]
struct Point {
    size: f64,
    elapsed: Duration,
    peak_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Curve {
    /// The name of its file.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    axis: &'static str,
    points: Vec<Point>,
}

impl Curve {
    pub(crate) fn new(name: &'static str, title: &'static str, axis: &'static str) -> Self {
        Self { name, title, axis, points: Vec::new() }
    }

    pub(crate) fn add(&mut self, size: f64, elapsed: Duration, usage: &Usage) {
        self.points.push(Point { size, elapsed, peak_bytes: usage.peak_bytes });
    }

    /// Says the power of the size with which time grows from the point before the last to the last.
    pub(crate) fn power(&self, line: &'static str) -> Option<Row> {
        let [.., before, last] = &self.points[..] else { return None };
        let power = (last.elapsed.as_secs_f64() / before.elapsed.as_secs_f64()).ln() / (last.size / before.size).ln();
        let what = format!("{}: growth of time from {} to {} {}", self.title, before.size, last.size, self.axis);
        Some(Row::value(line, what, power, Unit::Power, Aim::AtMost(POWER_MAX)))
    }

    /// Says the most memory that any point took.
    pub(crate) fn peak(&self, line: &'static str, aim: Aim) -> Option<Row> {
        let most = self.points.iter().max_by_key(|point| point.peak_bytes)?;
        let what = format!("{}: peak memory, at {} {}", self.title, most.size, self.axis);
        Some(Row::value(line, what, mebibytes(most.peak_bytes), Unit::Mebibytes, aim))
    }

    pub(crate) fn document(&self) -> Value {
        let points = self.points.iter().map(|point| {
            json!({ "size": point.size, "milliseconds": milliseconds(point.elapsed), "peakMebibytes": mebibytes(point.peak_bytes) })
        });
        json!({ "name": self.name, "title": self.title, "axis": self.axis, "points": points.collect::<Vec<_>>() })
    }

    /// Draws time and memory over size, all three by powers of ten.
    pub(crate) fn svg(&self) -> String {
        let sizes = Scale::over(self.points.iter().map(|point| point.size), MARGIN, WIDTH - MARGIN);
        let times = self.points.iter().map(|point| milliseconds(point.elapsed));
        let memory = self.points.iter().map(|point| mebibytes(point.peak_bytes));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"30\" font-size=\"15\">{}</text>\n",
            self.title
        );
        let base = HEIGHT - MARGIN;
        for (place, text) in sizes.marks() {
            let _ = writeln!(svg, "<text x=\"{place:.1}\" y=\"{}\" text-anchor=\"middle\">{text}</text>", base + 20.0);
            let _ = writeln!(svg, "<path d=\"M{place:.1} {base}V{MARGIN}\" stroke=\"#ddd\"/>");
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            WIDTH / 2.0,
            HEIGHT - 25.0,
            self.axis
        );
        self.series(&mut svg, &sizes, times, ("#1668b8", "", "milliseconds", MARGIN - 8.0, "end"));
        let right = WIDTH - MARGIN + 8.0;
        self.series(&mut svg, &sizes, memory, ("#b85a16", "6 4", "peak memory, MiB", right, "start"));
        svg.push_str("</svg>\n");
        svg
    }

    fn series(
        &self,
        svg: &mut String,
        sizes: &Scale,
        values: impl Iterator<Item = f64> + Clone,
        (color, dashes, name, at, anchor): (&str, &str, &str, f64, &str),
    ) {
        let scale = Scale::over(values.clone(), HEIGHT - MARGIN, MARGIN);
        let line: Vec<String> = self
            .points
            .iter()
            .zip(values)
            .map(|(point, value)| format!("{:.1},{:.1}", sizes.place(point.size), scale.place(value)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
            line.join(" ")
        );
        for (place, text) in scale.marks() {
            let place = place + 4.0;
            let _ = writeln!(
                svg,
                "<text x=\"{at}\" y=\"{place:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>"
            );
        }
        let above = MARGIN - 15.0;
        let _ = writeln!(svg, "<text x=\"{at}\" y=\"{above}\" text-anchor=\"middle\" fill=\"{color}\">{name}</text>");
    }
}

fn mebibytes(bytes: u64) -> f64 {
    Duration::from_micros(bytes).as_secs_f64() * 1e6 / f64::from(1 << 20)
}

/// Whole powers of ten that all values lie between, and where they are drawn.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let powers = values.map(|value| value.max(1e-3).log10());
        let low = powers.clone().fold(f64::INFINITY, f64::min).floor();
        let high = powers.fold(low + 1.0, f64::max).ceil();
        Self { low, high, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value.max(1e-3).log10() - self.low) / (self.high - self.low)
    }

    /// Where each power of ten is, and how it is written.
    fn marks(&self) -> Vec<(f64, String)> {
        let powers = std::iter::successors(Some(self.low), |power| Some(power + 1.0));
        powers
            .take_while(|power| *power <= self.high)
            .map(|power| 10_f64.powf(power))
            .map(|value| (self.place(value), format!("{value}")))
            .collect()
    }
}
