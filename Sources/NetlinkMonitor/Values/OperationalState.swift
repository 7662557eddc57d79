/// The operational state of a link (RFC 2863 `ifOperStatus`, kernel `IFLA_OPERSTATE`).
///
/// `unknown` is the normal state of working devices that never report more: wwan, ppp, wireguard, loopback.
public enum OperationalState: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible, Codable {
    /// The driver does not report a state; a working link may stay here forever.
    case unknown = 0
    /// The hardware is missing.
    case notPresent = 1
    /// No carrier, or administratively down.
    case down = 2
    /// The lower device (a VLAN's parent, a veth's peer) is down.
    case lowerLayerDown = 3
    /// The link is in test mode.
    case testing = 4
    /// The link has a carrier, but waits: a Wi-Fi station that is associated and has no keys yet.
    case dormant = 5
    /// The link passes packets.
    case up = 6

    /// `true` if packets may pass: `up`, or `unknown` because many drivers stay there.
    public var allowsTraffic: Bool { self == .up || self == .unknown }

    /// The name in `ip link`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notPresent: "notpresent"
        case .down: "down"
        case .lowerLayerDown: "lowerlayerdown"
        case .testing: "testing"
        case .dormant: "dormant"
        case .up: "up"
        }
    }
}
