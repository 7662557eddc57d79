import Configuration
import FoundationEssentials
import NetlinkMonitor
import NotificationBus
import Probes
import Reachability

import struct AgentEvents.Event
import struct AgentEvents.EventOrigin

@testable import ReachAgent

extension ReachabilityDriver {
    /// A driver with these settings, by default on a bus of its own, without a recording.
    static func sample(
        _ settings: Settings,
        on bus: NotificationBus<Event> = NotificationBus<Event>()
    ) -> ReachabilityDriver {
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: nil)
        return ReachabilityDriver(
            bus: bus,
            statusStore: StatusStore(
                agent: AgentFacts(version: "0.1.0", processID: 1, started: .now, origin: origin),
                targets: [],
                lastSequence: 0
            ),
            origin: origin,
            plan: ConnectivityPlan(settings),
            recorder: nil,
            advertisedPortals: { _ in [] },
            onEarlierDeadline: {}
        )
    }
}

extension CompletedCheck {
    /// A check of a point, due and started now.
    static func sample(_ point: ProbePoint, _ verdict: CheckVerdict) -> CompletedCheck {
        let report = CheckReport(
            target: "https://host.test/",
            verdict: verdict,
            findings: [],
            hops: [],
            started: .now,
            duration: .milliseconds(5)
        )
        return CompletedCheck(point: point, report: report, due: .now, started: .now)
    }
}
