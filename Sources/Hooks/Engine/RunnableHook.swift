internal import AgentEvents

/// A hook with its task, whether from a file or configured.
struct RunnableHook: Sendable {
    /// The task of a run.
    enum Task: Sendable {
        case program(HookCommand)
        case webhook(Webhook)
    }

    var name: String
    var kind: HookKind
    var task: Task
    var timeout: Duration

    /// Creates a configured hook.
    init(_ definition: HookDefinition) {
        name = definition.name
        timeout = definition.timeout
        switch definition.action {
        case .command(let command): (kind, task) = (.command, .program(command))
        case .webhook(let webhook): (kind, task) = (.webhook, .webhook(webhook))
        }
    }

    /// Creates a hook from a file in the directories.
    init(file path: String, name: String, timeout: Duration) {
        self.name = name
        self.timeout = timeout
        kind = .file
        task = .program(HookCommand(arguments: [path]))
    }

    /// The webhook, if the hook is one.
    var webhook: Webhook? {
        if case .webhook(let webhook) = task { webhook } else { nil }
    }

    /// The program, as configured.
    var path: String? {
        if case .program(let command) = task { command.arguments.first } else { nil }
    }

    /// Returns the variables for a run.
    func variables(for offer: HookOffer, path: String?, superseded: Int) -> [String: String] {
        HookEnvironment.variables(
            hook: name,
            path: path,
            event: offer.event,
            superseded: superseded,
            isAtStart: offer.isAtStart
        )
    }
}

/// An event offered to a hook.
struct HookOffer: Sendable {
    var event: HookEvent
    /// `true` if the event reports a state older than the hook, or the agent.
    var isAtStart: Bool

    init(_ event: HookEvent, isAtStart: Bool? = nil) {
        self.event = event
        self.isAtStart = isAtStart ?? event.isInitial
    }
}
