public import EventEnvelope
public import NetlinkMonitor
public import Reachability

extension EventDraft {
    /// The schema's version: raised when a member is added, never for anything else.
    public static let schemaVersion = 1
    /// The subject of everything that concerns the default path.
    public static let defaultSubject = "default"
    /// The subject of what concerns the agent itself.
    public static let agentSubject = "agent"

    /// `agent.started`.
    ///
    /// - Parameter origin: The origin that the event is made with: it names the boot and the stream.
    public static func agentStarted(version: String, origin: EventOrigin, settle: SettlePolicy, targets: [Target])
        -> EventDraft
    {
        EventDraft(.agentStarted, subject: agentSubject, summary: "agent \(version) started") { json in
            json.member("version", version)
            json.member("schema", schemaVersion)
            json.member("boot_id", ifPresent: origin.bootID)
            json.member("stream", origin.streamID)
            json.member("settle_up_ms", settle.up.milliseconds)
            json.member("settle_down_ms", settle.down.milliseconds)
            json.name("targets")
            json.array(targets) { json, target in
                json.object { json in
                    json.member("name", target.name)
                    json.member("address", target.address.description)
                }
            }
        }
    }

    /// `agent.stopping`.
    public static func agentStopping(reason: String) -> EventDraft {
        EventDraft(.agentStopping, subject: agentSubject, summary: "agent stopping (\(reason))") { json in
            json.member("reason", reason)
        }
    }

    /// The event for a transition of the state machine.
    ///
    /// - Parameter texts: The states that were encoded before; hand the same value to every call.
    public init(_ transition: Transition, texts: inout StateTexts) {
        switch transition {
        case .path(let change):
            self.init(.pathChanged, Self.defaultSubject, change, texts.text(of: change.from), texts.text(of: change.to))
        case .reachability(let change):
            let (from, to) = (texts.text(of: change.from), texts.text(of: change.to))
            self.init(.reachabilityChanged, Self.defaultSubject, change, from, to)
        case .targetPath(let target, let change):
            self.init(.pathChanged, target.name, change, Self.text(of: change.from), Self.text(of: change.to))
        case .target(let target, let change):
            self.init(.targetChanged, target.name, change, Self.text(of: change.from), Self.text(of: change.to))
        case .uplink(let change):
            self.init(change)
        case .probe(let point, let change):
            self.init(point, change)
        case .certificate(let expiry):
            self.init(expiry)
        case .resumed(let suspended, let observed):
            self.init(resumedAfter: suspended, observed: observed)
        }
    }

    private static func text(of state: TargetState) -> [UInt8] {
        var json = JSONWriter()
        state.write(to: &json)
        return json.bytes
    }

    private init<State: DescribedState>(
        _ type: EventType,
        _ subject: String,
        _ change: Change<State>,
        _ from: [UInt8],
        _ to: [UInt8]
    ) {
        self.init(type, subject: subject, summary: Self.summary(of: change)) { json in
            json.name("from")
            json.value(from)
            json.name("to")
            json.value(to)
            json.member("cause", change.cause)
            json.member("observed", Timestamp(change.observed))
            if type != .pathChanged { json.member("settled_ms", change.settled.milliseconds) }
        }
    }

    private static func summary<State: DescribedState>(of change: Change<State>) -> String {
        let because = change.cause.detail.map { "; \($0)" } ?? ""
        return "\(change.from.summary) → \(change.to.summary) [\(change.cause.code)]\(because)"
    }

    /// `netlink.overrun`.
    public init(_ overrun: Overrun) {
        self.init(.netlinkOverrun, subject: Self.agentSubject, summary: overrun.detail) { json in
            json.member("code", overrun.code.rawValue)
            json.member("detail", overrun.detail)
            json.member("dropped", overrun.dropped)
            json.member("observed", Timestamp(overrun.observed))
        }
    }

    /// The most corrections that one event lists; the count is always complete.
    static let mostCorrections = 32

    /// `netlink.resynced`.
    public init(_ resynchronization: Resynchronization) {
        let count = resynchronization.corrections.count
        self.init(
            .netlinkResynced,
            subject: Self.agentSubject,
            summary: "the kernel's state was read again; \(count) corrections"
        ) { json in
            json.member("code", resynchronization.code.rawValue)
            json.member("attempts", resynchronization.attempts)
            json.member("took_ms", resynchronization.duration.milliseconds)
            json.member("corrections", count)
            json.name("corrected")
            json.array(resynchronization.corrections.prefix(Self.mostCorrections)) { json, change in
                change.write(to: &json)
            }
            json.member("observed", Timestamp(resynchronization.observed))
        }
    }

    /// `subscriber.lagged`.
    public static func subscriberLagged(lastSequence: UInt64) -> EventDraft {
        EventDraft(
            .subscriberLagged,
            subject: agentSubject,
            summary: "too slow: what followed event \(lastSequence) was not kept"
        ) { json in
            json.member("last_seq", lastSequence)
        }
    }

    /// `network.snapshot`.
    public static func networkSnapshot(
        _ snapshot: NetworkSnapshot,
        state: ReachabilityState,
        targets: [(target: Target, state: TargetState)],
        probes: [ProbeRecord] = [],
        uplinks: [Uplink] = []
    ) -> EventDraft {
        EventDraft(.networkSnapshot, subject: defaultSubject, summary: state.summary) { json in
            json.member("state", state)
            json.name("targets")
            json.array(targets) { json, entry in
                json.object { json in
                    json.member("name", entry.target.name)
                    json.member("state", entry.state)
                }
            }
            if !probes.isEmpty { ProbeList(verdictsOf: probes).writeMembers(to: &json) }
            if !uplinks.isEmpty {
                json.name("uplinks")
                json.array(uplinks) { json, uplink in uplink.write(to: &json) }
            }
            json.name("interfaces")
            json.array(snapshot.links.values.sorted { $0.index < $1.index }) { json, link in
                let addresses = snapshot.addresses.filter { $0.interfaceIndex == link.index }
                link.write(addresses: addresses, in: snapshot, to: &json)
            }
            json.name("default_routes")
            json.array(snapshot.defaultRoutes) { json, route in route.write(in: snapshot, to: &json) }
            json.member("synchronized", snapshot.isSynchronized)
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// The civil time of a moment.
    public init(_ observed: ObservedTime) {
        self.init(microsecondsSince1970: observed.microsecondsSince1970)
    }
}
