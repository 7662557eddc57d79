import ArgumentParser
import Configuration
import Hooks
import Testing

@testable import ReachAgent

@Suite struct HookOptionsTests {
    @Test(
        arguments: [
            ([:], true, HookSettings.systemFolders),
            (["HOME": "/root", "XDG_CONFIG_HOME": "/x"], true, HookSettings.systemFolders),
            (["HOME": "/home/a"], false, ["/home/a/.config/reachagent/hooks.d"]),
            (["HOME": "/home/a", "XDG_CONFIG_HOME": "/x"], false, ["/x/reachagent/hooks.d"]),
            (["HOME": "/home/a", "XDG_CONFIG_HOME": "x"], false, ["/home/a/.config/reachagent/hooks.d"]),
            (["HOME": "/home/a", "STATE_DIRECTORY": "/var/lib/r"], false, HookSettings.systemFolders),
            (["RUNTIME_DIRECTORY": "/run/r"], false, HookSettings.systemFolders),
            ([:], false, []),
        ] as [([String: String], Bool, [String])]
    )
    func `services and root have the system's folders, and others their own`(
        _ environment: [String: String],
        _ isRoot: Bool,
        _ folders: [String]
    ) {
        #expect(HookLocation(environment: environment, isRoot: isRoot).folders == folders)
    }

    @Test func `folders of the command line win over the configuration's, and those over the standard ones`() throws {
        var settings = Settings()
        settings.hookFolders = ["/configured"]
        let plain = try HookOptions.parse([])
        #expect(plain.hooks(of: settings).folders == ["/configured"])
        settings.hookFolders = []
        #expect(plain.hooks(of: settings).folders.isEmpty)
        settings.hookFolders = nil
        #expect(plain.hooks(of: settings).folders == HookLocation().folders)
        let given = try HookOptions.parse(["--hooks", "/a", "--hooks", "/b"])
        settings.hookFolders = ["/configured"]
        #expect(given.hooks(of: settings).folders == ["/a", "/b"])
        let relative = try HookOptions.parse(["--hooks", "./c/d/"]).hooks(of: settings).folders
        #expect(relative.first?.hasPrefix("/") == true)
        #expect(relative.first?.hasSuffix("/c/d") == true)
    }

    @Test func `without hooks neither folders nor tables run`() throws {
        var settings = Settings()
        settings.hookFolders = ["/configured"]
        settings.hooks.definitions = [
            HookDefinition(name: "a", action: .command(HookCommand(arguments: ["/bin/true"])))
        ]
        let none = try HookOptions.parse(["--no-hooks"]).hooks(of: settings)
        #expect(none.folders.isEmpty)
        #expect(none.definitions.isEmpty)
        #expect(throws: (any Error).self) { try HookOptions.parse(["--no-hooks", "--hooks", "/a"]) }
        #expect(throws: (any Error).self) { try HookOptions.parse(["--hooks", ""]) }
    }
}
