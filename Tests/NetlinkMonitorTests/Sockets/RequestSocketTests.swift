import AgentTestKit
internal import CLibNL
internal import Glibc
internal import Testing

@testable internal import NetlinkMonitor

/// The answers to dumps: in a process without free descriptors, and by a kernel without the family.
struct RequestSocketTests {
    @Test(arguments: AddressFamily.allCases)
    func `a family that the kernel lacks has none of the default routes that it dumps instead`(dumped: AddressFamily) {
        var answer = DefaultRouteAnswer(family: .ipv6, table: Route.mainTable)
        let route = Route(destination: .everything(dumped), nextHops: [NextHop(interfaceIndex: 2)])
        let verdict = answer.take(.route(route)) { _ in .more }
        #expect(verdict == (dumped == .ipv6 ? .more : .enough))
        #expect(answer.routes == (dumped == .ipv6 ? [route] : []))
    }

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
