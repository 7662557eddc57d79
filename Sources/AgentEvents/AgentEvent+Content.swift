internal import EventEnvelope

extension AgentEvent.Content {
    /// Reads the content of a type.
    ///
    /// - Parameter read: Reads the event's `data` as a value, if it is one.
    init(of type: EventType?, _ read: (any Decodable.Type) -> (any Decodable)?) {
        func content<Value: Decodable>(_ make: (Value) -> Self) -> Self {
            (read(Value.self) as? Value).map(make) ?? .unknown
        }
        self =
            switch type {
            case .agentStarted: content(Self.agentStarted)
            case .agentStopping: content(Self.agentStopping)
            case .pathChanged: content(Self.pathChanged)
            case .reachabilityChanged: content(Self.reachabilityChanged)
            case .targetChanged: content(Self.targetChanged)
            case .uplinkChanged: content(Self.uplinkChanged)
            case .probeChanged: content(Self.probeChanged)
            case .certificateExpiring: content(Self.certificateExpiring)
            case .suspendResumed: content(Self.suspendResumed)
            case .configReloaded: content(Self.configReloaded)
            case .netlinkOverrun: content(Self.netlinkOverrun)
            case .netlinkResynced: content(Self.netlinkResynced)
            case .hookCompleted: content(Self.hookCompleted)
            case .journalDegraded: content(Self.journalDegraded)
            case .agentHello: content(Self.agentHello)
            case .networkSnapshot: content(Self.networkSnapshot)
            case .probeCompleted: content(Self.probeCompleted)
            case .subscriberLagged: content(Self.subscriberLagged)
            case nil: .unknown
            }
    }

    /// The value that is the event's `data`; `nil` for ``unknown``.
    var value: (any Encodable)? {
        switch self {
        case .agentStarted(let value): value
        case .agentStopping(let value): value
        case .pathChanged(let value): value
        case .reachabilityChanged(let value): value
        case .targetChanged(let value): value
        case .uplinkChanged(let value): value
        case .probeChanged(let value): value
        case .certificateExpiring(let value): value
        case .suspendResumed(let value): value
        case .configReloaded(let value): value
        case .netlinkOverrun(let value): value
        case .netlinkResynced(let value): value
        case .hookCompleted(let value): value
        case .journalDegraded(let value): value
        case .agentHello(let value): value
        case .networkSnapshot(let value): value
        case .probeCompleted(let value): value
        case .subscriberLagged(let value): value
        case .unknown: nil
        }
    }
}
