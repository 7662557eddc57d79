internal import Glibc

/// The place of the agent's control socket.
///
/// The agent makes it in its runtime directory. Whoever asks has not always been started as the agent was, so the usual
/// places are looked at in their order.
public struct SocketLocation: Sendable, Hashable, CustomStringConvertible {
    /// The socket's path.
    public let path: String

    /// The socket at a path.
    public init(path: String) { self.path = path }

    /// The path.
    public var description: String { path }

    /// The control socket of the agent that this process would most likely mean.
    ///
    /// The first of these: `explicit`; `$REACHAGENT_SOCKET`; `$RUNTIME_DIRECTORY/control.sock`, which systemd sets;
    /// `$XDG_RUNTIME_DIR/reachagent/control.sock` when that exists; `/run/reachagent/control.sock`. An empty variable
    /// counts as none.
    ///
    /// - Parameter explicit: What a command line or a setting names; `nil` when it names nothing.
    public static func control(explicit: String? = nil) -> SocketLocation {
        control(explicit: explicit, variable: Self.variable) { access($0, F_OK) == 0 }
    }

    /// The same, with an environment and a file system of the caller's.
    static func control(
        explicit: String?,
        variable: (String) -> String?,
        exists: (String) -> Bool
    ) -> SocketLocation {
        if let explicit { return SocketLocation(path: explicit) }
        if let path = variable("REACHAGENT_SOCKET") { return SocketLocation(path: path) }
        // systemd gives several directories with colons between them; the agent uses the first.
        if let directory = variable("RUNTIME_DIRECTORY")?.split(separator: ":").first {
            return SocketLocation(path: "\(directory)/control.sock")
        }
        if let directory = variable("XDG_RUNTIME_DIR") {
            let path = "\(directory)/reachagent/control.sock"
            if exists(path) { return SocketLocation(path: path) }
        }
        return SocketLocation(path: "/run/reachagent/control.sock")
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
