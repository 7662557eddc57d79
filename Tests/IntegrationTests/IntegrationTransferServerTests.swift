import AgentEvents
import AgentTestKit
import Testing

/// A transfer with servers that stall, lie, reset and answer ranges wrongly: the right code, within the deadline, and
/// with everything that was measured until then.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationTransferServerTests {
    /// A hostile server and what becomes of a transfer.
    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var outcome: String
        /// The payload bytes that the report must have.
        var bytes: ClosedRange<Int> = 0...0
        var transfer = #"download = "2M""#
        var timeout = "10s"

        /// Nothing for what has nothing to do with it: a busy machine may stop for a second.
        var stallTimeout: String {
            outcome.contains("stalled") || path == "/drip" ? #", stall_timeout = "1s""# : ""
        }

        var testDescription: String { "\(path) \(transfer)" }
    }

    private static let first = 300_000
    /// `2M` of the configuration.
    private static let all = 2 << 20

    @Test(arguments: [
        Case(path: "/large", outcome: "ok 0", bytes: all...all),
        Case(path: "/small", outcome: "ok 0", bytes: 100_000...100_000),
        Case(path: "/more", outcome: "ok 0", bytes: first...first),
        Case(path: "/endless", outcome: "ok 0", bytes: all...all),
        Case(path: "/stall", outcome: "failed transfer_stalled 1", bytes: first...first),
        Case(path: "/silent", outcome: "failed transfer_stalled 1"),
        Case(path: "/short", outcome: "failed http_truncated 1", bytes: first...first),
        Case(path: "/reset", outcome: "failed connection_reset 1", bytes: first...first),
        Case(path: "/error", outcome: "failed http_status 1"),
        Case(path: "/negative", outcome: "failed http_malformed 1"),
        Case(path: "/many", outcome: "failed http_malformed 1"),
        Case(path: "/drip", outcome: "failed timeout 1", bytes: 1...200, timeout: "4s"),
        Case(
            path: "/throttled",
            outcome: "failed timeout 1",
            bytes: first...(8 << 20),
            transfer: #"download = "8M""#,
            timeout: "6s"
        ),
    ])
    func `a download ends with the right code, in time, with the received bytes`(_ one: Case) async throws {
        let lab = try await TransferLab()
        let measured = try await lab.measure(
            TransferLab.probe(
                one.path,
                transfer: one.transfer + one.stallTimeout,
                #"timeout = "\#(one.timeout)""#
            )
        )
        #expect(measured.outcome == one.outcome)
        #expect(measured.wallTime < .seconds(12))
        guard one.bytes.upperBound > 0 else { return }
        let leg = try #require(measured.report.transfer?.download)
        #expect(one.bytes ~= leg.bytes)
        #expect(measured.report.transfer?.idle?.count ?? 0 > 0)
    }

    @Test(arguments: [
        Case(path: "/sink", outcome: "ok 0", bytes: all...all),
        Case(path: "/sink/stall", outcome: "failed transfer_stalled 1", bytes: 100_000...80_000_000),
        Case(path: "/sink/mute", outcome: "failed transfer_stalled 1", bytes: all...all),
        Case(path: "/sink/reset", outcome: "failed connection_reset 1", bytes: 100_000...80_000_000),
        Case(path: "/sink/refuse", outcome: "failed http_status 1"),
    ])
    func `an upload ends with the right code, in time, with the sent bytes`(_ one: Case) async throws {
        let lab = try await TransferLab()
        let size = one.outcome.hasPrefix("ok") || one.path.hasSuffix("mute") ? "2M" : "80M"
        let measured = try await lab.measure(
            TransferLab.probe(
                "/large",
                transfer: #"upload = "\#(size)", upload_url = "\#(TransferLab.url)\#(one.path)"\#(one.stallTimeout)"#,
                #"timeout = "10s""#
            )
        )
        #expect(measured.outcome == one.outcome)
        #expect(measured.wallTime < .seconds(12))
        guard one.bytes.upperBound > 0 else { return }
        #expect(one.bytes ~= (measured.report.transfer?.upload?.bytes ?? 0))
    }

    @Test(arguments: [
        ("right", "ok 0", false), ("changed", "ok 0", true), ("whole", "ok 0", true),
        ("elsewhere", "failed range_invalid 1", false), ("shorter", "failed range_invalid 1", false),
        ("nonsense", "failed range_invalid 1", false), ("refused", "failed range_invalid 1", false),
    ])
    func `a download that is resumed judges the range of the answer`(
        kind: String,
        outcome: String,
        isRestarted: Bool
    ) async throws {
        let lab = try await TransferLab()
        let measured = try await lab.measure(
            TransferLab.probe("/once/\(kind)", transfer: #"download = "2M", resume = true"#, #"timeout = "10s""#)
        )
        #expect(measured.outcome == outcome)
        #expect(measured.wallTime < .seconds(12))
        let transfer = try #require(measured.report.transfer)
        guard outcome == "ok 0" else {
            #expect(transfer.download?.bytes == Self.first)
            return
        }
        #expect(transfer.download?.bytes == Self.all)
        let seam = try #require(transfer.seams.first)
        #expect(transfer.seams.count == 1)
        #expect(seam.offset == Self.first)
        #expect(seam.code == "connection_reset")
        #expect(seam.isRestarted == isRestarted)
    }
}
