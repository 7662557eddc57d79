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
}
