internal import NetlinkMonitor
internal import Probes

internal import struct FoundationEssentials.Date

/// Which certificates were announced to expire, and how urgently.
///
/// A certificate is known by its hash, whichever probe sees it. What is kept is the moment at which the threshold that
/// was announced last was passed; a threshold is announced when its moment is later than that one, so each at most once,
/// and of several at once only the most urgent.
struct ExpiryWatch: Sendable {
    /// The most certificates that are remembered; the one seen longest ago is forgotten first.
    static let capacity = 4096

    /// The most announcements that one probe makes in an hour; what is left is announced when there is room again.
    ///
    /// A server that shows another dying certificate at every check would fill the journal.
    static let mostInAnHour = 8

    private struct Entry: Sendable {
        var moment: Date
        var seen: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var samples: UInt64 = 0
    /// When each probe announced something in the last hour.
    private var announced: [String: [Date]] = [:]

    /// How many certificates are remembered.
    var count: Int { entries.count }

    /// Takes the certificates of a check.
    ///
    /// - Returns: What is to be announced, the server's own certificate first.
    mutating func take(_ sample: ProbeSample, _ policy: ExpiryPolicy) -> [CertificateExpiry] {
        guard !sample.certificates.isEmpty else { return [] }
        samples &+= 1
        let now = Date(timeIntervalSince1970: Double(sample.observed.microsecondsSince1970) / 1_000_000)
        return sample.certificates.prefix(ProbeSample.longestChain).enumerated().compactMap { position, certificate in
            // A root that the server sends along is not what clients trust; they have their own copy of it.
            guard position == 0 || certificate.subject != certificate.issuer else { return nil }
            guard let passed = certificate.passed(at: now, policy) else { return nil }
            let old = entries[certificate.sha256]?.moment
            let isNew = old.map { passed.moment > $0 } ?? true
            if isNew, !announce(sample.point.probe, at: now) { return nil }
            entries[certificate.sha256] = Entry(moment: max(old ?? passed.moment, passed.moment), seen: samples)
            guard isNew else { return nil }
            forget()
            return CertificateExpiry(
                probe: sample.point.probe,
                certificate: certificate,
                position: position,
                threshold: passed.threshold,
                percentLeft: certificate.percentLeft(at: now),
                daysLeft: certificate.daysLeft(at: now),
                observed: sample.observed
            )
        }
    }

    /// Whether a probe may announce something now; then it counts.
    private mutating func announce(_ probe: String, at now: Date) -> Bool {
        // Of a clock that was set, either way, only the last hour counts.
        var times = (announced[probe] ?? []).filter { abs(now.timeIntervalSince($0)) < 3600 }
        guard times.count < Self.mostInAnHour else { return false }
        times.append(now)
        announced[probe] = times
        return true
    }

    /// Forgets a quarter of what is remembered when there is too much of it.
    private mutating func forget() {
        guard entries.count > Self.capacity else { return }
        let oldest = entries.sorted { ($0.value.seen, $0.key) < ($1.value.seen, $1.key) }
        for (key, _) in oldest.prefix(Self.capacity / 4) { entries[key] = nil }
        if announced.count > Self.capacity { announced = [:] }
    }
}

extension CertificateFacts {
    /// The most urgent threshold that has been passed.
    ///
    /// A threshold that the certificate would have passed before its validity began says nothing, such as seven days for
    /// one that is issued for six.
    fileprivate func passed(at now: Date, _ policy: ExpiryPolicy) -> (threshold: String, moment: Date)? {
        if notAfter <= now { return ("expired", notAfter) }
        let lifetime = notAfter.timeIntervalSince(notBefore)
        let percents = policy.lifetimePercents.map { ("\($0)%", -lifetime * Double($0) / 100) }
        let days = policy.days.map { ("\($0)d", -86_400 * Double($0)) }
        let passed = (percents + days).map { ($0.0, notAfter.addingTimeInterval($0.1)) }
            .filter { $0.1 > notBefore && $0.1 <= now }
        return passed.max { $0.1 < $1.1 }.map { (threshold: $0.0, moment: $0.1) }
    }

    fileprivate func percentLeft(at now: Date) -> Int {
        let lifetime = notAfter.timeIntervalSince(notBefore)
        guard lifetime > 0 else { return 0 }
        let percent = (notAfter.timeIntervalSince(now) * 100 / lifetime).rounded(.down)
        return Int(exactly: min(100, max(0, percent))) ?? 0
    }

    fileprivate func daysLeft(at now: Date) -> Int {
        let days = (notAfter.timeIntervalSince(now) / 86_400).rounded(.down)
        return Int(exactly: min(1e9, max(-1e9, days))) ?? 0
    }
}
