/// A word of the schema of which later versions may have more: values that are not known are kept as they are.
public protocol OpenCode: RawRepresentable<String>, Codable, Sendable, Hashable, CustomStringConvertible {
    /// A word.
    init(_ word: String)
}

extension OpenCode {
    /// A word; every one is accepted.
    public init(rawValue: String) { self.init(rawValue) }

    /// The word.
    public var description: String { rawValue }
}

/// The medium of a path.
public struct Via: OpenCode {
    /// The word in the event.
    public let rawValue: String

    /// A medium.
    public init(_ word: String) { rawValue = word }

    /// The kernel has not answered yet.
    public static let unknown = Via("unknown")
    /// There is no usable path.
    public static let none = Via("none")
    /// A cellular interface.
    public static let wwan = Via("wwan")
    /// A wireless LAN interface.
    public static let wifi = Via("wifi")
    /// Ethernet.
    public static let wired = Via("wired")
    /// A tunnel whose underlay is not known, Bluetooth, an unknown device.
    public static let other = Via("other")

    /// True when packets can leave; an unknown medium is not reachable.
    public var isReachable: Bool { self != .none && self != .unknown }
}

/// The connectivity of a path, by the verdicts of the probes.
public struct Connectivity: OpenCode {
    /// The word in the event.
    public let rawValue: String

    /// A connectivity.
    public init(_ word: String) { rawValue = word }

    /// No probe is configured, or none has a verdict yet.
    public static let unknown = Connectivity("unknown")
    /// There is no path.
    public static let none = Connectivity("none")
    /// There is a path, and no probe gets an answer from beyond it.
    public static let local = Connectivity("local")
    /// A captive portal answers.
    public static let portal = Connectivity("portal")
    /// Some required probes are up, or one family's are.
    public static let partial = Connectivity("partial")
    /// Every required probe is up, in every family that has a path.
    public static let full = Connectivity("full")
}
