public import EventEnvelope
internal import NetlinkMonitor
internal import Probes
public import Reachability

/// A settled transition as a line of a list.
public struct RecentTransition: Sendable, Hashable {
    /// The event's number.
    public var sequence: UInt64
    /// When the event was made.
    public var time: Timestamp
    /// The event's type.
    public var type: EventType
    /// What changed: `default`, or a target's, an uplink's or a probe's name.
    public var subject: String
    /// The state before, in a few words; `nil` where nothing was before.
    public var from: String?
    /// The state after, in a few words.
    public var to: String
    /// What made it change.
    public var cause: ChangeCause
    /// The interface that a probe is bound to; `nil` for the path that the kernel chooses.
    public var boundInterface: String?
    /// The family that a probe is made in; `nil` for any.
    public var family: String?

    /// A transition; `nil` for a raw one, and for the end of a suspend, which is no change of a state.
    public init?(_ transition: Transition, sequence: UInt64, time: Timestamp) {
        self.sequence = sequence
        self.time = time
        switch transition {
        case .path, .targetPath, .resumed: return nil
        case .reachability(let change):
            type = .reachabilityChanged
            subject = EventDraft.defaultSubject
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .target(let target, let change):
            type = .targetChanged
            subject = target.name
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .uplink(let change):
            type = .uplinkChanged
            subject = change.to.interface.name
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
        case .probe(let point, let change):
            type = .probeChanged
            subject = point.probe
            (from, to, cause) = (change.from.summary, change.to.summary, change.cause)
            boundInterface = point.vantage.interface
            family = point.vantage.family
        case .certificate(let expiry):
            type = .certificateExpiring
            subject = expiry.probe
            to = expiry.summary
            cause = ChangeCause(kind: .probe, code: "certificate_expiring", detail: expiry.threshold)
        }
    }
}

extension RecentTransition: JSONRepresentable {
    /// Writes `{"seq":…,"time":…,"type":…,"subject":…,"from":…,"to":…,"code":…,"detail":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("seq", sequence)
            json.member("time", time)
            json.member("type", type.rawValue)
            json.member("subject", subject)
            json.member("from", ifPresent: from)
            json.member("to", to)
            json.member("code", cause.code)
            json.member("interface", ifPresent: boundInterface ?? cause.interface)
            json.member("family", ifPresent: family)
            json.member("detail", ifPresent: cause.detail)
        }
    }
}
