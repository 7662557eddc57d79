import Foundation
import Glibc
import Synchronization

/// A real mosquitto on a free port of the loopback, with a directory of its own.
///
///     let broker = try await MosquittoBroker()
///     let seen = try await broker.subscribe(to: ["reachagent/#"])
///     broker.kill()
///     try await broker.start()
///
/// It ends with the last reference.
package final class MosquittoBroker: Sendable {
    /// The differences from a broker that everybody may use in the clear.
    package struct Options: Sendable {
        /// The broker's certificate chain, its key and its authority, and the authority of clients' certificates, if
        /// they must have one; all in PEM.
        package struct TLS: Sendable {
            package var chain: String
            package var key: String
            package var authority: String
            package var clientAuthority: String?

            package init(chain: String, key: String, authority: String, clientAuthority: String? = nil) {
                self.chain = chain
                self.key = key
                self.authority = authority
                self.clientAuthority = clientAuthority
            }
        }

        /// The user and the password without which nobody is let in.
        package var login: (user: String, password: String)?
        /// The encryption.
        package var tls: TLS?
        /// The lines of an access control list; everything is allowed without them.
        package var accessList: [String]?
        /// More lines of the configuration.
        package var configuration: [String] = []

        package init() {}
    }

    /// The reason that there is no broker.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// True when mosquitto, its clients and its mosquitto_passwd are installed.
    package static let isInstalled = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", "/usr/bin/mosquitto_passwd"]
        .allSatisfy { (path: String) in access(path, X_OK) == 0 }

    /// The port, on 127.0.0.1; the same after a restart.
    package var port: UInt16 { place.number }
    private let place: FreePort
    /// The directory with the configuration and the stored messages.
    private let directory: TemporaryDirectory

    private let options: Options
    private let process = Mutex<CommandLines?>(nil)

    /// Starts a broker, and waits until it listens.
    package init(_ options: Options = Options()) async throws {
        self.options = options
        place = try FreePort()
        directory = try TemporaryDirectory()
        try await writeFiles()
        try await start()
    }

    deinit { process.withLock { $0?.end() } }

    /// Starts it again after ``kill()``, on the same port and with the messages that it had stored.
    package func start() async throws {
        let broker = try CommandLines("exec mosquitto --config-file '\(file("mosquitto.conf"))' 2>&1")
        do {
            try await broker.next(containing: " running")
        } catch {
            throw Failure(description: "mosquitto does not start: \(error)")
        }
        process.withLock { $0 = broker }
    }

    /// Ends it at once, as a power cut would, and returns when it is gone.
    package func kill() async {
        guard let broker = process.withLock({ $0.take() }) else { return }
        broker.end()
        _ = await broker.rest()
        _ = await broker.status()
    }

    /// Kills it when a client has read all that it was sent.
    ///
    /// Otherwise the client would lose messages that the broker has acknowledged and not stored: after its first
    /// acknowledgement to a broker that is gone it closes the connection, and with it what it has not read. What still waits in
    /// the broker's memory is found by its log.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - session: The name of its session.
    package func kill(afterReadingBy client: CommandLines, asSession session: String) async {
        var log = DeliveryLog(path: file("log"), session: session)
        for _ in 0..<2000 {
            suspend()
            // The kernel reports to nobody that another process has read its socket.
            while hasUnread(client) { try? await Task.sleep(for: .milliseconds(5)) }
            guard isSending(log.unacknowledged(), to: client) else { break }
            // It goes on for a moment, in which it sends what the kernel has room for.
            resume()
            try? await Task.sleep(for: .milliseconds(5))
        }
        await kill()
    }

    /// True while messages to a client are in the broker's memory, or the client is about to acknowledge one: those that
    /// were sent, less the acknowledgements that arrived, are more than the acknowledgements that wait in the broker's socket.
    private func isSending(_ unacknowledged: Int, to client: CommandLines) -> Bool {
        let own = TCPSocket.all(of: client.processIdentifier)
        let peers = TCPSocket.table(of: client.processIdentifier).filter { one in own.contains { $0.isPeer(of: one) } }
        let unread = peers.reduce(0) { $0 + $1.unread }
        return unacknowledged > unread / Self.acknowledgementBytes
    }

    /// The bytes of a PUBACK without a reason.
    private static let acknowledgementBytes = 4

    /// True while the kernel holds bytes from the broker that a client has not read.
    private func hasUnread(_ client: CommandLines) -> Bool {
        // The sender's queue comes first: bytes that have left it are in the receiver's, or read.
        let process = client.processIdentifier
        let own = TCPSocket.all(of: process)
        return TCPSocket.table(of: process).contains { one in one.unsent > 0 && own.contains { $0.isPeer(of: one) } }
            || TCPSocket.all(of: process).contains { $0.unread > 0 }
    }

    /// Has it store its sessions and messages now, also where it does so never else (`autosave_interval 0`).
    package func save() async throws {
        process.withLock { $0?.signal(SIGUSR1) }
        try await log(containing: "Saving in-memory database")
    }

    /// Stops it: the kernel still accepts connections, and nothing answers.
    package func suspend() { process.withLock { $0?.suspend() } }

    /// Lets it go on after ``suspend()``.
    package func resume() { process.withLock { $0?.resume() } }

    /// Lets it read its lists of passwords and rights again.
    package func reload() { process.withLock { $0?.signal(SIGHUP) } }

    /// The next line of its log that contains a text; those before it are skipped.
    @discardableResult
    package func log(containing text: String) async throws -> String {
        guard let broker = process.withLock({ $0 }) else { throw Failure(description: "the broker does not run") }
        return try await broker.next(containing: text)
    }

    /// A foreign client (mosquitto_sub) that has subscribed: one line for each message.
    ///
    /// A line has the topic, 1 where the message was retained, the content type and the user properties in brackets,
    /// and the payload, separated by spaces.
    ///
    /// - Parameter session: The name of a session that the broker keeps while the client is not connected.
    package func subscribe(
        to topics: [String],
        asSession session: String? = nil,
        withCertificate client: (chain: String, key: String)? = nil
    ) async throws -> CommandLines {
        let name = session ?? "observer-\(UUID().uuidString)"
        var words = ["exec", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-i", name, "-V", "5", "-q", "1"]
        // Otherwise it takes twenty messages at a time, and the others wait in the broker's memory.
        words += ["-D", "connect", "receive-maximum", "65535"]
        words += ["-F", "'%t %r [%C] [%P] %p'"] + topics.flatMap { ["-t", "'\($0)'"] }
        if session != nil { words += ["-c", "-x", "3600"] }
        if let login = options.login { words += ["-u", "'\(login.user)'", "-P", "'\(login.password)'"] }
        if options.tls != nil {
            words += ["--cafile", "'\(file("authority.pem"))'", "--insecure"]
            if let client {
                try write(client.chain, to: "client.pem")
                try write(client.key, to: "client.key")
                words += ["--cert", "'\(file("client.pem"))'", "--key", "'\(file("client.key"))'"]
            }
        }
        let observer = try CommandLines(words.joined(separator: " "))
        try await log(containing: "Sending SUBACK to \(name)")
        return observer
    }

    /// Changes the access control list; ``reload()`` makes it count.
    package func setAccessList(_ lines: [String]) throws {
        try write(lines.joined(separator: "\n") + "\n", to: "access")
    }

    /// Changes the password; ``reload()`` makes it count.
    package func setPassword(_ password: String, of user: String) async throws {
        let made = try await FinishedCommand.run(
            ["-b", "-c", file("passwords"), user, password],
            of: "/usr/bin/mosquitto_passwd"
        )
        guard made.status == 0 else { throw Failure(description: "mosquitto_passwd: \(made.error)") }
    }

    private func writeFiles() async throws {
        var lines = [
            "user root", "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(directory.path)/",
            "autosave_interval 1", "autosave_on_changes true", "log_dest stderr",
            "log_dest file \(file("log"))", "log_type all", "connection_messages true",
            "allow_anonymous \(options.login == nil)",
        ]
        if let login = options.login {
            try await setPassword(login.password, of: login.user)
            lines.append("password_file \(file("passwords"))")
        }
        if let access = options.accessList {
            try setAccessList(access)
            lines.append("acl_file \(file("access"))")
        }
        if let tls = options.tls {
            try write(tls.chain, to: "chain.pem")
            try write(tls.key, to: "key.pem")
            try write(tls.authority, to: "authority.pem")
            lines += ["certfile \(file("chain.pem"))", "keyfile \(file("key.pem"))"]
            if let authority = tls.clientAuthority {
                try write(authority, to: "clients.pem")
                lines += ["cafile \(file("clients.pem"))", "require_certificate true"]
            }
        }
        try write((lines + options.configuration).joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    private func file(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func write(_ text: String, to name: String) throws {
        try directory.file(name, text)
    }
}

/// The messages to a session in the log of a broker, which is read as it grows.
///
/// Read anew for each look, a log of thousands of events takes longer than the events to come: so there would be ever more.
private struct DeliveryLog {
    let path: String
    let session: String
    private var offset: UInt64 = 0
    private var count = 0

    init(path: String, session: String) {
        self.path = path
        self.session = session
    }

    /// Returns the number of messages that this run of the broker has sent, less the acknowledgements that arrived.
    mutating func unacknowledged() -> Int {
        guard let file = FileHandle(forReadingAtPath: path) else { return count }
        defer { try? file.close() }
        guard (try? file.seek(toOffset: offset)) != nil, let new = try? file.readToEnd(),
            let end = new.lastIndex(of: UInt8(ascii: "\n"))
        else { return count }
        let lines = new[...end]
        offset += UInt64(lines.count)
        let runs = String(decoding: lines, as: UTF8.self).components(separatedBy: " starting\n")
        if runs.count > 1 { count = 0 }
        let run = runs.last ?? ""
        count += run.components(separatedBy: "Sending PUBLISH to \(session) ").count
        count -= run.components(separatedBy: "Received PUBACK from \(session) ").count
        return count
    }
}

/// A TCP socket over IPv4, with the lengths of its queues (proc_net_tcp(5)).
private struct TCPSocket {
    private let local: Substring
    private let remote: Substring
    private let inode: Substring
    /// The bytes that the other side has not acknowledged.
    let unsent: Int
    /// The bytes that the process has not read.
    let unread: Int

    private init?(line: Substring) {
        let columns = line.split(separator: " ")
        guard columns.count > 9 else { return nil }
        let queues = columns[4].split(separator: ":").compactMap { Int($0, radix: 16) }
        guard queues.count == 2 else { return nil }
        (local, remote, inode) = (columns[1], columns[2], columns[9])
        (unsent, unread) = (queues[0], queues[1])
    }

    /// True for the other end of the same connection.
    func isPeer(of other: TCPSocket) -> Bool { local == other.remote && remote == other.local }

    /// All sockets in the network of a process.
    static func table(of process: Int32) -> [TCPSocket] {
        let table = (try? String(contentsOfFile: "/proc/\(process)/net/tcp", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").dropFirst().compactMap(TCPSocket.init)
    }

    /// The sockets that a process holds.
    static func all(of process: Int32) -> [TCPSocket] {
        let directory = "/proc/\(process)/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let targets = Set(
            descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)") }
        )
        return table(of: process).filter { targets.contains("socket:[\($0.inode)]") }
    }
}
