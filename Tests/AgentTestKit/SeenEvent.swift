package import AgentEvents

/// An event that the agent wrote, with its line, as tests see it.
package struct SeenEvent: Sendable {
    /// A line that is not an event, or one whose content has another form than this version's.
    package struct Unreadable: Error { package let line: String }

    /// The event.
    package let event: AgentEvent
    /// The whole line, without its end.
    package let text: String

    /// Reads a line.
    package init(_ line: some StringProtocol) throws {
        text = String(line)
        guard let event = AgentEvent(line: Array(line.utf8)), event.content != .unknown else {
            throw Unreadable(line: text)
        }
        self.event = event
    }

    package var id: String { event.id }
    package var type: String { event.type }
    package var subject: String { event.subject }
    package var time: String { event.time.description }

    /// The type without the prefix that all types have.
    package var name: String { EventType.shortName(of: event.type) }

    /// The number.
    package var seq: UInt64? { event.sequence }
}

// MARK: - Content

extension SeenEvent {
    private var change: StateChange? {
        switch event.content {
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change): change
        default: nil
        }
    }

    /// The state before a change of a path, of the machine or of a target.
    package var from: ReachabilityState? { change?.from }

    /// The state after such a change.
    package var to: ReachabilityState? { change?.to }

    /// The change of an uplink.
    package var uplink: UplinkChange? {
        guard case .uplinkChanged(let change) = event.content else { return nil }
        return change
    }

    /// The change of a probe's verdict.
    package var probe: ProbeChange? {
        guard case .probeChanged(let change) = event.content else { return nil }
        return change
    }

    /// The cause of a change of any kind.
    package var cause: ChangeCause? { change?.cause ?? uplink?.cause ?? probe?.cause }

    /// The end of a hook's run.
    package var run: HookCompletion? {
        guard case .hookCompleted(let run) = event.content else { return nil }
        return run
    }

    /// A reload of the configuration.
    package var reload: ConfigurationReload? {
        guard case .configReloaded(let reload) = event.content else { return nil }
        return reload
    }

    /// A change of the journal between writable and degraded.
    package var journal: JournalDegraded? {
        guard case .journalDegraded(let change) = event.content else { return nil }
        return change
    }

    /// A loss of kernel messages.
    package var overrun: NetlinkOverrun? {
        guard case .netlinkOverrun(let loss) = event.content else { return nil }
        return loss
    }

    /// A resynchronization after such a loss.
    package var resynchronization: NetlinkResynchronization? {
        guard case .netlinkResynced(let result) = event.content else { return nil }
        return result
    }

    /// A certificate that is about to expire.
    package var expiry: CertificateExpiry? {
        guard case .certificateExpiring(let expiry) = event.content else { return nil }
        return expiry
    }

    /// The resumption after a suspend.
    package var suspend: SuspendResumed? {
        guard case .suspendResumed(let suspend) = event.content else { return nil }
        return suspend
    }

    /// The stream of the agent's sequence numbers, from its start event.
    package var stream: String? {
        guard case .agentStarted(let start) = event.content else { return nil }
        return start.stream
    }

    /// The reason for an agent's end.
    package var stopReason: String? {
        guard case .agentStopping(let end) = event.content else { return nil }
        return end.reason
    }
}

// MARK: - Words

extension SeenEvent {
    /// The probe's point: `web`, `web ipv4`, `web wwan0 ipv6`; the subject of anything else.
    package var point: String {
        [event.subject, probe?.point.interface, probe?.point.family].compactMap(\.self).joined(separator: " ")
    }

    /// The state or verdict before the change: `wired full`, `wired partial connect_timeout`, `down connect_refused`.
    package var before: String? { Self.words(from) ?? Self.words(uplink?.from) ?? Self.words(probe?.from) }

    /// The state or verdict after the change, in the same format.
    package var after: String? { Self.words(to) ?? Self.words(uplink?.to) ?? Self.words(probe?.to) }

    private static func words(_ state: ReachabilityState?) -> String? {
        state.map { state in
            let words = [state.via.rawValue, state.connectivity?.rawValue, state.connectivityReason]
            return words.compactMap(\.self).joined(separator: " ")
        }
    }

    private static func words(_ uplink: Uplink?) -> String? { uplink?.connectivity.rawValue }

    private static func words(_ verdict: ProbeVerdict?) -> String? {
        verdict.map { [$0.verdict, $0.code].compactMap(\.self).joined(separator: " ") }
    }

    /// The event in the output of a failed test: `41 reachability.changed default wired full → none link_down`.
    package var summary: String {
        let run = [
            run?.triggerSequence.map { "for \($0)" }, run?.ending.outcome, run?.ending.refusal?.code, run?.output,
        ]
        let change = [before, after.map { "→ \($0)" }, to?.reason, cause?.code, journal?.code]
        return ([seq.map { "\($0)" }, name, point] + change + run).compactMap(\.self).joined(separator: " ")
    }
}
