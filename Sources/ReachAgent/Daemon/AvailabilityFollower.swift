internal import AgentEvents
internal import Availability
internal import EventJournal
internal import LinuxSupport
internal import NotificationBus
internal import Synchronization

/// The availability of today and of the last 30 days: read from the journal once, on a thread of its own, and followed with
/// each event from then on.
final class AvailabilityFollower: Sendable {
    /// The maximum number of events that are kept while the journal is read; more have it read again.
    private static let maximumWaiting = 4096
    private static let chunkBytes = 256 << 10

    private struct State {
        var recent: RecentAvailability?
        var isReading = false
        /// The events that were published while the journal is read.
        var waiting: [AgentEvent] = []
        var isIncomplete = false
    }

    private let path: String?
    private let civilTime: CivilTime
    private let state = Mutex(State())

    /// - Parameter path: The journal's directory; without one only what is published counts.
    init(journal path: String?, in civilTime: CivilTime) {
        self.path = path
        self.civilTime = civilTime
    }

    /// Takes an event; on the thread that publishes it.
    func take(_ event: Event) {
        let mustRead = state.withLock { state in
            if state.isReading {
                if state.waiting.count < Self.maximumWaiting {
                    state.waiting.append(event.value)
                } else {
                    state.isIncomplete = true
                }
                return false
            }
            guard let recent = state.recent, event.time < recent.end, !state.isIncomplete else {
                (state.isReading, state.isIncomplete) = (true, false)
                state.waiting = [event.value]
                return true
            }
            state.recent?.add(event.value)
            return false
        }
        guard mustRead else { return }
        do throws(SystemError) {
            try NamedThread.start("availability") { self.read(at: event.time) }
        } catch {
            // The next event has it tried again.
            state.withLock { ($0.isReading, $0.waiting) = (false, []) }
        }
    }

    /// The shares at a moment; empty until the journal was read.
    func entries(at now: Timestamp) -> [AgentStatus.Availability] {
        let recent = state.withLock { $0.recent }
        return recent?.entries(at: now).map { AgentStatus.Availability($0) } ?? []
    }

    // MARK: On the thread

    private func read(at now: Timestamp) {
        var recent = RecentAvailability(at: now, in: civilTime)
        if let path, let start = recent?.start {
            // What does not change for 30 days was told before.
            recent = Self.add(path, from: start, to: recent)
            if recent?.lacksBeginning == true {
                recent = Self.add(path, from: nil, to: RecentAvailability(at: now, in: civilTime))
            }
        }
        state.withLock { state in
            for event in state.waiting { recent?.add(event) }
            (state.recent, state.isReading, state.waiting) = (recent, false, [])
        }
    }

    private static func add(
        _ path: String,
        from start: Timestamp?,
        to recent: RecentAvailability?
    ) -> RecentAvailability? {
        var recent = recent
        guard var cursor = try? JournalReader(directory: path, includesHistory: true).events(from: start) else {
            return recent
        }
        while true {
            let next: JournalChunk?
            do throws(JournalError) {
                next = try cursor.next(atMost: chunkBytes)
            } catch {
                // Damage is a hole, of which nothing is known.
                guard case .malformed = error.cause else { return recent }
                continue
            }
            guard let chunk = next else { return recent }
            for line in chunk.lines {
                let type = EventType(rawValue: String(decoding: chunk.bytes[line.type], as: UTF8.self))
                if RecentAvailability.needsContent(type), let event = AgentEvent(line: Array(chunk.bytes[line.range])) {
                    recent?.add(event)
                } else {
                    recent?.add(sequence: line.sequence, time: line.time)
                }
            }
        }
    }
}

extension AgentStatus.Availability {
    init(_ entry: RecentAvailability.Entry) {
        self.init(
            uplink: entry.subject.kind == .uplink ? entry.subject.name : nil,
            today: Share(availableMicroseconds: entry.today.available, knownMicroseconds: entry.today.known),
            thirtyDays: Share(availableMicroseconds: entry.recent.available, knownMicroseconds: entry.recent.known)
        )
    }
}
