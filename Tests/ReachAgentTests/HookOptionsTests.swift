import AgentEvents
import AgentTestKit
import ArgumentParser
import Configuration
import Hooks
import Testing

@testable import ReachAgent

@Suite struct HookOptionsTests {
    @Test(
        arguments: [
            ([:], true, HookSettings.systemDirectories),
            (["HOME": "/root", "XDG_CONFIG_HOME": "/x"], true, HookSettings.systemDirectories),
            (["HOME": "/home/a"], false, ["/home/a/.config/reachagent/hooks.d"]),
            (["HOME": "/home/a", "XDG_CONFIG_HOME": "/x"], false, ["/x/reachagent/hooks.d"]),
            (["HOME": "/home/a", "XDG_CONFIG_HOME": "x"], false, ["/home/a/.config/reachagent/hooks.d"]),
            (["HOME": "/home/a", "STATE_DIRECTORY": "/var/lib/r"], false, HookSettings.systemDirectories),
            (["RUNTIME_DIRECTORY": "/run/r"], false, HookSettings.systemDirectories),
            ([:], false, []),
        ] as [([String: String], Bool, [String])]
    )
    func `services and root have the system's directories, and others their own`(
        _ environment: [String: String],
        _ isRoot: Bool,
        _ directories: [String]
    ) {
        #expect(HookLocation(environment: environment, isRoot: isRoot).directories == directories)
    }

    @Test func `directories of the command line win over the configuration's, and those over the standard ones`() throws
    {
        var settings = Settings()
        settings.hookDirectories = ["/configured"]
        let plain = try HookOptions.parse([])
        #expect(plain.hooks(of: settings).directories == ["/configured"])
        settings.hookDirectories = []
        #expect(plain.hooks(of: settings).directories.isEmpty)
        settings.hookDirectories = nil
        #expect(plain.hooks(of: settings).directories == HookLocation().directories)
        let given = try HookOptions.parse(["--hooks", "/a", "--hooks", "/b"])
        settings.hookDirectories = ["/configured"]
        #expect(given.hooks(of: settings).directories == ["/a", "/b"])
        settings.runsHooks = false
        let alone = given.hooks(of: settings)
        #expect(alone.directories == ["/a", "/b"])
        #expect(AgentStatus.HookSetup(alone, nil).disabled == nil)
        let relative = try HookOptions.parse(["--hooks", "./c/d/"]).hooks(of: settings).directories
        #expect(relative.first?.hasPrefix("/") == true)
        #expect(relative.first?.hasSuffix("/c/d") == true)
    }

    @Test func `a directory that certainly does not exist is known as such`() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = try directory.file("file", "")
        #expect(!HookLocation.isMissing(directory.path))
        #expect(HookLocation.isMissing("\(directory.path)/nope"))
        #expect(HookLocation.isMissing("\(file)/below"))
    }

    @Test func `without hooks neither directories nor tables run`() throws {
        var settings = Settings()
        settings.hookDirectories = ["/configured"]
        settings.hooks.definitions = [
            HookDefinition(name: "a", action: .command(HookCommand(arguments: ["/bin/true"])))
        ]
        let none = try HookOptions.parse(["--no-hooks"]).hooks(of: settings)
        #expect(none.directories.isEmpty)
        #expect(none.definitions.isEmpty)
        #expect(AgentStatus.HookSetup(none, nil).disabled == true)
        #expect(throws: (any Error).self) { try HookOptions.parse(["--no-hooks", "--hooks", "/a"]) }
        #expect(throws: (any Error).self) { try HookOptions.parse(["--hooks", ""]) }
    }
}
