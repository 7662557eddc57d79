public import AgentEvents

/// The properties of the machine's reachability that a sink depends on and a broker retains.
public struct MachineState: Sendable, Hashable {
    /// The connectivity; `unknown` for a machine without probes.
    public var connectivity: Connectivity
    /// The medium.
    public var via: Via
    /// The name of the interface.
    public var interface: String?
    /// The moment at which the state started; `nil` if it is not known.
    public var since: Timestamp?
    /// The address of the login page, while a portal answers.
    public var portalURL: String?

    /// Nothing is known yet.
    public static let unknown = MachineState(connectivity: .unknown, via: .unknown)

    /// Creates a state.
    public init(
        connectivity: Connectivity,
        via: Via,
        interface: String? = nil,
        since: Timestamp? = nil,
        portalURL: String? = nil
    ) {
        self.connectivity = connectivity
        self.via = via
        self.interface = interface
        self.since = since
        self.portalURL = portalURL
    }

    /// Creates the state that the agent publishes.
    ///
    /// - Parameters:
    ///   - state: The machine's state.
    ///   - since: The moment at which it started.
    public init(_ state: ReachabilityState, since: Timestamp?) {
        self.init(
            connectivity: state.connectivity ?? .unknown,
            via: state.via,
            interface: state.path.overall.interface,
            since: since,
            portalURL: state.portalURL
        )
    }

    /// Creates the state after an event of the agent: a snapshot or a settled change; `nil` for every other event.
    public init?(_ event: AgentEvent) {
        switch event.content {
        case .networkSnapshot(let snapshot): self.init(snapshot.state, since: snapshot.since)
        case .reachabilityChanged(let change): self.init(change.to, since: change.observed)
        default: return nil
        }
    }

    /// The payload of the retained state topic: one JSON object; a member is absent if it is not known, or does not
    /// apply.
    ///
    /// A start on a clock that was not set is not known.
    ///
    ///     {"connectivity":"full","via":"wifi","interface":"wlan0","since":"2026-11-21T07:00:00.000000Z"}
    public var payload: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("connectivity", connectivity.rawValue)
            json.member("via", via.rawValue)
            json.member("interface", ifPresent: interface)
            json.member("since", ifPresent: since.flatMap { $0 >= .earliestPlausible ? $0.description : nil })
            json.member("portal", ifPresent: portalURL)
        }
        return json.bytes
    }
}
