internal import AgentEvents
internal import EventJournal
internal import LinuxSupport

/// Keeps the progress of the sinks across restarts, in a file beside the journal's events, and publishes losses exactly
/// once.
///
/// A loss is written down before it is published: after a crash in between, the journal tells whether its event was recorded.
/// All of it is done on a thread that exists only while there is work; acknowledgements are written at most every 10 s,
/// and at the end.
final class SinkProgressWriter: Sendable {
    /// The name of the file.
    static let name = "sinks"
    /// The minimum time between two writes because of acknowledgements.
    static let interval: Duration = .seconds(10)
    /// The maximum size of the file: 64 sinks with 16 announcements each have less.
    private static let maximumBytes = 512 << 10
    private static let chunkBytes = 256 << 10

    private struct State {
        var progress: SinkProgress
        var written: SinkProgress
        var writtenAt: ContinuousClock.Instant?
        var isRunning = false
        var isFinal = false
        /// Announcements of an earlier process that may be in the journal.
        var doubtful: [SinkProgress.Announcement]
    }

    private enum Step {
        case search(SinkProgress.Announcement)
        case write(SinkProgress)
        case publish(SinkLoss)
        case end
    }

    private let journal: EventJournal?
    private let interval: Duration
    private let publish: @Sendable (SinkLoss) -> UInt64?
    private let state: Monitor<State>

    /// Reads the progress of the previous process.
    ///
    /// - Parameters:
    ///   - stream: The stream of the agent's numbers.
    ///   - interval: The minimum time between two writes because of acknowledgements.
    ///   - publish: Publishes `sink.lost`, and returns its number; `nil` when it has none yet.
    init(
        in journal: EventJournal?,
        stream: String,
        interval: Duration = SinkProgressWriter.interval,
        publish: @escaping @Sendable (SinkLoss) -> UInt64?
    ) {
        self.journal = journal
        self.interval = interval
        self.publish = publish
        var progress = SinkProgress(stream: stream)
        if let content = journal?.kept(Self.name, atMost: Self.maximumBytes),
            let former = try? EventDecoder.decode(SinkProgress.self, from: content), former.stream == stream
        {
            progress = former
        }
        let doubtful = progress.doubtful
        progress.doubt()
        state = Monitor(State(progress: progress, written: progress, doubtful: doubtful))
    }

    /// The current progress.
    var progress: SinkProgress { state.withLock { $0.progress } }

    /// Changes the progress; what has to be written or published follows on the thread.
    @discardableResult
    func change<Result>(_ body: (inout SinkProgress) -> Result) -> Result {
        let (result, starts) = state.withLock { state in
            let result = body(&state.progress)
            guard Self.hasWork(state), !state.isRunning else { return (result, false) }
            state.isRunning = true
            return (result, true)
        }
        if starts { start() } else { state.wakeAll() }
        return result
    }

    /// Writes the remaining changes, and returns when that is done, or on timeout.
    ///
    /// No loss is published once this is called. Acknowledgements that are not written are reported again.
    func finish(within patience: Duration) {
        let starts = state.withLock { state in
            state.isFinal = true
            guard Self.hasWork(state), !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if starts { start() }
        state.wakeAll()
        _ = state.wait(within: patience) { !$0.isRunning }
    }

    private static func hasWork(_ state: State) -> Bool {
        state.progress != state.written
            || !state.isFinal && !(state.doubtful.isEmpty && state.progress.unpublished.isEmpty)
    }

    private func start() {
        do throws(SystemError) {
            try NamedThread.start("sinks") { self.run() }
        } catch {
            // The next change retries.
            state.withLock { $0.isRunning = false }
            state.wakeAll()
        }
    }

    // MARK: On the thread

    private func run() {
        findQueued()
        while true {
            switch next() {
            case .search(let announcement):
                let sequence = number(of: announcement)
                state.withLock { state in
                    state.doubtful.removeAll { $0 == announcement }
                    if let sequence { state.progress.published(announcement.loss, as: sequence) }
                }
            case .write(let progress): write(progress)
            case .publish(let loss):
                let sequence = publish(loss)
                state.withLock { $0.progress.published(loss, as: sequence ?? SinkProgress.queued) }
            case .end: return state.wakeAll()
            }
        }
    }

    /// Looks up the numbers of losses that waited for the agent's first event.
    private func findQueued() {
        let queued = state.withLock { $0.progress.doubtful.filter { $0.sequence == SinkProgress.queued } }
        for announcement in queued {
            guard let sequence = number(of: announcement) else { continue }
            state.withLock { $0.progress.published(announcement.loss, as: sequence) }
        }
    }

    private func next() -> Step {
        let newest = journal?.newestSequence
        return state.wait { state in
            if !state.isFinal, let doubtful = state.doubtful.first { return .done(.search(doubtful)) }
            if let newest { state.progress.recorded(through: newest) }
            let unpublished = state.isFinal ? [] : state.progress.unpublished
            if state.progress != state.written {
                let due = state.writtenAt.map { $0 + interval } ?? .now
                let left = ContinuousClock.now.duration(to: due)
                guard unpublished.isEmpty, !state.isFinal, left > .zero else {
                    (state.written, state.writtenAt) = (state.progress, .now)
                    return .done(.write(state.progress))
                }
                return .sleep(left)
            }
            if let first = unpublished.first { return .done(.publish(first.loss)) }
            state.isRunning = false
            return .done(.end)
        }
    }

    /// Writes the file; if that fails, the next change retries, and a loss is published all the same.
    private func write(_ progress: SinkProgress) {
        guard let journal else { return }
        try? journal.keep(JSONWriter.text(of: progress), as: Self.name)
    }

    /// The number of the event that announced a loss; `nil` when the journal has none.
    private func number(of announcement: SinkProgress.Announcement) -> UInt64? {
        guard let journal,
            let reader = try? JournalReader(directory: journal.configuration.directory, includesHistory: true)
        else { return nil }
        // If the journal does not reach back that far, an agent that has run since has published the loss.
        if let oldest = try? reader.oldestSequence, oldest > announcement.after + 1 { return oldest - 1 }
        var cursor = reader.events(after: announcement.after)
        while let chunk = try? cursor.nextRecorded(atMost: Self.chunkBytes) {
            for line in chunk.lines where chunk.type(of: line) == .sinkLost {
                if case .sinkLost(announcement.loss)? = AgentEvent(line: Array(chunk.bytes[line.range]))?.content {
                    return line.sequence
                }
            }
        }
        return nil
    }
}
