internal import EventEnvelope
internal import FoundationEssentials
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// How probes fare, as a list that is never longer than its readers accept.
struct ProbeList {
    /// The most bytes that all entries together may have: half of the longest line that is accepted.
    static let mostBytes = ScannedLine.mostBytes / 2

    private let records: [ProbeRecord]
    /// From when ages are counted; `nil` for entries that tell the verdicts alone.
    private let now: ObservedTime?

    /// A list with everything that is known of each probe.
    init(_ records: [ProbeRecord], now: ObservedTime) {
        self.records = records
        self.now = now
    }

    /// A list of the verdicts alone: what every subscriber is sent has to stay small.
    init(verdictsOf records: [ProbeRecord]) {
        self.records = records
        now = nil
    }

    /// Writes the members `probes`, those that are not up first, and `probes_omitted` where there was no room for all.
    func writeMembers(to json: inout JSONWriter) {
        let start = json.bytes.count
        var omitted = 0
        json.name("probes")
        json.array(records.filter { $0.standing.verdict != .up } + records.filter { $0.standing.verdict == .up }) {
            json,
            record in
            guard omitted == 0, json.bytes.count - start < Self.mostBytes else { return omitted += 1 }
            record.write(now: now, to: &json)
        }
        if omitted > 0 { json.member("probes_omitted", omitted) }
    }
}

extension ProbeRecord {
    /// Writes how the probe fares.
    ///
    /// - Parameter now: From when ages are counted; `nil` for the verdict alone.
    fileprivate func write(now: ObservedTime?, to json: inout JSONWriter) {
        json.object { json in
            point.writeMembers(to: &json)
            standing.writeMembers(to: &json)
            if isStale { json.member("stale", true) }
            json.member("since", ifPresent: since) { $1.write(to: &$0) }
            guard let now else { return }
            json.member("for_ms", ifPresent: since) { $0.number($1.milliseconds(until: now)) }
            json.member("streak", streak)
            guard let last else { return }
            json.member("last", Timestamp(last.observed))
            json.member("last_outcome", last.outcome.rawValue)
            json.member("latency_ms", last.latency.milliseconds)
            if last.outcome != .ok {
                if last.code != standing.code { json.member("last_code", ifPresent: last.code?.rawValue) }
                json.member("detail", ifPresent: last.detail)
            }
            if let first = last.certificates.min(by: { $0.notAfter < $1.notAfter }) {
                json.name("certificate")
                json.object { json in
                    json.member("subject", first.subject)
                    json.member("not_after", Timestamp(first.notAfter))
                    json.member("days_left", first.daysLeft(at: Timestamp(now).date))
                }
            }
            json.member("pins", ifPresent: last.pins) { $1.write(to: &$0) }
        }
    }
}

extension CertificateFacts {
    /// The whole days from a moment to the end; negative once it is over.
    fileprivate func daysLeft(at moment: Date) -> Int {
        let days = (notAfter.timeIntervalSince(moment) / 86_400).rounded(.down)
        return Int(min(max(days, -3_660_000), 3_660_000))
    }
}

extension PinAudit {
    /// Writes `[{"pin":…,"matched":…,"backup":…}]`.
    fileprivate func write(to json: inout JSONWriter) {
        json.array(entries) { json, entry in
            json.object { json in
                json.member("pin", entry.pin)
                json.member("matched", entry.isMatched)
                if entry.isBackup { json.member("backup", true) }
            }
        }
    }
}
