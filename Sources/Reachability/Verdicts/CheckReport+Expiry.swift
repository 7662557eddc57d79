public import CheckResults
internal import NetlinkMonitor

internal import struct FoundationEssentials.Date

extension CheckReport {
    /// Returns the certificates that the server sent and that have passed a threshold, as a probe would report them.
    ///
    /// - Parameter policy: The thresholds.
    public func expiringCertificates(_ policy: ExpiryPolicy = ExpiryPolicy()) -> [CertificateExpiry] {
        let date = hops.last { $0.tls?.trust != nil }?.tls?.trust?.date ?? started
        let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded())
        let sample = ProbeSample(
            point: ProbePoint(probe: target, vantage: .default),
            report: self,
            observed: Observed(instant: .now, microsecondsSince1970: microseconds ?? 0)
        )
        var watch = ExpiryWatch()
        return watch.take(sample, policy)
    }
}
