import AgentTestKit
import ProbeTestKit
import Testing

@testable import Probes

struct ReadinessThreadTests {
    @Test func `a shortage of descriptors ends the check that meets it, and not the next one`() async {
        await #expect(processExitsWith: .success) {
            let resolver = try await ScriptedResolver.start([.answer([.address("192.0.2.7")])])
            let prober = Prober()
            // It starts the event loop, and no thread for datagrams.
            #expect(await prober.check(try CheckBench.probe("tcp://127.0.0.1:1")).verdict.code == .connectRefused)
            let probe = try CheckBench.probe("dns://127.0.0.1:\(resolver.port)/host.test?type=A")
            // One for the socket of the query, and none for the thread that waits for it.
            let shortage = try DescriptorShortage(sparing: 1)
            let first = await prober.check(probe)
            try shortage.end()
            #expect(first.verdict == .unknown(.resourcesExhausted, .query))
            #expect(await prober.check(probe).verdict == .ok)
        }
    }
}
