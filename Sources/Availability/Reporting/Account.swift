public import AgentEvents

/// The default path, an uplink, or a probe at one point.
public struct Subject: Sendable, Hashable {
    /// The kind of subject.
    public enum Kind: String, Sendable, Hashable {
        /// The path that the kernel chooses.
        case path
        /// An interface, active or standby.
        case uplink
        /// A probe.
        case probe
    }

    /// The kind.
    public var kind: Kind
    /// `default`, or the name of the interface or the probe.
    public var name: String
    /// The interface that a probe is bound to.
    public var interface: String?
    /// The family that a probe is bound to.
    public var family: String?

    /// The name, with the vantage point of a probe.
    public var title: String {
        let bounds = [interface.map { "over \($0)" }, family].compactMap(\.self)
        return bounds.isEmpty ? name : "\(name) (\(bounds.joined(separator: ", ")))"
    }
}

extension Subject {
    init(uplink name: String) { self.init(kind: .uplink, name: name) }

    init(_ point: ProbePoint) {
        self.init(kind: .probe, name: point.probe, interface: point.interface, family: point.family)
    }
}

/// The account of one subject.
public struct SubjectAccount: Sendable, Hashable {
    /// The subject.
    public var subject: Subject
    /// The microseconds of each condition; their sum is the duration of the window.
    public var tally: Tally
    /// The same for each day of the window.
    public var days: [Tally]
    /// The first outages, in order: at most 10,000, and an equal part of 100,000 of all subjects.
    public var outages: [Outage]
    /// The number of all outages.
    public var outageCount: Int
    /// The longest of all outages; the first one of two equal ones.
    public var longest: Outage?
    /// The time of all outages by the segment of each, in microseconds.
    public var unavailableBySegment: [Segment: Int64]
    /// The checks: those of a probe, or of the probes over a path; `nil` without a summary.
    public var checks: CheckFigures?

    init(_ subject: Subject, _ track: Track, checks: CheckFigures?) {
        self.subject = subject
        self.checks = checks
        tally = track.totals.tally
        days = track.totals.days
        outages = track.totals.outages.listed
        outageCount = track.totals.outages.count
        longest = track.totals.outages.longest
        unavailableBySegment = track.totals.outages.bySegment
    }

    /// The mean time between failures: the available time divided by the number of outages; `nil` without an outage, and
    /// where the available time is not known.
    public var meanTimeBetweenFailures: Int64? {
        outageCount > 0 && !tally.lacksVerdicts ? tally.available / Int64(outageCount) : nil
    }

    /// The mean time to repair: the time of outages divided by their number; `nil` without an outage.
    public var meanTimeToRepair: Int64? { outageCount > 0 ? tally.unavailable / Int64(outageCount) : nil }
}

/// The account of a window: of the default path, of each uplink and of each probe.
public struct Account: Sendable {
    /// The window.
    public var window: Window
    /// The default path, the uplinks by name, and the probes by name.
    public var subjects: [SubjectAccount]
    /// True if some uplinks or probes were omitted because there were too many.
    public var subjectsOmitted: Bool
    /// The certificates that were about to expire.
    public var certificates: [CertificateNotice]
    /// The coverage of the window by the events.
    public var coverage: Coverage

    init(_ accountant: Accountant) {
        window = accountant.window
        coverage = accountant.coverage
        subjectsOmitted = accountant.subjectsOmitted
        certificates = accountant.certificates.byEnd
        let log = accountant.checks
        func checks(over interface: String?) -> CheckFigures? {
            log.sum { $0.interface == interface && !$0.isFirstHop }
        }
        let path = Subject(kind: .path, name: "default")
        subjects = [SubjectAccount(path, accountant.pathTrack, checks: checks(over: nil))]
        for (name, track) in accountant.uplinkTracks.sorted(by: { $0.key < $1.key }) {
            subjects.append(SubjectAccount(Subject(uplink: name), track, checks: checks(over: name)))
        }
        let probes = accountant.probeTracks.map { point, track in
            SubjectAccount(Subject(point), track, checks: log.byPoint[point])
        }
        subjects += probes.sorted { left, right in
            let left = left.subject
            let right = right.subject
            return (left.name, left.interface ?? "", left.family ?? "")
                < (right.name, right.interface ?? "", right.family ?? "")
        }
    }

    /// True if nothing is known about any subject within the window.
    public var isEmpty: Bool { subjects.allSatisfy { $0.tally.known == 0 } }
}

/// The part of a journal that an account read, and its irregularities.
public struct Coverage: Sendable, Hashable {
    /// The time of the first event.
    public internal(set) var first: Timestamp?
    /// The time of the last event.
    public internal(set) var last: Timestamp?
    /// The number of events.
    public internal(set) var events = 0
    /// The number of missing numbers between events, in the window.
    public internal(set) var missing: UInt64 = 0
    /// The number of duplicate events, which were counted once.
    public internal(set) var duplicates = 0
    /// The number of times that the agent ended without a last event, in the window.
    public internal(set) var crashes = 0
    /// The number of times that the clock was set back between two events, in the window.
    public internal(set) var clockSteps = 0
    /// The time by which the clock was set back, in microseconds.
    public internal(set) var repeated: Int64 = 0
    /// The number of changes to another agent's numbers.
    public internal(set) var streams = 0
    /// `true` if the agent runs and cannot record its events, so that the window after the last one is unknown.
    public internal(set) var isDegraded = false
}
