package import BenchmarkKit
internal import Glibc

/// Two network namespaces with a cable between them.
///
/// Listeners run in the first one, where the calling thread stays: `dut0`, 192.0.2.2/24, with the default route. The
/// far end `peer0` is in the second. The two interface indexes differ on purpose: the kernel delays the report of a
/// carrier change by up to a second if the index of a veth equals that of its peer.
package final class Testbed {
    package static let interfaceIndex: UInt32 = 50
    private static let peerIndex: Int32 = 60
    private static let gateway: UInt32 = 0xC000_0201

    /// The mean pause between two edges, in microseconds.
    package let pauseMicroseconds: UInt32
    private let near: NetworkNamespace
    private let far: NetworkNamespace
    private let nearSocket: RequestSocket
    private let farSocket: RequestSocket

    /// Creates the namespaces, moves the calling thread into the near one, and sets up the cable.
    ///
    /// Without root the process must have no other thread yet: it enters a user namespace.
    ///
    /// - Parameter otherLinks: The number of further links in the near namespace, which no edge concerns; they come
    ///   in pairs.
    package init(ip: IPCommand, pauseMicroseconds: UInt32, otherLinks: Int = 0) throws(BenchmarkError) {
        self.pauseMicroseconds = pauseMicroseconds
        near = try NetworkNamespace.enterFresh(inUserNamespace: geteuid() != 0)
        try Self.switchOffIPv6()
        nearSocket = try RequestSocket()
        far = try NetworkNamespace.enterFresh()
        try Self.switchOffIPv6()
        farSocket = try RequestSocket()

        try near.enter()
        try ip.run("link set lo up")
        try ip.run(
            "link add dut0 index \(Self.interfaceIndex) type veth peer name peer0 index \(Self.peerIndex) netns \(far.path)"
        )
        try ip.run("address add 192.0.2.2/24 dev dut0")
        try ip.run("link set dut0 up")
        try far.enter()
        try ip.run("address add 192.0.2.1/24 dev peer0")
        try ip.run("link set peer0 up")
        try near.enter()
        for number in stride(from: 0, to: otherLinks, by: 2) {
            try ip.run("link add other\(number) type veth peer name other\(number + 1)")
        }
        try set(.defaultRoute, isUp: true)
    }

    /// Makes one edge: switches the state that ``Edge`` names on or off.
    ///
    /// - Returns: CLOCK_MONOTONIC just before the request was sent.
    @discardableResult
    package func set(_ edge: Edge, isUp: Bool) throws(BenchmarkError) -> UInt64 {
        switch edge {
        case .carrier:
            try farSocket.perform(.setLink(Self.peerIndex, isUp: isUp), "switch the carrier")
        case .defaultRoute:
            try nearSocket.perform(
                .defaultRoute(add: isUp, gateway: Self.gateway, interface: Self.interfaceIndex),
                "change the default route"
            )
        }
    }

    /// Disables IPv6, whose duplicate address detection and router solicitations would cause edges of their own.
    private static func switchOffIPv6() throws(BenchmarkError) {
        guard ProcFile.read("/proc/sys/net/ipv6/conf/all/disable_ipv6") != nil else { return }
        try ProcFile.write("1", to: "/proc/sys/net/ipv6/conf/all/disable_ipv6")
        try ProcFile.write("1", to: "/proc/sys/net/ipv6/conf/default/disable_ipv6")
    }
}
