import AgentEvents
import AgentTestKit
import Glibc
import NotificationBus
import StateSocket
import Testing

/// A process that is short of descriptors when the server starts.
struct ServerShortageTests {
    /// Four for the lock and the sockets, then three for the event loop.
    @Test(arguments: UInt(0)...6)
    func `without descriptors the server does not start, and leaves no socket behind`(_ spare: UInt) async {
        await #expect(processExitsWith: .success) { [spare] in
            let temporary = try TemporaryDirectory()
            let bus = NotificationBus<Event>()
            let server = StateServer(
                configuration: StateSocketConfiguration(directory: temporary.path),
                bus: bus,
                agent: ScriptedAgent(bus)
            )
            _ = try DescriptorShortage(sparing: spare, isFinal: true)
            let error = #expect(throws: StateSocketError.self) { try server.start() }
            #expect(error?.cause == .errno(EMFILE))
            let names = ["events", "control", "http"]
            #expect(names.filter { access("\(temporary.path)/\($0).sock", F_OK) == 0 } == [])
        }
    }
}
