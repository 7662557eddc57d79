internal import AgentEvents
internal import Hooks

/// All hooks that an agent with the same configuration would have, and what would become of them.
struct HookSurvey: Sendable {
    /// The user as which it was judged.
    let user: String
    /// The files, and the agent that uses them.
    let files: AgentFiles
    /// `true` if the configuration switches hooks off.
    let isSwitchedOff: Bool
    /// The folders, by falling priority.
    let folders: [String]
    /// The time for files of the folders.
    let folderTimeout: Duration
    /// The configured hooks by name, then what lies in the folders.
    let hooks: [SurveyedHook]

    /// Looks at what settings name.
    ///
    /// Blocks while files are looked at.
    init(_ settings: HookSettings, files: AgentFiles, isSwitchedOff: Bool, user: String) {
        self.user = user
        self.files = files
        self.isSwitchedOff = isSwitchedOff
        folders = settings.folders
        folderTimeout = settings.folderTimeout
        hooks =
            settings.definitions.sorted { $0.name < $1.name }.map { SurveyedHook($0) }
            + HookFolders(settings.folders).entries().map { SurveyedHook($0) }
    }

    /// The hooks that run for an event, in the order in which they are started: the files, then the configured ones.
    func started(for event: HookEvent) -> [SurveyedHook] {
        let wanted = hooks.filter { $0.obstacle == nil && $0.matches(event) == .matches }
        let configured = wanted.filter { if case .configured = $0.kind { true } else { false } }
        let order = HookFolders(folders).hooks(for: HookOccasion.occasions(of: event)).map(\.path)
        let files = wanted.compactMap { hook in
            hook.path.flatMap { path in order.firstIndex(of: path).map { (place: $0, hook: hook) } }
        }
        return files.sorted { $0.place < $1.place }.map(\.hook) + configured
    }

    /// The hook of a name: a configured one, else a file that runs, else one that does not.
    func hook(named name: String) -> SurveyedHook? {
        let all = hooks.filter { $0.name == name }
        return all.first { $0.obstacle == nil } ?? all.first { $0.obstacle?.code == "refused" } ?? all.first
    }
}
