import AgentEvents
import Testing

@testable import ReachAgent

/// The checks that a request waits for, among those that the agent makes by its schedule.
@Suite struct CheckRequestTests {
    private static func check(_ probe: String, _ code: String? = nil, transfer: AgentEvents.Transfer? = nil)
        -> AgentEvents.CompletedCheck
    {
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        let report = AgentEvents.CheckReport(
            target: "http://\(probe).test/",
            verdict: code == nil ? "ok" : "unknown",
            code: code,
            started: time,
            durationMicroseconds: 17_200,
            bytesSent: 0,
            bytesReceived: 0,
            bytesOnWire: 0,
            findings: [],
            hops: [],
            transfer: transfer
        )
        return AgentEvents.CompletedCheck(
            point: AgentEvents.ProbePoint(probe: probe),
            cadence: "steady",
            due: time,
            delayMilliseconds: 0,
            isShared: false,
            report: report
        )
    }

    /// A transfer may end before the agent's answer, which names it.
    @Test(
        arguments: [
            check("speed", transfer: AgentEvents.Transfer()), check("speed", "transfer_busy"),
            check("speed", "budget_exhausted"), check("speed", "cellular_not_allowed"),
        ],
        [true, false]
    )
    func `a transfer by schedule does not stand for a check that was requested`(
        transfer: AgentEvents.CompletedCheck,
        isAnswered: Bool
    ) {
        var all = CheckRequest.Progress()
        let reply = CheckRequest.Reply(points: 2, transfers: ["speed"])
        if isAnswered { all.note(reply) }
        all.note(Self.check("web"))
        all.note(transfer)
        #expect(!all.isComplete)
        if !isAnswered { all.note(reply) }
        #expect(!all.isComplete)
        all.note(Self.check("dns", "no_route"))
        #expect(all.isComplete)
        #expect(all.sorted.map(\.point.probe) == ["dns", "web"])
        var named = CheckRequest.Progress()
        named.note(CheckRequest.Reply(points: 1))
        named.note(transfer)
        #expect(named.isComplete)
    }
}
