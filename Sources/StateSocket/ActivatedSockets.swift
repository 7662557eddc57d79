internal import Glibc

/// The sockets passed by the service manager (sd_listen_fds(3)).
///
/// They are identified by their names (`FileDescriptorName=` in systemd.socket(5)), `events`, `control` and `http`, or
/// without such names by their paths, which end in `/events.sock`, `/control.sock` and `/http.sock`.
public struct ActivatedSockets: Sendable, Hashable {
    var descriptors: [SocketName: CInt] = [:]

    /// Creates a value without sockets: all of them will be bound.
    public init() {}

    /// `true` if no socket was passed.
    public var isEmpty: Bool { descriptors.isEmpty }

    /// Takes the sockets that the service manager passed to this process, if any.
    ///
    /// The descriptors are checked and set close-on-exec, and the variables are removed from the environment, so this
    /// can be called only once, before the process has other threads.
    ///
    /// - Throws: ``StateSocketError`` if a descriptor is not a listening Unix stream socket, or not one of the three
    ///   sockets.
    public static func take() throws(StateSocketError) -> ActivatedSockets {
        let passed = handedOver()
        for name in variables { unsetenv(name) }
        return try ActivatedSockets(taking: passed)
    }

    /// The environment variables of the protocol.
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// The first passed descriptor (SD_LISTEN_FDS_START).
    static let firstDescriptor: CInt = 3
    /// The maximum number of descriptors; a higher number is considered a mistake.
    static let maximumDescriptors: CInt = 64

    /// Returns the descriptors that the environment lists for this process, until they are taken.
    static func handedOver() -> [(descriptor: CInt, name: String)] {
        var environment: [String: String] = [:]
        for name in variables {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return handedOver(in: environment, to: getpid())
    }

    /// Returns the descriptors that the environment lists for a process.
    static func handedOver(in environment: [String: String], to process: Int32) -> [(descriptor: CInt, name: String)] {
        guard let target = environment["LISTEN_PID"].flatMap({ Int32($0) }), target == process,
            let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...maximumDescriptors).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { offset in
            let name = Int(offset) < names.count ? String(names[Int(offset)]) : ""
            return (firstDescriptor + offset, name)
        }
    }

    /// Checks and identifies the descriptors.
    init(taking handedOver: [(descriptor: CInt, name: String)]) throws(StateSocketError) {
        for (descriptor, name) in handedOver {
            let place = "descriptor \(descriptor)"
            func refusal(_ reason: String) -> StateSocketError {
                StateSocketError(operation: "adopt", path: place, cause: .unsuitableDescriptor(reason))
            }
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw StateSocketError(errnoOf: "adopt", place) }
            guard Self.option(SO_DOMAIN, of: descriptor) == AF_UNIX else { throw refusal("it is not a Unix socket") }
            guard Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue) else {
                throw refusal("it is not a stream socket")
            }
            guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw refusal("it does not listen") }
            guard let socket = SocketName(rawValue: name) ?? Self.name(byPathOf: descriptor) else {
                throw refusal(
                    "it is called '\(name)', and neither its name nor its path is that of a socket of the agent's"
                )
            }
            guard descriptors[socket] == nil else { throw refusal("there are two for \(socket.fileName)") }
            descriptors[socket] = descriptor
        }
    }

    static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { return nil }
        return value
    }

    private static func name(byPathOf descriptor: CInt) -> SocketName? {
        guard let path = path(of: descriptor) else { return nil }
        return SocketName.allCases.first { path.hasSuffix("/\($0.fileName)") }
    }

    /// Returns the path that a Unix socket was bound to; empty for one without a path.
    static func path(of descriptor: CInt) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        return withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
