/// The vantage of a probe: an interface and the address families.
public struct Vantage: Sendable, Hashable, Codable {
    /// The interface that the check is bound to; nil for the path that the kernel selects.
    public var interface: String?
    /// The address families that may be used.
    public var families: AddressFamilies

    /// Creates a vantage.
    public init(interface: String? = nil, families: AddressFamilies = .any) {
        self.interface = interface
        self.families = families
    }

    /// The path that the kernel selects, in any family.
    public static let `default` = Vantage()
}

extension Vantage: CustomStringConvertible {
    /// The text form: `default`, `default/ipv6`, `wlan0`, `wlan0/ipv4`.
    public var description: String {
        let place = interface ?? "default"
        return families == .any ? place : "\(place)/\(families.rawValue)"
    }
}

extension Vantage: Comparable {
    /// Orders the default path first, then the interfaces by name; for each `any`, `ipv4`, `ipv6`.
    public static func < (left: Vantage, right: Vantage) -> Bool {
        (left.interface ?? "", left.families.rawValue) < (right.interface ?? "", right.families.rawValue)
    }
}

/// One probe at one vantage, with a schedule, a streak and a verdict of its own.
public struct ProbePoint: Sendable, Hashable, Codable {
    /// The probe's name.
    public var probe: String
    /// The vantage.
    public var vantage: Vantage

    /// Creates a point.
    public init(probe: String, vantage: Vantage) {
        self.probe = probe
        self.vantage = vantage
    }
}

extension ProbePoint: CustomStringConvertible {
    /// The text form: `web@default`, `web@wlan0/ipv6`.
    public var description: String { "\(probe)@\(vantage)" }
}

extension ProbePoint: Comparable {
    /// Orders by the probe's name, then by vantage.
    public static func < (left: ProbePoint, right: ProbePoint) -> Bool {
        (left.probe, left.vantage) < (right.probe, right.vantage)
    }
}

/// The address families that a check may use.
public enum AddressFamilies: String, Sendable, Hashable, CaseIterable, Codable {
    /// Both families; IPv6 is tried first.
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6

    /// `true` if IPv4 may be used.
    package var includesIPv4: Bool { self != .ipv6 }
    /// `true` if IPv6 may be used.
    package var includesIPv6: Bool { self != .ipv4 }
}
