internal import EventEnvelope

/// A hook with what a run of it does, whether it is a file of the folders or configured.
struct RunnableHook: Sendable {
    /// What a run does.
    enum Task: Sendable {
        case program(HookCommand)
        case webhook(Webhook)
    }

    var name: String
    var kind: HookCompletion.Kind
    var task: Task
    var timeout: Duration

    /// A configured hook.
    init(_ definition: HookDefinition) {
        name = definition.name
        timeout = definition.timeout
        switch definition.action {
        case .command(let command): (kind, task) = (.command, .program(command))
        case .webhook(let webhook): (kind, task) = (.webhook, .webhook(webhook))
        }
    }

    /// A file of the folders.
    init(file path: String, name: String, timeout: Duration) {
        self.name = name
        self.timeout = timeout
        kind = .folder
        task = .program(HookCommand(arguments: [path]))
    }

    /// The webhook, if it is one.
    var webhook: Webhook? {
        if case .webhook(let webhook) = task { webhook } else { nil }
    }

    /// The program, as it was given.
    var path: String? {
        if case .program(let command) = task { command.arguments.first } else { nil }
    }

    /// The variables for a run.
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

/// An event on its way to a hook.
struct HookOffer: Sendable {
    var event: HookEvent
    /// Whether it says how things were before the hook, or the agent, was there.
    var isAtStart: Bool

    init(_ event: HookEvent, isAtStart: Bool? = nil) {
        self.event = event
        self.isAtStart = isAtStart ?? event.isInitial
    }
}
