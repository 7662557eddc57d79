internal import Hooks

/// The section `[hooks]`, and all tables `[hook.NAME]`.
extension HookReader {
    /// The most hooks that are accepted.
    static let mostHooks = 256
    /// The longest grace: all parts of the agent must have stopped eight seconds after they were told to.
    static let longestGrace: Duration = .seconds(5)
    static let timeouts: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)

    static func readSection(of root: inout TableReader, into settings: inout Settings) {
        var section = root.section("hooks")
        let standard = HookSettings()
        settings.runsHooks = section.read("enabled", .boolean, default: true)
        settings.hookFolders = section.read("folders", Form<String>.absolutePath.list(0...16))
        settings.hooks.mostRunning = section.read("most_running", .integer(1...256), default: standard.mostRunning)
        settings.hooks.folderTimeout = section.read("timeout", .duration(timeouts), default: standard.folderTimeout)
        settings.hooks.stopGrace = section.read(
            "stop_grace",
            .duration(.zero...longestGrace),
            default: standard.stopGrace
        )
        for key in section.keys() where section.holds(key, anyOf: marks) {
            section.refuse(key, "is no key of this section; a hook's table is [\(KeyPath(["hook", key]))]")
        }
        section.finish()
    }

    static func readTables(of root: inout TableReader, into settings: inout Settings, material: ProbeMaterial) {
        guard let table = root.table("hook") else { return }
        let subjects = Subjects(targets: root.keys(in: "target"), probes: root.keys(in: "probe"))
        let tables = table.subtables(marks: marks, others: tableKeys)
        guard tables.count <= mostHooks else {
            let message = "there are \(tables.count) hooks; at most \(mostHooks) are accepted"
            return table.notes.error(message, key: table.path, at: table.origin)
        }
        for (name, reader) in tables {
            if let flaw = SettingsReader.flaw(ofName: name) {
                reader.notes.error(flaw, key: reader.path, at: reader.origin)
            }
            let timeout = settings.hooks.folderTimeout
            if let hook = definition(name: name, of: reader, material: material, subjects: subjects, timeout: timeout) {
                settings.hooks.definitions.append(hook)
            }
        }
        settings.hooks.definitions.sort { $0.name < $1.name }
    }
}
