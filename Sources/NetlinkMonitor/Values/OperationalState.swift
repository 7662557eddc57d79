/// The operational state of a link (RFC 2863 `ifOperStatus`, kernel `IFLA_OPERSTATE`).
///
/// `unknown` is the normal state of working devices that never report more: wwan, ppp, wireguard, loopback.
public enum OperationalState: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible, Codable {
    /// The driver does not tell; a working link may stay here for ever.
    case unknown = 0
    /// The hardware is missing.
    case notPresent = 1
    /// No carrier, or administratively down.
    case down = 2
    /// The device below (a VLAN's parent, a veth's peer) is down.
    case lowerLayerDown = 3
    /// In a test mode.
    case testing = 4
    /// Has a carrier, but waits: a Wi-Fi station that is associated and has no keys yet.
    case dormant = 5
    /// Passes packets.
    case up = 6

    /// Packets may pass: `up`, or `unknown` because many drivers stay there.
    public var allowsTraffic: Bool { self == .up || self == .unknown }

    /// The name that `ip link` prints.
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
