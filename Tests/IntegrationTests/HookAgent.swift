import AgentEvents
import AgentTestKit
import Foundation
import Synchronization

/// The built agent on the machine of a ``HookLab``, with its directories of hooks and a configuration, read as events.
final class HookAgent: Sendable {
    /// The output ended, or the patience, before an expected event came.
    struct Missing: Error, CustomStringConvertible {
        let wanted: String
        let seen: [String]
        let messages: String

        var description: String {
            "no \(wanted) came; seen were:\n  \(seen.joined(separator: "\n  "))\nand the agent said:\n\(messages)"
        }
    }

    private let lab: HookLab
    private let output: CommandLines
    private let seen = Mutex<[SeenEvent]>([])
    private let number = UUID().uuidString.prefix(8)

    private var file: String { "\(lab.path)/reachagent-\(number).toml" }
    /// The name of the file that receives standard error.
    private var messages: String { "messages-\(number)" }
    /// The path of the agent's control socket.
    var socket: String { "\(lab.path)/run-\(number)/control.sock" }
    var processIdentifier: Int32 { output.processIdentifier }

    /// Starts the agent with a configuration, in which nothing has to hold for any time before it counts.
    ///
    /// - Parameters:
    ///   - more: More arguments.
    ///   - directories: The directories of hooks; by default the lab's.
    ///   - keepsJournal: `true` for an agent with a journal, whose directory is in `more`.
    ///   - launcher: A program that becomes or starts the agent, with its arguments.
    init(
        in lab: HookLab,
        _ configuration: String = "",
        more: [String] = [],
        directories: [String]? = nil,
        keepsJournal: Bool = false,
        launcher: [String] = []
    ) throws {
        self.lab = lab
        try lab.write(Self.beginning + configuration, to: "\(lab.path)/reachagent-\(number).toml")
        let arguments = [
            "run", "--config", "\(lab.path)/reachagent-\(number).toml", "--format", "json", "--socket-directory",
            "\(lab.path)/run-\(number)",
        ]
        let hooks = (directories ?? [lab.first, lab.second]).flatMap { ["--hooks", $0] }
        let words = arguments + hooks + (keepsJournal ? [] : ["--no-journal"]) + more
        let command = launcher + [BuiltAgent.path] + words
        output = try CommandLines(
            lab.namespace.command(command[0], Array(command.dropFirst())) + " 2> \(lab.path)/messages-\(number)"
        )
    }

    /// Starts the agent, and waits for its first view.
    static func start(
        in lab: HookLab,
        _ configuration: String = "",
        more: [String] = [],
        directories: [String]? = nil,
        keepsJournal: Bool = false,
        launcher: [String] = []
    ) async throws -> HookAgent {
        let agent = try HookAgent(
            in: lab,
            configuration,
            more: more,
            directories: directories,
            keepsJournal: keepsJournal,
            launcher: launcher
        )
        try await agent.next("reachability.changed", "first view")
        return agent
    }

    private static let beginning = """
        [settle]
        up = "0s"
        down = "0s"

        [interfaces]
        kinds = { "eth*" = "wired", "wlan*" = "wifi" }


        """

    // MARK: - Configuration and commands

    /// Replaces the configuration file and reloads it.
    func reload(_ configuration: String) throws {
        try lab.write(Self.beginning + configuration, to: file)
        output.signal(SIGHUP)
    }

    func signal(_ number: Int32) { output.signal(number) }

    /// Runs a command that queries the agent over its socket.
    func ask(_ arguments: String...) async throws -> FinishedCommand {
        try await lab.namespace.finished(BuiltAgent.path, arguments + ["--socket", socket])
    }

    /// The status of a hook; `nil` when the agent does not know it.
    func status(of hook: String) async throws -> AgentStatus.HookStatus? {
        let reply = try await ask("status", "--json")
        return try EventDecoder.decode(AgentStatus.self, from: Array(reply.output.utf8)).hooks.first { $0.hook == hook }
    }

    // MARK: - Output and exit

    /// Waits for the next event of this name that fits, and skips everything before it.
    @discardableResult
    func next(
        _ name: String,
        _ wanted: String = "",
        where fits: (SeenEvent) -> Bool = { _ in true }
    ) async throws -> SeenEvent {
        while let event = try await read() {
            if event.name == name, fits(event) { return event }
        }
        throw missing("\(name) \(wanted)")
    }

    /// Waits until the machine's settled state is this `via`.
    @discardableResult
    func settles(on via: String) async throws -> SeenEvent {
        try await next("reachability.changed", via) { $0.to?.via.rawValue == via }
    }

    /// Waits until the default path's settled state has this gateway.
    @discardableResult
    func settles(onGateway gateway: String) async throws -> SeenEvent {
        try await next("reachability.changed", gateway) { $0.to?.path.gateway == gateway }
    }

    /// Waits until a hook's run for an event has ended, if it has not yet.
    @discardableResult
    func completed(_ hook: String, for event: SeenEvent) async throws -> SeenEvent {
        let fits: (SeenEvent) -> Bool = {
            $0.run != nil && $0.subject == hook && $0.run?.triggerSequence == event.seq
        }
        if let line = events.first(where: fits) { return line }
        return try await next("hook.completed", "about \(hook) for event \(event.seq ?? 0)", where: fits)
    }

    /// Waits for the next end of a run of this hook's.
    @discardableResult
    func completed(_ hook: String) async throws -> SeenEvent {
        try await next("hook.completed", "about \(hook)") { $0.subject == hook }
    }

    /// Stops the agent as systemd does, and returns its exit status; its output until then is among ``events``.
    func stop() async throws -> Int32 {
        output.signal(SIGTERM)
        return try await ends()
    }

    /// Waits until the agent exits, and returns its exit status; its output until then is among ``events``.
    func ends() async throws -> Int32 {
        while try await read() != nil {}
        return await output.status()
    }

    private func read() async throws -> SeenEvent? {
        guard let line = await output.next() else { return nil }
        let event = try SeenEvent(line)
        seen.withLock { $0.append(event) }
        return event
    }

    private func missing(_ wanted: String) -> Missing {
        Missing(wanted: wanted, seen: events.suffix(100).map(\.summary), messages: lab.text(of: messages))
    }

    // MARK: - Recorded events

    /// Every event that was read so far.
    var events: [SeenEvent] { seen.withLock { $0 } }

    /// The ends of runs that were read so far.
    var completions: [SeenEvent] { events.filter { $0.run != nil } }

    /// The ends of runs of a hook's that were read so far.
    func completions(of hook: String) -> [SeenEvent] { completions.filter { $0.subject == hook } }

    /// The text that the agent has written to standard error so far.
    var log: String { lab.text(of: messages) }
}

extension [SeenEvent] {
    /// The first event of a type.
    func first(of name: String) throws -> SeenEvent {
        guard let event = first(where: { $0.name == name }) else {
            throw HookAgent.Missing(wanted: name, seen: map(\.summary), messages: "")
        }
        return event
    }
}
