import AgentTestKit
import Foundation
import Testing

@testable import ServiceSupport

@Suite(.onOwnThread) struct NotifySocketTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [
        (ServiceNotice.ready, "READY=1"),
        (.reloading(since: 42), "RELOADING=1\nMONOTONIC_USEC=42"),
        (.stopping, "STOPPING=1"),
        (.watchdog, "WATCHDOG=1"),
        (.status("reachable through wlan0"), "STATUS=reachable through wlan0"),
        (.status("a\nREADY=1\r\u{1b}[2J\u{85}b"), "STATUS=a READY=1  [2J b"),
        (.status(""), "STATUS="),
    ])
    func `a notice has the form of sd_notify, and nothing in a sentence begins another one`(
        notice: ServiceNotice,
        assignment: String
    ) {
        #expect(notice.assignment == assignment)
    }

    @Test func `a sentence is cut at a whole character`() {
        let notice = ServiceNotice.status(String(repeating: "é", count: 5000)).assignment
        #expect(notice == "STATUS=" + String(repeating: "é", count: 512))
    }

    @Test(arguments: [true, false])
    func `several notices arrive in one datagram, at a path and at an abstract name`(isPath: Bool) throws {
        let name = isPath ? "\(directory.path)/notify" : "@reachagent-\(UUID().uuidString)"
        let manager = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        #expect(socket.send([.ready, .status("none")]))
        #expect(manager.next() == "READY=1\nSTATUS=none")
        #expect(socket.send([.watchdog]))
        #expect(manager.next() == "WATCHDOG=1")
    }

    @Test func `without the variable there is no notify socket`() throws {
        for environment in [[:], ["NOTIFY_SOCKET": ""]] { #expect(try NotifySocket.named(in: environment) == nil) }
    }

    @Test(arguments: ["run/notify", "vsock:2:1234", "/", "@", "/a\0b", "/" + String(repeating: "n", count: 200)])
    func `an address of another form is an error`(name: String) {
        #expect(throws: NotifySocketError.badAddress(name)) { try NotifySocket.named(in: ["NOTIFY_SOCKET": name]) }
    }

    @Test func `an address without a listener is an error with the system's reason`() {
        let name = "\(directory.path)/missing"
        #expect(throws: NotifySocketError.unreachable(name, errno: ENOENT)) {
            try NotifySocket.named(in: ["NOTIFY_SOCKET": name])
        }
        #expect(
            NotifySocketError.unreachable("/n", errno: ENOENT).description
                == "the service manager cannot be reached at /n: No such file or directory"
        )
    }

    @Test func `a manager that has gone, or does not read, costs a bounded time and no signal`() throws {
        let name = "@reachagent-\(UUID().uuidString)"
        var manager: FakeManager? = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        // The queue of a datagram socket has an end (net.unix.max_dgram_qlen): then the send gives up.
        let taken = (0..<100_000).first { _ in !socket.send([.watchdog]) }
        #expect(taken ?? 0 > 0)
        #expect(manager?.next() == "WATCHDOG=1")
        manager = nil
        // A program that another test starts has the manager's descriptor too, for the moment until it is executed.
        let deadline = ContinuousClock.now + .seconds(10)
        while (try? NotifySocket.named(in: ["NOTIFY_SOCKET": name])) != nil, .now < deadline { sched_yield() }
        #expect(!socket.send([.stopping]))
    }
}

/// A service manager that takes notices and does nothing.
final class FakeManager {
    private let descriptor: CInt
    private let path: String?

    init(at name: String) throws {
        path = name.hasPrefix("/") ? name : nil
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        // A notice that does not come fails the test, and does not hang it.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (name.hasPrefix("/") ? 1 : 0))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The next datagram.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 8192)
        // With a time limit recv(2) is not begun again after a signal (signal(7)), and other tests send some.
        var count = -1
        repeat { count = recv(descriptor, &bytes, bytes.count, 0) } while count < 0 && errno == EINTR
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
