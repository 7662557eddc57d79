internal import AgentEvents
internal import Hooks

/// A hook as it was found, and what would become of it.
struct SurveyedHook: Sendable {
    /// The kind of a hook.
    enum Kind: Sendable {
        /// A file of the folders, which runs on an occasion.
        case folder(HookOccasion)
        /// A table of the configuration.
        case configured(HookDefinition)
    }

    /// The reason that it does not run at all, whatever happens.
    enum Obstacle: Sendable, Hashable {
        /// A file of a folder before this one hides it.
        case masked(by: String)
        /// It is not to be trusted, or cannot be run.
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
        case .folder(let occasion): [occasion.type]
        case .configured(let definition): definition.trigger.types
        }
    }

    /// Returns the match with an event, if nothing else were against it.
    func matches(_ event: HookEvent) -> HookMatch {
        switch kind {
        case .configured(let definition): return definition.matches(event)
        case .folder(let occasion):
            guard event.type == occasion.type else { return .type }
            guard HookOccasion.occasions(of: event).contains(occasion) else {
                return .filter(name: "folder", wanted: [occasion.rawValue], found: HookOccasion.change(of: event))
            }
            return .matches
        }
    }

    /// The run of it for an event; nil for what is no hook at all, such as a folder.
    func run(for event: HookEvent, timeout: Duration) -> SingleRun? {
        switch kind {
        case .configured(let definition): SingleRun(.configured(definition), event: event)
        case .folder: path.map { SingleRun(.folder(name: name, path: $0, timeout: timeout), event: event) }
        }
    }
}

extension SurveyedHook {
    /// A file, or something else, that lies in the folders.
    init(_ entry: FolderEntry) {
        self.init(name: entry.name, kind: .folder(entry.occasion), path: entry.path)
        func skipped(_ code: String) -> Obstacle { .skipped(code: code, words: entry.reason ?? code) }
        obstacle =
            switch entry.state {
            case .runs: nil
            case .masked(let path): .masked(by: path)
            case .refused(let refusal): .refused(refusal)
            case .disabled: skipped("disabled")
            case .leftOver: skipped("left_over")
            case .unknownFolder: skipped("unknown_folder")
            case .badName: skipped("bad_name")
            case .beyondLimit: skipped("beyond_limit")
            }
    }

    /// A configured hook; its program is looked at as if it were to run now.
    init(_ definition: HookDefinition) {
        self.init(name: definition.name, kind: .configured(definition))
        if case .refused(let refusal) = SingleRun(.configured(definition), event: .sample).plan().action {
            obstacle = .refused(refusal)
        }
    }
}

extension HookOccasion {
    /// Returns the part of an event that the folders ask for.
    fileprivate static func change(of event: HookEvent) -> String {
        func words(_ name: String, _ from: String?, _ to: String?) -> String {
            "\(name) \(from ?? "unknown") → \(to ?? "unknown")"
        }
        return words("via", event.from.via, event.to.via) + ", "
            + words("connectivity", event.from.connectivity, event.to.connectivity)
    }
}

extension HookEvent {
    /// An event that says nothing, for looking at what does not depend on one.
    fileprivate static let sample = HookEvent(
        Event(
            EventDraft(.agentStopping, .agentStopping(AgentStopping(reason: "none"))),
            from: EventOrigin(streamID: "0", host: "none"),
            at: Timestamp(microsecondsSince1970: 0),
            number: 1
        )
    )
}
