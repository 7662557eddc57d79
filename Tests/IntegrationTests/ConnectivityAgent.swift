import AgentTestKit
import Foundation
import Synchronization

/// The built agent on the machine of a ``ConnectivityNetwork``, with a configuration file, read as events.
final class ConnectivityAgent: Sendable {
    /// The output ended, or the patience, before an expected event came.
    struct Missing: Error, CustomStringConvertible {
        let wanted: String
        let seen: [String]

        var description: String { "no \(wanted) came; seen were:\n  \(seen.joined(separator: "\n  "))" }
    }

    private let lines: CommandLines
    private let seen = Mutex<[SeenEvent]>([])
    private let messages = Mutex<[String]>([])
    private let file: String
    private let beginning: String
    private let sockets: String

    /// Its control socket.
    var control: String { "\(sockets)/control.sock" }

    /// Starts the agent with a configuration, without skipping any event.
    ///
    /// - Parameters:
    ///   - settleDown: The time for which a loss must hold. Where several checks see the same loss one after the other,
    ///     it is longer than they need, so that only the final state is published.
    ///   - journal: The journal's directory; `nil` for no journal.
    init(
        on network: ConnectivityNetwork,
        settleDown: String = "500ms",
        journal: String? = nil,
        _ configuration: String
    ) throws {
        file = "\(network.certificates.directory)/reachagent-\(UUID().uuidString).toml"
        beginning = Self.beginning(settleDown)
        try (beginning + configuration).write(toFile: file, atomically: true, encoding: .utf8)
        sockets = "\(network.certificates.directory)/sockets-\(UUID().uuidString.prefix(8))"
        let arguments =
            ["run", "--config", file, "--format", "json", "--socket-directory", sockets]
            + (journal.map { ["--journal-directory", $0] } ?? ["--no-journal"])
        lines = try CommandLines(network.command(BuiltAgent.path, arguments) + " 2>&1")
    }

    /// The beginning of all configurations.
    ///
    /// Nothing here costs money, so that a check over the cellular link is as frequent as every other one.
    private static func beginning(_ settleDown: String) -> String {
        """
        [settle]
        up = "200ms"
        down = "\(settleDown)"

        [metered]
        interval_factor = 1

        [interfaces]
        kinds = { "up0" = "wired", "wwan0" = "wwan" }

        [portal]
        recheck = "1s"


        """
    }

    // MARK: - Configuration and commands

    /// Replaces the configuration file and reloads it.
    func reload(_ configuration: String) throws {
        try write(configuration)
        lines.signal(SIGHUP)
    }

    /// Replaces the configuration file without a reload.
    func write(_ configuration: String) throws {
        try (beginning + configuration).write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// Runs a command that queries the agent over its socket.
    func ask(_ arguments: String...) async throws -> FinishedCommand {
        try await FinishedCommand.run(arguments + ["--socket", control])
    }

    // MARK: - Output and exit

    /// Waits for the next event of this name that fits, and skips everything before it.
    @discardableResult
    func next(
        _ name: String,
        _ wanted: String,
        where fits: (SeenEvent) -> Bool = { _ in true }
    ) async throws -> SeenEvent {
        while let line = await lines.next() {
            guard let event = try record(line) else { continue }
            if event.name == name, fits(event) { return event }
        }
        throw Missing(wanted: "\(name) \(wanted)", seen: events.map(\.summary) + messages.withLock { $0 })
    }

    /// Waits until the machine's settled state is this one: `wired full`, `wired partial connect_refused`.
    @discardableResult
    func settles(_ summary: String) async throws -> SeenEvent {
        try await next("reachability.changed", summary) { $0.after == summary }
    }

    /// Waits until the machine's settled state is this one and each of these probes' points is up, in any order.
    ///
    /// The machine may be full before all of them have answered: points over its uplinks do not count for it.
    func settles(_ summary: String, withUp points: [String]) async throws {
        try await settles(summary)
        for point in points where states(of: point).last != "up" { try await probe(point, is: "up") }
    }

    /// Waits until a probe's point has a state: `web ipv4`, `down connect_refused`.
    @discardableResult
    func probe(_ point: String, is summary: String) async throws -> SeenEvent {
        try await next("probe.changed", "\(point) \(summary)") { $0.point == point && $0.after == summary }
    }

    /// Waits for a message on standard error that contains a text; the events before it are recorded.
    @discardableResult
    func message(containing text: String) async throws -> String {
        while let line = await lines.next() {
            if try record(line) == nil, line.contains(text) { return line }
        }
        throw Missing(wanted: "message with '\(text)'", seen: events.map(\.summary) + messages.withLock { $0 })
    }

    /// Stops the agent as systemd does, and returns its exit status; its output until then is recorded.
    func stop() async throws -> Int32 {
        lines.signal(SIGTERM)
        for line in await lines.rest() { _ = try record(line) }
        return await lines.status()
    }

    /// Kills the agent, without a chance for it to report anything.
    func kill() async throws {
        lines.signal(SIGKILL)
        for line in await lines.rest() { _ = try record(line) }
    }

    /// Records a line; standard error shares the pipe, so that its place among the events is known, and is not JSON.
    private func record(_ line: String) throws -> SeenEvent? {
        guard line.hasPrefix("{") else {
            messages.withLock { $0.append(line) }
            return nil
        }
        let event = try SeenEvent(line)
        seen.withLock { $0.append(event) }
        return event
    }

    // MARK: - Recorded events

    /// Every event that was seen so far, the skipped ones included.
    var events: [SeenEvent] { seen.withLock { $0 } }

    /// The settled states so far, in order, from the first one on that is `full`.
    var states: [String] { summaries { $0.name == "reachability.changed" && $0.subject == "default" } }

    /// The states of a probe's point so far, in order, from the first one on that is `up`.
    func states(of point: String) -> [String] {
        summaries { $0.name == "probe.changed" && $0.point == point }
    }

    private func summaries(_ fits: (SeenEvent) -> Bool) -> [String] {
        let all = events.filter(fits).compactMap { $0.after }.reduce(into: [String]()) { result, summary in
            if result.last != summary { result.append(summary) }
        }
        return Array(all.drop { !$0.hasSuffix("full") && !$0.hasSuffix("up") })
    }
}

extension ConnectivityNetwork {
    /// A probe in the syntax of the configuration file, with intervals that a test can wait for.
    func probe(_ name: String, _ target: String, _ more: String...) -> String {
        let trust = target.hasPrefix("https") ? [#"ca_file = "\#(certificates.rootFile)""#] : []
        let lines =
            [
                "[probe.\(name)]", #"target = "\#(target)""#, #"interval = "1s""#, #"fast_interval = "200ms""#,
                #"timeout = "1s""#, "fall = 2", "rise = 2",
            ] + trust + more
        return lines.joined(separator: "\n") + "\n\n"
    }
}
