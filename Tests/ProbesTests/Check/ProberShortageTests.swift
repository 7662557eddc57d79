import AgentTestKit
import ProbeTestKit
import Testing

@testable import Probes

struct ProberShortageTests {
    @Test(arguments: [UInt(0), 1, 2])
    func `without descriptors for an event loop a check ends with the reason, and the next one retries`(
        _ spare: UInt
    ) async {
        await #expect(processExitsWith: .success) { [spare] in
            let server = try await ScriptedServer.start([.serve(.text("hello"))])
            let probe = try CheckBench.probe(server.url())
            let prober = Prober()
            let shortage = try DescriptorShortage(sparing: spare)
            let report = await prober.check(probe)
            prober.whenFree {}
            try shortage.end()
            #expect(report.verdict == .unknown(.resourcesExhausted, .resolve))
            #expect(report.findings.map(\.evidence) == ["start an event loop: Too many open files"])
            #expect(await prober.check(probe).verdict == .ok)
            await prober.shutDown()
        }
    }
}
