public import AgentEvents
internal import ForeignText

/// Adds up the events of a journal, in the order of their numbers, to an account of a window.
///
/// It works in one pass, with memory that does not depend on the number of events. It uses no clock: every time is that
/// of an event.
public struct Accountant: Sendable {
    /// The maximum number of uplinks, and of probe points; one more takes the place of the one that has been absent for the
    /// longest time.
    static let maximumSubjects = 256

    /// The completeness of the events that are added.
    public enum Numbering: Sendable, Hashable {
        /// All events of a journal: nothing is known about the time around a missing number.
        case complete
        /// A selection of the events, for example by type: a missing number has no meaning.
        ///
        /// A change whose previous state is not the known one shows that a change before it is missing.
        case selected
    }

    /// The time to account for.
    public let window: Window
    /// The completeness of the events.
    public let numbering: Numbering
    /// False if no changes of probes are added: their verdicts elsewhere would be evidence that never ends.
    let countsProbes: Bool
    /// The subjects that are accounted for; the others are evidence.
    let selection: Report.Selection
    /// The track of a subject before its first event.
    private(set) var template: Track
    var pathTrack: Track
    var uplinkTracks: [String: Track] = [:]
    var probeTracks: [ProbePoint: Track] = [:]
    /// The uplinks with a path, and those without.
    var uplinkPresence = Presence<String>()
    /// The points with a verdict, and those without.
    var probePresence = Presence<ProbePoint>()
    var observations = Observations()
    /// The current outages.
    var openPath: FailedState?
    var openUplinks: [String: FailedState] = [:]
    var openProbes: [ProbePoint: (change: ProbeChange, sequence: UInt64)] = [:]
    var certificates = CertificateLog()
    var checks = CheckLog()
    var subjectsOmitted = false

    var coverage = Coverage()
    /// The order of the events so far.
    var stream: ForeignText?
    var last: (sequence: UInt64, time: Timestamp)?
    var runTime = RunTime()
    var hasStopped = false

    /// Creates an accountant of a window.
    ///
    /// - Parameters:
    ///   - window: The time to account for.
    ///   - numbering: The completeness of the events that will be added.
    ///   - countsProbes: False if no changes of probes will be added.
    ///   - selection: The subjects to account for, besides the default path: of one uplink or probe, no other one takes the
    ///     place.
    public init(
        window: Window,
        numbering: Numbering = .complete,
        countsProbes: Bool = true,
        selection: Report.Selection = .everything
    ) {
        self.window = window
        self.numbering = numbering
        self.countsProbes = countsProbes
        self.selection = selection
        template = Track(window: window)
        pathTrack = template
    }

    /// Returns true for types whose content matters; for others, number and time are sufficient.
    public static func needsContent(_ type: EventType?) -> Bool {
        switch type {
        case .agentStarted, .agentStopping, .reachabilityChanged, .uplinkChanged, .probeChanged, .suspendResumed,
            .certificateExpiring, .probeSummary, .journalDegraded, .eventsOmitted:
            true
        default: false
        }
    }

    /// Adds an event; one without a number, or with a number that was added before, is ignored.
    public mutating func add(_ event: AgentEvent) {
        guard let sequence = event.sequence else { return }
        var isStart = false
        if case .agentStarted = event.content { isStart = true }
        let id = event.id.utf8
        let name = ForeignText(id[..<(id.lastIndex(of: UInt8(ascii: "-")) ?? id.endIndex)])
        var first = sequence
        if case .eventsOmitted(let omitted) = event.content { first = min(max(1, omitted.firstSequence), sequence) }
        let isAccepted = accept(sequence, from: first, event.time, stream: name, isStart: isStart)
        guard isAccepted, event.content.hasShortWords else { return }
        switch event.content {
        case .agentStopping: hasStopped = true
        case .reachabilityChanged(let change): note(change, at: event.time, sequence: sequence)
        case .uplinkChanged(let change): note(change, at: event.time, sequence: sequence)
        case .probeChanged(let change): note(change, at: event.time, sequence: sequence)
        case .probeSummary(let summary): note(ScannedSummary(summary))
        case .suspendResumed(let resumed): note(resumed, at: event.time)
        case .journalDegraded(let change):
            if let settled = change.settled { note(settled, code: change.code, at: event.time, sequence: sequence) }
        case .certificateExpiring(let expiry):
            // The condition depends only on the window, not on the amount of history read before it.
            if expiry.observed >= window.start, event.time < window.end {
                certificates.note(expiry, sequence: sequence)
            }
        default: break
        }
    }

    /// Adds an event by its line, which is decoded only as needed.
    ///
    /// - Parameters:
    ///   - line: The line without its newline.
    ///   - type: Its type; `nil` for an unknown one.
    ///   - sequence: Its number.
    ///   - time: Its time.
    public mutating func add(_ line: Span<UInt8>, type: EventType?, sequence: UInt64, time: Timestamp) {
        if type == .probeSummary {
            // Events before the window matter only for the order of the numbers.
            if time < window.start { return add(sequence: sequence, time: time) }
            if let summary = ScannedSummary(line) {
                guard accept(sequence, from: sequence, time, stream: nil, isStart: false) else { return }
                return note(summary)
            }
        }
        guard Self.needsContent(type), let event = AgentEvent(line: line.withUnsafeBufferPointer { Array($0) }) else {
            return add(sequence: sequence, time: time)
        }
        add(event)
    }

    /// Adds an event of which only number and time matter.
    public mutating func add(sequence: UInt64, time: Timestamp) {
        _ = accept(sequence, from: sequence, time, stream: nil, isStart: false)
    }

    /// Marks the time of lost events as unknown, after later events were added.
    ///
    /// Each state waits for its next change unless a later one is already known. A period with more than some hundred
    /// later changes of a subject is already added up, and stays as it is.
    ///
    /// - Parameters:
    ///   - start: The time of the last event before the lost ones.
    ///   - end: The time of the first event after the lost ones.
    ///   - number: The number of the first event after the lost ones.
    public mutating func obscure(from start: Timestamp, to end: Timestamp, before number: UInt64) {
        let (start, end) = (start.microsecondsSince1970, end.microsecondsSince1970)
        updateTracks { $0.obscure(from: start, to: end, before: number) }
        if pathTrack.state == nil { openPath = nil }
        for name in openUplinks.keys where uplinkTracks[name]?.state == nil { openUplinks[name] = nil }
        for point in openProbes.keys where probeTracks[point]?.state == nil { openProbes[point] = nil }
    }

    /// Ends the account.
    ///
    /// - Parameters:
    ///   - alive: The moment until which the agent that wrote the last event is known to run and to record its events; if
    ///     `nil`, the account ends at the last event.
    ///   - isDegraded: `true` if an agent runs and cannot record its events: what happened after the last one is unknown.
    public consuming func account(aliveUntil alive: Timestamp? = nil, isDegraded: Bool = false) -> Account {
        let end = window.end.microsecondsSince1970
        if let last, let alive, alive > last.time, !hasStopped {
            advance(to: alive.microsecondsSince1970, endsRun: false)
        }
        let moment = runTime.position
        let reason: Condition.UnknownReason = hasStopped && !isDegraded ? .agentOff : .noData
        coverage.isDegraded = isDegraded && moment < end
        updateTracks { $0.close(at: moment, reason, until: end) }
        return Account(self)
    }

    private mutating func note(_ resumed: SuspendResumed, at time: Timestamp) {
        let end = min(resumed.observed, time).microsecondsSince1970
        // A bound longer than any suspend, and far below an overflow.
        let milliseconds = min(max(0, resumed.suspendedMilliseconds), 100 * 366 * 86_400_000)
        updateTracks { $0.gap(from: end - milliseconds * 1000, to: end, .suspended) }
        restartSilences(at: end)
    }

    mutating func updateTracks(_ update: (inout Track) -> Void) {
        update(&template)
        update(&pathTrack)
        uplinkTracks.updateValues(update)
        probeTracks.updateValues(update)
    }
}

extension Dictionary {
    /// Updates each value in place: a second reference to one would copy its pending periods.
    fileprivate mutating func updateValues(_ update: (inout Value) -> Void) {
        var index = startIndex
        while index != endIndex {
            update(&values[index])
            formIndex(after: &index)
        }
    }
}
