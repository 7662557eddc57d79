import ProbeTestKit
import Synchronization

@testable import Probes

/// Makes transfers against servers on loopback.
struct TransferBench {
    /// The protocols of a connection.
    enum Wire: CaseIterable {
        case plain, tls, http2
    }

    /// The size of ``object(_:)``.
    static let size = 3_000_000

    var plan = TransferPlan(downloadBytes: size, uploadBytes: 1_000_000)

    /// The path of the upload; nil for the target's.
    var uploadPath: String?

    static func tls(_ wire: Wire) throws -> ServerTLS? {
        switch wire {
        case .plain: nil
        case .tls: try CheckBench.tls { $0.applicationProtocols = ["http/1.1"] }
        case .http2: try CheckBench.tls { $0.applicationProtocols = ["h2", "http/1.1"] }
        }
    }

    /// An object that can be resumed.
    static func object(_ size: Int = size, ranges: Bool = false) -> ScriptedResponse {
        ScriptedResponse(
            200,
            headers: [("ETag", "\"one\"")] + (ranges ? [("Accept-Ranges", "bytes")] : []),
            body: [UInt8](repeating: 7, count: size)
        )
    }

    /// Makes one transfer from a server whose connections run one script each.
    ///
    /// - Parameter meanwhile: Runs beside the transfer; what it waits for at the server ends with the transfer.
    func transfer(
        _ scripts: [[ServerStep]],
        tls: ServerTLS? = nil,
        path: String = "/large",
        _ change: (inout Probe) -> Void = { _ in },
        meanwhile: @escaping @Sendable (ScriptedServer) async -> Void = { _ in }
    ) async throws -> (report: CheckReport, server: ScriptedServer) {
        let server = try await ScriptedServer.start(scripts: scripts, tls: tls)
        async let beside: Void = meanwhile(server)
        let report = try await CheckBench().check(server.url(path, host: "host.test")) { probe in
            var plan = plan
            if let uploadPath { plan.uploadURL = try? HTTPURL(parsing: server.url(uploadPath, host: "host.test")) }
            probe.transfer = plan
            change(&probe)
        }
        await server.shutDown()
        await beside
        return (report, server)
    }
}

/// The progress of a transfer, as it was shown.
final class ProgressLog: Sendable {
    private let entries = Mutex<[TransferProgress]>([])
    private let watchers = Mutex<[(TransferProgress.Phase, AsyncStream<Void>.Continuation)]>([])

    var all: [TransferProgress] { entries.withLock { $0 } }

    /// The phases without repetitions.
    var phases: [TransferProgress.Phase] {
        all.reduce(into: []) { phases, entry in if phases.last != entry.phase { phases.append(entry.phase) } }
    }

    var closure: @Sendable (TransferProgress) -> Void {
        { [self] entry in
            entries.withLock { $0.append(entry) }
            watchers.withLock { watchers in
                for (phase, continuation) in watchers where phase == entry.phase { continuation.finish() }
            }
        }
    }

    /// Waits until a phase was shown.
    func shown(_ phase: TransferProgress.Phase) async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        watchers.withLock { $0.append((phase, continuation)) }
        if all.contains(where: { $0.phase == phase }) { continuation.finish() }
        for await _ in stream {}
    }
}
