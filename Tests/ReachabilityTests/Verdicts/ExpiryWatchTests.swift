import CheckResults
import NetlinkMonitor
import Testing

import struct FoundationEssentials.Date

@testable import Reachability

/// The announcement of certificates that are about to expire.
struct ExpiryWatchTests {
    static let day = 86_400.0
    static let birth = 1_800_000_000.0

    static func certificate(
        _ hash: String = "aa",
        lifetime days: Double = 100,
        issuer: String = "CN=Authority",
        isVerified: Bool = true
    ) -> CertificateFacts {
        CertificateFacts(
            sha256: hash,
            subject: "CN=Server",
            issuer: issuer,
            notBefore: Date(timeIntervalSince1970: birth),
            notAfter: Date(timeIntervalSince1970: birth + days * day),
            isVerified: isVerified
        )
    }

    static func sample(
        _ certificates: [CertificateFacts],
        after days: Double,
        probe: String = "web",
        instant: ContinuousClock.Instant = .now
    ) -> ProbeSample {
        let time = Observed(
            instant: instant,
            microsecondsSince1970: Int64((birth + days * day) * 1_000_000)
        )
        let point = ProbePoint(probe: probe, vantage: .default)
        return ProbeSample(point: point, outcome: .ok, certificates: certificates, observed: time)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var lifetime = 100.0
        /// The days after the beginning of the validity at which the certificate is seen.
        let seen: [Double]
        let thresholds: [String]
        var policy = ExpiryPolicy()
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a young certificate", seen: [0, 10, 69.9], thresholds: []),
        Case(
            name: "each threshold once",
            seen: [69, 70, 71, 89, 90, 92, 93, 94, 98.9, 99, 99.5, 100, 101, 130],
            thresholds: ["30%", "10%", "7d", "1d", "expired"]
        ),
        Case(name: "of several at once the most urgent", seen: [95, 96], thresholds: ["7d"]),
        Case(name: "expired when first seen", seen: [200, 201], thresholds: ["expired"]),
        Case(name: "a clock that is set back announces nothing again", seen: [99.5, 71, 99.6], thresholds: ["1d"]),
        Case(name: "not valid yet", seen: [-5], thresholds: []),
        Case(
            name: "seven days say nothing of a certificate for six",
            lifetime: 6,
            seen: [0.1, 1, 4.3, 5.1, 5.5],
            thresholds: ["30%", "1d", "10%"]
        ),
        Case(name: "no validity at all", lifetime: 0, seen: [-1, 1], thresholds: ["expired"]),
        Case(
            name: "thresholds can be set",
            seen: [49, 51, 80, 96, 101],
            thresholds: ["50%", "20d", "expired"],
            policy: ExpiryPolicy(lifetimePercents: [50], days: [20])
        ),
    ]

    @Test("announcements follow the table", arguments: cases)
    func announces(_ expiryCase: Case) {
        var watch = ExpiryWatch()
        let thresholds = expiryCase.seen.flatMap { days in
            watch.take(Self.sample([Self.certificate(lifetime: expiryCase.lifetime)], after: days), expiryCase.policy)
                .map(\.threshold)
        }
        #expect(thresholds == expiryCase.thresholds)
    }

    @Test("a clock that was ahead announces once more what it announced too early, an hour after it was set right")
    func clockAhead() {
        var watch = ExpiryWatch()
        let start = ContinuousClock.now
        let seen: [(days: Double, hours: Int)] = [(200, 0), (75, 1), (75.1, 3), (75.2, 4), (93, 430), (100.5, 600)]
        let thresholds = seen.flatMap { days, hours in
            let instant = start + .seconds(3600 * hours)
            return watch.take(Self.sample([Self.certificate()], after: days, instant: instant), ExpiryPolicy())
                .map(\.threshold)
        }
        #expect(thresholds == ["expired", "30%", "7d", "expired"])
    }

    @Test(
        "the remaining lifetime is reported in whole percent and days",
        arguments: [(71.5, 28, 28), (99.5, 0, 0), (101.5, 0, -2)]
    )
    func left(_ days: Double, _ percent: Int, _ daysLeft: Int) throws {
        var watch = ExpiryWatch()
        let expiry = try #require(watch.take(Self.sample([Self.certificate()], after: days), ExpiryPolicy()).first)
        #expect(expiry.percentLeft == percent)
        #expect(expiry.daysLeft == daysLeft)
        #expect(expiry.probe == "web")
    }

    @Test("a certificate seen by several probes is announced once, by the first")
    func shared() {
        var watch = ExpiryWatch()
        #expect(watch.take(Self.sample([Self.certificate()], after: 75), ExpiryPolicy()).count == 1)
        #expect(watch.take(Self.sample([Self.certificate()], after: 75, probe: "mail"), ExpiryPolicy()).isEmpty)
    }

    @Test("a rejected certificate counts, as does an intermediate one; a root sent along with them does not")
    func chain() {
        var watch = ExpiryWatch()
        let chain = [
            Self.certificate("aa", isVerified: false), Self.certificate("bb", isVerified: false),
            Self.certificate("cc", issuer: "CN=Server", isVerified: false),
        ]
        let announced = watch.take(Self.sample(chain, after: 75), ExpiryPolicy())
        #expect(announced.map(\.certificate.sha256) == ["aa", "bb"])
        #expect(announced.map(\.position) == [0, 1])
        let own = [Self.certificate("dd", issuer: "CN=Server")]
        #expect(watch.take(Self.sample(own, after: 75), ExpiryPolicy()).count == 1)
    }

    @Test("the own certificate of each server is announced, and of a chain the position in it")
    func redirected() throws {
        // Those of the target, and of the server to which it redirects: a leaf that issued itself, and an authority.
        let positions = [("aa", 0), ("bb", 1), ("cc", 0), ("dd", 1)]
        let chain = positions.map { hash, position in
            var certificate = Self.certificate(hash, issuer: hash == "cc" ? "CN=Server" : "CN=Authority")
            certificate.position = position
            return certificate
        }
        var watch = ExpiryWatch()
        let announced = watch.take(Self.sample(chain, after: 75), ExpiryPolicy())
        #expect(announced.map(\.certificate.sha256) == ["aa", "bb", "cc", "dd"])
        #expect(announced.map(\.position) == [0, 1, 0, 1])
        // An authority counts in the days before its end, a server's own certificate in the last tenth of its life.
        let sample = Self.sample(Array(chain.dropFirst()), after: 92)
        let record = ProbeRecord(point: sample.point, state: ProbeState(.up), last: sample)
        let found = try #require(record.expiringCertificate(at: sample.observed))
        #expect(found.certificate.sha256 == "cc")
        #expect(found.threshold == "10%")
    }

    @Test(
        "the status has the first certificate to expire, and those whose expiry is a problem before the others",
        arguments: [
            ([6], 1, "c6", nil), ([6], 4.5, "c6", nil), ([6], 5.5, "c6", "10%"), ([6], 7, "c6", "expired"),
            ([90, 100], 50, "c90", nil), ([6, 90], 1, "c6", nil), ([90, 100], 70, "c90", nil),
            ([90], 82, "c90", "10%"), ([400, 100], 92, "c100", nil),
            ([100, 90], 85, "c90", "7d"), ([90, 86], 85, "c86", "1d"),
        ] as [([Double], Double, String, String?)]
    )
    func status(_ lifetimes: [Double], _ days: Double, _ hash: String, _ threshold: String?) throws {
        let chain = lifetimes.map { Self.certificate("c\(Int($0))", lifetime: $0) }
        let sample = Self.sample(chain, after: days)
        let record = ProbeRecord(point: sample.point, state: ProbeState(.up), last: sample)
        let found = try #require(record.expiringCertificate(at: sample.observed))
        #expect(found.certificate.sha256 == hash)
        #expect(found.threshold == threshold)
    }

    @Test(
        "a short life that is renewed in time does not hide an expiring authority, and a root that was sent counts for nothing"
    )
    func statusOfChain() throws {
        // The server's own certificate was issued a day ago for six days, and the authority's ends in five and a half.
        var own = Self.certificate("own", lifetime: 100)
        own.notBefore = Date(timeIntervalSince1970: Self.birth + 93 * Self.day)
        own.notAfter = Date(timeIntervalSince1970: Self.birth + 99 * Self.day)
        let authority = Self.certificate("authority", lifetime: 99.5)
        let root = Self.certificate("root", lifetime: 50, issuer: "CN=Server")
        let sample = Self.sample([own, authority, root], after: 94)
        let record = ProbeRecord(point: sample.point, state: ProbeState(.up), last: sample)
        let found = try #require(record.expiringCertificate(at: sample.observed))
        #expect(found.certificate.sha256 == "authority")
        #expect(found.threshold == "7d")
        let lax = ExpiryPolicy(lifetimePercents: [], days: [1])
        let calm = ProbeRecord(point: sample.point, state: ProbeState(.up), last: sample, expiry: lax)
        #expect(calm.expiringCertificate(at: sample.observed)?.certificate.sha256 == "own")
        #expect(calm.expiringCertificate(at: sample.observed)?.threshold == nil)
    }

    @Test("a server with a new certificate each time does not fill the memory")
    func bounded() {
        var watch = ExpiryWatch()
        for number in 0..<(3 * ExpiryWatch.capacity) {
            let certificate = Self.certificate("\(number)")
            _ = watch.take(Self.sample([certificate], after: 75, probe: "\(number / 4)"), ExpiryPolicy())
            #expect(watch.count <= ExpiryWatch.capacity)
        }
        // The newest are remembered.
        let newest = Self.certificate("\(3 * ExpiryWatch.capacity - 1)")
        #expect(watch.take(Self.sample([newest], after: 75), ExpiryPolicy()).isEmpty)
    }

    @Test("a server with a new certificate each time is announced a few times an hour, and the rest later")
    func flood() {
        var watch = ExpiryWatch()
        func announced(_ numbers: Range<Int>, after days: Double) -> Int {
            numbers.map { watch.take(Self.sample([Self.certificate("\($0)")], after: days), ExpiryPolicy()).count }
                .reduce(0, +)
        }
        #expect(announced(0..<100, after: 75) == ExpiryWatch.maximumInAnHour)
        #expect(announced(0..<100, after: 75.01) == 0)
        #expect(announced(0..<12, after: 75.1) == 4)
        // Another probe has an hour of its own.
        let other = Self.sample([Self.certificate("other")], after: 75.1, probe: "other")
        #expect(watch.take(other, ExpiryPolicy()).count == 1)
    }

    @Test("absurd dates do not trap", arguments: [-1e300, -1e18, 1e18, 1e300])
    func hostile(_ seconds: Double) {
        var watch = ExpiryWatch()
        var certificate = Self.certificate()
        certificate.notAfter = Date(timeIntervalSince1970: seconds)
        _ = watch.take(
            Self.sample([certificate], after: 75),
            ExpiryPolicy(lifetimePercents: [Int.max, -5], days: [Int.min])
        )
        certificate.notBefore = Date(timeIntervalSince1970: -seconds)
        _ = watch.take(Self.sample([certificate], after: 80), ExpiryPolicy())
        #expect(watch.count <= 1)
    }
}
