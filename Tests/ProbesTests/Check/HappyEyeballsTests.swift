import Testing

@testable import Probes

@Suite
struct HappyEyeballsTests {
    private func addresses(_ texts: String...) -> [HostAddress] {
        texts.compactMap { IPAddressText.bytes(of: $0) }.compactMap { HostAddress(bytes: $0) }
    }

    private func drain(_ order: inout HappyEyeballs) -> [String] {
        var texts: [String] = []
        while let address = order.next() { texts.append(address.description) }
        return texts
    }

    @Test
    func `the families take turns and IPv6 begins`() {
        var order = HappyEyeballs(awaiting: [.ipv4, .ipv6], maximum: 16)
        order.add(addresses("::1", "::2", "::3"), of: .ipv6)
        order.add(addresses("192.0.2.1", "192.0.2.2"), of: .ipv4)
        #expect(drain(&order) == ["::1", "192.0.2.1", "::2", "192.0.2.2", "::3"])
    }

    @Test
    func `IPv4 gives the other answer a head start`() {
        var order = HappyEyeballs(awaiting: [.ipv4, .ipv6], maximum: 16)
        order.add(addresses("192.0.2.1"), of: .ipv4)
        #expect(order.needsResolutionDelay)
        #expect(order.next() == nil)
        order.endResolutionDelay()
        #expect(order.next()?.description == "192.0.2.1")
    }

    @Test
    func `a failed AAAA lookup ends the head start`() {
        var order = HappyEyeballs(awaiting: [.ipv4, .ipv6], maximum: 16)
        order.add(addresses("192.0.2.1"), of: .ipv4)
        order.add([], of: .ipv6)
        #expect(!order.needsResolutionDelay)
        #expect(order.next()?.description == "192.0.2.1")
    }

    @Test
    func `IPv6 does not wait for the A answer, which joins in later`() {
        var order = HappyEyeballs(awaiting: [.ipv4, .ipv6], maximum: 16)
        order.add(addresses("::1", "::2"), of: .ipv6)
        #expect(order.next()?.description == "::1")
        order.add(addresses("192.0.2.1"), of: .ipv4)
        #expect(drain(&order) == ["192.0.2.1", "::2"])
    }

    @Test
    func `it is exhausted when nothing runs, waits or may arrive`() {
        var order = HappyEyeballs(awaiting: [.ipv4, .ipv6], maximum: 16)
        order.add(addresses("::1"), of: .ipv6)
        _ = order.next()
        order.attemptFailed()
        #expect(!order.isExhausted, "the A answer is still to come")
        order.add([], of: .ipv4)
        #expect(order.isExhausted)
    }

    @Test
    func `no more addresses are tried than allowed, and all are shown`() {
        var order = HappyEyeballs(awaiting: [.ipv6], maximum: 2)
        order.add(addresses("::1", "::2", "::3"), of: .ipv6)
        #expect(drain(&order) == ["::1", "::2"])
        #expect(order.remaining.map(\.description) == ["::3"])
        order.attemptFailed()
        order.attemptFailed()
        #expect(order.isExhausted)
    }
}
