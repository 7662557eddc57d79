import AgentTestKit
import ArgumentParser
import Foundation
import Testing

@testable import ReachAgentFleet

@Suite struct FleetCommandTests {
    private static func mistake(_ words: String) -> String? {
        do {
            _ = try FleetCommand.parseAsRoot(words.split(separator: " ").map(String.init))
            return nil
        } catch {
            return FleetCommand.message(for: error)
        }
    }

    @Test(arguments: [
        "status", "status --server nats://broker.example",
        "status --server tls://a.example,b.example:4223 --only trouble",
        "status --since 7d --sort availability --output json", "report --month 2026-10 --slo 99.5 --format csv",
        "report --device edge-7 --format html", "watch --output json --durable archive",
        "status --user reader --password-file /etc/reader --silent-after 1h30m --device edge-*",
    ])
    func `a command line is understood`(_ words: String) { #expect(Self.mistake(words) == nil) }

    @Test(arguments: [
        ("status --server mqtt://broker.example", "expected a NATS server"),
        ("status --server nats://reader:secret@broker.example", "a URL must not contain credentials"),
        ("status --subject reachagent.all", "expected '<device>'"),
        ("status --user reader", "'--user' and '--password-file' need each other"),
        ("status --token-file /t --nkey-file /n", "'--token-file' and '--nkey-file' exclude each other"),
        ("status --client-key /k", "'--client-certificate' and '--client-key' need each other"),
        ("status --sort outages", "needs '--since'"), ("status --since tomorrow", "expected a time in the past"),
        ("status --silent-after 5", "expected a duration"), ("status --silent-after yesterday", "expected a duration"),
        ("status --only good", "--only"), ("report --format html", "needs one '--device'"),
        ("report --device edge-* --format markdown", "needs one '--device'"), ("report --slo 100", "expected per cent"),
        ("watch --durable archive", "'--durable' needs '--output json'"),
        ("watch --output json --only full", "'--only' is about devices"),
        ("watch --output json --durable a.b", "expected 1 to 32 letters"), ("watch", "needs a terminal"),
        ("watch --since 1971-01-01", "expected a time within the last"),
    ])
    func `a mistake is named`(_ words: String, _ sentence: String) throws {
        let mistake = try #require(Self.mistake(words))
        #expect(mistake.contains(sentence), "\(mistake)")
        #expect(!mistake.contains("secret"))
    }

    @Test(arguments: [
        ("stat", "there is no command 'stat'; did you mean 'status'?"),
        ("stat --server nats://b.example", "there is no command 'stat'; did you mean 'status'?"),
        ("frobnicate", "there is no command 'frobnicate'; there are report, status, watch"),
        ("--hlp", "there is no option '--hlp'; did you mean '--help'?"),
        ("status --sevrer", "there is no option '--sevrer'; did you mean '--server'?"),
        (
            "status --only foo",
            "'--only <state>': expected none, local, portal, silent, stopped, partial, unknown, full or trouble, got 'foo'"
        ),
        ("status --output jsn", "'--output <output>': expected text or json, got 'jsn'; did you mean 'json'?"),
        ("status --sort outages", "'--sort outages' needs '--since'"),
    ])
    func `a mistake is answered in one sentence, with the correction`(_ words: String, _ sentence: String) async throws
    {
        let result = try await FinishedCommand.run(
            words.split(separator: " ").map(String.init),
            of: BuiltFleet.path
        )
        #expect(result.status == 64)
        #expect(result.error == "reachagent fleet: \(sentence)\nhelp:  reachagent fleet --help\n")
    }

    @Test(arguments: [
        ("127.0.0.1:1", "127.0.0.1:1 cannot be reached: Connection refused\n"),
        ("nosuch.invalid", "the name 'nosuch.invalid' cannot be resolved: "),
    ])
    func `a server that cannot be reached has a reason`(_ server: String, _ reason: String) async throws {
        let result = try await FinishedCommand.run(["status", "--server", "nats://\(server)"], of: BuiltFleet.path)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("reachagent fleet: \(reason)"), "\(result.error)")
    }

    @Test
    func `each command fails with a status when the server is not available`() async throws {
        let result = try await FinishedCommand.run(["status", "--server", "nats://127.0.0.1:1"], of: BuiltFleet.path)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("reachagent fleet: 127.0.0.1:1"))
        #expect(result.output.isEmpty)
    }

    @Test
    func `a file with credentials that is missing is named`() async throws {
        let words = ["status", "--server", "nats://127.0.0.1:1", "--credentials-file", "/nonexistent/fleet.creds"]
        let result = try await FinishedCommand.run(words, of: BuiltFleet.path)
        #expect(result.status == 78)
        #expect(result.error.contains("/nonexistent/fleet.creds"))
    }

    @Test
    func `the agent's command starts the program`() async throws {
        let result = try await FinishedCommand.run(["fleet", "status", "--server", "nats://127.0.0.1:1"])
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("reachagent fleet: 127.0.0.1:1"))
        let help = try await FinishedCommand.run(["fleet", "--help"])
        #expect(help.output.contains("reachagent fleet <subcommand>"), "\(help.output)\(help.error)")
    }
}
