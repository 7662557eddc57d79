internal import Glibc

/// The location of the agent's control socket.
///
/// The agent creates the socket in its runtime directory. A client may be started in a different environment, so the
/// usual locations are tried in order.
public struct SocketLocation: Sendable, Hashable, CustomStringConvertible {
    /// The socket's path.
    public let path: String

    /// Creates the location of a socket at a path.
    public init(path: String) { self.path = path }

    /// The path.
    public var description: String { path }

    /// Returns the control socket that this process should use.
    ///
    /// The first of these: `explicit`; `$REACHAGENT_SOCKET`; `control.sock` in a directory of `$RUNTIME_DIRECTORY` if it
    /// exists or the directory's name is `reachagent`; `$XDG_RUNTIME_DIR/reachagent/control.sock` if it exists;
    /// `/run/reachagent/control.sock`. An empty variable counts as unset. The first two may also name the directory of
    /// `control.sock`: one that exists, or with a slash at the end. If the last one exists, a user's socket on which no
    /// process listens counts as absent: an agent that was killed leaves its socket behind.
    ///
    /// - Parameter explicit: The path from a command line or a setting; `nil` without one.
    public static func control(explicit: String? = nil) -> SocketLocation {
        control(explicit: explicit, variable: Self.variable) {
            access($0, F_OK) == 0
        } isRefused: {
            StreamSocket.isRefused(at: $0)
        } isDirectory: {
            var entry = stat()
            return stat($0, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Returns the control socket for an environment and a file system that the caller provides.
    static func control(
        explicit: String?,
        variable: (String) -> String?,
        exists: (String) -> Bool,
        isRefused: (String) -> Bool,
        isDirectory: (String) -> Bool
    ) -> SocketLocation {
        if let path = explicit ?? variable("REACHAGENT_SOCKET") {
            let isSlashed = path.utf8.last == UInt8(ascii: "/")
            guard isSlashed || isDirectory(path) else { return SocketLocation(path: path) }
            return SocketLocation(path: path + (isSlashed ? "" : "/") + "control.sock")
        }
        let service = "/run/reachagent/control.sock"
        // systemd sets it, with colons between several directories, also for services that are only clients
        // (systemd.exec(5)). The agent's own unit must find its socket before that exists.
        for directory in variable("RUNTIME_DIRECTORY")?.split(separator: ":") ?? [] {
            let path = "\(directory)/control.sock"
            guard directory.split(separator: "/").last == "reachagent" || exists(path) else { continue }
            return SocketLocation(path: path)
        }
        if let directory = variable("XDG_RUNTIME_DIR") {
            let path = "\(directory)/reachagent/control.sock"
            if exists(path), !(exists(service) && isRefused(path)) { return SocketLocation(path: path) }
        }
        return SocketLocation(path: service)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

/// Waits for a socket to appear, without polling (inotify(7)).
final class SocketWatch {
    /// The descriptor that becomes readable (inotify(7)); negative if none could be created, in which case no
    /// appearance is detected.
    let descriptor: Int32
    private let directory: String
    private let name: String
    private var watched: (number: Int32, isDirectory: Bool) = (-1, false)

    init(_ location: SocketLocation) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let parts = location.path.split(separator: "/", omittingEmptySubsequences: false)
        name = parts.last.map(String.init) ?? ""
        let directory = parts.dropLast().joined(separator: "/")
        self.directory = directory.isEmpty ? (location.path.hasPrefix("/") ? "/" : ".") : directory
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Starts watching, if that has not happened yet.
    func start() { watched = watch() }

    /// Handles the events since the last call; returns `true` if the socket has appeared, or may have.
    ///
    /// Must be called when ``descriptor`` is readable.
    func takeAppearance() -> Bool {
        if hasAppeared() { return true }
        // The directory exists only while the agent runs, and a new one may already contain the socket.
        let now = watch()
        defer { watched = now }
        return now.isDirectory && now != watched
    }

    /// Watches the directory, or its parent if it does not exist; watching it again has no effect.
    private func watch() -> (number: Int32, isDirectory: Bool) {
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF)
        let number = inotify_add_watch(descriptor, directory, mask)
        guard number < 0 else { return (number, true) }
        let parent = directory.split(separator: "/").dropLast().joined(separator: "/")
        return (inotify_add_watch(descriptor, directory.hasPrefix("/") ? "/\(parent)" : "./\(parent)", mask), false)
    }

    /// Reads the inotify events; returns whether one concerns the socket or its directory.
    private func hasAppeared() -> Bool {
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        let lastComponent = directory.split(separator: "/").last.map(String.init) ?? ""
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = min(count, offset + header + Int(event.len))
                    let text = bytes[offset + header..<end].prefix { $0 != 0 }
                    let entry = String(decoding: text, as: UTF8.self)
                    if entry == name || entry == lastComponent { concerns = true }
                    offset = end
                }
            }
        }
        return concerns
    }
}
