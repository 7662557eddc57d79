import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The directories of connectivity: with a server that a probe asks.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookOnlineTests {
    @Test
    func `online and offline run when connectivity becomes full, and when it no longer is`() async throws {
        let network = try ConnectivityNetwork()
        let server = try await network.webServer()
        let lab = try HookLab(in: network.machine.namespace)
        for directory in ["online.d", "offline.d"] {
            try lab.put("etc/\(directory)/10-note", lab.note("$REACH_FROM_CONNECTIVITY $REACH_TO_CONNECTIVITY"))
        }
        let agent = try HookAgent(in: lab, network.probe("web", "http://web.test/", #"families = "ipv4""#))
        try await agent.completed("online.d/10-note")
        try await server.be("stop")
        let lost = try await agent.completed("offline.d/10-note")
        try await server.be("start")
        let back = try await agent.next("hook.completed", "of online again") {
            $0.subject == "online.d/10-note" && ($0.run?.triggerSequence ?? 0) > (lost.run?.triggerSequence ?? .max)
        }
        #expect(back.run?.ending.outcome == "succeeded")
        #expect(try await agent.stop() == 0)
        let order = agent.completions.map(\.subject)
        #expect(order == ["online.d/10-note", "offline.d/10-note", "online.d/10-note"])
        #expect(lab.notes.compactMap { $0.split(separator: " ").last } == ["full", "partial", "full"])
    }

    @Test
    func `a webhook is sent although a service does not answer, because its receiver may`() async throws {
        let network = try ConnectivityNetwork()
        let server = try await network.webServer()
        try await server.be("stop")
        let lab = try HookLab(in: network.machine.namespace)
        // Another server takes the requests.
        let receiver = try await network.secondServer(certificate: .server)
        let agent = try HookAgent(
            in: lab,
            network.probe("web", "http://web.test/", #"families = "ipv4""#) + """
                [hook.remote]
                url = "https://web.test:8443/hook"
                ca_file = "\(network.certificates.rootFile)"
                families = "ipv4"
                queue = "all"

                [hook.here]
                command = ["true"]
                """
        )
        let partial = try await agent.next("reachability.changed", "partial") {
            $0.to?.connectivity?.rawValue == "partial"
        }
        try await agent.completed("here", for: partial)
        let sent = try await agent.completed("remote", for: partial)
        try await server.be("start")
        let full = try await agent.next("reachability.changed", "full") { $0.to?.connectivity?.rawValue == "full" }
        try await agent.completed("remote", for: full)
        try await receiver.isAsked("https /hook")
        #expect(try await agent.stop() == 0)
        let runs = agent.completions(of: "remote")
        #expect(runs.allSatisfy { $0.run?.ending.outcome == "succeeded" && $0.run?.ending.httpStatus == 200 })
        #expect((sent.seq ?? .max) < (full.seq ?? 0))
    }
}
