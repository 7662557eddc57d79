import AgentTestKit
import Foundation
import Testing

@testable import ServiceSupport

@Suite(.onOwnThread) struct NotifySocketTests {
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

    @Test(arguments: ["/tmp/\(UUID().uuidString)", "@reachagent-\(UUID().uuidString)"])
    func `several notices arrive in one datagram, at a path and at an abstract name`(name: String) throws {
        let manager = try FakeManager(at: name)
        let socket = try #require(try NotifySocket.named(in: ["NOTIFY_SOCKET": name]))
        #expect(socket.send([.ready, .status("none")]))
        #expect(manager.next() == "READY=1\nSTATUS=none")
        #expect(socket.send([.watchdog]))
        #expect(manager.next() == "WATCHDOG=1")
    }

    @Test func `without the variable there is nobody to be told`() throws {
        for environment in [[:], ["NOTIFY_SOCKET": ""]] { #expect(try NotifySocket.named(in: environment) == nil) }
    }

    @Test(arguments: ["run/notify", "vsock:2:1234", "/", "@", "/a\0b", "/" + String(repeating: "n", count: 200)])
    func `an address of another form is refused`(name: String) {
        #expect(throws: NotifySocketError.badAddress(name)) { try NotifySocket.named(in: ["NOTIFY_SOCKET": name]) }
    }

    @Test func `an address at which nobody listens is refused with the system's reason`() {
        let name = "/tmp/\(UUID().uuidString)"
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
        #expect((0..<100_000).contains { _ in !socket.send([.watchdog]) })
        #expect(manager?.next() == "WATCHDOG=1")
        manager = nil
        #expect(!socket.send([.stopping]))
    }
}
