internal import ArgumentParser
internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import StateSocket

/// The sockets: their location, and their users.
struct StateSocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The directory of events.sock, control.sock and http.sock, unless systemd hands them over (default: \
            $RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR/reachagent, else for root /run/reachagent). Other commands take \
            it as '--socket'.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var socketDirectory: String?

    @Flag(help: "Open no sockets: no client can subscribe or send requests.")
    var noSockets = false

    @Option(
        help: ArgumentHelp(
            "The group that may use the sockets, by name or number (default: the process's).",
            valueName: "group"
        ),
        completion: .groupNames
    )
    var socketGroup: String?

    @Option(
        help: ArgumentHelp("The permission bits of the sockets (default: 0660).", valueName: "mode"),
        transform: Arguments.mode
    )
    var socketMode: UInt32?

    @Option(help: ArgumentHelp("The maximum of connections to the sockets (default: 4096).", valueName: "count"))
    var maxConnections: Int?

    func validate() throws {
        if let maxConnections, !(1...1_000_000).contains(maxConnections) {
            throw ValidationError("'--max-connections' is \(maxConnections); 1 to 1000000 are accepted")
        }
    }

    /// The sockets' configuration; `nil` when no directory is known for them.
    func configuration(
        _ settings: AgentSettings = AgentSettings(),
        http: HTTPSettings = HTTPSettings(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        isRoot: Bool = geteuid() == 0
    ) -> StateSocketConfiguration? {
        guard let directory = socketDirectory ?? settings.socketDirectory ?? Self.directory(environment, isRoot)
        else { return nil }
        return StateSocketConfiguration(
            directory: directory,
            mode: socketMode ?? settings.socketMode ?? 0o660,
            group: socketGroup ?? settings.socketGroup,
            maximumConnections: maxConnections ?? settings.maxConnections ?? 4096,
            http: HTTPConfiguration(
                listen: http.listen.map { HTTPPort(address: $0.address.description, port: $0.port) },
                names: Set(http.names),
                access: http.access
            )
        )
    }

    private static func directory(_ environment: [String: String], _ isRoot: Bool) -> String? {
        // systemd separates several directories by colons (systemd.exec(5)).
        if let directory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first { return String(directory) }
        if let user = environment["XDG_RUNTIME_DIR"], user.hasPrefix("/") { return "\(user)/reachagent" }
        return isRoot ? "/run/reachagent" : nil
    }
}
