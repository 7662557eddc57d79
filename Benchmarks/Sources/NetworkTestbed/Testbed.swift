package import BenchmarkKit
internal import Glibc

/// Two network namespaces with a cable between them.
///
/// Listeners run in the first one, where the calling thread stays: `dut0`, 192.0.2.2/24, with the default route. The far
/// end `peer0` is in the second. The two interface indexes differ on purpose: the kernel tells a carrier change of a
/// veth whose index equals its peer's only up to a second later.
package final class Testbed {
    package static let interfaceIndex: UInt32 = 50
    private static let peerIndex: Int32 = 60
    private static let gateway: UInt32 = 0xC000_0201

    /// How long everybody rests between two edges, on average.
    package let pauseMicroseconds: UInt32
    private let near: NetworkNamespace
    private let far: NetworkNamespace
    private let nearSocket: RequestSocket
    private let farSocket: RequestSocket

    /// Makes the namespaces, moves the calling thread into the near one, and sets the cable up.
    ///
    /// The process must have no other thread yet when it is not root's.
    package init(ip: IPCommand, pauseMicroseconds: UInt32) throws(BenchmarkError) {
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
        try set(.defaultRoute, isUp: true)
    }

    /// Makes one edge: what ``Edge`` says goes up or down.
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

    /// Duplicate address detection and router solicitations would be edges that nobody asked for.
    private static func switchOffIPv6() throws(BenchmarkError) {
        guard ProcFile.read("/proc/sys/net/ipv6/conf/all/disable_ipv6") != nil else { return }
        try ProcFile.write("1", to: "/proc/sys/net/ipv6/conf/all/disable_ipv6")
        try ProcFile.write("1", to: "/proc/sys/net/ipv6/conf/default/disable_ipv6")
    }
}
