internal import AgentEvents
internal import Availability
internal import ForeignText

/// The state of a device according to its events.
///
/// A pure value: every time is that of an event.
struct Device: Sendable {
    /// The maximum number of uplinks that are kept.
    static let maximumUplinks = 16

    /// The host's name, from the source of its events.
    private(set) var host = ""
    /// The version of its agent.
    private(set) var version: String?
    /// The default path; `nil` before the first change of it.
    private(set) var path: DevicePath?
    /// The uplinks, by the interface's name.
    private(set) var uplinks: [DeviceUplink] = []
    /// The moment at which the agent stopped; `nil` if it is not known to have stopped.
    private(set) var stopped: Timestamp?
    /// The moment at which the broker stored the newest event.
    private(set) var lastSeen: Timestamp
    /// The number of the newest event that is not after the window.
    private(set) var sequence: UInt64 = 0
    /// The number of events of the window that the stream lacks, and that the device has announced as lost.
    private(set) var lost: UInt64 = 0

    private static let maximumSourceBytes = 256
    /// The source of the newest event from which the host was read.
    private var source = ""
    private var accountant: Accountant?
    private var missing = MissingNumbers()
    /// The number and the time of the newest event, and the stream of numbers that it belongs to.
    private(set) var position: (epoch: ForeignText, sequence: UInt64, time: Timestamp)?
    /// The numbers of the newest events from which the path, and the run of the agent, were read, and of the newest one
    /// that makes earlier events about uplinks void.
    private var sequences: (path: UInt64, run: UInt64, uplinks: UInt64) = (0, 0, 0)
    /// The end of the window.
    private let end: Timestamp?
    /// The moment from which on every stored event is added; `nil` for the newest one of each subject only, between which
    /// numbers are always missing.
    private let complete: Timestamp?
    /// True if the newest event was stored from that moment on.
    private var isNewestComplete = false
    /// The figures of the events so far; `nil` if there are newer ones.
    private var known: DeviceFigures?

    /// Creates a device without events.
    init(window: Window?, seen moment: Timestamp) {
        accountant = window.map { Accountant(window: $0, numbering: .selected, countsProbes: false) }
        complete = window?.start
        end = window?.end
        lastSeen = moment
    }

    /// Adds an event; one that was added before is ignored.
    ///
    /// - Returns: `false` if it is not a numbered event of an agent.
    mutating func add(_ message: FleetMessage) -> Bool {
        guard let line = ScannedLine(message.payload.span), let sequence = line.sequence, let time = line.time else {
            return false
        }
        let type = EventType(text: message.payload.span.extracting(line.type))
        let isRead = Self.isRead(type) && message.payload.count <= FleetMessage.maximumContentBytes
        var event = isRead || message.id == nil || host.isEmpty ? AgentEvent(line: message.payload) : nil
        guard let epoch = message.epoch(own: event?.id) else { return false }
        if let position, position.epoch == epoch, sequence <= position.sequence {
            if isRead, let event { addLate(event, sequence, at: time, stored: message.stored, after: position.time) }
            _ = missing.remove(sequence)
            return true
        }
        noteMissing(before: sequence, of: epoch, event, at: time, stored: message.stored)
        position = (epoch, sequence, time)
        let isAfter = isAfterWindow(time, stored: message.stored)
        if !isAfter {
            lastSeen = max(lastSeen, message.stored)
            self.sequence = sequence
        }
        known = nil
        // The numbers of another epoch restart; after the restoration of a snapshot, only the epoch's name shows it.
        event?.id = "\(String(decoding: epoch.bytes, as: UTF8.self))-\(sequence)"
        // By bytes, whose comparison costs no more than their number.
        if let source = event?.source, !source.utf8.elementsEqual(self.source.utf8) {
            self.source = source.utf8.count <= Self.maximumSourceBytes ? source : ""
            host = Self.host(of: source)
        }
        if isRead, let event {
            if !isAfter { _ = note(event, sequence) }
            accountant?.add(event)
            // Last, because the time until this event may be unknown.
            noteLoss(event)
        } else {
            accountant?.add(sequence: sequence, time: time)
        }
        return true
    }

    /// Returns whether an event is part of neither the time of the window nor what the broker had at its end.
    ///
    /// The time alone does not decide, because a device whose clock is ahead has a present state, too.
    private func isAfterWindow(_ time: Timestamp, stored: Timestamp) -> Bool {
        end.map { time > $0 && stored > $0 } ?? false
    }

    /// Adds an event that a cluster, while changing its leader, stored after later ones.
    ///
    /// - Parameter newest: The time of the newest event.
    private mutating func addLate(
        _ event: AgentEvent,
        _ sequence: UInt64,
        at time: Timestamp,
        stored: Timestamp,
        after newest: Timestamp
    ) {
        noteLoss(event)
        guard !isAfterWindow(time, stored: stored), note(event, sequence) else { return }
        // An event that was added before may be about an uplink that has made room since.
        guard missing.remove(sequence) || !isNewestComplete else { return }
        known = nil
        accountant?.obscure(from: time, to: newest, before: sequence)
    }

    private mutating func noteMissing(
        before sequence: UInt64,
        of epoch: ForeignText,
        _ event: AgentEvent?,
        at time: Timestamp,
        stored: Timestamp
    ) {
        let isContinued = position?.epoch == epoch
        if !isContinued {
            missing.removeAll()
            sequences = (0, 0, 0)
            for index in uplinks.indices { uplinks[index].sequence = 0 }
        }
        let wasComplete = isNewestComplete
        isNewestComplete = complete.map { stored >= $0 } ?? false
        guard isNewestComplete, let position, wasComplete || isContinued else { return }
        var first = sequence
        if case .eventsOmitted(let omitted)? = event?.content { first = min(max(1, omitted.firstSequence), sequence) }
        let gap = MissingNumbers.Gap(start: position.time, end: time, next: first, isCertain: wasComplete)
        missing.add(after: isContinued ? position.sequence : 0, before: first, gap)
    }

    /// Returns true for types whose content matters here.
    private static func isRead(_ type: EventType?) -> Bool {
        switch type {
        case .agentStarted, .agentStopping, .reachabilityChanged, .uplinkChanged, .suspendResumed,
            .journalDegraded, .eventsOmitted, .sinkLost:
            true
        default: false
        }
    }

    /// Notes the state in an event.
    ///
    /// - Returns: `false` if a later event has already set all of it, or there is none in it.
    private mutating func note(_ event: AgentEvent, _ sequence: UInt64) -> Bool {
        switch event.content {
        case .agentStarted(let start):
            // One that is gone by now has no event in this run.
            forgetUplinks(before: sequence)
            guard sequence > sequences.run else { return false }
            sequences.run = sequence
            version = ForeignText.shown(start.version, limit: 32)
            stopped = nil
        case .agentStopping:
            guard sequence > max(sequences.run, sequences.path) else { return false }
            sequences.run = sequence
            stopped = event.time
        case .reachabilityChanged(let change):
            guard sequence > sequences.path else { return false }
            sequences.path = sequence
            path = DevicePath(change)
            if sequence > sequences.run { stopped = nil }
        case .uplinkChanged(let change): return note(DeviceUplink(change.to, sequence))
        case .journalDegraded(let change):
            guard let settled = change.settled else { return false }
            return note(settled, at: event.time, sequence)
        default: return false
        }
        return true
    }

    /// Notes the settled states of an event about missing ones.
    ///
    /// - Returns: `false` if all of them were known, or a later event has already set them.
    private mutating func note(_ settled: SettledStates, at time: Timestamp, _ sequence: UInt64) -> Bool {
        var isNew = false
        if sequence > sequences.path {
            sequences.path = sequence
            let restated = DevicePath(settled.state, since: time)
            if sequence > sequences.run { stopped = nil }
            // A state that was known already began earlier.
            if path?.hasState(of: restated) != true { (path, isNew) = (restated, true) }
        }
        // One that went within the gap is not in a complete list.
        if settled.omitted == nil { forgetUplinks(before: sequence) }
        for uplink in settled.uplinks.prefix(Self.maximumUplinks) where note(DeviceUplink(uplink, sequence)) {
            isNew = true
        }
        return isNew
    }

    /// Notes the loss that an event announces: of the time between the events around it nothing is known.
    private mutating func noteLoss(_ event: AgentEvent) {
        guard case .sinkLost(let loss) = event.content, loss.firstSequence <= loss.lastSequence else { return }
        var left = loss.count
        for (gap, missing) in missing.lose(loss.firstSequence...loss.lastSequence) {
            // Other numbers are missing because the sink does not ship their types.
            let count = min(missing, left)
            left -= count
            if gap.isCertain, end.map({ gap.start < $0 }) ?? true {
                lost = lost.saturating(adding: count)
            }
            guard !gap.isKnown else { continue }
            known = nil
            accountant?.obscure(from: gap.start, to: gap.end, before: gap.next)
        }
    }

    /// Forgets the uplinks that only events before a start of the agent, or before a complete list, have shown.
    private mutating func forgetUplinks(before sequence: UInt64) {
        guard sequence > sequences.uplinks else { return }
        sequences.uplinks = sequence
        uplinks.removeAll { $0.sequence < sequence }
    }

    private mutating func note(_ uplink: DeviceUplink) -> Bool {
        // The figures of its own run lack it.
        guard uplink.sequence >= sequences.uplinks else { return true }
        if let known = uplinks.firstIndex(where: { $0.interface == uplink.interface }) {
            guard uplink.sequence > uplinks[known].sequence else { return false }
            uplinks[known] = uplink
            return true
        }
        // A name that has gone, such as that of a modem which gets another one each time, makes room.
        if uplinks.count >= Self.maximumUplinks { uplinks.removeAll { !$0.isPresent } }
        guard uplinks.count < Self.maximumUplinks else { return true }
        uplinks.append(uplink)
        uplinks.sort { $0.interface < $1.interface }
        return true
    }

    /// Returns `edge-7` for `/reachagent/edge-7`.
    static func host(of source: String) -> String {
        let name =
            source.utf8.lastIndex(of: UInt8(ascii: "/")).map { source[source.index(after: $0)...] } ?? source[...]
        return ForeignText.shown(name.utf8, limit: 64)
    }

    /// Returns the state at a moment, and its start.
    ///
    /// - Parameter silence: The time without an event after which a device is silent; `nil` for never.
    func state(at now: Timestamp, silentAfter silence: Duration?) -> (state: DeviceState, since: Timestamp?) {
        if let stopped { return (.stopped, stopped) }
        if let silence, now.microsecondsSince1970 - lastSeen.microsecondsSince1970 > silence.microseconds {
            return (.silent, lastSeen)
        }
        return (DeviceState(path?.connectivity), path?.since)
    }

    /// Returns the figures of the window; `nil` without one.
    mutating func figures() -> DeviceFigures? {
        if let known { return known }
        known = accountant.flatMap { DeviceFigures($0.account()) }
        return known
    }

    /// Returns the account of the window; `nil` without one.
    func account() -> Account? { accountant?.account() }
}
