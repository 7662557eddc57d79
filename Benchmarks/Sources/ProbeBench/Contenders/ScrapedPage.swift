internal import WebTestbed

/// A complete response of an exporter's.
struct ScrapedPage {
    /// Whether the status is 200 and the metrics say that the probe succeeded.
    let showsSuccess: Bool

    /// Reads a response of HTTP/1.1; nil while it is incomplete.
    init?(_ bytes: [UInt8]) {
        guard let page = HTTPPage(bytes) else { return nil }
        showsSuccess = page.status == 200 && page.lines.contains("probe_success 1")
    }
}
