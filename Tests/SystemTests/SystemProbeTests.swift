import AgentTestKit
import Foundation
import ProbeTestKit
import Testing

/// The built `reachagent probe` against servers that do their worst: the right code, in time, in bounded memory.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["REACHAGENT_SYSTEM_TESTS"] != nil,
        "REACHAGENT_SYSTEM_TESTS is not set: `make system-test` sets it"
    )
)
struct SystemProbeTests {
    /// The maximum memory of an ordinary check, in bytes; the server sends without end, or inflates to 64 MiB.
    private static let memoryLimit = 64 << 20

    private static let launcher = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "peak-memory.py").path()

    struct Report: Decodable {
        let verdict: String
        let code: String?
        let phase: String?
        let duration_us: Int
    }

    struct Hostility: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        let steps: [ServerStep]
        var testDescription: String { name }
    }

    static let hostilities: [Hostility] = [
        Hostility(
            name: "an endless header",
            code: "http_header_too_large",
            steps: [.receiveRequest, .send("HTTP/1.1 200 OK\r\n"), .sendEndlessHeader()]
        ),
        Hostility(
            name: "an endless body",
            code: "http_too_large",
            steps: [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\n\r\n"),
                .sendEndlessly([UInt8](repeating: 0x61, count: 16_384)),
            ]
        ),
        Hostility(
            name: "endless chunks",
            code: "http_too_large",
            steps: [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendEndlessChunks(),
            ]
        ),
        Hostility(
            name: "a gzip bomb",
            code: "http_too_large",
            steps: [.receiveRequest, .respond(.gzipBomb(of: 64 << 20))]
        ),
        Hostility(name: "silence", code: "timeout", steps: [.receiveRequest, .silence]),
    ]

    @Test("a hostile server is reported with its code, in time, and without excessive memory", arguments: hostilities)
    func hostile(_ hostility: Hostility) async throws {
        let server = try await ScriptedServer.start(hostility.steps)
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let peakFile = "\(directory.path)/peak"
        let command = try await FinishedCommand.run(
            [Self.launcher, peakFile, BuiltAgent.path, "probe", server.url(), "--json", "--timeout", "5s"],
            of: "python3"
        )
        await server.shutDown()
        let report = try JSONDecoder().decode(Report.self, from: Data(command.output.utf8))
        #expect(command.status == 1, "\(command.error)")
        #expect(report.verdict == "failed")
        #expect(report.code == hostility.code)
        #expect(report.duration_us < 6_000_000)
        let peak = try #require(Int(try String(contentsOfFile: peakFile, encoding: .utf8)))
        #expect(peak < Self.memoryLimit, "the check needed \(peak >> 20) MiB")
    }
}
