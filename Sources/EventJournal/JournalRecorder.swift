public import AgentEvents
internal import LinuxSupport
public import NotificationBus
internal import Synchronization

/// The thread between a bus and a journal: it records each event before the subscribers receive it.
///
/// It sleeps without a timeout while nothing is published, unless the journal is degraded and a retry is due.
public final class JournalRecorder: Sendable {
    /// The maximum number of events queued for a slow disk before they are delivered unrecorded.
    public static let capacity = 8192

    /// The way in which subscribers receive events that are not recorded, because the disk does not take them in time.
    private enum Stall {
        case none
        /// Their numbers are being leased.
        case leasing
        case leased(generation: Int, isOver: Monitor<Bool>)
    }

    private struct State {
        var subscription: Subscription<Event>?
        var isStarted = false
        var stall = Stall.none
    }

    /// The time for leasing numbers when the agent stops without the disk.
    private static let lastLeaseTime: Duration = .milliseconds(250)

    private let bus: NotificationBus<Event>
    private let journal: EventJournal
    private let capacity: Int
    private let whenChanged: @Sendable (JournalCondition) -> Void
    private let state = Mutex(State())
    private let wakeUp = Monitor(false)
    private let ended = Monitor(false)
    /// The time limit of the shutdown; set before the bus is finished.
    private let endLimit = Mutex<Duration>(.seconds(5))

    /// Creates a recorder that has not started.
    ///
    /// - Parameters:
    ///   - bus: Its first number must be the journal's ``EventJournal/nextSequence``.
    ///   - journal: The journal.
    ///   - whenChanged: Called on the recorder's thread with each change of the journal's condition; it may publish the
    ///     event that reports it, now or later. Missing numbers are leased until that is recorded.
    public convenience init(
        recording bus: NotificationBus<Event>,
        in journal: EventJournal,
        whenChanged: @escaping @Sendable (JournalCondition) -> Void
    ) {
        self.init(recording: bus, in: journal, capacity: Self.capacity, whenChanged: whenChanged)
    }

    init(
        recording bus: NotificationBus<Event>,
        in journal: EventJournal,
        capacity: Int,
        whenChanged: @escaping @Sendable (JournalCondition) -> Void
    ) {
        self.bus = bus
        self.journal = journal
        self.capacity = capacity
        self.whenChanged = whenChanged
    }

    /// Subscribes, and starts the thread; every event published from now on is recorded.
    ///
    /// - Throws: When the system cannot create a thread; the bus then does not wait for a recorder.
    public func start() throws(JournalError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        let subscription = subscribe()
        state.withLock { $0.subscription = subscription }
        do throws(JournalError) {
            try NamedThread.startOrThrow("journal-write") { self.run(subscription) }
        } catch {
            state.withLock { $0.isStarted = false }
            bus.cancel(subscription)
            throw error
        }
        let wakeUp = wakeUp
        journal.whenConditionsChange { wakeUp.signal() }
        wakeUp.signal()
    }

    /// Waits until all published events are delivered to the subscribers; after the limit, delivers them unrecorded.
    ///
    /// Must be called after the bus's `finish()`, for subscribers that end before ``finish(within:)`` is called.
    ///
    /// - Parameter limit: The maximum time to wait for the disk to take the events.
    public func deliver(within limit: Duration) {
        let hasChanged = Monitor(false)
        // It ends once nothing is held, by whichever thread the last event is delivered.
        let subscription = bus.subscribe(capacity: .max) { hasChanged.signal() }
        defer { bus.cancel(subscription) }
        func isDelivered(within limit: Duration) -> Bool {
            let end = ContinuousClock.now + limit
            while true {
                switch subscription.take() {
                case .finished, .lagged: return true
                case .notifications: continue
                case .empty:
                    guard hasChanged.takeSignal(within: ContinuousClock.now.duration(to: end)) else { return false }
                }
            }
        }
        guard !isDelivered(within: limit) else { return }
        bypass()
        // The second call does not wait for the lease.
        if !isDelivered(within: Self.lastLeaseTime) { bypass() }
    }

    /// Waits until all published events are recorded and flushed, and closes the journal.
    ///
    /// Must be called after the bus's `finish()`. A hanging disk is abandoned after the limit: then the subscribers
    /// receive the rest unrecorded.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Returns: `false` if the disk was abandoned.
    @discardableResult
    public func finish(within limit: Duration) -> Bool {
        endLimit.withLock { $0 = limit }
        guard state.withLock({ $0.isStarted }) else { return journal.close(within: limit) }
        wakeUp.signal()
        let isDone = ended.waitForSignal(within: limit)
        if !isDone { bypassAtTheEnd() }
        return isDone
    }

    // MARK: Without the disk

    /// Delivers the events that wait for the disk to the subscribers; called again as long as the disk takes none.
    ///
    /// First their numbers are leased, by a thread of its own. A disk that does not even take the lease until the second
    /// call is not waited for. Never blocks.
    public func bypass() {
        let isNew = state.withLock { state in
            guard case .none = state.stall else {
                bus.bypassRecorder()
                return false
            }
            state.stall = .leasing
            return true
        }
        guard isNew else { return }
        do throws(SystemError) {
            try NamedThread.start("journal-lease") { self.leaseUntilRecorded() }
        } catch {
            state.withLock { state in
                bus.bypassRecorder()
                state.stall = .none
            }
        }
    }

    private func leaseUntilRecorded() {
        let lease = journal.stallLease
        let generation = lease.begin(from: bus.lastReleased + 1, through: bus.lastSequence, ahead: StallLease.step)
        let isOver = Monitor(false)
        state.withLock { state in
            bus.bypassRecorder()
            state.stall = .leased(generation: generation, isOver: isOver)
        }
        wakeUp.signal()
        while !isOver.waitForSignal(within: .seconds(1)) {
            lease.extend(beyond: bus.lastSequence, in: generation)
        }
    }

    /// Ends the stall once the journal has every number that a subscriber has received, on the disk or in memory.
    private func endStall() {
        defer { journal.settleStall() }
        let stall = state.withLock { state -> (generation: Int, isOver: Monitor<Bool>)? in
            guard case .leased(let generation, let isOver) = state.stall, !bus.isRecorderBypassed else { return nil }
            state.stall = .none
            return (generation, isOver)
        }
        guard let stall else { return }
        journal.stallLease.end(stall.generation)
        stall.isOver.signal()
    }

    /// Leases the numbers that the journal has not taken, none if only its last flush hangs, and delivers their events.
    private func bypassAtTheEnd() {
        let isLeased = Monitor(false)
        let thread = Result { () throws(SystemError) in
            try NamedThread.start("journal-lease") { [journal, bus] in
                _ = journal.stallLease.begin(from: journal.nextSequence, through: bus.lastSequence, ahead: 0)
                isLeased.signal()
            }
        }
        if case .success = thread { isLeased.waitForSignal(within: Self.lastLeaseTime) }
        bus.bypassRecorder()
    }

    private func subscribe() -> Subscription<Event> {
        bus.subscribeRecorder(capacity: capacity) { [wakeUp] in wakeUp.signal() }
    }

    // MARK: On the thread

    private func run(_ first: Subscription<Event>) {
        var subscription = first
        var isStalled = false
        var unreported: [ClosedRange<UInt64>] = []
        while true {
            switch subscription.take() {
            case .notifications(let batch):
                noteReports(in: batch, &unreported)
                journal.write(batch.compactMap { JournalRecord($0.content) })
                if bus.isRecorderBypassed, !isStalled {
                    isStalled = true
                    reportStall("events were delivered before they were recorded")
                }
                if let last = batch.last { bus.release(through: last.sequence) }
                journal.scheduleFlush()
                if isStalled, !bus.isRecorderBypassed {
                    isStalled = false
                    reportEndOfStall()
                }
                endStall()
                reportChanges(isStalled, &unreported)
            case .lagged:
                // The journal records the gap with the next event, which is the report of this condition.
                subscription = subscribe()
                // The reports are in the gap, too; the lease lasts until the gap is reported.
                unreported = []
                reportStall("too many events waited for the disk")
            case .empty:
                endStall()
                let pause = journal.retry()
                reportChanges(isStalled, &unreported)
                wakeUp.takeSignal(within: pause)
            case .finished:
                endStall()
                let limit = endLimit.withLock { $0 }
                _ = journal.close(within: limit, usedThrough: bus.lastSequence)
                reportChanges(isStalled, &unreported)
                journal.whenConditionsChange(nil)
                ended.signal()
                return
            }
        }
    }

    private func reportStall(_ detail: String) { whenChanged(JournalCondition(code: .stalled, detail: detail)) }

    /// Reports that a stall is over, unless the journal has another problem, whose end is reported.
    private func reportEndOfStall() {
        guard !journal.status().isDegraded else { return }
        whenChanged(JournalCondition(code: .resumed, detail: "events are recorded before they are delivered again"))
    }

    /// - Parameter unreported: The missing numbers of earlier conditions that no event has reported; those of new ones are
    ///   added.
    private func reportChanges(_ isStalled: Bool, _ unreported: inout [ClosedRange<UInt64>]) {
        for var condition in journal.takeConditions() {
            // The journal does not know that its recorder lags.
            condition.isDegraded = condition.isDegraded || isStalled
            if let missing = condition.missing { unreported.append(missing) }
            whenChanged(condition)
        }
    }

    /// Notes the events that report missing numbers, once there is one for all of them: those about a condition at the
    /// agent's start are published much later than it was taken.
    private func noteReports(in batch: [Notification<Event>], _ unreported: inout [ClosedRange<UInt64>]) {
        guard !unreported.isEmpty else { return }
        for notification in batch {
            guard case .journalDegraded(let change) = notification.content.value.content else { continue }
            unreported.removeAll { missing in
                missing.lowerBound == change.missingFirstSequence && missing.upperBound == change.missingLastSequence
            }
            if unreported.isEmpty { return journal.noteNamed(by: notification.sequence) }
        }
    }
}
