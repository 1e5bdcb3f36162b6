//! The server's numbers in Prometheus' text format: requests as they are counted here, statements
//! as their service counts them.

use std::fmt::Write;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use firn_statements::Counters;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder};

/// Seconds; a small statement takes well under a millisecond, the longest wait is 45 seconds.
const DURATION_BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 45.0];

pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
}

impl Metrics {
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("firn_requests_total", "Requests answered, by route, method and status."),
            &["route", "method", "status"],
        )?;
        let durations = HistogramVec::new(
            HistogramOpts::new("firn_request_duration_seconds", "Time to answer a request, by route and method.")
                .buckets(DURATION_BUCKETS.to_vec()),
            &["route", "method"],
        )?;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(durations.clone()))?;
        Ok(Self { registry, requests, durations })
    }

    pub fn count_request(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let method = known_method(method);
        self.requests.with_label_values(&[route, method, status.as_str()]).inc();
        self.durations.with_label_values(&[route, method]).observe(took.as_secs_f64());
    }

    pub fn render(&self, counters: &Counters) -> String {
        let mut out = TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write_statement_metrics(&mut out, counters);
        if let Some(bytes) = resident_memory_bytes() {
            let _ = write_metric(&mut out, "process_resident_memory_bytes", "gauge", "Resident memory size.", bytes);
        }
        out
    }
}

/// A client may invent methods; they must not become labels.
fn known_method(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "HEAD" => "HEAD",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "PATCH" => "PATCH",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

fn write_statement_metrics(out: &mut String, counters: &Counters) -> std::fmt::Result {
    let outcomes = [
        ("succeeded", counters.succeeded),
        ("failed", counters.failed),
        ("cancelled", counters.cancelled),
        ("timed_out", counters.timed_out),
    ];
    writeln!(out, "# HELP firn_statements_total Statements ended, by outcome.")?;
    writeln!(out, "# TYPE firn_statements_total counter")?;
    for (outcome, count) in outcomes {
        writeln!(out, "firn_statements_total{{outcome=\"{outcome}\"}} {count}")?;
    }
    let submitted = "Statements taken.";
    write_metric(out, "firn_statements_submitted_total", "counter", submitted, counters.submitted)?;
    let rejected = "Requests turned away with 429.";
    write_metric(out, "firn_requests_rejected_total", "counter", rejected, counters.rejected)?;
    let planned = "Statements that differ from earlier ones in values only and were not planned anew.";
    write_metric(out, "firn_statements_by_cached_plan_total", "counter", planned, counters.by_cached_plan)?;
    write_metric(out, "firn_statements_running", "gauge", "Statements that run.", counters.running)?;
    write_metric(out, "firn_statements_queued", "gauge", "Statements that wait for a warehouse.", counters.queued)?;
    let disk = "Results stored on disk.";
    write_metric(out, "firn_results_disk_bytes", "gauge", disk, counters.result_disk_bytes)
}

fn write_metric(out: &mut String, name: &str, kind: &str, help: &str, value: u64) -> std::fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}")
}

/// Known where the system has a `/proc`.
fn resident_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn renders_requests_and_statements() {
        let metrics = Metrics::new().unwrap();
        metrics.count_request("/healthz", &Method::GET, StatusCode::OK, Duration::from_millis(2));
        metrics.count_request("/healthz", &Method::from_bytes(b"BREW").unwrap(), StatusCode::OK, Duration::ZERO);
        let text = metrics.render(&Counters { running: 3, failed: 2, ..Counters::default() });
        for line in [
            r#"firn_requests_total{method="GET",route="/healthz",status="200"} 1"#,
            r#"firn_requests_total{method="other",route="/healthz",status="200"} 1"#,
            r#"firn_request_duration_seconds_bucket{method="GET",route="/healthz",le="0.0025"} 1"#,
            r#"firn_statements_total{outcome="failed"} 2"#,
            "firn_statements_running 3",
        ] {
            assert!(text.lines().any(|each| each == line), "{line} is missing in\n{text}");
        }
    }
}
