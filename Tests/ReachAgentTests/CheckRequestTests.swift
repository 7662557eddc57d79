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

    @Test(
        arguments: [
            check("speed", transfer: AgentEvents.Transfer()),
            check("speed", "connect_refused", transfer: AgentEvents.Transfer()),
            check("speed", "transfer_busy"), check("speed", "transfer_metered"), check("speed", "transfer_yielded"),
            check("speed", "path_changed"),
        ]
    )
    func `a transfer by schedule does not stand for a check that was requested`(transfer: AgentEvents.CompletedCheck) {
        var all = CheckRequest.Progress(of: nil)
        all.expected = 2
        all.note(Self.check("web"))
        all.note(transfer)
        #expect(!all.isComplete)
        all.note(Self.check("dns", "no_route"))
        #expect(all.isComplete)
        #expect(all.sorted.map(\.point.probe) == ["dns", "web"])
        var named = CheckRequest.Progress(of: "speed")
        named.expected = 1
        named.note(transfer)
        #expect(named.isComplete)
    }
}
