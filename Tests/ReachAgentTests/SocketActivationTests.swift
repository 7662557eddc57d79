import AgentTestKit
import Foundation
import Glibc
import Testing

/// An agent that is started by a connection to the service manager's socket, and cannot run.
@Suite struct SocketActivationTests {
    /// A socket that listens at a path.
    private static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(result == 0 && Glibc.listen(descriptor, 10) == 0)
        return descriptor
    }

    /// Runs an agent that gets the socket as its first activated descriptor; returns its exit status.
    private static func status(_ arguments: String, socket: Int32) async throws -> Int32 {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        // The process that becomes the agent keeps its number.
        let script = "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=control exec \(BuiltAgent.path) \(arguments)"
        let agent = try SpawnedProgram("/bin/sh", ["-c", script], descriptors: [nothing, nothing, nothing, socket])
        return await onThread { agent.wait() }
    }

    @Test(arguments: [("run --config %/a.toml", 78), ("run --format none --no-such-option", 64)])
    func `the clients of an agent that cannot run see the end, and leave nothing that starts it again`(
        command: String,
        status: Int32
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        _ = try directory.file("a.toml", "x = 1\n")
        let path = "\(directory.path)/control.sock"
        let socket = try Self.listen(at: path)
        defer { close(socket) }
        let clients = try (0..<3).map { _ in try SocketLines(path, request: #"{"method":"status"}"#) }
        let arguments = command.replacingOccurrences(of: "%", with: directory.path)
        #expect(try await Self.status(arguments, socket: socket) == status)
        for client in clients { #expect(await client.next() == nil) }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 0) == 0)
    }
}
