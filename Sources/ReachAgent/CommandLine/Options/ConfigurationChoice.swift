internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import FoundationEssentials
internal import Glibc

/// The configuration that a command is about: a named file, else the running agent's, else the one that `reachagent run`
/// would read.
struct ConfigurationChoice {
    /// The main file; `nil` for none.
    var path: String?
    /// The files that were looked for; empty when one was named.
    var searched: [String] = []
    /// The agent that reads it; `nil` when it was named, or no agent runs.
    var agent: RunningAgent?

    /// Finds the configuration.
    ///
    /// - Parameters:
    ///   - file: The named file.
    ///   - socket: The agent's control socket; `nil` for the usual ones.
    static func find(file: String?, socket: String?) throws -> ConfigurationChoice {
        if let file { return ConfigurationChoice(path: file) }
        let environment = ProcessInfo.processInfo.environment
        let isRoot = geteuid() == 0
        let own = ConfigurationChoice(
            path: ConfigurationFile.standardPath(environment: environment, isRoot: isRoot),
            searched: ConfigurationFile.standardPaths(environment: environment, isRoot: isRoot)
        )
        // A service is not a person who wants to see what the service sees.
        if environment["CONFIGURATION_DIRECTORY"] != nil, socket == nil { return own }
        guard let agent = try RunningAgent.ask(socket: socket) else { return own }
        guard let configuration = agent.status.configuration else { return ConfigurationChoice(agent: agent) }
        // A file that was written since is the one that a reload finds.
        let path = configuration.path ?? configuration.searched.first { access($0, F_OK) == 0 }
        return ConfigurationChoice(path: path, searched: configuration.searched, agent: agent)
    }

    /// Whose configuration it is, and which files were read or looked for; a line each.
    ///
    /// - Parameter files: The files that were read.
    func origin(files: [String]) -> [String] {
        var lines: [String] = []
        if let agent { lines.append("used by \(agent.name)") }
        if files.count > 1 { lines.append("read: \(files.joined(separator: ", "))") }
        if path == nil, searched.isEmpty, agent != nil { lines.append("it was started with --no-config") }
        if path == nil, !searched.isEmpty { lines.append("looked for: \(searched.joined(separator: ", "))") }
        return lines
    }

    /// True when a file was written after the agent had read the configuration.
    func isNewer(_ files: [String]) -> Bool {
        guard let configuration = agent?.status.configuration else { return false }
        guard let loaded = configuration.loaded else { return !files.isEmpty }
        return files.contains { file in
            var entry = stat()
            guard stat(file, &entry) == 0 else { return false }
            let seconds = loaded.microsecondsSince1970 / 1_000_000
            let microseconds = loaded.microsecondsSince1970 % 1_000_000
            return (Int64(entry.st_mtim.tv_sec), Int64(entry.st_mtim.tv_nsec / 1000)) > (seconds, microseconds)
        }
    }
}

/// The configuration that `config check` and `config show` are about.
struct ConfigurationFileOptions: ParsableArguments {
    @Argument(
        help: "The configuration file (default: that of the running agent, else the one that 'reachagent run' reads).",
        completion: .file(extensions: ["toml"])
    )
    var file: String?

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard file != nil, agent.socket != nil else { return }
        throw ValidationError("a file and '--socket' contradict each other: the file is read without asking an agent")
    }

    /// Finds the configuration.
    func choice() throws -> ConfigurationChoice { try ConfigurationChoice.find(file: file, socket: agent.socket) }
}
