/// What the agent runs when something changes.
public struct HookSettings: Sendable {
    /// The folders of hooks, by falling priority: a file of the first hides one of the same name in the next.
    public var folders: [String]
    /// The configured hooks.
    public var definitions: [HookDefinition]
    /// How many programs may run at the same time, of all hooks together.
    public var mostRunning: Int
    /// The time for a hook of the folders.
    public var folderTimeout: Duration
    /// How long programs that run when the agent ends may go on.
    public var stopGrace: Duration

    /// No configured hook, and no folder.
    public init(
        folders: [String] = [],
        definitions: [HookDefinition] = [],
        mostRunning: Int = 64,
        folderTimeout: Duration = .seconds(30),
        stopGrace: Duration = .seconds(3)
    ) {
        self.folders = folders
        self.definitions = definitions
        self.mostRunning = mostRunning
        self.folderTimeout = folderTimeout
        self.stopGrace = stopGrace
    }

    /// The folders of a system service: the administrator's before the packages'.
    public static let systemFolders = ["/etc/reachagent/hooks.d", "/usr/lib/reachagent/hooks.d"]
}
