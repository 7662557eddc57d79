import AgentTestKit
import Foundation
import Testing

/// A configuration with errors, for a command that is about a name of it.
@Suite struct UnusableConfigurationTests {
    private static func run(_ arguments: [String]) async throws -> (FinishedCommand, file: String) {
        let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "unusable-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = "\(directory)/reachagent.toml"
        let text = "[probe.web]\ntarget = 'https://web.test/'\nrise = 0\n"
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let environment = ["CONFIGURATION_DIRECTORY": directory, "RUNTIME_DIRECTORY": directory]
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
