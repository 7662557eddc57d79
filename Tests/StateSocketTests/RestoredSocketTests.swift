import AgentTestKit
import Foundation
import Testing

@testable import StateSocket

/// Socket files that something has removed while the server runs.
struct RestoredSocketTests {
    struct Removal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The files; all of them with their directory if empty.
        var files: [String] = []
        let opened: [String]
    }

    /// A directory beside those of the servers.
    private let temporary: TemporaryDirectory
    private var directory: String { "\(temporary.path)/run" }

    init() throws { temporary = try TemporaryDirectory() }

    private static func names(_ paths: [String]) -> [String] {
        paths.map { URL(filePath: $0).lastPathComponent }.sorted()
    }

    private static let files = ["agent.lock", "control.sock", "events.sock", "http.sock"]

    @Test(arguments: [
        Removal(testDescription: "the directory", opened: ["control.sock", "events.sock", "http.sock"]),
        Removal(testDescription: "a socket", files: ["control.sock"], opened: ["control.sock"]),
        Removal(testDescription: "the lock", files: ["agent.lock"], opened: []),
        Removal(
            testDescription: "a socket and the lock",
            files: ["events.sock", "agent.lock"],
            opened: ["events.sock"]
        ),
    ])
    func `sockets without their files are opened again, and connected clients stay`(removal: Removal) async throws {
        try await onThread { [directory] in
            let stream = try ServedStream {
                $0.directory = directory
                $0.mode = 0o600
            }
            let client = try Client("\(directory)/events.sock")
            _ = try client.lines(2)
            #expect(try stream.server.restoreFiles() == [])
            let manager = FileManager.default
            for file in removal.files { try manager.removeItem(atPath: "\(directory)/\(file)") }
            if removal.files.isEmpty { try manager.removeItem(atPath: directory) }
            #expect(Self.names(try stream.server.restoreFiles()) == removal.opened)
            #expect(try manager.contentsOfDirectory(atPath: directory).sorted() == Self.files)
            #expect(try stream.server.restoreFiles() == [])
            let mode = try manager.attributesOfItem(atPath: "\(directory)/events.sock")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let later = try Client("\(directory)/events.sock")
            _ = try later.lines(2)
            stream.publish()
            for reader in [client, later] { #expect(try reader.line()?.contains("path.changed") == true) }
            let control = try Client("\(directory)/control.sock")
            try control.send(#"{"method":"reload"}"# + "\n")
            #expect(try control.line() == #"{"parameters":{"did":"reload"}}"#)
            // Another agent still cannot take the directory.
            #expect(throws: StateSocketError.self) { _ = try ServedStream { $0.directory = directory } }
            stream.stop()
            #expect(try manager.contentsOfDirectory(atPath: directory) == ["agent.lock"])
            #expect(try stream.server.restoreFiles() == [])
        }
    }

    @Test func `a file in the place of a socket is an error that changes nothing, until it is removed`() async throws {
        try await onThread { [directory] in
            let stream = try ServedStream { $0.directory = directory }
            defer { stream.stop() }
            let path = "\(directory)/events.sock"
            for name in ["control.sock", "events.sock"] { unlink("\(directory)/\(name)") }
            try Data("precious".utf8).write(to: URL(filePath: path))
            let failure = #expect(throws: StateSocketError.self) { try stream.server.restoreFiles() }
            #expect(failure?.cause == .notASocket)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
            unlink(path)
            #expect(Self.names(try stream.server.restoreFiles()) == ["control.sock", "events.sock"])
            _ = try Client(path).lines(2)
        }
    }

    @Test func `an agent that has taken the directory meanwhile keeps it`() async throws {
        try await onThread { [directory] in
            let first = try ServedStream { $0.directory = directory }
            defer { first.stop() }
            try FileManager.default.removeItem(atPath: directory)
            let second = try ServedStream { $0.directory = directory }
            let failure = #expect(throws: StateSocketError.self) { try first.server.restoreFiles() }
            #expect(failure?.cause == .inUse(by: getpid()))
            _ = try Client("\(directory)/events.sock").lines(2)
            second.stop()
            #expect(try first.server.restoreFiles().count == 3)
        }
    }
}
