import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// A configured transfer in a running agent: from the file to the progress, the check, the status and the metrics, and its
/// budget on the wire.
@Suite(.inNamespace, .onOwnThread, .serialized, .timeLimit(.minutes(3)))
struct IntegrationTransferAgentTests {
    /// An agent in the lab, and a subscriber to its checks and their progress.
    private final class Agent {
        let lab: TransferLab
        private let temporary: TemporaryDirectory
        private var directory: String { temporary.path }
        private let agent: CommandLines
        private let subscriber: SocketLines

        init(_ lab: TransferLab, _ configuration: String) async throws {
            self.lab = lab
            temporary = try TemporaryDirectory()
            let directory = temporary.path
            let file = try temporary.file("reachagent.toml", configuration)
            let words = ["run", "--config", file, "--format", "json", "--no-journal", "--socket-directory", directory]
            agent = try CommandLines(lab.network.namespace.command(BuiltAgent.path, words))
            try await agent.next(containing: #""connectivity":"full""#)
            let types = #"["probe.completed","probe.progress"]"#
            let request = #"{"method":"subscribe","parameters":{"types":\#(types)},"more":true}"#
            subscriber = try SocketLines("\(directory)/control.sock", request: request)
            try await subscriber.next(containing: "network.snapshot")
        }

        deinit { agent.end() }

        /// Asks for the transfer, or for all checks, and gives the answer.
        func request(named name: String? = "speed") async throws -> String {
            let parameters = name.map { #","parameters":{"name":"\#($0)"}"# } ?? ""
            let line = #"{"method":"probe"\#(parameters)}"#
            return try #require(await SocketLines("\(directory)/control.sock", request: line).next())
        }

        /// The progress and the checks of the transfer up to its end.
        func transfer() async throws -> (progress: [ProbeProgress], report: CheckReport) {
            var progress: [ProbeProgress] = []
            while let line = await subscriber.next() {
                guard let event = try Self.event(line) else { continue }
                switch event.content {
                case .probeProgress(let one): progress.append(one)
                case .probeCompleted(let check) where check.point.probe == "speed": return (progress, check.report)
                default: continue
                }
            }
            throw MissingLine(
                description: "no probe.completed of the transfer; the last progress: \(progress.suffix(3))"
            )
        }

        func status() async throws -> String {
            let words = ["status", "--json", "--socket", "\(directory)/control.sock"]
            return try await FinishedCommand.run(words).output
        }

        func metrics() throws -> String {
            let get = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9718/metrics').read().decode())"
            return try lab.network.namespace.run(#"python3 -c "\#(get)""#)
        }

        private static func event(_ line: String) throws -> AgentEvent? {
            struct Reply: Decodable { var parameters: AgentEvent }
            return try JSONDecoder().decode(Reply.self, from: Data(line.utf8)).parameters
        }
    }

    /// An ordinary probe, which makes the connectivity full.
    private static let web = """
        [probe.web]
        target = "\(TransferLab.url)/sink"
        families = "ipv4"
        interval = "1h"


        """

    @Test func `a transfer is published as progress, as a check, in the status and as metrics`() async throws {
        let lab = try await TransferLab()
        let transfer = #"download = "2M", upload = "256K", upload_url = "\#(TransferLab.url)/sink""#
        let probe = TransferLab.probe(
            "/throttled",
            transfer: transfer,
            #"throughput = { good = "2Mbit/s", bad = "1Mbit/s" }"#
        )
        let agent = try await Agent(lab, "[http]\nlisten = [\"127.0.0.1:9718\"]\n\n" + Self.web + probe)
        #expect(try await agent.request().contains(#""points":1"#))
        let (progress, report) = try await agent.transfer()
        #expect(report.verdict == "ok")
        #expect(report.transfer?.download?.bytes == 2 << 20)
        #expect(report.transfer?.upload?.bytes == 256 << 10)
        // The server sends 4 Mbit/s.
        let rate = try #require(report.transfer?.download?.goodput?.p50)
        #expect(3_600_000...4_400_000 ~= rate)
        let phases = progress.map(\.phase).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(phases == ["started", "download", "upload", "completed"])
        let downloaded = progress.filter { $0.phase == "download" }
        #expect(downloaded.count >= 5)
        #expect(zip(downloaded, downloaded.dropFirst()).allSatisfy { $0.bytes <= $1.bytes })
        #expect(downloaded.allSatisfy { $0.totalBytes == 2 << 20 })
        // A second has ten at most, and the changes of the phase.
        let seconds = Double(progress.last?.elapsedMicroseconds ?? 0) / 1e6
        #expect(Double(progress.count) <= 10 * seconds + 5)

        let status = try await agent.status()
        #expect(status.contains(#""download_bps":\#(rate)"#))
        let metrics = try agent.metrics()
        #expect(metrics.contains("reachagent_transfer_throughput_bytes_per_second{"))
        let total = metrics.split(separator: "\n").first {
            $0.hasPrefix("reachagent_transfer_bytes_total{") && $0.contains(#"direction="download""#)
        }
        #expect(total?.hasSuffix(" \(2 << 20)") == true, "\(total ?? "no counter")")
    }

    @Test func `the transfers that a budget lets begin stay within it, as the link counts`() async throws {
        let lab = try await TransferLab()
        let configuration = """
            [interfaces]
            kinds = { "eth0" = "wwan" }

            [metered]
            bytes_per_day = "20M"


            """
        let probe = TransferLab.probe("/large", transfer: #"download = "1M", metered = true"#)
        let before = try lab.carried()
        let agent = try await Agent(lab, configuration + Self.web + probe)
        var completed = 0
        var answer = ""
        // Requests have a quarter of a day's bytes; each transfer reserves more than its payload.
        for _ in 0..<12 {
            answer = try await agent.request()
            guard answer.contains(#""points":1"#) else { break }
            let report = try await agent.transfer().report
            guard report.verdict == "ok" else {
                #expect(report.code == "budget_exhausted")
                break
            }
            completed += 1
        }
        #expect(answer.contains("budget_exhausted"), "\(answer)")
        #expect(2...4 ~= completed)
        let carried = try lab.carried() - before
        #expect(carried > completed << 20)
        #expect(carried <= 5 << 20)
    }

    @Test func `a transfer over a metered link is refused before a byte is sent, and only its name asks for it`()
        async throws
    {
        let lab = try await TransferLab()
        let configuration = "[interfaces]\nkinds = { \"eth0\" = \"wwan\" }\n\n"
        let agent = try await Agent(
            lab,
            configuration + Self.web + TransferLab.probe("/large", transfer: #"download = "1M""#)
        )
        #expect(try await agent.request(named: nil).contains(#""points":1"#))
        let before = try lab.carried()
        _ = try await agent.request()
        let report = try await agent.transfer().report
        #expect(report.verdict == "unknown")
        #expect(report.code == "transfer_metered")
        #expect(try lab.carried() - before < 10_000)
    }
}
