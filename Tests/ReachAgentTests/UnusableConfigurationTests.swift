import AgentTestKit
import Testing

/// A configuration with errors, for a command that is about a name of it.
@Suite struct UnusableConfigurationTests {
    private static func run(_ arguments: [String]) async throws -> (FinishedCommand, file: String) {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let text = "[probe.web]\ntarget = 'https://web.test/'\nrise = 0\n"
        let file = try directory.file("reachagent.toml", text)
        let environment = ["CONFIGURATION_DIRECTORY": directory.path, "RUNTIME_DIRECTORY": directory.path]
        return (try await FinishedCommand.run(arguments, environment: environment), file)
    }

    @Test(arguments: [["probe", "web"], ["measure", "web"], ["measure"], ["route", "web"], ["diagnose", "web"]])
    func `a command about a name reports the errors of the file, not that there is no such name`(
        _ arguments: [String]
    ) async throws {
        let (result, file) = try await Self.run(arguments)
        #expect(result.error == "\(file):3:1: probe.web.rise: 0 is not from 1 to 1000\n")
        #expect(result.output.isEmpty)
        #expect(result.status == 78)
    }

    @Test func `an address needs no configuration, and is shown in spite of its errors`() async throws {
        let (result, file) = try await Self.run(["route", "127.0.0.1"])
        #expect(
            result.error == "reachagent: warning: the configuration is not used: \(file):3:1: probe.web.rise: "
                + "0 is not from 1 to 1000; '--no-config' reads none\n"
        )
        #expect(!result.output.isEmpty)
    }
}
