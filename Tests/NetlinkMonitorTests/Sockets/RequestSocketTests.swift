import AgentTestKit
internal import CLibNL
internal import Glibc
internal import Testing

@testable internal import NetlinkMonitor

/// The socket for requests, in a process without free descriptors.
struct RequestSocketTests {
    @Test func `an abandoned dump does not outlive a shortage of descriptors`() async {
        await #expect(processExitsWith: .success) {
            var kernel = try NetlinkQueries()
            let links = try kernel.links().map(\.link.index)
            let shortage = try DescriptorShortage()
            // The last free descriptor is that of the abandoned dump.
            try kernel.socket.dump("dump links", RTM_GETLINK, ifinfomsg()) { _ in .enough }
            let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
            #expect(other >= 0)
            #expect(throws: NetlinkError.self) { try kernel.links() }
            try shortage.end()
            #expect(try kernel.links().map(\.link.index) == links)
            close(other)
        }
    }
}
