import AgentEvents
import AgentTestKit
import Glibc
import LinuxSupport
import NotificationBus
import Testing

@testable import ReachAgent

/// Standard output in a process that is short of threads.
struct EventPrinterTests {
    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `without a thread standard output cannot start`() async {
        await #expect(processExitsWith: .success) {
            let origin = EventOrigin(streamID: "s", host: "h")
            let printer = try EventPrinter(bus: NotificationBus<Event>(), format: .json, origin: origin)
            let shortage = try ThreadShortage(sparing: 0)
            #expect(throws: SystemError(errno: EAGAIN)) { try printer.start {} }
            try shortage.end()
        }
    }
}
