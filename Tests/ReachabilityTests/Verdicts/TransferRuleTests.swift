import CheckResults
import NetlinkMonitor
import Testing

import struct FoundationEssentials.Date

@testable import Reachability

/// The verdict on a probe whose checks are transfers.
@Suite struct TransferRuleTests {
    /// One transfer: its outcome, and the quantities that it measured.
    struct Transfer: Sendable, CustomTestStringConvertible {
        var code: FindingCode?
        var megabits: Double?
        var added: Int?
        var vote: ProbeTrack.Vote
        var testDescription: String { "\(code?.rawValue ?? "ok") \(megabits ?? -1) Mbit/s +\(added ?? -1) ms" }
    }

    private static let both = TransferRule(
        throughput: ThroughputBand(good: 5e6, bad: 1e6),
        addedLatency: DeadBand(good: 50, bad: 300)
    )

    private static func sample(
        _ code: FindingCode? = nil,
        _ megabits: Double? = nil,
        _ added: Int? = nil,
        outcome: ProbeSample.Outcome? = nil
    ) -> ProbeSample {
        var sample = ScriptedCheck.sample("s")
        sample.outcome = outcome ?? (code == nil ? .ok : .failed)
        sample.code = code
        sample.throughput = megabits.map { $0 * 1e6 }
        sample.addedLatency = added.map { .milliseconds($0) }
        return sample
    }

    @Test(arguments: [
        Transfer(megabits: 5, added: 50, vote: .success), Transfer(megabits: 900, added: 0, vote: .success),
        Transfer(megabits: 4.999, added: 50, vote: .none), Transfer(megabits: 1.001, added: 299, vote: .none),
        Transfer(megabits: 5, added: 51, vote: .none), Transfer(megabits: 1, added: 50, vote: .failure(.throughputLow)),
        Transfer(megabits: 0, added: 0, vote: .failure(.throughputLow)),
        Transfer(megabits: 5, added: 300, vote: .failure(.addedLatencyHigh)),
        Transfer(megabits: 3, added: 300, vote: .failure(.addedLatencyHigh)),
        // A link that is slow and bloated is first of all slow.
        Transfer(megabits: 1, added: 300, vote: .failure(.throughputLow)),
        // Without a measurement the transfer's own result counts.
        Transfer(vote: .success), Transfer(megabits: 9, vote: .success), Transfer(added: 10, vote: .success),
        Transfer(added: 301, vote: .failure(.addedLatencyHigh)),
        // A timeout is a low throughput where it was measured as one, and nothing else is.
        Transfer(code: .timeout, megabits: 1, vote: .failure(.throughputLow)),
        Transfer(code: .timeout, megabits: 2, vote: .failure(.timeout)),
        Transfer(code: .timeout, vote: .failure(.timeout)),
        Transfer(code: .transferStalled, megabits: 0.1, vote: .failure(.transferStalled)),
        Transfer(code: .httpTruncated, megabits: 9, added: 9, vote: .failure(.httpTruncated)),
    ])
    func `a transfer votes by its own result and by both bands`(transfer: Transfer) {
        var track = ProbeTrack(
            ScriptedCheck.point,
            rule: ProbeRule(name: "web", transfer: Self.both),
            egresses: Vantages.Egresses()
        )
        #expect(track.vote(of: Self.sample(transfer.code, transfer.megabits, transfer.added)) == transfer.vote)
    }

    @Test(arguments: [
        (TransferRule(), 0.1, 9000, ProbeTrack.Vote.success),
        (TransferRule(throughput: Self.both.throughput), 9, 9000, .success),
        (TransferRule(throughput: Self.both.throughput), 0.1, 0, .failure(.throughputLow)),
        (TransferRule(addedLatency: Self.both.addedLatency), 0.1, 0, .success),
        (TransferRule(addedLatency: Self.both.addedLatency), 9, 9000, .failure(.addedLatencyHigh)),
    ])
    func `a quantity without a band is not judged`(
        rule: TransferRule,
        megabits: Double,
        added: Int,
        vote: ProbeTrack.Vote
    ) {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web", transfer: rule), egresses: .init())
        #expect(track.vote(of: Self.sample(nil, megabits, added)) == vote)
    }

    @Test func `the measurements of a probe without transfers are not judged`() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: .init())
        #expect(track.vote(of: Self.sample(nil, 0.1, 9000)) == .success)
    }

    @Test func `transfers that yield count neither as success nor as failure`() {
        let rule = ProbeRule(name: "web", fall: 2, rise: 1, transfer: Self.both)
        var track = ProbeTrack(ScriptedCheck.point, rule: rule, egresses: .init())
        _ = track.take(Self.sample(nil, 9, 9))
        _ = track.take(Self.sample(.transferYielded, 0.1, 900, outcome: .unknown))
        #expect(track.state == ProbeState(.up))
        _ = track.take(Self.sample(.transferMetered, outcome: .unknown))
        #expect(track.state == ProbeState(.unknown, code: .transferMetered))
        _ = track.take(Self.sample(nil, 9, 9))
        #expect(track.state == ProbeState(.up))
    }

    @Test(arguments: [(0.5, 0, FindingCode.throughputLow), (9, 900, .addedLatencyHigh)])
    func `a bad measurement counts while the loss is between good and bad`(
        megabits: Double,
        added: Int,
        code: FindingCode
    ) {
        let loss = DeadBand(good: 10, bad: 60)
        let rule = ProbeRule(name: "web", loss: loss, lossWindow: 10, transfer: Self.both)
        var track = ProbeTrack(ScriptedCheck.point, rule: rule, egresses: .init())
        for number in 1...10 { _ = track.take(Self.sample(number % 5 == 0 ? .httpTruncated : nil, 9, 9)) }
        #expect(track.state == ProbeState(.up))
        for _ in 0..<3 { _ = track.take(Self.sample(nil, megabits, added)) }
        #expect(track.state == ProbeState(.down, code: code))
    }

    @Test func `a link between good and bad is not measured ever faster`() {
        let rule = ProbeRule(name: "web", transfer: Self.both)
        var fresh = ProbeTrack(ScriptedCheck.point, rule: rule, egresses: .init())
        var cadences: [Cadence] = []
        for _ in 0..<4 {
            _ = fresh.take(Self.sample(nil, 3, 9))
            cadences.append(fresh.cadence)
        }
        #expect(cadences == [.doubtful, .doubtful, .steady, .steady])
        #expect(fresh.state == .unknown)
        var slow = ProbeTrack(ScriptedCheck.point, rule: rule, egresses: .init())
        for _ in 0..<3 { _ = slow.take(Self.sample(nil, 0.5, 9)) }
        #expect(slow.state == ProbeState(.down, code: .throughputLow))
        #expect(slow.cadence == .down(attempt: 0))
        for _ in 0..<3 { _ = slow.take(Self.sample(nil, 3, 9)) }
        #expect(slow.state.verdict == .down)
        #expect(slow.cadence == .steady)
    }

    @Test(arguments: [(5.0, 5.0), (1, 5), (-1, -2), (.infinity, 1), (5, .nan)])
    func `a band of throughput has its good value above the bad one`(good: Double, bad: Double) {
        #expect(ThroughputBand(good: good, bad: bad) == nil)
    }

    @Test(arguments: [
        (FindingCode.throughputLow, "throughput_low, 820 kbit/s"), (.addedLatencyHigh, "added_latency_high, 412 ms"),
    ])
    func `the cause names the measurement`(code: FindingCode, text: String) {
        let cause = ChangeCause(Self.sample(nil, 0.82, 412), state: ProbeState(.down, code: code))
        #expect(cause.code == code.rawValue)
        #expect(cause.detail?.hasSuffix(": \(text)") == true)
    }

    // MARK: Reports

    @Test func `the download's throughput and the worse added latency are judged`() {
        func leg(_ rate: Double?, _ added: Int?) -> TransferLeg {
            var leg = TransferLeg(wantedBytes: 1)
            leg.goodput = rate.map { Goodput(p50: $0, p95: $0 * 2, mean: $0, windows: 9, slowStart: .zero) }
            leg.loaded = LoadedRoundTrips(perMinute: 60, added: added.map { .milliseconds($0) })
            return leg
        }
        func sample(_ transfer: TransferReport?) -> ProbeSample {
            var report = CheckReport(
                target: "https://a.test/",
                verdict: .ok,
                findings: [],
                hops: [],
                started: Date(timeIntervalSince1970: 0),
                duration: .seconds(9)
            )
            report.transfer = transfer
            return ProbeSample(point: ScriptedCheck.point, report: report, observed: ScriptedCheck.time(0))
        }
        let whole = sample(TransferReport(download: leg(5e6, 10), upload: leg(1e6, 30)))
        #expect(whole.throughput == 5e6)
        #expect(whole.addedLatency == .milliseconds(30))
        let upload = sample(TransferReport(upload: leg(1e6, nil)))
        #expect(upload.throughput == 1e6)
        #expect(upload.addedLatency == nil)
        // An upload is no substitute for a download that was too short.
        #expect(sample(TransferReport(download: leg(nil, nil), upload: leg(1e6, nil))).throughput == nil)
        #expect(sample(TransferReport(download: leg(.nan, nil))).throughput == nil)
        #expect(sample(nil).throughput == nil)
    }

    // MARK: Connectivity

    @Test func `a transfer has no part in the connectivity, whatever its verdict`() {
        let rule = ProbeRule(name: "speed", transfer: Self.both)
        for state in [
            ProbeState(.up), ProbeState(.down, code: .throughputLow),
            ProbeState(.unknown, code: .transferMetered), .unknown,
        ] {
            var tally = ConnectivityTally()
            tally.add(state, rule, .any, isExempt: false)
            #expect(tally == ConnectivityTally())
        }
    }
}
