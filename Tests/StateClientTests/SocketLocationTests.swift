import AgentTestKit
import Foundation
import Glibc
import LinuxSupport
import Synchronization
import Testing

@testable import StateClient

/// The location of the control socket.
@Suite struct SocketLocationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var explicit: String?
        var variables: [String: String] = [:]
        var existing: [String] = []
        var refused: String?
        var directory: String?
        var expected: String
        var testDescription: String { expected }
    }

    static let all = [
        "REACHAGENT_SOCKET": "/a/own.sock", "RUNTIME_DIRECTORY": "/run/r:/run/q", "XDG_RUNTIME_DIR": "/run/user/7",
    ]

    @Test(
        "the first location that is given is used",
        arguments: [
            Case(explicit: "/x.sock", variables: all, expected: "/x.sock"),
            Case(variables: all, expected: "/a/own.sock"),
            Case(explicit: "/x", variables: all, directory: "/x", expected: "/x/control.sock"),
            Case(explicit: "/x/", expected: "/x/control.sock"),
            Case(variables: ["REACHAGENT_SOCKET": "x"], directory: "x", expected: "x/control.sock"),
            Case(
                variables: ["RUNTIME_DIRECTORY": "/run/r:/run/q", "XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/q/control.sock"],
                expected: "/run/q/control.sock"
            ),
            Case(
                variables: ["RUNTIME_DIRECTORY": "/run/r:/run/q/reachagent"],
                expected: "/run/q/reachagent/control.sock"
            ),
            Case(
                variables: ["RUNTIME_DIRECTORY": "/run/r:/run/reachagent2", "XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/user/7/reachagent/control.sock"],
                expected: "/run/user/7/reachagent/control.sock"
            ),
            Case(variables: ["RUNTIME_DIRECTORY": "/run/r"], expected: "/run/reachagent/control.sock"),
            Case(variables: ["RUNTIME_DIRECTORY": ":"], expected: "/run/reachagent/control.sock"),
            Case(
                variables: ["XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/user/7/reachagent/control.sock"],
                expected: "/run/user/7/reachagent/control.sock"
            ),
            Case(variables: ["XDG_RUNTIME_DIR": "/run/user/7"], expected: "/run/reachagent/control.sock"),
            Case(
                variables: ["XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/user/7/reachagent/control.sock", "/run/reachagent/control.sock"],
                expected: "/run/user/7/reachagent/control.sock"
            ),
            // The socket of an agent that was killed.
            Case(
                variables: ["XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/user/7/reachagent/control.sock", "/run/reachagent/control.sock"],
                refused: "/run/user/7/reachagent/control.sock",
                expected: "/run/reachagent/control.sock"
            ),
            Case(
                variables: ["XDG_RUNTIME_DIR": "/run/user/7"],
                existing: ["/run/user/7/reachagent/control.sock"],
                refused: "/run/user/7/reachagent/control.sock",
                expected: "/run/user/7/reachagent/control.sock"
            ),
            Case(expected: "/run/reachagent/control.sock"),
        ]
    )
    func order(_ test: Case) {
        let location = SocketLocation.control(explicit: test.explicit) {
            test.variables[$0]
        } exists: {
            test.existing.contains($0)
        } isRefused: {
            $0 == test.refused
        } isDirectory: {
            $0 == test.directory
        }
        #expect(location.path == test.expected)
    }

    @Test func `a directory that exists is that of the socket`() {
        #expect(SocketLocation.control(explicit: "/dev").path == "/dev/control.sock")
        #expect(SocketLocation.control(explicit: "/dev/null").path == "/dev/null")
    }

    @Test func `a socket that a killed process left behind is refused, and no other`() throws {
        let path = try ScriptedAgent.newPath()
        #expect(!StreamSocket.isRefused(at: path))
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
        try #require(result == 0)
        #expect(StreamSocket.isRefused(at: path))
        unlink(path)
        let agent = try ScriptedAgent(at: path, { $0.waitForClose() })
        #expect(!StreamSocket.isRefused(at: path))
        withExtendedLifetime(agent) {}
    }
}

/// A socket that appears is noticed at once.
@Suite struct SocketWatchTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    /// Sleeps until the socket appears, or for so long.
    private static func sleep(_ watch: SocketWatch, _ wakeup: Wakeup, _ time: Duration) -> Wakeup.Reason {
        let deadline = ContinuousClock.now.advanced(by: time)
        while true {
            let reason = wakeup.sleep(untilReady: watch.descriptor, for: POLLIN, deadline: deadline)
            if reason != .ready || watch.takeAppearance() { return reason }
        }
    }

    /// Returns the reason that a sleep of up to 30 seconds ends while `body` is run again and again.
    private func reason(_ path: String, _ body: @escaping @Sendable () throws -> Void) async throws -> Wakeup.Reason {
        let wakeup = try Wakeup()
        async let reason = onThread {
            let watch = SocketWatch(SocketLocation(path: path))
            watch.start()
            return Self.sleep(watch, wakeup, .seconds(30))
        }
        let stop = Flag()
        async let done: Void = onThread {
            // The watch may not be there yet: the body is repeated until its effect was seen.
            while !stop.isSet {
                try? body()
                usleep(20_000)
            }
        }
        let seen = await reason
        stop.set()
        await done
        return seen
    }

    @Test func `in a directory that is there`() async throws {
        let path = "\(directory)/control.sock"
        let reason = try await reason(path) {
            try? FileManager.default.removeItem(atPath: path)
            try Data().write(to: URL(filePath: path))
        }
        #expect(reason == .ready)
    }

    @Test func `in a directory that is made for it`() async throws {
        let directory = "\(directory)/made"
        let reason = try await reason("\(directory)/control.sock") {
            try? FileManager.default.removeItem(atPath: directory)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        }
        #expect(reason == .ready)
    }

    @Test func `other files in the directory do not wake the watch, and the deadline does`() async throws {
        let wakeup = try Wakeup()
        let reason = await onThread {
            let watch = SocketWatch(SocketLocation(path: "\(directory)/control.sock"))
            watch.start()
            try? Data().write(to: URL(filePath: "\(directory)/events.sock"))
            return Self.sleep(watch, wakeup, .milliseconds(50))
        }
        #expect(reason == .deadline)
    }
}

/// Something that becomes true once.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}
