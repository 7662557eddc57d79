import ProbeTestKit
import Probes
import Testing

/// Limits hold however they are set.
@Suite struct ProbeLimitsTests {
    @Test func `negative limits count as zero, and one address is always tried`() {
        var limits = ProbeLimits()
        limits.headerBytes = -1
        limits.headerCount = -1
        limits.bodyBytes = -1
        limits.inflatedBodyBytes = .min
        limits.addresses = -1
        limits.keptBodyBytes = -1
        limits.receivedBytes = -1
        limits.budgetBytes = -1
        limits.evaluationSteps = -1
        let least = ProbeLimits(
            headerBytes: -1,
            headerCount: -1,
            bodyBytes: -1,
            inflatedBodyBytes: .min,
            addresses: -1,
            keptBodyBytes: -1,
            receivedBytes: -1,
            budgetBytes: -1,
            evaluationSteps: -1
        )
        #expect(limits == least)
        #expect(limits.addresses == 1)
        #expect(limits.headerBytes == 0 && limits.headerCount == 0 && limits.evaluationSteps == 0)
        #expect(limits.bodyBytes == 0 && limits.inflatedBodyBytes == 0 && limits.keptBodyBytes == 0)
        #expect(limits.receivedBytes == 0 && limits.budgetBytes == 0)
        (limits.receivedBytes, limits.budgetBytes) = (nil, nil)
        #expect(limits.receivedBytes == nil && limits.budgetBytes == nil)
    }

    @Test(arguments: [-1, 0, 1])
    func `a name is never without an address because of its limit`(_ addresses: Int) async throws {
        let server = try await ScriptedServer.start([.silence])
        let report = try await CheckBench().check("tcp://host.test:\(server.port)") { $0.limits.addresses = addresses }
        #expect(report.verdict == .ok)
        await server.shutDown()
    }

    @Test func `a scheduler runs at least one check`() {
        var limits = ScheduleLimits()
        (limits.checks, limits.checksPerTarget) = (0, -1)
        #expect(limits == ScheduleLimits(checks: 1, checksPerTarget: 1))
    }

    @Test func `a transfer has no negative size, and yields to a share from 0 to 1`() {
        var plan = TransferPlan()
        (plan.downloadBytes, plan.uploadBytes) = (-1, .min)
        #expect(plan.downloadBytes == 0 && plan.uploadBytes == 0)
        for (set, share) in [(-1, 0), (0.5, 0.5), (2, 1), (.nan, 1), (-.infinity, 1)] {
            plan.yieldShare = set
            #expect(plan.yieldShare == share)
            #expect(TransferPlan(yieldShare: set).yieldShare == share)
        }
    }
}
