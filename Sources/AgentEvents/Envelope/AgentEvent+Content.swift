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
            case .probeSummary: content(Self.probeSummary)
            case .certificateExpiring: content(Self.certificateExpiring)
            case .suspendResumed: content(Self.suspendResumed)
            case .configReloaded: content(Self.configReloaded)
            case .configRejected: content(Self.configRejected)
            case .netlinkOverrun: content(Self.netlinkOverrun)
            case .netlinkResynced: content(Self.netlinkResynced)
            case .hookCompleted: content(Self.hookCompleted)
            case .journalDegraded: content(Self.journalDegraded)
            case .sinkLost: content(Self.sinkLost)
            case .eventsOmitted: content(Self.eventsOmitted)
            case .agentHello: content(Self.agentHello)
            case .networkSnapshot: content(Self.networkSnapshot)
            case .probeCompleted: content(Self.probeCompleted)
            case .probeProgress: content(Self.probeProgress)
            case .subscriberLagged: content(Self.subscriberLagged)
            case nil: .unknown
            }
    }
}

extension AgentEvent.Content: Encodable {
    /// Writes the event's `data`.
    ///
    /// - Throws: `EncodingError` for ``unknown``: only the line that it came from has it.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .agentStarted(let value): try value.encode(to: encoder)
        case .agentStopping(let value): try value.encode(to: encoder)
        case .pathChanged(let value): try value.encode(to: encoder)
        case .reachabilityChanged(let value): try value.encode(to: encoder)
        case .targetChanged(let value): try value.encode(to: encoder)
        case .uplinkChanged(let value): try value.encode(to: encoder)
        case .probeChanged(let value): try value.encode(to: encoder)
        case .probeSummary(let value): try value.encode(to: encoder)
        case .certificateExpiring(let value): try value.encode(to: encoder)
        case .suspendResumed(let value): try value.encode(to: encoder)
        case .configReloaded(let value): try value.encode(to: encoder)
        case .configRejected(let value): try value.encode(to: encoder)
        case .netlinkOverrun(let value): try value.encode(to: encoder)
        case .netlinkResynced(let value): try value.encode(to: encoder)
        case .hookCompleted(let value): try value.encode(to: encoder)
        case .journalDegraded(let value): try value.encode(to: encoder)
        case .sinkLost(let value): try value.encode(to: encoder)
        case .eventsOmitted(let value): try value.encode(to: encoder)
        case .agentHello(let value): try value.encode(to: encoder)
        case .networkSnapshot(let value): try value.encode(to: encoder)
        case .probeCompleted(let value): try value.encode(to: encoder)
        case .probeProgress(let value): try value.encode(to: encoder)
        case .subscriberLagged(let value): try value.encode(to: encoder)
        case .unknown:
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "content that is not known")
            )
        }
    }
}
