internal import WebTestbed

/// A complete response of an exporter.
struct ScrapedPage {
    /// A Boolean value that indicates whether the status is 200 and the metrics report that the probe succeeded.
    let showsSuccess: Bool

    /// Parses an HTTP/1.1 response; `nil` while it is incomplete.
    init?(_ bytes: [UInt8]) {
        guard let page = HTTPPage(bytes) else { return nil }
        showsSuccess = page.status == 200 && page.lines.contains("probe_success 1")
    }
}
