internal import Glibc

/// The place of the agent's control socket.
///
/// The agent makes it in its runtime directory. A client is not always started as the agent was, so the usual
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
    /// - Parameter explicit: The path from a command line or a setting; `nil` without one.
    public static func control(explicit: String? = nil) -> SocketLocation {
        control(explicit: explicit, variable: Self.variable) { access($0, F_OK) == 0 }
    }

    /// The same, with an environment and a file system that the caller provides.
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

/// Waits for a socket to appear, without polling (inotify(7)).
final class SocketWatch {
    /// The descriptor that becomes readable (inotify(7)); negative when there is none, and then no appearance is noticed.
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

    /// Starts to watch, if it does not yet.
    func start() { watched = watch() }

    /// Takes what has happened since the last call; `true` when the socket has appeared, or may have.
    ///
    /// To be called when ``descriptor`` is readable.
    func takeAppearance() -> Bool {
        if hasAppeared() { return true }
        // The directory comes and goes with the agent. In a new one the socket may be there already.
        let now = watch()
        defer { watched = now }
        return now.isDirectory && now != watched
    }

    /// Watches the directory, or the one that it is going to be in; to watch it twice is the same as once.
    private func watch() -> (number: Int32, isDirectory: Bool) {
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF)
        let number = inotify_add_watch(descriptor, directory, mask)
        guard number < 0 else { return (number, true) }
        let parent = directory.split(separator: "/").dropLast().joined(separator: "/")
        return (inotify_add_watch(descriptor, directory.hasPrefix("/") ? "/\(parent)" : "./\(parent)", mask), false)
    }

    /// Takes what inotify has to tell; whether it concerns the socket or its directory.
    private func hasAppeared() -> Bool {
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        let folder = directory.split(separator: "/").last.map(String.init) ?? ""
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = min(count, offset + header + Int(event.len))
                    let text = bytes[offset + header..<end].prefix { $0 != 0 }
                    let entry = String(decoding: text, as: UTF8.self)
                    if entry == name || entry == folder { concerns = true }
                    offset = end
                }
            }
        }
        return concerns
    }
}
