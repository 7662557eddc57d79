import AgentEvents
import StateSocket
import Synchronization

/// A journal in memory: what was recorded, from the oldest that is kept on.
final class MemoryJournal: ReplaySource {
    struct State {
        var lines: [(sequence: UInt64, line: [UInt8])] = []
        var maximumLines = 64
        var fails = false
        /// Called before each part is read.
        var whenRead: (@Sendable () -> Void)?
        /// Called when a replay is closed.
        var whenClosed: (@Sendable () -> Void)?
    }
    struct Broken: Error {}
    let state = Mutex(State())

    func record(_ events: [Event]) {
        state.withLock { state in
            for event in events { if let number = event.sequence { state.lines.append((number, event.line)) } }
        }
    }

    /// Forgets what is older than a number.
    func forget(before sequence: UInt64) {
        state.withLock { $0.lines.removeAll { $0.sequence < sequence } }
    }

    var oldestSequence: UInt64? { state.withLock { $0.lines.first?.sequence } }

    func replay(after sequence: UInt64) throws -> any Replay { MemoryReplay(self, next: sequence + 1) }

    func firstSequence(from time: Timestamp) throws -> UInt64? {
        try state.withLock { state in
            if state.fails { throw Broken() }
            return state.lines.first { line in
                ScannedLine(line.line.span)?.time.map { $0 >= time } ?? false
            }?.sequence
        }
    }

    final class MemoryReplay: Replay {
        private let journal: MemoryJournal
        private var next: UInt64

        init(_ journal: MemoryJournal, next: UInt64) {
            self.journal = journal
            self.next = next
        }

        deinit { journal.state.withLock { $0.whenClosed }?() }

        func next(atMost bytes: Int) throws -> ReplayChunk {
            journal.state.withLock { $0.whenRead }?()
            let (lines, fails, most) = journal.state.withLock { state in
                let start = state.lines.firstIndex { $0.sequence >= next } ?? state.lines.count
                return (Array(state.lines[start...].prefix(state.maximumLines)), state.fails, state.maximumLines)
            }
            if fails { throw Broken() }
            var chunk = ReplayChunk()
            for (sequence, line) in lines.prefix(most) {
                if sequence > next { chunk.missing.append(next...sequence - 1) }
                guard let scanned = ScannedLine(line.span) else { continue }
                let start = chunk.bytes.count
                chunk.bytes += line + [UInt8(ascii: "\n")]
                func moved(_ range: Range<Int>) -> Range<Int> { range.lowerBound + start..<range.upperBound + start }
                chunk.lines.append(
                    .init(
                        text: start..<start + line.count,
                        sequence: sequence,
                        type: moved(scanned.type),
                        subject: moved(scanned.subject)
                    )
                )
                next = sequence + 1
            }
            return chunk
        }
    }
}
