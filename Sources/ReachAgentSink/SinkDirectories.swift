internal import AgentEvents
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// The directories of the program.
struct SinkDirectories: Sendable {
    /// The agent's directory, with the list of its sinks.
    let runtime: String
    /// The directory of the cursors.
    let state: String

    /// Returns the directory for the cursors; `nil` if neither the command line nor the environment specifies one.
    static func state(explicit: String?) -> String? {
        if let explicit { return explicit }
        // systemd separates several directories by colons.
        if let directory = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(directory) }
        if let directory = variable("XDG_STATE_HOME") { return "\(directory)/reachagent-sink" }
        return variable("HOME").map { "\($0)/.local/state/reachagent-sink" }
    }

    /// Creates the directory of the cursors and its parents.
    ///
    /// - Returns: The reason that the cursors cannot be stored there; `nil` if they can, or could if the file system were not
    ///   read-only: a sink goes on without saving, as on a full disk.
    func createState() -> String? {
        var path = state.hasPrefix("/") ? "" : "."
        for part in state.split(separator: "/") {
            path += "/\(part)"
            if mkdir(path, 0o750) != 0, errno != EEXIST { return SystemError(errno: errno).description }
        }
        guard access(state, W_OK | X_OK) != 0 else { return nil }
        let number = errno
        return number == EROFS && access(state, X_OK) == 0 ? nil : SystemError(errno: number).description
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

/// The list of the sinks, written by the agent.
enum SinkDocumentFile {
    /// The result of reading it.
    enum Result: Equatable {
        /// The sinks.
        case sinks(SinkDocument)
        /// The file does not exist: no sink is configured.
        case absent
        /// The file cannot be used, for this reason.
        case unusable(String)
    }

    /// Reads the document in the agent's directory.
    static func read(in directory: String) -> Result {
        let path = "\(directory)/\(SinkDocument.fileName)"
        // Does not wait for a FIFO in its place.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            return errno == ENOENT ? .absent : .unusable("cannot open \(path): \(SystemError(errno: errno))")
        }
        defer { close(file) }
        var entry = stat()
        guard fstat(file, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else {
            return .unusable("\(path) is not a regular file")
        }
        guard entry.st_size <= SinkDocument.maximumBytes else {
            return .unusable("\(path) has more than \(SinkDocument.maximumBytes) bytes")
        }
        let size = max(0, Int(entry.st_size))
        let text = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        do {
            let document = try EventDecoder.decode(SinkDocument.self, from: text)
            let names = Set(document.sinks.map(\.name))
            guard names.count == document.sinks.count else { return .unusable("\(path) has two sinks of one name") }
            return .sinks(document)
        } catch {
            let flaw = ForeignText.shown(EventDecoder.flaw(error))
            return .unusable("\(path) is not a list of sinks of this version: \(flaw)")
        }
    }
}
