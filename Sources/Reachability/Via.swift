public import NetlinkMonitor

/// The medium through which the machine is reachable.
public enum Via: String, Sendable, Hashable, CaseIterable, Codable {
    /// The kernel has not answered yet. Never published as a loss.
    case unknown
    /// No usable path.
    case none
    /// A cellular interface.
    case wwan
    /// A wireless LAN.
    case wifi
    /// Ethernet.
    case wired
    /// An unknown medium: a tunnel without a known underlay, Bluetooth, a virtual device.
    case other

    /// The value of AFNetworking's `AFNetworkReachabilityStatus`: -1 unknown, 0 not reachable, 1 WWAN, 2 WiFi, where
    /// "WiFi" is everything that is not cellular.
    public var afStatus: Int {
        switch self {
        case .unknown: -1
        case .none: 0
        case .wwan: 1
        case .wifi, .wired, .other: 2
        }
    }

    /// `true` if packets can leave.
    public var isReachable: Bool { self != .unknown && self != .none }

    /// Creates the medium of a path through an interface of this kind.
    public init(kind: InterfaceKind) {
        switch kind {
        case .wifi: self = .wifi
        case .wwan: self = .wwan
        case .wired: self = .wired
        case .bluetooth, .tunnel, .ppp, .bridge, .virtual, .loopback, .unknown: self = .other
        }
    }
}
