public import EventEnvelope
internal import Glibc
internal import Synchronization

/// The history of an agent's events: JSON lines in segments, written by one agent at a time.
///
/// Safe from any thread; ``append(_:)`` and ``close(within:)`` may wait for the disk, nothing else does.
public final class EventJournal: Sendable {
    /// How the journal was opened.
    public let configuration: JournalConfiguration
    /// The name of the stream of numbers: 32 hexadecimal digits, the same for the journal's life.
    public let streamID: String

    let board: JournalBoard
    private let directory: JournalDirectory
    private let upkeep: JournalUpkeep
    private let writer: Mutex<JournalWriter?>

    /// Opens a journal for writing, and repairs what a crash left behind.
    ///
    /// A directory that can be read but not written, or a full disk, is no error: the journal then begins degraded, and
    /// tries again with the events; a ``JournalRecorder`` also does so by itself, at growing distances. What was repaired
    /// and what is missing is in ``status()``.
    ///
    /// - Parameters:
    ///   - configuration: Where the journal is and how much of it is kept.
    ///   - now: The wall clock, for the age of segments.
    ///   - isClockTrusted: Whether the wall clock can be right: nothing is deleted for its age while it cannot.
    /// - Throws: When another agent writes the journal, and when the directory can be neither made nor read.
    public convenience init(
        opening configuration: JournalConfiguration,
        now: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool = { true }
    ) throws(JournalError) {
        try self.init(opening: configuration, now: now, isClockTrusted: isClockTrusted, system: .real)
    }

    init(
        opening configuration: JournalConfiguration,
        now: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool = { true },
        system: JournalSystem
    ) throws(JournalError) {
        self.configuration = configuration
        let directory = JournalDirectory(path: configuration.directory, system: system)
        self.directory = directory
        try directory.make()
        var trouble: JournalError?
        var lock: JournalLock?
        do throws(JournalError) {
            lock = try JournalLock.take(in: directory)
        } catch {
            if case .inUse = error.cause { throw error }
            trouble = error
        }
        let found = try JournalRecovery(of: directory, isWritable: trouble == nil)
        trouble = trouble ?? found.trouble
        var repairs = found.repairs

        let leased = JournalLease.read(in: directory) ?? 0
        var lease: JournalLease?
        if lock != nil {
            do throws(JournalError) {
                lease = try JournalLease.open(in: directory, saying: leased)
            } catch { trouble = trouble ?? error }
        }
        // What cannot be leased may be used again by the next agent: such numbers must not pass for the journal's.
        let formerName = StreamName.read(in: directory)
        streamID = lease.flatMap { _ in formerName } ?? StreamName.random()
        if formerName == nil, !found.segments.isEmpty {
            repairs.append("gave the stream a new name: the former one could not be read")
        } else if formerName != nil, lease == nil {
            repairs.append("gave the stream a new name: it cannot be noted which numbers are used")
        }
        let next = max(found.next, leased + 1)
        board = JournalBoard(
            JournalStatus(
                directory: configuration.directory,
                streamID: streamID,
                syncPolicy: configuration.sync,
                newestSequence: found.newest,
                nextSequence: next,
                corruptLines: found.corruptLines
            )
        )
        upkeep = JournalUpkeep(configuration, directory, board, wallClock: now, isClockTrusted: isClockTrusted)
        var writer = JournalWriter(
            configuration,
            directory,
            board,
            upkeep,
            streamID: streamID,
            lastAccepted: next - 1,
            wallClock: now
        )
        writer.lock = lock
        writer.leased = leased
        writer.lease = lease
        if trouble == nil {
            do throws(JournalError) { try StreamName.keep(streamID, in: directory) } catch { trouble = error }
        }
        if let file = found.newestFile, let segment = found.segments.last {
            writer.active = ActiveSegment(
                name: segment.name,
                file: file,
                bytes: UInt64(segment.bytes),
                firstTime: found.newestIndex.oldestTime,
                openedAt: system.now()
            )
        }
        Self.enter(found, repairs, leased, in: board, hasActive: writer.active != nil)
        if let trouble { writer.degrade(trouble, at: system.now()) }
        self.writer = Mutex(writer)
        try upkeep.start()
        enqueueUpkeep(found, isWritable: trouble == nil)
    }

    /// Does not wait; what was written and not forced onto the disk yet is forced by the other thread.
    deinit { upkeep.stop() }

    private static func enter(
        _ found: JournalRecovery,
        _ repairs: [String],
        _ leased: UInt64,
        in board: JournalBoard,
        hasActive: Bool
    ) {
        board.withState { state in
            state.segments = found.segments
            state.activeIndex = found.newestIndex
            state.hasActive = hasActive
        }
        for repair in repairs { board.note(repair: repair) }
        let first = (found.newest ?? 0) + 1
        guard first <= leased else { return }
        board.note(missing: first...leased)
        board.tell(
            JournalCondition(
                code: .leaseFound,
                detail: "the agent that ran before could not write its last events",
                missing: first...leased
            )
        )
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

    /// The newest number that was written; `nil` while there is none.
    public var newestSequence: UInt64? { board.withState { $0.status.newestSequence } }

    /// The oldest number that can be read; `nil` while there is none.
    public var oldestSequence: UInt64? { board.status().oldestSequence }

    /// The number that the next event must have.
    public var nextSequence: UInt64 { board.withState { $0.status.nextSequence } }

    // MARK: Writing

    /// Records events: all with one write(2), when nothing prevents it.
    ///
    /// When it returns, the events are in the file (and on the disk with ``SyncPolicy/always``), or the journal is degraded
    /// and they wait in memory, or they are missing and ``status()`` says so. It may wait for the disk.
    ///
    /// - Parameter records: In the order of their numbers, from ``nextSequence`` on. A gap is noted; a record whose number
    ///   is not higher than the one before is never written.
    public func append(_ records: [JournalRecord]) { writer.withLock { $0?.append(records) } }

    /// Tries to write what waits when that is due; returns the time until the next attempt, `nil` while nothing is wrong.
    func retry() -> Duration? { writer.withLock { $0?.retry() } }

    /// Forces onto the disk what was written, unless the policy is ``SyncPolicy/never``, and does what else is to be done.
    ///
    /// - Returns: `false` when that took longer than `limit`.
    @discardableResult
    public func flush(within limit: Duration) -> Bool { upkeep.finishWork(within: limit) }

    /// Ends writing: flushes, and lets another agent write the journal.
    ///
    /// What waits in memory is tried once more. Events that are appended later are ignored.
    ///
    /// - Returns: `false` when flushing took longer than `limit`; it goes on on the other thread.
    @discardableResult
    public func close(within limit: Duration) -> Bool { close(within: limit, usedThrough: 0) }

    /// Ends writing, when numbers up to `last` were used, recorded or not.
    func close(within limit: Duration, usedThrough last: UInt64) -> Bool {
        let former = writer.withLock { writer in
            writer?.finish(usedThrough: last)
            defer { writer = nil }
            return writer
        }
        guard let former else { return true }
        // The lock is let go with the writer, behind the last thing that is done with the files.
        return withExtendedLifetime(former) {
            defer { upkeep.stop() }
            return upkeep.finishWork(within: limit)
        }
    }

    // MARK: Beside the events

    /// Keeps a small file of the agent's beside the events, mode 0640: either all of it is there afterwards, or what was.
    ///
    /// It may wait for the disk.
    public func keep(_ content: [UInt8], as name: String) throws(JournalError) {
        try directory.replace(name, with: content, syncs: configuration.sync != .never)
    }

    /// What was kept under a name; `nil` when there is nothing, or more than `limit` bytes.
    public func kept(_ name: String, atMost limit: Int) -> [UInt8]? { directory.read(name, atMost: limit) }

    // MARK: How it is doing

    /// How the journal is doing; never waits for the disk.
    public func status() -> JournalStatus { board.status() }

    /// Has `wake` called, on any thread, when ``takeConditions()`` has something.
    func whenConditionsChange(_ wake: (@Sendable () -> Void)?) { board.withState { $0.whenUntold = wake } }

    /// Takes the changes that nobody was told of yet.
    func takeConditions() -> [JournalCondition] { board.takeUntold() }
}
