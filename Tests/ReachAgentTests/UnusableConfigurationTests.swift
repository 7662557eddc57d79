import AgentTestKit
import Testing

/// A configuration with errors, for commands that need it and for those that do not.
@Suite struct UnusableConfigurationTests {
    private static func run(_ arguments: [String]) async throws -> (FinishedCommand, file: String) {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let text = "[probe.web]\ntarget = 'https://web.test/'\nrise = 0\n"
        let file = try directory.file("reachagent.toml", text)
        let environment = ["CONFIGURATION_DIRECTORY": directory.path, "RUNTIME_DIRECTORY": directory.path]
        return (try await FinishedCommand.run(arguments, environment: environment), file)
    }

    // A server that would count what is sent is not needed: nothing listens at the port, which would be another status.
    private static let url = "http://127.0.0.1:9/"

    @Test(arguments: [
        ["probe", "web"], ["measure", "web"], ["measure"], ["route", "web"], ["diagnose", "web"],
        ["probe", url, "--no-cellular"], ["measure", url, "--no-cellular"], ["measure", url, "--each"],
    ])
    func `a command that needs the configuration reports its errors, and sends nothing`(
        _ arguments: [String]
    ) async throws {
        let (result, file) = try await Self.run(arguments)
        #expect(result.error == "\(file):3:1: probe.web.rise: 0 is not from 1 to 1000\n")
        #expect(result.output.isEmpty)
        #expect(result.status == 78)
    }

    @Test(
        arguments: [
            (["probe", url], 1), (["probe", url, "--no-cellular", "--no-config"], 1),
            (["probe", url, "--config", "/nonexistent"], 78), (["measure", url, "--config", "/nonexistent"], 78),
            (["probe", url, "--socket", "/nonexistent"], 69), (["measure", url, "--socket", "/nonexistent"], 69),
        ] as [([String], Int32)]
    )
    func `a URL needs no configuration, but a named one must be usable`(arguments: [String], status: Int32) async throws
    {
        let (result, file) = try await Self.run(arguments)
        #expect(result.status == status, "\(result.error)")
        #expect(!result.error.contains(file))
        #expect(result.error.isEmpty == (status == 1))
    }

    @Test func `an address needs no configuration, and is shown in spite of its errors`() async throws {
        let (result, file) = try await Self.run(["route", "127.0.0.1"])
        #expect(
            result.error == "reachagent: warning: the configuration is not used: \(file):3:1: probe.web.rise: "
                + "0 is not from 1 to 1000; '--no-config' reads none\n"
        )
        #expect(!result.output.isEmpty)
    }

    @Test(arguments: [(["--target", "x=192.0.2.200"], true), (["--target", "t64=192.0.2.200"], false)])
    func `targets of the command line count with those of the configuration, whose names they may take`(
        arguments: [String],
        isRejected: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let text = (1...64).map { "[target.t\($0)]\naddress = '192.0.2.\($0)'\n" }.joined()
        let file = try directory.file("reachagent.toml", text)
        let command = ["run", "--once", "--format", "none", "--config", file] + arguments
        let result = try await FinishedCommand.run(command)
        #expect((result.status == 78) == isRejected)
        let message = "reachagent: --target: 65 targets, with those of the configuration; at most 64 are watched\n"
        #expect(result.error == (isRejected ? message : ""))
    }
}
