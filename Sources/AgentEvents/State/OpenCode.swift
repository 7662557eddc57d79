/// A code of the schema, to which later versions may add values: unknown values are preserved.
public protocol OpenCode: RawRepresentable<String>, Codable, Sendable, Hashable, CustomStringConvertible {
    /// Creates a code.
    init(_ word: String)
}

extension OpenCode {
    /// Creates a code from any word.
    public init(rawValue: String) { self.init(rawValue) }

    /// The code.
    public var description: String { rawValue }
}

/// The medium of a path.
public struct Via: OpenCode {
    /// The code in the event.
    public let rawValue: String

    /// Creates a medium.
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
    /// A tunnel with an unknown underlay, Bluetooth, or an unknown device.
    public static let other = Via("other")

    /// True if packets can leave; an unknown medium is not reachable.
    public var isReachable: Bool { self != .none && self != .unknown }
}

/// The connectivity of a path, according to the verdicts of the probes.
public struct Connectivity: OpenCode {
    /// The code in the event.
    public let rawValue: String

    /// Creates a connectivity.
    public init(_ word: String) { rawValue = word }

    /// No probe is configured, or the verdicts do not decide it: none counts, or first ones are still to come.
    public static let unknown = Connectivity("unknown")
    /// There is no path.
    public static let none = Connectivity("none")
    /// There is a path, but no probe gets an answer from beyond it.
    public static let local = Connectivity("local")
    /// A captive portal answers.
    public static let portal = Connectivity("portal")
    /// Some required probes are up, or those of one family.
    public static let partial = Connectivity("partial")
    /// Every required probe is up, in every family that has a path; those that this machine cannot check do not count.
    public static let full = Connectivity("full")
}
