internal import AgentEvents
internal import Configuration
internal import ForeignText
internal import FoundationEssentials
internal import Glibc
internal import StateClient

/// The files that a command works on: those of the running agent, or else those that `reachagent run` would use.
///
/// Every command that reads a configuration, hook directories or a journal finds them here, so that all commands refer to
/// the same agent.
struct AgentFiles {
    /// The main configuration file; `nil` for none.
    var configuration: String?
    /// The configuration files that were looked for; empty when one was named.
    var searched: [String] = []
    /// The directories in which a journal is looked for, best first.
    var journals: [String] = []
    /// The agent that uses the files; `nil` when none runs, or when files were named.
    var agent: RunningAgent?
    /// The doubt about files when the running agent does not answer.
    static let silentAgentNote = "the running agent, which could not be queried, may use another configuration"
    /// True when an agent runs that could not be queried: it may use other files.
    var hasSilentAgent = false

    /// The files that `reachagent run` would use in an environment; by default in that of this process.
    static func own(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        isRoot: Bool = geteuid() == 0
    ) -> AgentFiles {
        AgentFiles(
            configuration: ConfigurationFile.standardPath(environment: environment, isRoot: isRoot),
            searched: ConfigurationFile.standardPaths(environment: environment, isRoot: isRoot),
            journals: JournalLocation(environment: environment, isRoot: isRoot).directoriesToRead
        )
    }

    /// Finds the files.
    ///
    /// - Parameter socket: The agent's control socket; `nil` for the usual ones.
    /// - Throws: `ExitCode` when no agent answers at a socket that was named.
    static func find(socket: String?) throws -> AgentFiles {
        let environment = ProcessInfo.processInfo.environment
        let own = own(environment: environment)
        // A service uses its own files, not those of another service's agent.
        let isService =
            environment["CONFIGURATION_DIRECTORY"] != nil || JournalLocation(environment: environment).isAgentService
        guard socket != nil || !isService else { return own }
        switch try RunningAgent.ask(socket: socket) {
        case .success(let agent): return agent.map(own.used) ?? own
        case .failure(let error):
            Terminal.printError("reachagent: cannot query the running agent: \(ForeignText.line(error.description))")
            for line in AgentQuestion.advice(error) { Terminal.printError("  \(ForeignText.line(line))") }
            var files = own
            files.hasSilentAgent = true
            return files
        }
    }

    /// The directories in which a journal is looked for: a named one, else those of ``find(socket:)``.
    static func journals(named directory: String?, socket: String?) throws -> [String] {
        try directory.map { [$0] } ?? find(socket: socket).journals
    }

    /// Returns the files that a running agent uses; what its status does not report stays unchanged.
    func used(by agent: RunningAgent) -> AgentFiles {
        var files = self
        files.agent = agent
        let used = agent.status.configuration
        files.searched = used?.searched ?? []
        // A file that was created or removed since then counts as in a reload.
        files.configuration = ConfigurationFile.path(named: used?.path ?? used?.files.first, searched: files.searched)
        if let directory = agent.status.journal?.directory { files.journals = [directory] }
        return files
    }

    /// Reads the configuration; without a file the defaults apply.
    func load(
        listsEffective: Bool = false,
        checksMachine: Bool = false
    ) throws(ConfigurationErrors) -> ConfigurationFile.Loaded {
        guard let configuration else { return ConfigurationFile.defaults() }
        return try ConfigurationFile.load(
            configuration,
            serializer: RequestOptions.serializer(),
            listsEffective: listsEffective,
            checksMachine: checksMachine
        )
    }

    /// The agent that uses the configuration, and the files that were read or looked for; a line each.
    ///
    /// - Parameter files: The files that were read.
    func origin(files: [String]) -> [String] {
        var lines: [String] = []
        if let agent { lines.append("used by \(agent.name)") }
        if hasSilentAgent { lines.append(Self.silentAgentNote) }
        // The main file may be missing, or masked, beside drop-ins.
        if !files.isEmpty, files != configuration.map({ [$0] }) {
            lines.append("read: \(files.joined(separator: ", "))")
        }
        if configuration == nil, searched.isEmpty, agent != nil { lines.append("it was started with --no-config") }
        if configuration == nil, !searched.isEmpty { lines.append("looked for: \(searched.joined(separator: ", "))") }
        return lines
    }

    /// True when a file was written, added, replaced or removed after the agent had read the configuration.
    ///
    /// - Parameter files: The files that were read; empty if there are none, or they have errors.
    func isNewer(_ files: [String]) -> Bool {
        guard let agent, let configuration = agent.status.configuration else { return false }
        if configuration.files.contains(where: { access($0, F_OK) != 0 && errno == ENOENT }) { return true }
        guard !files.isEmpty else { return false }
        // A drop-in that was copied or moved there may be older than the reading.
        guard Set(files.map(AbsolutePath.of)) == Set(configuration.files) else { return true }
        guard let loaded = agent.loaded else { return false }
        return files.contains { file in
            var entry = stat()
            guard stat(file, &entry) == 0 else { return false }
            // A file that replaces another one keeps the time at which its content was written.
            return [entry.st_mtim, entry.st_ctim].contains { Self.microseconds($0) > loaded.microsecondsSince1970 }
        }
    }

    private static func microseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// The running agent, queried for its files so that commands read the same ones.
struct RunningAgent {
    /// The timeout of the query; the command also works without an answer.
    private static let patience: Duration = .seconds(2)

    /// The agent's status.
    let status: AgentStatus
    /// The control socket that was named; `nil` for a usual one.
    var socket: String?
    /// The time at which the status was received.
    var received = Timestamp.now

    /// The time at which the agent read the configuration, by the present wall clock, which may have been set since.
    var loaded: Timestamp? {
        guard let age = status.configuration?.loadedForMilliseconds else { return status.configuration?.loaded }
        return Timestamp(microsecondsSince1970: received.microsecondsSince1970 &- age &* 1000)
    }

    /// Queries the agent.
    ///
    /// - Parameter socket: The control socket; `nil` for the usual ones.
    /// - Returns: `nil` if there is no agent; the error of an agent that exists but does not answer.
    /// - Throws: `ExitCode` when no agent answers at a socket that was named.
    static func ask(socket: String?) throws -> Result<RunningAgent?, StateClientError> {
        do throws(StateClientError) {
            let reply = try AgentQuestion.answer(to: "status", socket: socket, patience: patience)
            let status = try StateClient.decode(AgentStatus.self, from: reply, to: "status")
            return .success(RunningAgent(status: status, socket: socket))
        } catch {
            if socket != nil { try AgentQuestion.orExit { () throws(StateClientError) in throw error } }
            if case .noAgent = error { return .success(nil) }
            return .failure(error)
        }
    }

    /// `the running agent (process 812)`.
    var name: String { "the running agent" + (status.agent?.processID.map { " (process \($0))" } ?? "") }
}
