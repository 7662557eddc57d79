internal import EventEnvelope
internal import Hooks
internal import Probes

/// Reads one table `[hook.NAME]`.
///
/// Like a probe's, it is read to its end whatever is wrong, and a key that only the other kind of hook has a use for is
/// refused.
struct HookReader: RequestTableReader {
    /// What a hook does: every table has one of these keys.
    static let marks = ["command", "url", "url_file"]
    /// The keys of tables, whose own keys may be called like anything.
    static let tableKeys: Set<String> = ["when", "environment", "headers", "header_files"]
    /// The keys that only a program has a use for.
    static let commandKeys = ["user", "group", "environment", "working_directory"]
    /// The keys that only a webhook has a use for.
    static let webhookKeys =
        trustKeys + [
            "method", "headers", "header_files", "basic_auth_file", "body", "secret_file", "retries", "expect_status",
            "interface", "families", "allow_cellular",
        ]

    /// The names of what a hook can be about.
    struct Subjects {
        let targets: [String]
        let probes: [String]
    }

    /// What a hook does.
    private enum Kind {
        case command, webhook
        /// Neither can be told.
        case unclear
    }

    let name: String
    let material: ProbeMaterial
    let subjects: Subjects
    var table: TableReader
    let errorsBefore: Int
    let addressKey = "url"

    /// The definition in a table; nil when something in it is wrong, which is in the notes then.
    ///
    /// - Parameter timeout: The time for a run of a hook that says nothing of it.
    static func definition(
        name: String,
        of table: TableReader,
        material: ProbeMaterial,
        subjects: Subjects,
        timeout: Duration
    ) -> HookDefinition? {
        var reader = HookReader(
            name: name,
            material: material,
            subjects: subjects,
            table: table,
            errorsBefore: table.notes.errorCount
        )
        return reader.definition(timeout: timeout)
    }

    private mutating func definition(timeout standard: Duration) -> HookDefinition? {
        let kind = readKind()
        let trigger = readTrigger()
        let timeout = table.read("timeout", .duration(Self.timeouts), default: standard)
        let pace = readPace(trigger.types)
        var action: HookDefinition.Action?
        if kind != .webhook, let command = readCommand() { action = .command(command) }
        if kind != .command, let webhook = readWebhook(timeout: timeout) { action = .webhook(webhook) }
        table.finish()
        guard isClean, let action else { return nil }
        return HookDefinition(
            name: name,
            action: action,
            trigger: trigger,
            pace: pace,
            timeout: timeout,
            identity: table.identity()
        )
    }

    private mutating func readKind() -> Kind {
        if table.has("url"), table.has("url_file") {
            table.refuse("url", "a webhook has 'url' or 'url_file', and not both")
        }
        switch (table.has("command"), table.has("url") || table.has("url_file")) {
        case (true, false):
            for key in Self.webhookKeys {
                table.refuse(key, "has no meaning for a program; it belongs to a hook with 'url'")
            }
            return .command
        case (false, true):
            for key in Self.commandKeys {
                table.refuse(key, "has no meaning for a webhook; it belongs to a hook with 'command'")
            }
            return .webhook
        case (true, true):
            let address = table.has("url") ? "url" : "url_file"
            let later = Origin.precedes(table.origin(of: "command"), table.origin(of: address)) ? address : "command"
            table.report(later, "a hook has 'command' or 'url', and not both")
        case (false, false):
            let message = "'command' or 'url' is missing; needed is one such as command = [\"/usr/bin/logger\", \"hi\"]"
            table.notes.error(message, key: table.path, at: table.origin)
        }
        return .unclear
    }

    private mutating func readPace(_ types: Set<EventType>) -> HookPace {
        let standard = HookPace()
        let pace = HookPace(
            concurrency: table.read("concurrency", .integer(1...16), default: standard.concurrency),
            queue: table.read("queue", .choice, default: standard.queue),
            debounce: table.read("debounce", .duration(.zero ... .seconds(3600)), default: standard.debounce),
            runsAtStart: table.read("at_start", .boolean, default: standard.runsAtStart)
        )
        if pace.runsAtStart, isClean, types.isDisjoint(with: EventFacts.statefulTypes) {
            let words = EventFacts.listed(EventFacts.statefulTypes)
            table.report("at_start", "the types in 'on' tell of no state that could be given at the start; \(words) do")
        }
        return pace
    }
}
