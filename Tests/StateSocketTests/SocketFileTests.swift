import AgentEvents
import AgentTestKit
import Foundation
import NotificationBus
import Testing

@testable import StateSocket

/// The socket files: who may be replaced, and who may not.
struct SocketFileTests {
    /// A directory beside those of the servers.
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private static func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// A socket that listens at a path, made as anybody would.
    private static func listen(at path: String, type: Int32 = Int32(SOCK_STREAM.rawValue)) -> Int32 {
        let descriptor = socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        _ = Glibc.listen(descriptor, 10)
        return descriptor
    }

    private func startFailure(_ prepare: @escaping @Sendable (String) throws -> Void) async throws
        -> StateSocketError?
    {
        try await onThread { [directory] in
            try prepare(directory)
            do {
                let stream = try ServedStream { $0.directory = directory }
                stream.stop()
                return nil
            } catch let error as StateSocketError {
                return error
            }
        }
    }

    @Test(arguments: [0o600, 0o660, 0o666])
    func `the files have exactly the configured permissions, in created directories`(mode: UInt32) async throws {
        let (modes, directory, leftOver) = try await onThread { [base = directory] in
            let directory = base + "/a/b"
            let stream = try ServedStream {
                $0.directory = directory; $0.mode = mode; $0.group = "\(getgid())"
            }
            defer { stream.stop() }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            let modes = try ["events.sock", "control.sock", "http.sock"].map {
                try Self.permissions("\(directory)/\($0)")
            }
            return (modes, try Self.permissions(directory), files)
        }
        #expect(modes == [Int(mode), Int(mode), Int(mode)])
        #expect(directory == 0o755)
        #expect(leftOver == ["agent.lock", "control.sock", "events.sock", "http.sock"])
    }

    @Test func `a dead agent's sockets are replaced`() async throws {
        let failure = try await startFailure { directory in
            for name in ["events.sock", ".events.new", "control.sock"] {
                close(Self.listen(at: "\(directory)/\(name)"))
            }
        }
        #expect(failure == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `the sockets that another user's agent has left are replaced, and those of one that runs are not`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectory()
            let directory = temporary.path
            for name in ["events.sock", ".events.new", "control.sock"] {
                let path = "\(directory)/\(name)"
                close(SocketFileTests.listen(at: path))
                try #require(chmod(path, 0o600) == 0)
            }
            let lock = try temporary.file("agent.lock", "1\n", mode: 0o666)
            let descriptor = open(lock, O_RDWR | O_CLOEXEC)
            try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            try #require(chown(directory, ThreadShortage.user, .max) == 0 && setuid(ThreadShortage.user) == 0)
            func start() -> StateSocketError.Cause? {
                let bus = NotificationBus<Event>()
                let configuration = StateSocketConfiguration(directory: directory)
                let server = StateServer(configuration: configuration, bus: bus, agent: ScriptedAgent(bus))
                do throws(StateSocketError) {
                    try server.start()
                } catch {
                    return error.cause
                }
                bus.finish()
                server.stop(within: .seconds(10))
                return nil
            }
            #expect(start() == .inUse(by: 1))
            flock(descriptor, LOCK_UN)
            #expect(start() == nil)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: [nil, "7"] as [String?])
    func `root gives the sockets and the lock to the owner of their directory`(group: String?) async throws {
        let owners = try await onThread { [directory] in
            try #require(chown(directory, 5, 6) == 0)
            let stream = try ServedStream { configuration in
                configuration.directory = directory
                configuration.group = group
            }
            defer { stream.stop() }
            return try ["agent.lock", "events.sock", "control.sock", "http.sock"].map { name in
                let facts = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
                return [facts[.ownerAccountID] as? Int, facts[.groupOwnerAccountID] as? Int]
            }
        }
        #expect(owners == [[5, 6]] + Array(repeating: [5, group == nil ? 6 : 7], count: 3))
    }

    @Test(arguments: ["a link to a file", "a link to a socket", "a file", "a socket with two names"])
    func `an entry in the place of the bound socket gets neither its owner nor its group nor its mode`(
        _ entry: String
    ) throws {
        let (path, target) = ("\(directory)/.events.new", "\(directory)/target")
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { close(descriptor) } }
        switch entry {
        case "a file": _ = try temporary.file(".events.new", "root's")
        case "a link to a file": _ = try temporary.file("target", "root's")
        default: descriptor = Self.listen(at: target)
        }
        if entry.hasPrefix("a link") { try #require(symlink(target, path) == 0) }
        if entry == "a socket with two names" { try #require(link(target, path) == 0) }
        if geteuid() == 0 { try #require(chown(directory, 5, 6) == 0) }
        let victim = entry == "a file" ? path : target
        try #require(chmod(victim, 0o600) == 0)
        func facts() throws -> [Int] {
            let facts = try FileManager.default.attributesOfItem(atPath: victim)
            return [.posixPermissions, .ownerAccountID, .groupOwnerAccountID].compactMap { facts[$0] as? Int }
        }
        let before = try facts()
        #expect(throws: StateSocketError(operation: "bind", path: path, cause: .replaced)) {
            try SocketFile.setAccess(ofSocketAt: path, mode: 0o660, group: geteuid() == 0 ? 7 : getegid())
        }
        #expect(try facts() == before && before.first == 0o600)
    }

    @Test func `a socket with a listener is an error`() async throws {
        let failure = try await startFailure { directory in _ = Self.listen(at: "\(directory)/control.sock") }
        #expect(failure?.cause == .inUse(by: nil))
        #expect(failure?.path.hasSuffix("/control.sock") == true)
    }

    @Test func `a file that is not a socket is an error, and is kept`() async throws {
        let (failure, text) = try await onThread { [directory] in
            try Data("precious".utf8).write(to: URL(filePath: "\(directory)/events.sock"))
            var failure: StateSocketError?
            do { _ = try ServedStream { $0.directory = directory } } catch let error as StateSocketError {
                failure = error
            }
            return (failure, try String(contentsOfFile: "\(directory)/events.sock", encoding: .utf8))
        }
        #expect(failure?.cause == .notASocket)
        #expect(text == "precious")
    }

    @Test func `a live datagram socket is an error`() async throws {
        let failure = try await startFailure { directory in
            _ = Self.listen(at: "\(directory)/events.sock", type: Int32(SOCK_DGRAM.rawValue))
        }
        #expect(failure?.cause == .notASocket)
    }

    @Test func `the error of a second agent names the process of the first one`() async throws {
        let failure = try await onThread {
            let first = try ServedStream()
            defer { first.stop() }
            do {
                _ = try ServedStream { [directory = first.directory] in $0.directory = directory }
                return nil as StateSocketError?
            } catch let error as StateSocketError {
                return error
            }
        }
        #expect(failure?.cause == .inUse(by: getpid()))
        #expect(failure?.description.contains("agent.lock") == true)
    }

    @Test func `a path that is too long, and a group that does not exist, are named`() async throws {
        let long = try await onThread { [directory] in
            let path = directory + "/" + String(repeating: "d", count: 100)
            do { _ = try ServedStream { $0.directory = path } } catch let error as StateSocketError {
                return error.cause as StateSocketError.Cause?
            }
            return nil as StateSocketError.Cause?
        }
        #expect(long == .pathTooLong(limit: 107))
        #expect(
            throws: StateSocketError(operation: "set the group of", path: "/x", cause: .unknownGroup("no such group"))
        ) {
            try SocketGroup.number(of: "no such group", for: "/x")
        }
        #expect(try SocketGroup.number(of: "root", for: "/x") == 0)
        #expect(try SocketGroup.number(of: "1234", for: "/x") == 1234)
    }

    @Test func `a file that replaced the socket is not removed at the end`() async throws {
        let text = try await onThread {
            let stream = try ServedStream()
            unlink(stream.events)
            try Data("another's".utf8).write(to: URL(filePath: stream.events))
            stream.stop()
            return try String(contentsOfFile: stream.events, encoding: .utf8)
        }
        #expect(text == "another's")
    }

    // MARK: Activation

    static let environments: [(variables: [String: String], expected: [String])] = [
        ([:], []),
        (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "events:control"], ["3 events", "4 control"]),
        (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "events"], ["3 events", "4 "]),
        (["LISTEN_PID": "7", "LISTEN_FDS": "1"], ["3 "]),
        (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": ":x:y:z"], ["3 ", "4 x"]),
        (["LISTEN_PID": "8", "LISTEN_FDS": "2"], []),
        (["LISTEN_PID": "7", "LISTEN_FDS": "0"], []),
        (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], []),
        (["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], []),
        (["LISTEN_PID": "7", "LISTEN_FDS": "100"], []),
        (["LISTEN_PID": "seven", "LISTEN_FDS": "1"], []),
        (["LISTEN_FDS": "1"], []),
    ]

    @Test(arguments: environments)
    func `the environment names the passed sockets`(variables: [String: String], expected: [String]) {
        let found = ActivatedSockets.handedOver(in: variables, to: 7).map { "\($0.descriptor) \($0.name)" }
        #expect(found == expected)
    }

    @Test func `passed sockets are served, and not removed`() async throws {
        let (lines, reply, remains, hasFlag) = try await onThread { [directory] in
            let events = Self.listen(at: "\(directory)/any")
            let control = Self.listen(at: "\(directory)/control.sock")
            let adopted = try ActivatedSockets(taking: [(events, "events"), (control, "unknown")])
            let stream = try ServedStream(adopting: adopted)
            let lines = try Client("\(directory)/any").lines(2)
            let client = try Client("\(directory)/control.sock")
            try client.send(#"{"method":"reload"}"# + "\n")
            let reply = try client.line()
            let hasFlag = fcntl(events, F_GETFD) & FD_CLOEXEC != 0
            stream.stop()
            let remains = ["any", "control.sock"].allSatisfy { access("\(directory)/\($0)", F_OK) == 0 }
            return (lines, reply, remains && access(stream.events, F_OK) != 0, hasFlag)
        }
        #expect(lines.count == 2)
        #expect(reply == #"{"parameters":{"did":"reload"}}"#)
        #expect(remains && hasFlag)
    }

    @Test func `connections and datagrams in the queues of passed sockets can be discarded`() throws {
        let (stream, datagrams) = ("\(directory)/s", "\(directory)/d")
        let listening = Self.listen(at: stream)
        let datagram = Self.listen(at: datagrams, type: Int32(SOCK_DGRAM.rawValue))
        defer { for descriptor in [listening, datagram] { close(descriptor) } }
        let clients = try (0..<3).map { _ in try Client(stream) }
        let sender = try Client(datagrams, type: Int32(SOCK_DGRAM.rawValue))
        for text in ["one", "two"] { try sender.send(text) }
        func readable() -> [Bool] {
            [listening, datagram].map { descriptor in
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&entry, 1, 0) == 1
            }
        }
        #expect(readable() == [true, true])
        QueuedClients(of: [listening, 9999, datagram]).discard()
        #expect(readable() == [false, false])
        for client in clients { #expect(try client.line() == nil && client.isAtEnd) }
    }

    @Test func `descriptors that are not listening stream sockets are errors`() throws {
        var reasons: [String] = []
        let idle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let datagram = Self.listen(at: "\(directory)/d", type: Int32(SOCK_DGRAM.rawValue))
        let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let listening = Self.listen(at: "\(directory)/x")
        defer { for descriptor in [idle, datagram, internet, listening] { close(descriptor) } }
        for list in [
            [(idle, "events")], [(datagram, "events")], [(internet, "events")], [(listening, "x")], [(9999, "events")],
            [(listening, "events"), (listening, "events")],
        ] as [[(descriptor: Int32, name: String)]] {
            do { _ = try ActivatedSockets(taking: list) } catch { reasons.append(error.description) }
        }
        #expect(reasons.count == 6)
        for (reason, word) in zip(reasons, ["listen", "stream", "Unix", "neither", "Bad file", "two"]) {
            #expect(reason.contains(word), "\(reason)")
        }
    }
}
