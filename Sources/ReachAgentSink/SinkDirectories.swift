internal import Glibc

/// The directories of the program.
struct SinkDirectories: Sendable {
    /// The agent's directory, with the list of its sinks.
    let runtime: String
    /// The directory of the cursors.
    let state: String

    /// The directory for the cursors; `nil` when neither the command line nor the environment names one.
    static func state(explicit: String?) -> String? {
        if let explicit { return explicit }
        // systemd gives several directories with colons between them.
        if let directory = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(directory) }
        if let directory = variable("XDG_STATE_HOME") { return "\(directory)/reachagent-sink" }
        return variable("HOME").map { "\($0)/.local/state/reachagent-sink" }
    }

    /// The directory that a path lies in.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the directory of the cursors and those that it lies in.
    ///
    /// - Returns: The reason that the cursors cannot be kept there; `nil` when they can.
    func createState() -> String? {
        var path = state.hasPrefix("/") ? "" : "."
        for part in state.split(separator: "/") {
            path += "/\(part)"
            if mkdir(path, 0o750) != 0, errno != EEXIST { return Self.text(errno) }
        }
        return access(state, W_OK | X_OK) == 0 ? nil : Self.text(errno)
    }

    private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
