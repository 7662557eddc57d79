import AgentEvents
import Testing

@testable import ReachAgentSink

/// The reports of one sink on their way to an agent that answers as a test wants.
@Suite struct ReportQueueTests {
    private static let start = ContinuousClock.now
    private static let taken = ReportSender.Outcome.taken(SinkReportReply(isMetered: false))

    private static func report(
        _ state: SinkStatus.State,
        bytes: UInt64 = 0,
        lost: ClosedRange<UInt64>? = nil
    ) -> SinkReport {
        SinkReport(
            status: SinkStatus(name: "plant", broker: "nats://b:4222", state: state),
            device: "edge-7",
            stream: "s",
            bytes: bytes,
            lost: lost.map { SinkLoss(sink: "plant", firstSequence: $0.lowerBound, lastSequence: $0.upperBound) }
        )
    }

    @Test func `while a report waits for its answer, only the newest state follows it, and no byte is forgotten`()
        throws
    {
        var queue = ReportQueue()
        #expect(queue.next(at: Self.start) == nil)
        queue.add(Self.report(.connecting, bytes: 10))
        #expect(queue.next(at: Self.start) == Self.report(.connecting, bytes: 10))
        queue.add(Self.report(.connected, bytes: 20))
        queue.add(Self.report(.waiting, bytes: 30))
        #expect(queue.next(at: Self.start) == nil)
        queue.take(Self.taken, at: Self.start)
        // The answer is about the first report alone.
        #expect(queue.bytes == 50)
        #expect(queue.next(at: Self.start) == Self.report(.waiting, bytes: 50))
        queue.take(Self.taken, at: Self.start)
        #expect(queue.bytes == 0)
        #expect(queue.next(at: Self.start) == nil)
        #expect(!queue.isPending)
    }

    @Test func `without its numbers a report still has its bytes`() throws {
        var queue = ReportQueue()
        var report = Self.report(.connected, bytes: 10, lost: 1...2)
        report.status.acknowledged = 7
        queue.add(report)
        queue.dropNumbers()
        let next = queue.next(at: Self.start)
        let sent = try #require(next)
        #expect(sent.stream == nil && sent.status.acknowledged == nil && sent.lost == nil && sent.bytes == 10)
        queue.take(Self.taken, at: Self.start)
        #expect(queue.next(at: Self.start) == nil)
    }

    @Test func `each loss has a report of its own`() throws {
        var queue = ReportQueue()
        for range in [1...1, 5...9, 12...12] as [ClosedRange<UInt64>] {
            queue.add(Self.report(.connected, lost: range))
        }
        var seen: [UInt64] = []
        while let report = queue.next(at: Self.start) {
            seen.append(try #require(report.lost?.firstSequence))
            queue.take(Self.taken, at: Self.start)
        }
        #expect(seen == [1, 5, 12])
    }

    @Test func `an acknowledgement comes with the last of the losses before it`() throws {
        var queue = ReportQueue()
        for range in [1...1, 5...9] as [ClosedRange<UInt64>] {
            var report = Self.report(.connected, lost: range)
            report.status.acknowledged = 12
            queue.add(report)
        }
        var seen: [UInt64?] = []
        while let report = queue.next(at: Self.start) {
            seen.append(report.status.acknowledged)
            queue.take(Self.taken, at: Self.start)
        }
        #expect(seen == [nil, 12])
    }

    @Test func `a flood of losses becomes one at its end, and covers all of them`() throws {
        var queue = ReportQueue()
        for number in 1...1000 as ClosedRange<UInt64> {
            queue.add(Self.report(.connected, lost: number * 2...number * 2))
        }
        var losses: [SinkLoss] = []
        while let report = queue.next(at: Self.start) {
            losses.append(try #require(report.lost))
            queue.take(Self.taken, at: Self.start)
        }
        #expect(losses.count == 64)
        #expect(losses.last?.firstSequence == 128)
        #expect(losses.last?.lastSequence == 2000)
    }

    @Test func `a report that the agent has not accepted is sent again`() throws {
        var queue = ReportQueue()
        queue.add(Self.report(.connected, bytes: 10, lost: 3...4))
        let sent = queue.next(at: Self.start)
        queue.take(.refused, at: Self.start)
        #expect(queue.next(at: Self.start) == nil)
        let retry = try #require(queue.retry)
        #expect(queue.next(at: retry) == sent)
        #expect(queue.retry == nil)
        // Without an agent there is no attempt before something is to be reported.
        queue.take(.noAgent, at: retry)
        #expect(queue.retry == nil)
        #expect(queue.next(at: retry) == nil)
        queue.add(Self.report(.connected, bytes: 5))
        #expect(queue.next(at: retry) == Self.report(.connected, bytes: 15, lost: 3...4))
    }

    @Test func `no number of bytes traps`() throws {
        var queue = ReportQueue()
        queue.add(Self.report(.connected, bytes: .max))
        queue.add(Self.report(.connected, bytes: .max))
        #expect(queue.next(at: Self.start)?.bytes == .max)
    }
}
