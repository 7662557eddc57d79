import AgentEvents
import Foundation
import Probes
import Testing

@testable import ReachAgent

@Suite struct ProbeSummariesTests {
    private static let hour: Int64 = 3_600_000_000
    /// An hour of UTC.
    private static let start = 498_680 * hour

    private static func check(
        _ probe: String,
        _ verdict: CheckVerdict = .ok,
        milliseconds: Int64 = 20
    ) -> Probes.CompletedCheck {
        var hop = Probes.CheckHop(url: "https://host.test/")
        for (phase, share) in [(Phase.connect, 4), (.tls, 2)] as [(Phase, Int64)] {
            let duration = Duration.milliseconds(milliseconds / share)
            hop.phases.append(PhaseTiming(phase: phase, start: .zero, duration: duration, isComplete: verdict == .ok))
        }
        let report = Probes.CheckReport(
            target: "https://host.test/",
            verdict: verdict,
            findings: [],
            hops: [hop],
            started: Date(),
            duration: .milliseconds(milliseconds)
        )
        let now = ContinuousClock.now
        return Probes.CompletedCheck(
            point: Probes.ProbePoint(probe: probe, vantage: .default),
            report: report,
            due: now,
            started: now
        )
    }

    private static func moment(_ microseconds: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: start + microseconds)
    }

    @Test func `the first check of an hour returns the summaries of the last one`() throws {
        var summaries = ProbeSummaries()
        for minute in 0..<60 as Range<Int64> {
            let time = Self.moment(minute * 60_000_000)
            #expect(summaries.add(Self.check("web", milliseconds: 20 + minute), at: time).isEmpty)
            #expect(summaries.add(Self.check("dns", .failed(.dnsTimeout, .query)), at: time).isEmpty)
        }
        _ = summaries.add(Self.check("web", .unknown(.resolverBusy, .resolve)), at: Self.moment(Self.hour - 1))
        let handed = summaries.add(Self.check("web"), at: Self.moment(Self.hour))
        #expect(handed.map(\.point.probe) == ["dns", "web"])
        let (dns, web) = (try #require(handed.first), try #require(handed.last))
        #expect(web.succeeded == 60)
        #expect(web.failed.total == 0)
        #expect(web.notChecked.byCode == ["resolver_busy": 1])
        #expect(web.from == Self.moment(0))
        #expect(web.to == Self.moment(Self.hour - 1))
        #expect(web.latency.minimum == 20_000)
        #expect(web.latency.maximum == 79_000)
        #expect(web.phases.byName.keys.sorted() == ["connect", "tls"])
        #expect(web.phases.byName["tls"]?.maximum == 39_000)
        #expect(dns.failed.byCode == ["dns_timeout": 60])
        #expect(dns.latency.count == 0)
        #expect(summaries.takeAll().map(\.succeeded) == [1])
        #expect(summaries.takeAll().isEmpty)
    }

    private static func transfer(_ verdict: CheckVerdict, rate: Double?) -> Probes.CompletedCheck {
        var check = check("speed", verdict)
        var download = TransferLeg(wantedBytes: 5_000_000)
        download.goodput = rate.map { Goodput(p50: $0, p95: $0, mean: $0, windows: 3, slowStart: .zero) }
        check.report.transfer = TransferReport(download: download)
        return check
    }

    @Test func `transfers count unless they yielded, and their durations are not latencies`() throws {
        var summaries = ProbeSummaries()
        let checks = [
            Self.transfer(.ok, rate: 38e6), Self.transfer(.failed(.timeout, .body), rate: 2e5),
            Self.transfer(.unknown(.transferYielded, .body), rate: 9e9), Self.transfer(.ok, rate: nil),
        ]
        for check in checks { _ = summaries.add(check, at: Self.moment(0), goodRate: 1e8) }
        let summary = try #require(summaries.takeAll().first)
        let transfer = try #require(summary.transfer)
        #expect(transfer.download.count == 2)
        #expect(transfer.download.minimum == 200_000 && transfer.download.maximum == 38_000_000)
        #expect(transfer.goodBitsPerSecond == 100_000_000)
        #expect(summary.succeeded == 2 && summary.failed.total == 1 && summary.notChecked.total == 1)
        #expect(summary.latency.count == 0)
    }

    @Test func `a summary of an hour is a short line`() {
        var summaries = ProbeSummaries()
        for minute in 0..<60 as Range<Int64> {
            let time = Self.moment(minute * 60_000_000)
            _ = summaries.add(Self.check("web", milliseconds: 20 + minute * minute % 17), at: time)
        }
        for summary in summaries.takeAll() { #expect(JSONWriter.text(of: summary).count < 400) }
    }

    @Test func `many summaries are published a few at a time, and none is lost`() {
        var summaries = ProbeSummaries()
        for number in 0..<500 { _ = summaries.add(Self.check("p\(number)"), at: Self.moment(0)) }
        var handed: [String] = []
        for _ in 0..<40 {
            let some = summaries.add(Self.check("p0"), at: Self.moment(Self.hour))
            #expect(some.count <= ProbeSummaries.maximumAtOnce)
            handed += some.map(\.point.probe)
        }
        #expect(Set(handed).count == 500)
        #expect(handed.count == 500)
    }

    @Test func `the number of points is bounded`() {
        var summaries = ProbeSummaries()
        for number in 0..<5000 { _ = summaries.add(Self.check("p\(number)"), at: Self.moment(0)) }
        #expect(summaries.takeAll().count == ProbeSummaries.maximumPoints)
    }
}
