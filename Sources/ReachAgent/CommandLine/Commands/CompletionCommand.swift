internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// `reachagent completion`: the completion script of a shell.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script for a shell.",
        usage: "reachagent completion <shell>",
        discussion: """
            The package installs the scripts; this is for a program that was built from source. Names of probes, targets, \
            hooks and uplinks come from the running agent, which is queried at each completion.

            EXAMPLES
              source <(reachagent completion bash)
              reachagent completion fish | source

            EXIT STATUS
              0   the script was printed
              64  there is no script for the shell
            """
    )

    @Argument(help: "The shell: bash, zsh or fish.", completion: .list(CompletionShell.allCases.map(\.rawValue)))
    var shell: String

    func validate() throws {
        guard CompletionShell(rawValue: shell) == nil else { return }
        throw ValidationError("expected bash, zsh or fish, got '\(ForeignText.shown(shell, limit: 64))'")
    }

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else { return }
        Terminal.write(Array((ReachAgentCommand.completionScript(for: shell) + "\n").utf8))
    }
}

/// The names that a running agent knows, for completions.
enum AgentNames {
    /// A kind of name.
    enum Sort: Sendable {
        case probes, targets, hooks, uplinks
        /// The subjects of events.
        case subjects
        /// Targets and probes: the arguments of `route` and `diagnose`.
        case destinations
        /// The codes of the current problems, or all codes if no agent answers.
        case codes
        /// URL schemes, and the names of the configuration.
        case checks
    }

    /// The timeout of the query: a shell waits for its completions.
    private static let patience: Duration = .milliseconds(300)
    private static let schemes = ["https://", "http://", "tcp://", "icmp://", "dns://"]

    /// Returns the names of a kind, sorted and without duplicates; those of the agent only if it answers.
    ///
    /// - Parameter words: The words of the command line, with the option `--socket` if there is one.
    static func names(of sort: Sort, words: [String]) -> [String] {
        let socket = words.firstIndex(of: "--socket").flatMap { words.dropFirst($0 + 1).first }
        let reply = try? AgentQuestion.answer(to: "status", socket: socket, patience: patience)
        let status = reply.flatMap { try? StateClient.decode(AgentStatus.self, from: $0, to: "status") }
        return names(of: sort, in: status)
    }

    /// Returns the names of a kind in a status; names that a shell would have to quote are left out.
    static func names(of sort: Sort, in status: AgentStatus?) -> [String] {
        let probes = status?.probes.map(\.probe) ?? []
        let targets = status?.targets.map(\.name) ?? []
        let hooks = status?.hooks.map(\.hook) ?? []
        let uplinks = status?.uplinks.map(\.interface) ?? []
        let names: [String] =
            switch sort {
            case .probes: probes
            case .targets: targets
            case .hooks: hooks
            case .uplinks: uplinks
            case .subjects:
                [AgentEvent.defaultSubject, AgentEvent.agentSubject] + targets + uplinks + probes + hooks
                    + (status?.sinks.map(\.name) ?? [])
            case .destinations: targets + probes
            case .checks: probes + targets + schemes
            case .codes: codes(in: status)
            }
        return plain(names)
    }

    /// Returns names without duplicates, and without those that a shell would have to quote.
    ///
    /// Bash expands the words that it completes (`compgen -W`): it would run a name like `$(reboot)`.
    static func plain(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { isPlain($0) && seen.insert($0).inserted }
    }

    private static func codes(in status: AgentStatus?) -> [String] {
        guard let status else { return Explanation.codes }
        let state = status.reachability.state
        let paths = [state?.path.overall, state?.path.ipv4, state?.path.ipv6].map { $0?.reason }
        let codes =
            [state?.reason, state?.connectivityReason, state?.alternative?.code] + paths
            + status.uplinks.map { $0.reason?.code } + status.probes.flatMap { [$0.code, $0.lastCode] }
        let known = Set(Explanation.codes)
        let present = codes.compactMap(\.self).filter(known.contains)
        return present.isEmpty ? Explanation.codes : present
    }

    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:".utf8.contains(byte)
            }
        }
    }
}

extension CompletionKind {
    /// The names that the running agent knows; empty if no agent answers immediately.
    static func agentNames(of sort: AgentNames.Sort) -> CompletionKind {
        .custom { words, _, _ in AgentNames.names(of: sort, words: words) }
    }
}
