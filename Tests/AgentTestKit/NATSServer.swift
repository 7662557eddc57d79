import Foundation
import Glibc

/// A nats-server with JetStream on the loopback interface, with a store of its own that is deleted with it.
///
/// Its port stays the same when it is started again.
package final class NATSServer: @unchecked Sendable {  // `running` is used by one test alone, from one place at a time.
    /// The program; `nil` where it is not installed.
    package static let program: String? = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"]
        .map { directory in "\(directory)/nats-server" }
        .first { path in access(path, X_OK) == 0 }
    /// `true` where the program is installed.
    package static var isInstalled: Bool { program != nil }

    /// The directory of the store and of the configuration.
    private let directory: TemporaryDirectory
    /// The port on 127.0.0.1.
    package var port: UInt16 { place.number }
    private let place: FreePort
    private let disk: SmallDisk?
    private var running: CommandLines?

    /// The address for a client.
    package var url: String { "nats://127.0.0.1:\(port)" }
    /// The process; `nil` while it does not run.
    package var processIdentifier: Int32? { running?.processIdentifier }

    /// Starts a server, and returns when it is ready.
    ///
    /// - Parameters:
    ///   - configuration: Its configuration file, without port, store and the block `authorization`.
    ///   - authorization: The members of that block: `users: [ … ]`.
    ///   - disk: The disk of the store; a directory that is removed with the server when it is `nil`.
    package init(configuration: String = "", authorization: String = "", disk: SmallDisk? = nil) async throws {
        self.disk = disk
        directory = try TemporaryDirectory()
        place = try FreePort()
        try configure(configuration, authorization: authorization)
        try await start()
    }

    deinit { running?.end() }

    /// Starts the server again where it listened before, with what it had stored.
    package func start() async throws {
        guard let program = Self.program else { throw FinishedCommand.Failure(description: "no nats-server") }
        running?.end()
        let process = try CommandLines(
            """
            exec \(disk?.launcher ?? "") '\(program)' --addr 127.0.0.1 --port \(port) \
            --config '\(configurationPath)' 2>&1
            """
        )
        running = process
        try await process.next(containing: "Server is ready")
    }

    /// Replaces the configuration, with the parameters of the initializer; it counts from the next start, or after
    /// ``reload()``.
    package func configure(_ configuration: String = "", authorization: String = "") throws {
        // From the command line, JetStream would be gone when the server reads other users.
        // Of two blocks with the same name the last one counts, so there is one only. Its timeout counts for an operator's
        // accounts too; the default of 2 s is short on a machine under load.
        let text = """
            jetstream { store_dir: "\(store)" }
            authorization {
              timeout: 60
              \(authorization)
            }
            \(configuration)
            """
        try text.write(toFile: configurationPath, atomically: true, encoding: .utf8)
    }

    /// Lets the server read its configuration again, and returns when it has.
    package func reload() async throws {
        running?.signal(SIGHUP)
        try await running?.next(containing: "Reloaded server configuration")
    }

    /// Kills the server, as a power cut does, and returns when it has gone.
    package func kill() async {
        running?.end()
        _ = await running?.rest()
        _ = await running?.status()
        running = nil
    }

    /// Lets the server hang: connections stay, and nothing answers.
    package func suspend() { running?.suspend() }

    /// Lets a server go on that hangs.
    package func resume() { running?.resume() }

    private var store: String { "\((disk?.directory ?? directory).path)/store" }
    private var configurationPath: String { "\(directory.path)/nats.conf" }
}
