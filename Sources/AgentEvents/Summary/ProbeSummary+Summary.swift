extension ProbeSummary {
    /// `58 ok, 2 failed (timeout), 20.8 ms median, 41.2 ms p95`.
    public var summary: String {
        var parts = ["\(succeeded) ok"]
        if failed.total > 0 { parts.append("\(failed.total) failed (\(SummaryText.listed(failed.names)))") }
        if notChecked.total > 0 {
            parts.append("\(notChecked.total) not checked (\(SummaryText.listed(notChecked.names)))")
        }
        if let median = latency.quantile(0.5), let high = latency.quantile(0.95) {
            parts.append("\(SummaryText.latency(microseconds: median)) median")
            parts.append("\(SummaryText.latency(microseconds: high)) p95")
        }
        if let rates = transfer?.summary { parts.append(rates) }
        return point.place + parts.joined(separator: ", ")
    }
}

extension ProbeSummary.Counts {
    fileprivate var names: [String] { byCode.keys.sorted() }
}

extension SummaryText {
    /// `0.4 ms`, `20.8 ms`, `1.2 s`.
    package static func latency(microseconds: Int64) -> String {
        guard microseconds < 1_000_000 else { return lasting(milliseconds: microseconds / 1000) }
        let tenths = (max(0, microseconds) + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
    }
}
