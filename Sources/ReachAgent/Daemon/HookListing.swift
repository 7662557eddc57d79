internal import AgentEvents
internal import Hooks

/// All hooks that an agent with the same configuration would have, and whether they would run.
struct HookListing: Sendable {
    /// The user for whom the hooks were evaluated.
    let user: String
    /// The files, and the agent that uses them.
    let files: AgentFiles
    /// The configuration files that were read.
    let read: [String]
    /// `true` if the configuration or the agent switches hooks off.
    let isSwitchedOff: Bool
    /// The directories, by falling priority.
    let directories: [String]
    /// Those of the directories that do not exist.
    let missingDirectories: Set<String>
    /// The time for files of the directories.
    let directoryTimeout: Duration
    /// The configured hooks by name, then what lies in the directories.
    let hooks: [ListedHook]

    /// Finds the hooks that the settings name.
    ///
    /// Blocks while files are read.
    init(_ settings: HookSettings, files: AgentFiles, read: [String], user: String) {
        self.user = user
        self.files = files
        self.read = read
        isSwitchedOff = !settings.isEnabled
        directories = settings.directories
        missingDirectories = Set(settings.directories.filter(HookLocation.isMissing))
        directoryTimeout = settings.directoryTimeout
        hooks =
            settings.definitions.sorted { $0.name < $1.name }.map { ListedHook($0) }
            + HookDirectories(settings.directories).entries().map { ListedHook($0) }
    }

    /// The types of event that hooks are for, also refused ones, which run once they are repaired.
    var types: Set<EventType> {
        hooks.reduce(into: []) { types, hook in
            switch hook.obstacle {
            case nil, .refused: types.formUnion(hook.types)
            case .masked, .skipped: break
            }
        }
    }

    /// The hooks that run for an event, in the order in which they are started: the files, then the configured ones.
    func started(for event: HookEvent) -> [ListedHook] {
        let wanted = hooks.filter { $0.obstacle == nil && $0.matches(event) == .matches }
        let configured = wanted.filter { if case .configured = $0.kind { true } else { false } }
        let order = HookDirectories(directories).hooks(for: HookOccasion.occasions(of: event)).map(\.path)
        let files = wanted.compactMap { hook in
            hook.path.flatMap { path in
                order.firstIndex { $0.utf8.elementsEqual(path.utf8) }.map { (place: $0, hook: hook) }
            }
        }
        return files.sorted { $0.place < $1.place }.map(\.hook) + configured
    }

    /// The hook of a name: a configured one, else a file that runs, else one that does not.
    func hook(named name: String) -> ListedHook? {
        let all = hooks.filter { $0.name.utf8.elementsEqual(name.utf8) }
        return all.first { $0.obstacle == nil } ?? all.first { $0.obstacle?.code == "refused" } ?? all.first
    }
}

/// A hook as it was found, and whether it would run.
struct ListedHook: Sendable {
    /// The kind of a hook.
    enum Kind: Sendable {
        /// A file of the directories, which runs on an occasion.
        case file(HookOccasion)
        /// A table of the configuration.
        case configured(HookDefinition)
    }

    /// The reason that a hook never runs.
    enum Obstacle: Sendable, Hashable {
        /// A file of a directory before this one hides it.
        case masked(by: String)
        /// The file is not trusted, or cannot be run.
        case refused(HookRefusal)
        /// Anything else, with a name for programs and words for people.
        case skipped(code: String, words: String)

        /// The obstacle's stable name.
        var code: String {
            switch self {
            case .masked: "masked"
            case .refused: "refused"
            case .skipped(let code, _): code
            }
        }
    }

    var name: String
    var kind: Kind
    /// The path of its file.
    var path: String?
    /// The reason that it does not run; `nil` when it does.
    var obstacle: Obstacle?

    /// The types of event that it is for.
    var types: Set<EventType> {
        switch kind {
        case .file(let occasion): [occasion.type]
        case .configured(let definition): definition.trigger.types
        }
    }

    /// Returns the match with an event, if nothing else were against it.
    func matches(_ event: HookEvent) -> HookMatch {
        switch kind {
        case .configured(let definition): return definition.matches(event)
        case .file(let occasion):
            guard event.type == occasion.type else { return .type }
            guard HookOccasion.occasions(of: event).contains(occasion) else {
                return .filter(name: "subdirectory", wanted: [occasion.rawValue], found: HookOccasion.change(of: event))
            }
            return .matches
        }
    }

    /// Returns the hook's run for an event; nil for an entry that is not a hook, such as a directory.
    func run(for event: HookEvent, timeout: Duration) -> SingleRun? {
        switch kind {
        case .configured(let definition): SingleRun(.configured(definition), event: event)
        case .file: path.map { SingleRun(.file(name: name, path: $0, timeout: timeout), event: event) }
        }
    }
}

extension ListedHook {
    /// A file, or something else, that lies in the directories.
    init(_ entry: DirectoryEntry) {
        self.init(name: entry.name, kind: .file(entry.occasion), path: entry.path)
        func skipped(_ code: String) -> Obstacle { .skipped(code: code, words: entry.reason ?? code) }
        obstacle =
            switch entry.state {
            case .runs: nil
            case .masked(let path): .masked(by: path)
            case .refused(let refusal): .refused(refusal)
            case .disabled: skipped("disabled")
            case .leftOver: skipped("left_over")
            case .unknownDirectory: skipped("unknown_subdirectory")
            case .badName: skipped("bad_name")
            case .beyondLimit: skipped("beyond_limit")
            }
    }

    /// Creates a configured hook; its program is checked as if it were to run now.
    init(_ definition: HookDefinition) {
        self.init(name: definition.name, kind: .configured(definition))
        if case .refused(let refusal) = SingleRun(.configured(definition), event: .sample).plan().action {
            obstacle = .refused(refusal)
        }
    }
}

extension HookOccasion {
    /// Returns the change in an event that selects the directories.
    fileprivate static func change(of event: HookEvent) -> String {
        func words(_ name: String, _ from: String?, _ to: String?) -> String {
            "\(name) \(from ?? "unknown") → \(to ?? "unknown")"
        }
        return words("via", event.from.via, event.to.via) + ", "
            + words("connectivity", event.from.connectivity, event.to.connectivity)
    }
}

extension HookEvent {
    /// An empty event, for evaluating what does not depend on one.
    fileprivate static let sample = HookEvent(
        Event(
            EventDraft(.agentStopping, .agentStopping(AgentStopping(reason: "none"))),
            from: EventOrigin(streamID: "0", host: "none"),
            at: Timestamp(microsecondsSince1970: 0),
            number: 1
        )
    )
}
