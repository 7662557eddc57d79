import AgentTestKit
import Configuration
import Foundation
import Glibc
import ProbeTestKit
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// `measure` as an operator meets it: real transfers against a server on the loopback, and what is refused.
@Suite struct MeasureCommandTests {
    // MARK: Command line

    @Test(arguments: [
        (["tcp://host.test:1"], "a transfer needs an https:// or http:// URL"),
        (["https://host.test/", "--each", "--interface", "eth0"], "'--each' and '--interface' exclude each other"),
        (["https://host.test/", "--metered"], "'--metered' has no meaning without '--each'"),
        (["https://host.test/", "--download", "0", "--upload", "0"], "leave nothing to transfer"),
        (["https://host.test/", "--download", "0"], "nothing is left to transfer"),
        (["https://host.test/", "--upload", "0", "--upload-url", "https://host.test/"], "has no meaning"),
        (["https://host.test/", "--download", "20X"], "expected a size"),
        (["https://host.test/", "--timeout", "0"], "'--timeout' must be longer than 0"),
        (["192.0.2.1", "--no-config"], "a transfer needs an https:// or http:// URL, not icmp://192.0.2.1"),
        (["--no-config"], "the configuration has no probe with a transfer; name a URL"),
        (["speed", "--no-config"], "there is no probe or target 'speed'"),
    ])
    func `an invalid measurement is a usage error in a sentence`(arguments: [String], sentence: String) async throws {
        let result = try await FinishedCommand.run(["measure"] + arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        // Long sentences are wrapped.
        #expect(
            result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence),
            "\(result.error)"
        )
    }

    @Test(arguments: [
        ["https://user:hunter2@host.test:x/"], ["https://host.test/", "--upload-url", "ftp://u:hunter2@h/"],
    ])
    func `no message repeats a password`(arguments: [String]) async throws {
        let result = try await FinishedCommand.run(["measure", "--no-config"] + arguments)
        #expect(result.status == 64)
        #expect(!result.error.contains("hunter2"))
    }

    // MARK: Subject

    private static func settings(_ text: String) throws -> Settings {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        return try ConfigurationFile.load(directory.file("measure.toml", text)).settings
    }

    private static let configuration = """
        [probe.web]
        target = "https://web.test/"
        method = "POST"
        headers = { "X-Token" = "a" }

        [probe.speed]
        target = "https://speed.test/large"
        timeout = "90s"
        transfer = { download = "5M", upload = "1M", upload_url = "https://speed.test/sink" }
        throughput = { good = "5Mbit/s", bad = "1Mbit/s" }
        added_latency = { good = "50ms", bad = "300ms" }
        """

    private static func probe(_ arguments: [String]) throws -> Probe {
        let command = try #require(
            try ReachAgentCommand.command(for: ["measure"] + arguments) as? MeasureCommand
        )
        let subject = try MeasureSubject(command.target, try settings(configuration))
        return try subject.probe(
            { Probe(target: $0, trust: TrustEvaluator(anchors: .system)) },
            command.transfer,
            timeout: command.connection.givenTimeout
        )
    }

    @Test func `without a target the only probe with a transfer is measured, as it is configured`() throws {
        let probe = try Self.probe([])
        #expect(probe.target.description == "https://speed.test/large")
        #expect(probe.transfer?.downloadBytes == 5 << 20)
        #expect(probe.transfer?.uploadBytes == 1 << 20)
        #expect(probe.transfer?.uploadURL != nil)
        #expect(probe.timeout == .seconds(90))
    }

    @Test func `options win over the probe's sizes and time`() throws {
        let probe = try Self.probe(["speed", "--download", "0", "--upload", "3M", "--timeout", "5s"])
        #expect(probe.transfer?.downloadBytes == 0)
        #expect(probe.transfer?.uploadBytes == 3 << 20)
        #expect(probe.timeout == .seconds(5))
    }

    @Test func `a probe without a transfer lends its header and its trust, and neither method nor expectations`() throws
    {
        let probe = try Self.probe(["web"])
        #expect(probe.request.method == "GET")
        #expect(probe.request.headers.value(of: "x-token") == "a")
        #expect(probe.transfer?.downloadBytes == 20 << 20)
        #expect(probe.transfer?.uploadBytes == 0)
        #expect(probe.timeout == .seconds(120))
    }

    @Test func `a URL for the upload is enough for one`() throws {
        let probe = try Self.probe(["https://host.test/x", "--upload-url", "https://other.test/sink"])
        #expect(probe.transfer?.uploadBytes == 5 << 20)
        #expect(probe.transfer?.uploadURL?.description == "https://other.test/sink")
    }

    @Test func `the remark on a measurement over the active path alone has the command for each uplink`() throws {
        let probe = "[probe.speed]\ntarget = 'https://speed.test/large'\ntransfer = { download = '5M' }\n"
        for (interfaces, hasRemark) in [("", false), ("interfaces = ['wifi']\n", true)] {
            let definition = try #require(try Self.settings(probe + interfaces).probes.first)
            let remark = definition.measurementRemark ?? ""
            #expect(remark.contains("'reachagent measure speed --each' measures it") == hasRemark, "\(remark)")
        }
    }

    // MARK: Verdict

    @Test(arguments: [
        (38.9, 14_000, nil), (1.0, 14_000, FindingCode.throughputLow), (2.0, 300_000, .addedLatencyHigh),
        (2.0, 299_000, nil),
    ])
    func `the thresholds of the probe decide as for the agent`(rate: Double, added: Int, code: FindingCode?) throws {
        let definition = try #require(try Self.settings(Self.configuration).probes.first { $0.name == "speed" })
        let verdict = MeasureVerdict(try #require(definition.rule.transfer))
        let report = MeasureScenes.report(download: MeasureScenes.leg(rate, added: added))
        let judged = verdict.judged(report)
        #expect(judged.verdict.code == code)
        #expect(judged.findings.map(\.code) == [code].compactMap(\.self))
        #expect(UplinkMeasurement(interface: nil, outcome: .report(judged)).status == (code == nil ? 0 : 1))
        #expect(verdict.judged(MeasureScenes.stalled).verdict == MeasureScenes.stalled.verdict)
        let late = MeasureScenes.report(
            download: MeasureScenes.leg(rate, added: added),
            verdict: .failed(.timeout, .body)
        )
        #expect(verdict.judged(late).verdict.code == (code == .throughputLow ? .throughputLow : .timeout))
    }

    // MARK: Turn

    @Test func `a measurement waits for another transfer of the machine`() throws {
        let temporary = try TemporaryDirectory()
        defer { withExtendedLifetime(temporary) {} }
        let directory = temporary.path
        let (first, second) = (MeasureLock(directory: directory), MeasureLock(socket: "\(directory)/control.sock"))
        #expect(first.take())
        #expect(first.take())
        #expect(!second.take())
        #expect(second.holder == getpid())
        #expect(MeasureLock(directory: "\(directory)/missing").take())
    }

    // MARK: Transfers

    // No more than is wanted: a server without ranges would go on, as fast as a starved agent does not read, past the byte limit.
    private static let object = ScriptedResponse(200, body: [UInt8](repeating: 0x61, count: 1 << 20))

    @Test func `a transfer ends in one line without a terminal, and in an object with --json`() async throws {
        let server = try await ScriptedServer.start([.serve(Self.object)])
        let url = server.url("/large")
        let text = try await FinishedCommand.run(["measure", url, "--download", "1M", "--no-config"])
        #expect(text.status == 0, "\(text.error)")
        #expect(text.lines.count == 1)
        #expect(text.output.hasPrefix("ok \(url) over lo: download "), "\(text.output)")
        #expect(text.output.contains("1 MiB in "))
        #expect(text.error.isEmpty)
        let json = try await FinishedCommand.run(["measure", url, "--download", "1M", "--json", "--no-config"])
        let parsed = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
        let object = try #require(parsed as? [String: Any])
        #expect(object["verdict"] as? String == "ok")
        #expect(object["interface"] as? String == "lo")
        let transfer = try #require(object["transfer"] as? [String: Any])
        #expect((transfer["download"] as? [String: Any])?["bytes"] as? Int == 1 << 20)
        await server.shutDown()
    }

    @Test func `an error of the server is a failure with its code`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("no", status: 503))])
        let result = try await FinishedCommand.run(["measure", server.url(), "--no-config"])
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("failed \(server.url()) over lo: http_status"), "\(result.output)")
        await server.shutDown()
    }

    @Test func `on Ctrl-C the measurements so far are printed, and the status is 130`() async throws {
        let head = ScriptedResponse(200, body: [UInt8](repeating: 0x61, count: 64 << 20)).head
        let server = try await ScriptedServer.start(scripts: [
            [
                .receiveRequest, .send(head), .receiveRequest, .send(head),
                .send([UInt8](repeating: 0x61, count: 65_536)), .silence,
            ],
            [.serve(Self.object)],
        ])
        let command = try CommandLines("exec \(BuiltAgent.path) measure \(server.url()) --no-config --timeout 60s")
        var count = 0
        while !server.requests.contains(where: { $0.method == "GET" }), count < 64 {
            count = await server.received(requests: count + 1).count
        }
        command.signal(SIGINT)
        let line = await command.next()
        #expect(line?.hasPrefix("not checked \(server.url())") == true, "\(line ?? "")")
        #expect(line?.contains("cancelled") == true)
        #expect(await command.status() == 130)
        await server.shutDown()
    }

    @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script(1) is missing"))
    func `on a terminal the summary replaces the live display`() async throws {
        let server = try await ScriptedServer.start([.serve(Self.object)])
        let command = "\(BuiltAgent.path) measure \(server.url("/large")) --download 1M --no-config"
        let result = try await FinishedCommand.run(["-qefc", command, "/dev/null"], of: "/usr/bin/script")
        #expect(result.status == 0)
        let (hidden, shown) = (result.output.range(of: "\u{1B}[?25l"), result.output.range(of: "\u{1B}[?25h"))
        let (start, end) = (try #require(hidden), try #require(shown))
        #expect(start.lowerBound < end.lowerBound)
        let summary = result.output[end.upperBound...]
        #expect(summary.contains("DOWNLOAD"), "\(result.output)")
        #expect(summary.contains("1 MiB"))
        await server.shutDown()
    }
}
