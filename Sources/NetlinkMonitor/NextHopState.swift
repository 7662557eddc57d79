internal import Glibc

/// The kernel's opinion of a next hop, by its neighbour entry (RFC 4861 7.3.2).
public enum NextHopState: Sendable, Hashable {
    /// The next hop was confirmed within the last seconds.
    case reachable
    /// The next hop does not answer neighbour discovery.
    case failed
    /// The entry proves neither.
    case unclear

    /// The times that an entry is read again while the kernel resolves it, and the pause between them: neighbour discovery
    /// ends after three seconds (mcast_solicit and retrans_time of arp(7)), and the next packet has it begin anew.
    private static let readings = (count: 35, pause: useconds_t(100_000))

    /// Asks the kernel for the entry of an address on an interface, which sends nothing.
    ///
    /// It takes microseconds, and up to 3.5 s while neighbour discovery is under way: call it on a thread that may wait. For
    /// IPv6, whose entries the parser reduces to failed or not, the answer is never ``reachable``.
    public static func ask(of address: IPAddress, on interface: String) -> NextHopState {
        let router = Router(interfaceIndex: if_nametoindex(interface), address: address)
        guard router.interfaceIndex > 0, var socket = try? RequestSocket() else { return .unclear }
        for _ in 0..<readings.count {
            switch try? socket.states(of: [router])[router] {
            case .reachable: return .reachable
            case .failed: return .failed
            case .resolving: usleep(readings.pause)
            case .unknown, .absent, .usable, nil: return .unclear
            }
        }
        return .unclear
    }
}
