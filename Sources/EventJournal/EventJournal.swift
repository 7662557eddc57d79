public import AgentEvents
internal import Glibc
internal import Synchronization

/// The history of an agent's events: JSON lines in segments, with a single writer.
///
/// Safe to use from any thread; only ``append(_:)`` and ``close(within:)`` may wait for the disk.
public final class EventJournal: Sendable {
    /// The configuration at the time of opening.
    public let configuration: JournalConfiguration
    /// The name of the stream of numbers: 32 hexadecimal digits, constant for the journal's life.
    public let streamID: String

    let statusStore: JournalStatusStore
    private let directory: JournalDirectory
    private let upkeep: JournalUpkeep
    /// The lease of numbers that subscribers receive before they are recorded.
    let stallLease: StallLease
    private let presence = JournalPresence()
    private let writer: Mutex<JournalWriter?>

    /// Opens a journal for writing, and repairs the effects of a crash.
    ///
    /// A directory that can be read but not written, or a full disk, is not an error: the journal then starts degraded,
    /// and retries with the events; a ``JournalRecorder`` also retries on its own, with backoff. Repairs and missing
    /// events are in ``status()``.
    ///
    /// - Parameters:
    ///   - configuration: The directory and the limits of the journal.
    ///   - now: The wall clock, for the age of segments.
    ///   - isClockTrusted: Returns whether the wall clock can be correct: otherwise nothing is deleted because of its
    ///     age.
    ///   - noticed: Called, on any thread, with each later error that prevents no event from being recorded, such as that
    ///     of copying the lasting events of a segment; it must be quick.
    /// - Throws: When another agent writes the journal, and when the directory can be neither created nor read.
    public convenience init(
        opening configuration: JournalConfiguration,
        now: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool = { true },
        noticed: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) throws(JournalError) {
        try self.init(
            opening: configuration,
            now: now,
            isClockTrusted: isClockTrusted,
            noticed: noticed,
            system: .real
        )
    }

    init(
        opening configuration: JournalConfiguration,
        now: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool = { true },
        noticed: @escaping @Sendable (JournalError) -> Void = { _ in },
        system: JournalSystem
    ) throws(JournalError) {
        self.configuration = configuration
        let directory = JournalDirectory(path: configuration.directory, system: system)
        self.directory = directory
        try directory.make()
        let (lock, refusal) = try Self.lock(directory)
        let found = try JournalRecovery(of: directory, isWritable: refusal == nil)
        var trouble = refusal ?? found.trouble
        var repairs = found.repairs

        let leased = Self.leasedNumbers(in: directory)
        let unnamed = leased.map { found.missing(of: $0, in: directory) } ?? []
        var lease: JournalLease?
        if lock != nil {
            do throws(JournalError) {
                lease = try JournalLease.open(in: directory, saying: leased)
            } catch { trouble = trouble ?? error }
        }
        // Only once the writer's own lease has its numbers.
        stallLease = StallLease(
            in: directory,
            isWritable: lease != nil,
            syncs: configuration.sync != .never,
            presence: presence
        )
        // Numbers that cannot be leased may be reused by the next agent: they must not be mistaken for numbers of this
        // journal.
        let formerName = StreamName.read(in: directory)
        // After the events, nothing says which numbers they had.
        let isEmpty = found.segments.isEmpty && leased == nil
        streamID = lease.flatMap { _ in isEmpty ? nil : formerName } ?? StreamName.random()
        if formerName == nil, !found.segments.isEmpty {
            repairs.append("gave the stream a new name: the former one could not be read")
        } else if formerName != nil, lease == nil {
            repairs.append("gave the stream a new name: it cannot be noted which numbers are used")
        } else if formerName != nil, isEmpty {
            repairs.append("gave the stream a new name: there are no events of the former one")
        }
        let next = max(found.next, (leased?.upperBound ?? 0) + 1)
        statusStore = JournalStatusStore(
            JournalStatus(
                directory: configuration.directory,
                streamID: streamID,
                syncPolicy: configuration.sync,
                newestSequence: found.newest,
                nextSequence: next,
                corruptLines: found.corruptLines,
                repairs: repairs
            ),
            noticed: noticed
        )
        upkeep = JournalUpkeep(configuration, directory, statusStore, wallClock: now, isClockTrusted: isClockTrusted)
        var writer = JournalWriter(
            configuration,
            directory,
            statusStore,
            upkeep,
            presence,
            streamID: streamID,
            lastAccepted: next - 1,
            wallClock: now
        )
        writer.lock = lock
        writer.leased = leased
        writer.lease = lease
        if let first = unnamed.first, let last = unnamed.last { writer.unnamed = first.lowerBound...last.upperBound }
        if trouble == nil {
            do throws(JournalError) { try StreamName.keep(streamID, in: directory) } catch { trouble = error }
        }
        writer.active = found.activeSegment(openedAt: system.now())
        Self.enter(found, unnamed, in: statusStore, hasActive: writer.active != nil)
        if let trouble { writer.degrade(trouble, at: system.now()) }
        if lock != nil { presence.show(in: directory) }
        self.writer = Mutex(writer)
        try upkeep.start()
        enqueueUpkeep(found, isWritable: trouble == nil)
    }

    /// Does not wait; the other thread flushes the rest.
    deinit { upkeep.stop() }

    /// Takes the directory's lock, or returns the reason that the journal cannot be written for now.
    ///
    /// - Throws: If another agent has the lock.
    private static func lock(
        _ directory: JournalDirectory
    ) throws(JournalError) -> (lock: JournalLock?, refusal: JournalError?) {
        do throws(JournalError) {
            return (try JournalLock.take(in: directory), nil)
        } catch {
            if case .inUse = error.cause { throw error }
            return (nil, error)
        }
    }

    /// Returns the numbers from the first to the last that former agents leased; `nil` without leases.
    private static func leasedNumbers(in directory: JournalDirectory) -> ClosedRange<UInt64>? {
        let leases = [JournalLease.read(in: directory), StallLease.read(in: directory)].compactMap(\.self)
        guard let first = leases.map(\.lowerBound).min(), let last = leases.map(\.upperBound).max() else { return nil }
        return first...last
    }

    private static func enter(
        _ found: JournalRecovery,
        _ unnamed: [ClosedRange<UInt64>],
        in statusStore: JournalStatusStore,
        hasActive: Bool
    ) {
        statusStore.withState { state in
            state.segments = found.segments
            state.activeIndex = found.newestIndex
            state.hasActive = hasActive
        }
        for range in unnamed {
            statusStore.note(missing: range)
            statusStore.report(
                JournalCondition(
                    code: .leaseFound,
                    detail: "the previous agent ended while it could not write",
                    missing: range
                )
            )
        }
    }

    private func enqueueUpkeep(_ found: JournalRecovery, isWritable: Bool) {
        guard isWritable else { return }
        for segment in found.segments.dropLast(found.newestFile == nil ? 0 : 1) where !segment.isCompressed {
            guard !segment.hasIndex || configuration.compressesClosedSegments else { continue }
            upkeep.enqueue(.close(segment.name, nil, nil))
        }
        upkeep.enqueue(.retain)
    }

    // MARK: Numbers

    /// The newest written number; `nil` without events.
    public var newestSequence: UInt64? { statusStore.withState { $0.status.newestSequence } }

    /// The oldest readable number; `nil` without events.
    public var oldestSequence: UInt64? { statusStore.status().oldestSequence }

    /// The number of the next event.
    public var nextSequence: UInt64 { statusStore.withState { $0.status.nextSequence } }

    // MARK: Writing

    /// Records events, if possible with a single write(2).
    ///
    /// On return, the events are in the file (and on the disk with ``SyncPolicy/always``), or the journal is degraded
    /// and they are queued in memory, or they are listed as missing in ``status()``. It may wait for the disk.
    ///
    /// - Parameter records: In the order of their numbers, from ``nextSequence`` on. A gap is recorded; a record whose
    ///   number is not higher than the previous one is never written.
    public func append(_ records: [JournalRecord]) {
        write(records)
        scheduleFlush()
    }

    /// Records events as ``append(_:)`` does; ``scheduleFlush()`` must follow.
    func write(_ records: [JournalRecord]) { writer.withLock { $0?.append(records) } }

    /// Has what was written flushed to the disk when that is due.
    func scheduleFlush() { upkeep.wakeToFlush() }

    /// Retries the queued records if that is due; returns the time until the next retry, `nil` while nothing is wrong.
    func retry() -> Duration? {
        defer { scheduleFlush() }
        return writer.withLock { $0?.retry() }
    }

    /// Flushes written data to the disk, unless the policy is ``SyncPolicy/never``, and does all other pending work.
    ///
    /// - Returns: `false` if it took longer than `limit`.
    @discardableResult
    public func flush(within limit: Duration) -> Bool { upkeep.finishWork(within: limit) }

    /// Has the lease of a stall that is over cleared, once the events of its numbers are on the disk.
    ///
    /// The other thread waits for the disk: the events that follow must not.
    func settleStall() {
        guard let files = writer.withLock({ $0?.unflushedFiles }), let stall = stallLease.startSettling() else {
            return
        }
        upkeep.enqueue(.settle(stallLease, stall, files))
    }

    /// Closes the journal: flushes, and lets another agent write it.
    ///
    /// Queued records are retried once more. Events appended later are ignored.
    ///
    /// - Returns: `false` if flushing took longer than `limit`; it continues on the other thread.
    @discardableResult
    public func close(within limit: Duration) -> Bool { close(within: limit, usedThrough: 0) }

    /// Closes the journal after numbers up to `last` have been used, recorded or not.
    func close(within limit: Duration, usedThrough last: UInt64) -> Bool {
        writer.withLock { $0?.finish(usedThrough: last) }
        settleStall()
        let former = writer.withLock { writer in
            defer { writer = nil }
            return writer
        }
        guard let former else { return true }
        // The lock is released with the writer, after the last use of the files.
        return withExtendedLifetime(former) {
            defer {
                upkeep.stop()
                presence.end()
            }
            return upkeep.finishWork(within: limit)
        }
    }

    // MARK: Other files

    /// Atomically replaces a small file beside the events, with mode 0640.
    ///
    /// It may wait for the disk.
    public func keep(_ content: [UInt8], as name: String) throws(JournalError) {
        try directory.replace(name, with: content, syncs: configuration.sync != .never)
    }

    /// Returns the content of a file written by ``keep(_:as:)``; `nil` if it does not exist, or has more than `limit`
    /// bytes.
    public func kept(_ name: String, atMost limit: Int) -> [UInt8]? { directory.read(name, atMost: limit) }

    // MARK: Status

    /// Returns the status of the journal; never waits for the disk.
    public func status() -> JournalStatus { statusStore.status() }

    /// Sets a closure to call, on the journal's own thread, when old events are removed: ``oldestSequence`` has risen, and
    /// their files are deleted after the closure, which may read them (``JournalReader``) and publish.
    public func whenRemoved(_ note: (@Sendable () -> Void)?) { statusStore.withState { $0.whenRemoved = note } }

    /// Calls the closure of ``whenRemoved(_:)`` soon, on the journal's own thread.
    public func noteRemovals() { upkeep.enqueue(.noteRemovals) }

    /// Sets a closure to call, on any thread, when ``takeConditions()`` has new changes.
    func whenConditionsChange(_ wake: (@Sendable () -> Void)?) { statusStore.withState { $0.whenUnreported = wake } }

    /// Takes the changes that have not been reported yet.
    func takeConditions() -> [JournalCondition] { statusStore.takeUnreported() }

    /// Records that the events up to a number report all missing numbers of the taken conditions.
    ///
    /// Until they are in the journal, an agent that starts after a crash reports those numbers again.
    func noteNamed(by sequence: UInt64) { writer.withLock { $0?.noteNamed(by: sequence) } }
}
