/// The settings of all hooks.
public struct HookSettings: Sendable {
    /// The hook directories, by falling priority: a file of the first hides one of the same name in the next.
    public var folders: [String]
    /// The configured hooks.
    public var definitions: [HookDefinition]
    /// The maximum number of concurrent programs, of all hooks together.
    public var maximumRunning: Int
    /// The limits on the programs of all hooks together, where control groups are delegated.
    public var limits: HookLimits
    /// The timeout of a hook in the directories.
    public var folderTimeout: Duration
    /// The time that running programs get when the agent stops.
    public var stopGrace: Duration

    /// Creates settings; by default without hooks and directories.
    public init(
        folders: [String] = [],
        definitions: [HookDefinition] = [],
        maximumRunning: Int = 64,
        limits: HookLimits = HookLimits(),
        folderTimeout: Duration = .seconds(30),
        stopGrace: Duration = .seconds(3)
    ) {
        self.folders = folders
        self.definitions = definitions
        self.maximumRunning = maximumRunning
        self.limits = limits
        self.folderTimeout = folderTimeout
        self.stopGrace = stopGrace
    }

    /// The directories of a system service: the administrator's before the packages'.
    public static let systemFolders = ["/etc/reachagent/hooks.d", "/usr/lib/reachagent/hooks.d"]
}
