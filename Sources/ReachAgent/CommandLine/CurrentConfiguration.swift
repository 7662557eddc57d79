internal import AgentEvents
internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import StateClient

/// The configuration that a command goes by: the files of the running agent, which its status names, else the default
/// files.
struct CurrentConfiguration: Sendable {
    /// The time that the agent has for its status; a command that needs no agent does not wait longer for one.
    static let patience: Duration = .seconds(1)

    /// The settings; the defaults where there is no file, or where it cannot be used.
    var settings = Settings()
    /// The files that were read, the main one first.
    var files: [String] = []
    /// The errors of a configuration that cannot be used.
    var errors: [String] = []

    /// Reads the files that an agent's status names, else those that `reachagent run` would read.
    ///
    /// - Parameter status: The running agent's status; `nil` when none answers.
    init(of status: AgentStatus?) {
        let path =
            status.map { $0.configuration?.files.first }
            ?? ConfigurationFile.standardPath(
                environment: ProcessInfo.processInfo.environment,
                isRoot: geteuid() == 0
            )
        self.init(path: path)
    }

    /// Reads a file; without one the defaults apply.
    init(path: String?) {
        guard let path else { return }
        do throws(ConfigurationErrors) {
            let loaded = try ConfigurationFile.load(path, serializer: RequestOptions.serializer())
            (settings, files) = (loaded.settings, loaded.files)
        } catch {
            errors = error.errors.map(\.description)
        }
    }

    /// The running agent's status; `nil` when none answers at once.
    static func status(socket: String?) -> AgentStatus? {
        guard let reply = try? AgentQuestion.answer(to: "status", socket: socket, patience: patience) else {
            return nil
        }
        return try? StateClient.decode(AgentStatus.self, from: reply, to: "status")
    }
}
