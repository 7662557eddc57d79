internal import ArgumentParser
internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import Hooks

/// The hooks of an agent.
struct HookOptions: ParsableArguments {
    @OptionGroup var place: HookDirectoryOptions

    @Flag(help: "Run no hooks, whatever the directories and the configuration say.")
    var noHooks = false

    func validate() throws {
        if noHooks, !place.directories.isEmpty {
            throw ValidationError("'--hooks' and '--no-hooks' contradict each other")
        }
    }

    /// The hooks to run, with the settings of a configuration.
    func hooks(of settings: Settings) -> HookSettings {
        var active = place.hooks(of: settings)
        if noHooks { active.disable() }
        return active
    }
}

/// The directories of hooks.
struct HookDirectoryOptions: ParsableArguments {
    @Option(
        name: .customLong("hooks"),
        help: ArgumentHelp(
            """
            Run the files of this directory; a file of an earlier one hides those of its name in later ones (repeatable; \
            default: what the configuration says, else for services and root \(HookSettings.systemDirectories[0]) and \
            \(HookSettings.systemDirectories[1]), for others $XDG_CONFIG_HOME/reachagent/hooks.d).
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var directories: [String] = []

    func validate() throws {
        if directories.contains("") { throw ValidationError("'--hooks' needs the path of a directory") }
    }

    /// The hooks to run: the directories of the command line, else a running agent's, else the configuration's, else the
    /// standard ones.
    func hooks(of settings: Settings, agent: RunningAgent? = nil) -> HookSettings {
        var active = settings.activeHooks(standardDirectories: HookLocation().directories)
        if let used = agent?.status.hookSetup {
            active.directories = used.directories
            if used.disabled == true { active.disable() }
        }
        // Hook files need absolute paths, because every directory above them is checked.
        if !directories.isEmpty { active.use(directories.map(AbsolutePath.of)) }
        return active
    }
}

/// The directories of hooks where neither the command line nor the configuration names one.
struct HookLocation {
    private let environment: [String: String]
    private let isRoot: Bool

    /// Creates the locations for an environment, by default that of this process.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, isRoot: Bool = geteuid() == 0) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Returns whether a directory certainly does not exist; one that cannot be looked for may.
    static func isMissing(_ directory: String) -> Bool {
        access(directory, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
    }

    /// The directories, by falling priority; none for a user who has no home directory.
    var directories: [String] {
        // Set by systemd for services.
        let isService = environment["RUNTIME_DIRECTORY"] != nil || environment["STATE_DIRECTORY"] != nil
        if isRoot || isService { return HookSettings.systemDirectories }
        if let configuration = AbsolutePath.named("XDG_CONFIG_HOME", in: environment) {
            return ["\(configuration)/reachagent/hooks.d"]
        }
        return AbsolutePath.named("HOME", in: environment).map { ["\($0)/.config/reachagent/hooks.d"] } ?? []
    }
}
