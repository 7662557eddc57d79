/// The cause of a change.
public struct ChangeCause: Codable, Sendable, Hashable {
    /// The kind of thing that changed, such as `link`, `route` or `probe`.
    public var kind: String
    /// The code of the reason or of the change.
    public var code: String
    /// The interface concerned.
    public var interface: String?
    /// The details, for people.
    public var detail: String?

    /// Creates a cause.
    public init(kind: String, code: String, interface: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.code = code
        self.interface = interface
        self.detail = detail
    }
}

/// A change of a path, or of the reachability of the machine or a target.
public struct StateChange: Codable, Sendable, Hashable {
    /// The state before.
    public var from: ReachabilityState
    /// The state after.
    public var to: ReachabilityState
    /// The cause.
    public var cause: ChangeCause
    /// The moment at which the agent saw the change.
    public var observed: Timestamp
    /// The settle time for which it has held, in milliseconds; `nil` for a raw change of a path.
    public var settledMilliseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case from, to, cause, observed
        case settledMilliseconds = "settled_ms"
    }

    /// Creates a change.
    public init(
        from: ReachabilityState,
        to: ReachabilityState,
        cause: ChangeCause,
        observed: Timestamp,
        settledMilliseconds: Int64? = nil
    ) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settledMilliseconds = settledMilliseconds
    }
}

// Changes of states and uplinks are written on the thread that reads the kernel messages, and by hand: the encoder
// takes four times as long for them (18 µs instead of 4). The golden files hold both to the same bytes.

extension StateChange: JSONRepresentable {
    /// Writes the change as the encoder does.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("from", from)
            json.member("to", to)
            json.member("cause", cause)
            json.member("observed", observed)
            json.member("settled_ms", ifPresent: settledMilliseconds) { $0.number($1) }
        }
    }
}

extension ReachabilityState: JSONRepresentable {
    /// Writes the state as the encoder does.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("via", via.rawValue)
            json.member("af_status", afStatus)
            json.member("connectivity", ifPresent: connectivity?.rawValue)
            json.member("connectivity_reason", ifPresent: connectivityReason)
            json.member("connectivity_probe", ifPresent: connectivityProbe)
            json.member("portal_url", ifPresent: portalURL)
            json.member("connectivity_by_family", ifPresent: connectivityByFamily) { json, families in
                json.object { json in
                    json.member("ipv4", families.ipv4.rawValue)
                    json.member("ipv6", families.ipv6.rawValue)
                }
            }
            if isFlapping { json.member("flapping", true) }
            json.member("reason", ifPresent: reason)
            json.member("alternative", ifPresent: alternative) { $0.encode($1) }
            json.member("address", ifPresent: address)
            json.name("path")
            json.object { json in
                path.overall.writeMembers(to: &json)
                json.member("ipv4", ifPresent: path.ipv4) { $1.write(to: &$0) }
                json.member("ipv6", ifPresent: path.ipv6) { $1.write(to: &$0) }
            }
        }
    }
}

extension ChangeCause: JSONRepresentable {
    /// Writes the cause as the encoder does.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind)
            json.member("code", code)
            json.member("interface", ifPresent: interface)
            json.member("detail", ifPresent: detail)
        }
    }
}

extension UplinkChange: JSONRepresentable {
    /// Writes the change as the encoder does.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("from", from)
            json.member("to", to)
            json.member("cause", cause)
            json.member("observed", observed)
            json.member("settled_ms", settledMilliseconds)
        }
    }
}

extension Uplink: JSONRepresentable {
    /// Writes the uplink as the encoder does.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("interface", interface)
            json.member("ifindex", ifPresent: interfaceIndex) { $0.number($1) }
            json.member("kind", kind)
            if kindIsGuess { json.member("kind_is_guess", true) }
            json.member("connectivity", connectivity.rawValue)
            json.member("reason", ifPresent: reason) { json, reason in
                json.object { json in
                    json.member("code", reason.code)
                    json.member("probe", ifPresent: reason.probe)
                    json.member("portal_url", ifPresent: reason.portalURL)
                }
            }
            json.member("used", isUsed)
            if isBoundOnly { json.member("bound_only", true) }
        }
    }
}

extension Path {
    fileprivate func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("via", via.rawValue)
        json.member("reason", ifPresent: reason)
        json.member("interface", ifPresent: interface)
        json.member("ifindex", ifPresent: interfaceIndex) { $0.number($1) }
        json.member("kind", ifPresent: kind)
        if kindIsGuess { json.member("kind_is_guess", true) }
        json.member("gateway", ifPresent: gateway)
        json.member("source", ifPresent: source)
        json.member("prefix", ifPresent: prefix)
        json.member("table", ifPresent: table) { $0.number($1) }
        json.member("metric", ifPresent: metric) { $0.number($1) }
        json.member("underlay", ifPresent: underlay) { $0.encode($1) }
        if !deadLegs.isEmpty { json.member("dead_legs", encoding: deadLegs) }
        json.member("unconnected", ifPresent: unconnected) { $0.encode($1) }
    }
}
