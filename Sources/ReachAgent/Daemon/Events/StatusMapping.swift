internal import AgentEvents
internal import EventJournal
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

// The parts of a status as values of the schema.

/// The identity of the agent in a status.
struct AgentFacts: Sendable {
    var version: String
    var processID: Int32
    var started: ObservedTime
    /// The origin of its events: the boot, and the stream of numbers.
    var origin: EventOrigin
}

extension AgentStatus {
    /// The maximum number of settled transitions in a status, which has the newest.
    static let maximumRecent = 10
    /// The maximum number of hooks in a status; failed ones come first.
    private static let maximumHooks = 64

    /// Creates the status of an agent at a time.
    ///
    /// - Parameter waiting: The configured probes that are not checked at present, because there is no path or their
    ///   interface is missing.
    init(
        of agent: AgentFacts,
        at now: ObservedTime,
        reachability: ReachAgent.SettledState<Reachability.ReachabilityState>,
        targets: [(target: Reachability.Target, settled: ReachAgent.SettledState<TargetState>)] = [],
        probes: [ProbeRecord] = [],
        waiting: [ProbeRule] = [],
        uplinks: [Reachability.Uplink] = [],
        availability: [Availability] = [],
        schedule: ScheduleStatistics? = nil,
        configuration: Configuration? = nil,
        hookSetup: HookSetup? = nil,
        hooks: [HookStatus] = [],
        sinks: [SinkStatus] = [],
        network: NetlinkMonitor.NetworkSnapshot,
        recent: [Transition] = [],
        lastSequence: UInt64 = 0,
        overruns: Overruns = Overruns(count: 0, dropped: 0),
        journal: Journal? = nil,
        sockets: Sockets? = nil
    ) {
        var allProbes = probes.troubledFirst(by: \.state).map { ProbeStatus($0, now: now) }
        let firstUp = allProbes.firstIndex { $0.verdict == "up" } ?? allProbes.endIndex
        allProbes.insert(contentsOf: waiting.map { ProbeStatus(waiting: $0) }, at: firstUp)
        let shownProbes = BoundedList(allProbes)
        let shownHooks = BoundedList(hooks.troubledFirst, maximum: Self.maximumHooks, bytes: HooksReply.maximumBytes)
        self.init(
            agent: Agent(
                version: agent.version,
                schema: AgentEvent.schemaVersion,
                host: agent.origin.host,
                processID: agent.processID,
                started: Timestamp(agent.started),
                uptimeMilliseconds: agent.started.milliseconds(until: now),
                bootID: agent.origin.bootID,
                stream: agent.origin.streamID
            ),
            time: Timestamp(now),
            reachability: SettledState(reachability, now: now),
            targets: targets.map { Target(name: $0.target.name, settled: SettledState($0.settled, now: now)) },
            probes: shownProbes.elements,
            probesOmitted: shownProbes.omitted,
            uplinks: uplinks.map { AgentEvents.Uplink($0) },
            availability: availability,
            schedule: schedule.map { Schedule($0) },
            configuration: configuration,
            hookSetup: hookSetup,
            hooks: shownHooks.elements,
            hooksOmitted: shownHooks.omitted,
            sinks: sinks,
            interfaces: Interface.brief(in: network),
            defaultRoutes: network.defaultRoutes.map { DefaultRoute($0, in: network) },
            recent: recent.suffix(Self.maximumRecent),
            lastSequence: lastSequence,
            journal: journal,
            sockets: sockets,
            isSynchronized: network.isSynchronized,
            overruns: overruns
        )
    }
}

/// The reply to `hooks`, with as many hooks as fit.
struct HooksReply: Encodable {
    /// The maximum size of all hooks together, in bytes: a quarter of the longest line.
    static let maximumBytes = ScannedLine.maximumBytes / 4

    let hooks: [AgentStatus.HookStatus]
    let hooksOmitted: Int?

    private enum CodingKeys: String, CodingKey {
        case hooks
        case hooksOmitted = "hooks_omitted"
    }

    init(_ all: [AgentStatus.HookStatus]) {
        let list = BoundedList(all.troubledFirst, bytes: Self.maximumBytes)
        (hooks, hooksOmitted) = (list.elements, list.omitted)
    }
}

extension AgentStatus.SettledState {
    init<State: PublishedState>(_ settled: ReachAgent.SettledState<State>, now: ObservedTime) {
        self.init(state: settled.state.published)
        since = settled.since.map { Timestamp($0) }
        forMilliseconds = settled.since?.milliseconds(until: now)
        viaSince = settled.viaSince.map { Timestamp($0) }
        viaForMilliseconds = settled.viaSince?.milliseconds(until: now)
        connectivitySince = settled.connectivitySince.map { Timestamp($0) }
        connectivityForMilliseconds = settled.connectivitySince?.milliseconds(until: now)
        cause = settled.cause.map { AgentEvents.ChangeCause($0) }
        pending = settled.pending.map { pending in
            Pending(
                state: pending.state.published,
                since: Timestamp(pending.since),
                forMilliseconds: pending.since.milliseconds(until: now),
                cause: AgentEvents.ChangeCause(pending.cause)
            )
        }
    }
}

extension AgentStatus.Transition {
    /// A transition as a line of a list; `nil` for a raw one, and for the end of a suspend, which is no change of a
    /// state.
    init?(_ transition: Reachability.Transition, sequence: UInt64, time: Timestamp) {
        let draft = EventDraft(transition)
        let (from, to): (String?, String)
        var place: (interface: String?, family: String?) = (nil, nil)
        let cause: AgentEvents.ChangeCause
        switch draft.content {
        case .reachabilityChanged(let change), .targetChanged(let change):
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .uplinkChanged(let change):
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .probeChanged(let change):
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
            place = (change.point.interface, change.point.family)
        case .certificateExpiring(let expiry):
            (from, to) = (nil, expiry.summary)
            cause = AgentEvents.ChangeCause(
                kind: "probe",
                code: ProblemCode.certificateExpiring.rawValue,
                detail: expiry.threshold
            )
        default: return nil
        }
        self.init(
            sequence: sequence,
            time: time,
            type: draft.type.rawValue,
            subject: draft.subject,
            from: from,
            to: to,
            code: cause.code,
            interface: place.interface ?? cause.interface,
            family: place.family,
            detail: cause.detail
        )
    }
}

extension AgentStatus.HookSetup {
    /// The directories of the settings in effect, and the means by which runs are contained.
    init(_ settings: HookSettings, _ means: HookContainment.Means?) {
        let (containment, detail): (String?, String?) =
            switch means {
            case .controlGroups(let group): ("control_groups", group)
            case .descendants(let reason): ("descendants", reason)
            case nil: (nil, nil)
            }
        self.init(
            directories: settings.directories,
            containment: containment,
            containmentDetail: detail,
            disabled: settings.isEnabled ? nil : true
        )
    }
}

extension AgentStatus.Overruns {
    /// Counts a loss.
    mutating func count(_ overrun: Overrun) {
        count = (count ?? 0) &+ 1
        dropped = (dropped ?? 0) &+ UInt64(overrun.dropped)
        code = overrun.code.rawValue
        last = Timestamp(overrun.observed)
    }
}

extension AgentStatus.Journal {
    /// The maximum number of gaps in a status, which has the newest.
    private static let maximumMissing = 32

    init(_ status: JournalStatus) {
        let (sync, interval): (String, Duration?) =
            switch status.syncPolicy {
            case .always: ("always", nil)
            case .interval(let limit): ("interval", limit)
            case .never: ("never", nil)
            }
        self.init(
            directory: status.directory,
            oldestSequence: status.oldestSequence,
            newestSequence: status.newestSequence,
            segments: status.segments,
            bytes: UInt64(max(0, status.bytes)),
            isDegraded: status.trouble != nil,
            code: status.trouble?.code.rawValue,
            detail: status.trouble?.text,
            missing: status.missing.suffix(Self.maximumMissing).map { range in
                Gap(firstSequence: range.lowerBound, lastSequence: range.upperBound)
            },
            sync: sync,
            syncMilliseconds: interval?.milliseconds
        )
    }
}

extension JournalDegraded {
    init(_ condition: JournalCondition) {
        self.init(
            isDegraded: condition.isDegraded,
            code: condition.code.rawValue,
            detail: condition.text,
            missingFirstSequence: condition.missing?.lowerBound,
            missingLastSequence: condition.missing?.upperBound
        )
    }
}

extension JournalCondition {
    /// The detail with the kernel's reason.
    var text: String { error.map { "\(detail): \($0)" } ?? detail }
}
