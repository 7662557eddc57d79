public import EventEnvelope

extension StatusReply {
    /// A settled state, since when it stands, and what may replace it.
    public struct Standing: Decodable, Sendable, Hashable {
        /// The state.
        public let state: State?
        /// When it was published; `nil` while nothing was.
        public let since: Timestamp?
        /// How long ago that was when the agent answered, by a clock that does not jump.
        public let age: Duration?
        /// Since when it is reached through the same medium, whatever else changed.
        public let viaSince: Timestamp?
        /// How long ago that was when the agent answered, by a clock that does not jump.
        public let viaAge: Duration?
        /// Since when the probes say the same; `nil` while they say nothing.
        public let connectivitySince: Timestamp?
        /// How long ago that was when the agent answered, by a clock that does not jump.
        public let connectivityAge: Duration?
        /// What made it change.
        public let cause: Cause?
        /// What the kernel says now, where that differs and has not held long enough.
        public let pending: Pending?

        private enum CodingKeys: String, CodingKey {
            case state, since, cause, pending
            case age = "for_ms"
            case viaSince = "via_since"
            case viaAge = "via_for_ms"
            case connectivitySince = "connectivity_since"
            case connectivityAge = "connectivity_for_ms"
        }

        /// Reads the members that stand beside others in the same object.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            state = members.value(.state)
            since = members.timestamp(.since)
            age = members.milliseconds(.age)
            viaSince = members.timestamp(.viaSince)
            viaAge = members.milliseconds(.viaAge)
            connectivitySince = members.timestamp(.connectivitySince)
            connectivityAge = members.milliseconds(.connectivityAge)
            cause = members.value(.cause)
            pending = members.value(.pending)
        }
    }

    /// How something is reachable.
    public struct State: Decodable, Sendable, Hashable {
        /// Through what: `unknown`, `none`, `wwan`, `wifi`, `wired`, `other`.
        public let via: String?
        /// The value of AFNetworking's `AFNetworkReachabilityStatus`.
        public let afStatus: Int?
        /// What the probes say: `unknown`, `none`, `local`, `portal`, `partial`, `full`; `nil` for a target.
        public let connectivity: String?
        /// Why the connectivity is not `full`; `nil` when it is, or when nothing is known.
        public let connectivityReason: Reason?
        /// What the probes say of IPv4, where they tell the families apart.
        public let ipv4Connectivity: String?
        /// What the probes say of IPv6, where they tell the families apart.
        public let ipv6Connectivity: String?
        /// Whether the state changes too often to be relied on.
        public let isFlapping: Bool?
        /// The code that says why there is no path.
        public let reason: String?
        /// The target's address; `nil` for the machine.
        public let address: String?
        /// The path that stands for all.
        public let path: Path?
        /// The path of IPv4; `nil` for a target.
        public let ipv4: Path?
        /// The path of IPv6; `nil` for a target.
        public let ipv6: Path?

        /// Whether packets can leave; what is not known is not reachable.
        public var isReachable: Bool { StatusReply.isReachable(via: via) }

        private enum CodingKeys: String, CodingKey {
            case via, connectivity, reason, address, path
            case afStatus = "af_status"
            case connectivityReason = "connectivity_reason"
            case connectivityProbe = "connectivity_probe"
            case portalURL = "portal_url"
            case connectivityByFamily = "connectivity_by_family"
            case isFlapping = "flapping"
        }

        private enum FamilyKeys: String, CodingKey { case ipv4, ipv6 }

        /// Reads a state.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            via = members.value(.via)
            afStatus = members.value(.afStatus)
            connectivity = members.value(.connectivity)
            let code: String? = members.value(.connectivityReason)
            connectivityReason = code.map { code in
                Reason(code: code, probe: members.value(.connectivityProbe), portalURL: members.value(.portalURL))
            }
            let each = try? members.nestedContainer(keyedBy: FamilyKeys.self, forKey: .connectivityByFamily)
            ipv4Connectivity = each?.value(.ipv4)
            ipv6Connectivity = each?.value(.ipv6)
            isFlapping = members.value(.isFlapping)
            reason = members.value(.reason)
            address = members.value(.address)
            path = members.value(.path)
            let families = try? members.nestedContainer(keyedBy: FamilyKeys.self, forKey: .path)
            ipv4 = families?.value(.ipv4)
            ipv6 = families?.value(.ipv6)
        }
    }

    /// How packets leave.
    public struct Path: Decodable, Sendable, Hashable {
        /// Through what, as ``State/via``.
        public let via: String?
        /// Why the path is not usable.
        public let reason: String?
        /// The interface's name.
        public let interface: String?
        /// The interface's kind.
        public let kind: String?
        /// The router.
        public let gateway: String?
        /// The address that packets come from.
        public let source: String?
        /// The name of the interface that carries the tunnel.
        public let underlay: String?
        /// The names of the interfaces of those next hops that packets cannot leave through, where the route has several.
        public let deadLegs: [String]

        /// Whether packets can leave; what is not known is not reachable.
        public var isReachable: Bool { StatusReply.isReachable(via: via) }

        private enum CodingKeys: String, CodingKey {
            case via, reason, interface, kind, gateway, source, underlay
            case deadLegs = "dead_legs"
        }
        private enum UnderlayKeys: String, CodingKey { case interface }
        private struct Leg: Decodable { let interface: String? }

        /// Reads a path.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            via = members.value(.via)
            reason = members.value(.reason)
            interface = members.value(.interface)
            kind = members.value(.kind)
            gateway = members.value(.gateway)
            source = members.value(.source)
            let legs: [Leg]? = members.value(.deadLegs)
            deadLegs = legs?.compactMap(\.interface) ?? []
            underlay = (try? members.nestedContainer(keyedBy: UnderlayKeys.self, forKey: .underlay))?.value(.interface)
        }
    }

    /// What made a state change.
    public struct Cause: Decodable, Sendable, Hashable {
        /// The sort of thing that changed.
        public let kind: String?
        /// The code of the reason or of the change.
        public let code: String?
        /// The interface concerned.
        public let interface: String?
        /// The particulars, for people.
        public let detail: String?

        private enum CodingKeys: String, CodingKey { case kind, code, interface, detail }

        /// Reads a cause.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            kind = members.value(.kind)
            code = members.value(.code)
            interface = members.value(.interface)
            detail = members.value(.detail)
        }
    }

    /// A state that was observed and has not held long enough.
    public struct Pending: Decodable, Sendable, Hashable {
        /// The state.
        public let state: State?
        /// When what is observed began to differ from what is settled.
        public let since: Timestamp?
        /// How long ago that was when the agent answered.
        public let age: Duration?
        /// What made it change.
        public let cause: Cause?

        private enum CodingKeys: String, CodingKey {
            case state, since, cause
            case age = "for_ms"
        }

        /// Reads a state that waits.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            state = members.value(.state)
            since = members.timestamp(.since)
            age = members.milliseconds(.age)
            cause = members.value(.cause)
        }
    }

    private static func isReachable(via: String?) -> Bool {
        guard let via else { return false }
        return via != "none" && via != "unknown"
    }
}
