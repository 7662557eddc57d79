internal import AgentEvents
internal import NetlinkMonitor
internal import Probes
internal import Reachability

// The events of the agent.

extension EventDraft {
    /// `agent.started`.
    ///
    /// - Parameter origin: The origin that the event is made with: it names the boot and the stream.
    static func agentStarted(version: String, origin: EventOrigin, settle: SettlePolicy, targets: [Target])
        -> EventDraft
    {
        EventDraft(
            .agentStarted,
            .agentStarted(
                AgentStarted(
                    version: version,
                    schema: AgentEvent.schemaVersion,
                    bootID: origin.bootID,
                    stream: origin.streamID,
                    settleUpMilliseconds: settle.up.milliseconds,
                    settleDownMilliseconds: settle.down.milliseconds,
                    targets: targets.map { .init(name: $0.name, address: $0.address.description) }
                )
            )
        )
    }

    /// `agent.stopping`.
    static func agentStopping(reason: String) -> EventDraft {
        EventDraft(.agentStopping, .agentStopping(AgentStopping(reason: reason)))
    }

    /// `agent.hello`.
    ///
    /// - Parameters:
    ///   - origin: The origin that the event is made with: it names the boot and the stream.
    ///   - sequence: The number after which the following events begin.
    ///   - oldestSequence: The oldest number that can be replayed; `nil` when none can.
    static func agentHello(
        version: String,
        origin: EventOrigin,
        sequence: UInt64,
        oldestSequence: UInt64?,
        processID: Int32
    ) -> EventDraft {
        EventDraft(
            .agentHello,
            .agentHello(
                AgentHello(
                    version: version,
                    schema: AgentEvent.schemaVersion,
                    bootID: origin.bootID,
                    stream: origin.streamID,
                    sequence: sequence,
                    oldestSequence: oldestSequence,
                    processID: processID
                )
            )
        )
    }

    /// `subscriber.lagged`.
    static func subscriberLagged(lastSequence: UInt64) -> EventDraft {
        EventDraft(.subscriberLagged, .subscriberLagged(SubscriberLagged(lastSequence: lastSequence)))
    }

    /// The event for a transition of the state machine.
    init(_ transition: Transition) {
        switch transition {
        case .path(let change):
            self.init(.pathChanged, subject: AgentEvent.defaultSubject, .pathChanged(StateChange(raw: change)))
        case .targetPath(let target, let change):
            self.init(.pathChanged, subject: target.name, .pathChanged(StateChange(raw: change)))
        case .reachability(let change):
            let content = StateChange(change)
            self.init(.reachabilityChanged, subject: AgentEvent.defaultSubject, .reachabilityChanged(content))
        case .target(let target, let change):
            self.init(.targetChanged, subject: target.name, .targetChanged(StateChange(change)))
        case .uplink(let change):
            self.init(.uplinkChanged, subject: change.to.interface.name, .uplinkChanged(UplinkChange(change)))
        case .probe(let point, let change):
            self.init(.probeChanged, subject: point.probe, .probeChanged(ProbeChange(point, change)))
        case .certificate(let expiry):
            self.init(.certificateExpiring, subject: expiry.probe, .certificateExpiring(.init(expiry)))
        case .resumed(let suspended, let observed):
            let resumed = SuspendResumed(
                suspendedMilliseconds: suspended.milliseconds,
                observed: Timestamp(observed)
            )
            self.init(.suspendResumed, .suspendResumed(resumed))
        }
    }

    /// `probe.summary`.
    init(_ summary: ProbeSummary) { self.init(.probeSummary, subject: summary.point.probe, .probeSummary(summary)) }

    /// `netlink.overrun`.
    init(_ overrun: Overrun) { self.init(.netlinkOverrun, .netlinkOverrun(NetlinkOverrun(overrun))) }

    /// `netlink.resynced`.
    init(_ resynchronization: Resynchronization) {
        self.init(.netlinkResynced, .netlinkResynced(NetlinkResynchronization(resynchronization)))
    }

    /// `config.reloaded`.
    init(_ reload: ConfigurationReload) { self.init(.configReloaded, .configReloaded(reload)) }

    /// `config.rejected`.
    init(_ rejection: ConfigurationRejection) { self.init(.configRejected, .configRejected(rejection)) }

    /// `hook.completed`.
    init(_ completion: HookCompletion) {
        self.init(.hookCompleted, subject: completion.hook, .hookCompleted(completion))
    }

    /// `journal.degraded`.
    init(_ change: JournalDegraded) { self.init(.journalDegraded, .journalDegraded(change)) }

    /// `sink.lost`.
    init(_ loss: SinkLoss) { self.init(.sinkLost, subject: loss.sink, .sinkLost(loss)) }

    /// `probe.completed`; not numbered.
    ///
    /// - Parameter cadence: The time after which the probe is due again.
    init(_ check: Probes.CompletedCheck, cadence: Cadence) {
        self.init(.probeCompleted, subject: check.point.probe, .probeCompleted(.init(check, cadence: cadence)))
    }

    /// `probe.progress`; not numbered.
    init(_ progress: TransferProgress, of point: Probes.ProbePoint) {
        self.init(.probeProgress, subject: point.probe, .probeProgress(ProbeProgress(progress, of: point)))
    }

    /// `network.snapshot`.
    ///
    /// - Parameter since: The moment at which the state was first observed; `nil` while no state has settled.
    static func networkSnapshot(
        _ snapshot: NetlinkMonitor.NetworkSnapshot,
        state: Reachability.ReachabilityState,
        since: ObservedTime? = nil,
        targets: [(target: Target, state: TargetState)],
        probes: [ProbeRecord] = [],
        uplinks: [Reachability.Uplink] = []
    ) -> EventDraft {
        let verdicts = BoundedList(
            probes.troubledFirst(by: \.published).map { AgentEvents.NetworkSnapshot.ProbeVerdict($0) }
        )
        let content = AgentEvents.NetworkSnapshot(
            state: state.published,
            since: since.map { Timestamp($0) },
            targets: targets.map { .init(name: $0.target.name, state: $0.state.published) },
            probes: verdicts.elements,
            probesOmitted: verdicts.omitted,
            uplinks: uplinks.map { AgentEvents.Uplink($0) },
            interfaces: Interface.all(in: snapshot),
            defaultRoutes: snapshot.defaultRoutes.map { DefaultRoute($0, in: snapshot) },
            isSynchronized: snapshot.isSynchronized
        )
        return EventDraft(.networkSnapshot, subject: AgentEvent.defaultSubject, .networkSnapshot(content))
    }
}

/// The beginning of a list, limited to the length of line that readers accept.
struct BoundedList<Element: Encodable> {
    /// The elements that fit.
    let elements: [Element]
    /// The number of the others; `nil` where there are none.
    let omitted: Int?

    /// - Parameters:
    ///   - all: The elements, the most important ones first.
    ///   - maximum: The maximum number of elements.
    ///   - bytes: The maximum size of the elements, in bytes: by default half of the longest line.
    init(_ all: [Element], maximum: Int = .max, bytes: Int = ScannedLine.maximumBytes / 2) {
        var room = bytes
        let fitting = all.prefix(maximum).prefix { element in
            guard room > 0 else { return false }
            room -= (try? EventEncoder.encode(element).count) ?? 0
            return true
        }
        elements = Array(fitting)
        omitted = fitting.count < all.count ? all.count - fitting.count : nil
    }
}

extension [ProbeRecord] {
    /// Returns the probes that are not up, then the others.
    ///
    /// - Parameter state: The status that is shown: the present one, or the published one.
    func troubledFirst(by state: KeyPath<ProbeRecord, ProbeState>) -> [ProbeRecord] {
        filter { $0[keyPath: state].verdict != .up } + filter { $0[keyPath: state].verdict == .up }
    }
}

extension [AgentStatus.HookStatus] {
    /// The hooks that need attention, those that have failed, then the others.
    var troubledFirst: [AgentStatus.HookStatus] {
        filter(\.isTroubled) + filter { !$0.isTroubled && ($0.failures ?? 0) > 0 }
            + filter { !$0.isTroubled && ($0.failures ?? 0) == 0 }
    }
}
