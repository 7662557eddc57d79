import Foundation
import Probes
import Reachability
import Testing

@testable import Configuration

/// The configuration that `config init` writes, and the package's configuration file.
@Suite struct InitialConfigurationTests {
    private static func package() throws -> String {
        try String(contentsOfFile: "\(Fixtures.examples)/../../packaging/reachagent.toml", encoding: .utf8)
    }

    @Test func `it has two useful probes and no warnings`() throws {
        let loaded = try Fixtures.load(InitialConfiguration.text)
        #expect(loaded.warnings.isEmpty)
        #expect(loaded.settings.probes.map(\.name) == ["portal", "web"])
        #expect(loaded.settings.probes.map(\.rule.isPortalCheck) == [true, false])
        #expect(loaded.settings.probes.map(\.pace.interval) == [.seconds(60), .seconds(60)])
        #expect(loaded.settings.probes.map { "\($0.probe.target)".hasPrefix("https://") } == [false, true])
    }

    @Test func `it names every host that something is sent to`() throws {
        let targets = try Fixtures.load(InitialConfiguration.text).settings.probes.map { "\($0.probe.target)" }
        for target in targets {
            #expect(InitialConfiguration.hosts.contains { target.contains("//\($0)/") }, "\(target)")
        }
        #expect(InitialConfiguration.hosts.count == targets.count)
    }

    @Test func `the package's file has the same probes as comments, and nothing else`() throws {
        let file = try Self.package()
        #expect(file.hasSuffix("\n\n" + InitialConfiguration.commented))
        #expect(try Fixtures.load(file).settings.probes.isEmpty)
        let uncommented = file.replacing(/(?m)^#(?=[\[a-z])/, with: "")
        #expect(try Fixtures.load(uncommented).settings.probes.map(\.name) == ["portal", "web"])
    }

    @Test func `lines are short enough for a terminal of 120 columns`() throws {
        for line in try Self.package().split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }

    @Test(arguments: [
        ("/etc/reachagent/reachagent.toml", "/etc/reachagent/reachagent.toml.d/a.toml"),
        ("/usr/lib/reachagent/reachagent.toml", "/etc/reachagent/reachagent.toml.d/a.toml"),
        ("/home/alice/a.toml", "/home/alice/a.toml.d/a.toml"),
    ])
    func `a drop-in is never the vendor's`(file: String, dropIn: String) {
        #expect(ConfigurationFile.dropIn(named: "a.toml", of: file) == dropIn)
    }
}
