internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The messages that ask the kernel for a route.
struct LookupRequestTests {
    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("::", "::1")])
    func `the unspecified address is looked up as that of the loopback, to which connect connects`(
        unspecified: String,
        loopback: String
    ) throws {
        let requests = try [unspecified, loopback].map { address in
            let question = LookupQuestion(destination: try ip(address))
            return try Request.lookup(question, matchesTable: true, sequence: 7).bytes
        }
        #expect(requests[0] == requests[1])
    }

    @Test(arguments: ["192.0.2.9", "2001:db8::9"])
    func `the protocol and the port of a packet are part of the lookup`(address: String) throws {
        let question = LookupQuestion(destination: try ip(address), transport: .udp, port: 4789)
        let bytes = try Request.lookup(question, matchesTable: false, sequence: 7).bytes
        // RTA_IP_PROTO and RTA_DPORT.
        let expected = NetlinkAttribute(27, [17]).bytes + NetlinkAttribute(29, [0x12, 0xB5]).bytes
        #expect(bytes.suffix(expected.count) == expected[...])
    }
}
