import AgentEvents
import AgentTestKit
import Testing

/// The bytes that a transfer accounts for, against the link's own counters.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationTransferBudgetTests {
    @Test(arguments: [
        (#"download = "3M""#, 3 << 20), (#"upload = "3M", upload_url = "\#(TransferLab.url)/sink""#, 3 << 20),
        (#"download = "100K", upload = "100K", upload_url = "\#(TransferLab.url)/sink""#, 200 << 10),
    ])
    func `a transfer counts at least what its link has carried, and no more than it reserves`(
        transfer: String,
        payload: Int
    ) async throws {
        let lab = try await TransferLab()
        // The neighbours know each other behind it, and do not ask again.
        _ = try await lab.network.probe("tcp://192.0.2.1:9")
        let before = try lab.carried()
        let measured = try await lab.measure(TransferLab.probe("/large", transfer: transfer))
        let bytes = try lab.carried() - before
        #expect(measured.outcome == "ok 0")
        #expect(bytes > payload)
        #expect(measured.report.bytesOnWire >= bytes)
        // As `TransferPlan.bytesOnWire` has it: a budget must have this much left.
        #expect(bytes <= payload + payload / 5 + 131_072)
    }

    @Test func `an endless body is cut off where the transfer ends`() async throws {
        let lab = try await TransferLab()
        let measured = try await lab.measure(TransferLab.probe("/endless", transfer: #"download = "1M""#))
        #expect(measured.report.transfer?.download?.bytes == 1 << 20)
        #expect(measured.report.bytesOnWire < 8_000_000)
    }
}
