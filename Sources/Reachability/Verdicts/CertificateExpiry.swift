public import CheckResults
public import NetlinkMonitor

package import struct FoundationEssentials.Date

/// A certificate that is about to expire, at one of the thresholds.
public struct CertificateExpiry: Sendable, Hashable {
    /// The probe that saw the certificate; the first one of several.
    public var probe: String
    /// The certificate.
    public var certificate: CertificateFacts
    /// The certificate's position in the server's chain; 0 is the server's own.
    public var position: Int
    /// The passed threshold: `30%`, `7d`, or `expired`.
    public var threshold: String
    /// The rest of the lifetime, in percent; 0 after it.
    public var percentLeft: Int
    /// The whole days left; negative after the expiry.
    public var daysLeft: Int
    /// The time of the check.
    public var observed: Observed

    /// Creates an expiry.
    public init(
        probe: String,
        certificate: CertificateFacts,
        position: Int,
        threshold: String,
        percentLeft: Int,
        daysLeft: Int,
        observed: Observed
    ) {
        self.probe = probe
        self.certificate = certificate
        self.position = position
        self.threshold = threshold
        self.percentLeft = percentLeft
        self.daysLeft = daysLeft
        self.observed = observed
    }
}

extension CertificateExpiry {
    fileprivate init(
        _ sample: ProbeSample,
        _ certificate: CertificateFacts,
        at position: Int,
        passed threshold: String,
        _ now: Date
    ) {
        self.init(
            probe: sample.point.probe,
            certificate: certificate,
            position: position,
            threshold: threshold,
            percentLeft: certificate.percentLeft(at: now),
            daysLeft: certificate.daysLeft(at: now),
            observed: sample.observed
        )
    }
}

extension CheckReport {
    /// Returns the certificates that expire soon: the server's own if it has passed a threshold, and those of authorities
    /// whose expiry is a problem.
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
        return sample.expiringCertificates.compactMap { position, certificate in
            certificate.passed(at: date, position == 0 ? policy : policy.urgent(at: position)).map {
                CertificateExpiry(sample, certificate, at: position, passed: $0.threshold, date)
            }
        }
    }
}

extension ProbeRecord {
    /// Returns the certificate of the last check that expires first, with the threshold that makes it a problem, if any.
    ///
    /// Those that are a problem come first: a certificate for six days is renewed in time, and may still expire before one
    /// that is not.
    public func expiringCertificate(at now: Observed) -> (certificate: CertificateFacts, threshold: String?)? {
        let now = Date(timeIntervalSince1970: Double(now.microsecondsSince1970) / 1_000_000)
        let chain = (last?.expiringCertificates ?? []).map { position, certificate in
            (certificate: certificate, threshold: certificate.passed(at: now, expiry.urgent(at: position))?.threshold)
        }
        return chain.min { first, second in
            guard (first.threshold == nil) == (second.threshold == nil) else { return first.threshold != nil }
            return first.certificate.notAfter < second.certificate.notAfter
        }
    }
}

extension ProbeSample {
    /// The certificates whose expiry matters, with their positions.
    fileprivate var expiringCertificates: [(position: Int, certificate: CertificateFacts)] {
        certificates.prefix(Self.maximumCertificates).enumerated().compactMap { index, certificate in
            let position = certificate.position ?? index
            // Clients do not trust a root certificate sent by the server; they have their own copy.
            return position == 0 || certificate.subject != certificate.issuer ? (position, certificate) : nil
        }
    }
}

/// The certificates announced as expiring, and the urgency of each announcement.
///
/// A certificate is identified by its hash, whichever probe sees it. The watch keeps the time of the last announced
/// threshold; a threshold is announced if its time is later, so each at most once, and of several only the most urgent.
struct ExpiryWatch: Sendable {
    /// The maximum number of certificates; the least recently seen one is dropped first.
    static let capacity = 4096

    /// The maximum number of announcements per probe and hour; the others are announced later.
    ///
    /// A server that presents another expiring certificate at every check would fill the journal.
    static let maximumInAnHour = 8

    private struct Entry: Sendable {
        var moment: Date
        var seen: UInt64
        /// The time since which the clock has been before the moment: it was ahead then, or is behind now.
        var earlierSince: ContinuousClock.Instant?
    }

    /// The time after which a clock that was set back counts as right: what it announced before is announced again.
    private static let trustInEarlierClock: Duration = .seconds(3600)

    private var entries: [String: Entry] = [:]
    private var samples: UInt64 = 0
    /// The times of each probe's announcements in the last hour.
    private var announced: [String: [Date]] = [:]

    /// The number of certificates.
    var count: Int { entries.count }

    /// Handles the certificates of a check.
    ///
    /// - Returns: The certificates to announce, each server's own first.
    mutating func take(_ sample: ProbeSample, _ policy: ExpiryPolicy) -> [CertificateExpiry] {
        guard !sample.certificates.isEmpty else { return [] }
        samples &+= 1
        let now = Date(timeIntervalSince1970: Double(sample.observed.microsecondsSince1970) / 1_000_000)
        return sample.expiringCertificates.compactMap { position, certificate in
            let old = announced(certificate, at: now, sample.observed.instant)
            guard let passed = certificate.passed(at: now, policy) else { return nil }
            guard old.map({ passed.moment > $0 }) ?? true else {
                entries[certificate.sha256]?.seen = samples
                return nil
            }
            guard announce(sample.point.probe, at: now) else { return nil }
            entries[certificate.sha256] = Entry(moment: passed.moment, seen: samples)
            forget()
            return CertificateExpiry(sample, certificate, at: position, passed: passed.threshold, now)
        }
    }

    /// Returns the last threshold that was announced for a certificate.
    private mutating func announced(
        _ certificate: CertificateFacts,
        at now: Date,
        _ instant: ContinuousClock.Instant
    ) -> Date? {
        guard let entry = entries[certificate.sha256] else { return nil }
        let since = entry.moment > now ? entry.earlierSince ?? instant : nil
        entries[certificate.sha256]?.earlierSince = since
        guard let since, since.duration(to: instant) > Self.trustInEarlierClock else { return entry.moment }
        return nil
    }

    /// Returns whether a probe may make an announcement now, and counts it.
    private mutating func announce(_ probe: String, at now: Date) -> Bool {
        // If the clock was set in either direction, only the last hour counts.
        var times = (announced[probe] ?? []).filter { abs(now.timeIntervalSince($0)) < 3600 }
        guard times.count < Self.maximumInAnHour else { return false }
        times.append(now)
        announced[probe] = times
        return true
    }

    /// Drops a quarter of the certificates when there are too many.
    private mutating func forget() {
        guard entries.count > Self.capacity else { return }
        let oldest = entries.sorted { ($0.value.seen, $0.key) < ($1.value.seen, $1.key) }
        for (key, _) in oldest.prefix(Self.capacity / 4) { entries[key] = nil }
        if announced.count > Self.capacity { announced = [:] }
    }
}

extension CertificateFacts {
    /// Returns the most urgent threshold that was passed.
    ///
    /// A threshold before the start of the validity is ignored, such as seven days for a certificate issued for six.
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

    /// Returns the whole days from a time to the end; negative after it.
    package func daysLeft(at now: Date) -> Int {
        let days = (notAfter.timeIntervalSince(now) / 86_400).rounded(.down)
        return Int(exactly: min(1e9, max(-1e9, days))) ?? 0
    }
}
