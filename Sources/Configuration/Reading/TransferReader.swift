internal import Probes
internal import Reachability

/// Reads the transfer of a probe, and the thresholds of its measurements.
struct TransferReader {
    /// The daily volume over one uplink above which a warning is reported.
    private static let largeVolume = 10.0 * Double(1 << 30)

    /// Returns the plan; `nil` without a transfer, or after an error.
    ///
    /// - Parameter target: The target of the probe.
    static func plan(in table: inout TableReader, target: ProbeTarget?) -> TransferPlan? {
        let (key, keys) = (ProbeKeys.keys.transfer, TransferKeys.keys)
        guard var below = table.table(key) else { return nil }
        let errors = table.notes.errorCount
        let (download, upload) = (below.read(keys.download), below.read(keys.upload))
        let address = below.read(keys.uploadURL)
        let resumes = below.read(keys.resume)
        let metered = below.read(keys.metered)
        let priority = below.read(keys.priority)
        let stallTimeout = below.read(keys.stallTimeout)
        let yieldShare = below.read(keys.yieldShare)
        below.finish()
        if !below.has("download"), !below.has("upload") {
            table.report(key.facts.name, "needs 'download' or 'upload', such as { download = \"5M\" }")
        }
        if !below.has("upload") { below.refuse("upload_url", "needs 'upload', the number of bytes") }
        if resumes, !below.has("download") {
            below.report("resume", "only a download is resumed; 'download' is missing")
        }
        var plan = TransferPlan(
            downloadBytes: download ?? 0,
            uploadBytes: upload ?? 0,
            resumes: resumes,
            priority: priority,
            stallTimeout: stallTimeout,
            allowsMetered: metered,
            yieldShare: yieldShare
        )
        if case .http(let url) = address {
            plan.uploadURL = url
            if case .http(let main) = target, main.scheme == .https, url.scheme == .http {
                below.report("upload_url", "the target has TLS, and its upload would have none; expected https://")
            }
        }
        table.amend(key, with: below)
        return table.notes.errorCount == errors ? plan : nil
    }

    /// Returns the rule for the measurements.
    static func rule(in table: TableReader, plan: TransferPlan?, timeout: Duration) -> TransferRule {
        TransferRule(
            throughput: throughput(in: table, plan: plan, timeout: timeout),
            addedLatency: addedLatency(in: table)
        )
    }

    private static func throughput(in table: TableReader, plan: TransferPlan?, timeout: Duration) -> ThroughputBand? {
        guard var band = table.table(ProbeKeys.keys.throughput) else { return nil }
        let (good, bad) = (band.read(ThroughputKeys.keys.good), band.read(ThroughputKeys.keys.bad))
        band.finish()
        guard let good, let bad else { return nil }
        guard let result = ThroughputBand(good: good, bad: bad) else {
            let shown = [good, bad].map(Quantity.text(bitRate:))
            band.report("good", "\(shown[0]) is not more than 'bad', \(shown[1]); more throughput is better")
            return nil
        }
        if let plan { warn(of: result, in: table, plan: plan, timeout: timeout) }
        return result
    }

    /// Warns of a timeout that aborts transfers within the thresholds.
    private static func warn(of band: ThroughputBand, in table: TableReader, plan: TransferPlan, timeout: Duration) {
        let bytes = plan.downloadBytes > 0 ? plan.downloadBytes : plan.uploadBytes
        let needed = Duration.seconds((Double(bytes) * 8 / band.bad).rounded(.up))
        guard needed > timeout else { return }
        table.warn(
            table.has("timeout") ? "timeout" : "throughput",
            "\(TOMLText.unquotedSize(bytes)) take \(TOMLText.duration(needed)) at \(Quantity.text(bitRate: band.bad)), "
                + "longer than the timeout of \(TOMLText.duration(timeout)): slow transfers are cut short"
        )
    }

    private static func addedLatency(in table: TableReader) -> DeadBand? {
        guard var band = table.table(ProbeKeys.keys.addedLatency) else { return nil }
        let (good, bad) = (band.read(AddedLatencyKeys.keys.good), band.read(AddedLatencyKeys.keys.bad))
        band.finish()
        guard let good, let bad else { return nil }
        guard let result = DeadBand(good: good / .milliseconds(1), bad: bad / .milliseconds(1)) else {
            band.report("good", "\(TOMLText.duration(good)) is not shorter than 'bad', \(TOMLText.duration(bad))")
            return nil
        }
        return result
    }

    /// Warns of a transfer that is large or frequent enough to disturb other traffic, or whose stall timeout has no
    /// effect.
    static func warn(of plan: TransferPlan, in table: TableReader, interval: Duration, timeout: Duration) {
        let volume = Double(plan.bytesOnWire) * (.seconds(86_400) / interval)
        if volume > largeVolume {
            table.warn(
                table.has("interval") ? "interval" : "transfer",
                "up to \(Int((min(volume, 1e18) / 1e9).rounded())) GB a day go over each uplink, every "
                    + "\(TOMLText.duration(interval))"
            )
        }
        if plan.stallTimeout >= timeout, let below = table.table(ProbeKeys.keys.transfer), below.has("stall_timeout") {
            below.warn(
                "stall_timeout",
                "is not shorter than the timeout of \(TOMLText.duration(timeout)): it never expires"
            )
        }
    }
}
