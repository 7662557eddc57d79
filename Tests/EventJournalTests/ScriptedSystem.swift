import AgentEvents
import AgentTestKit
import Foundation
import Synchronization

@testable import EventJournal

/// A kernel whose system calls fail when a test wants it, and clocks that a test sets.
final class ScriptedSystem: Sendable {
    struct State: Sendable {
        /// The number of bytes the disk still takes; `nil` for any number.
        var room: Int?
        /// The error of a write when there is no room (errno).
        var writeError = ENOSPC
        /// The error of opening for writing (errno); `nil` when it succeeds.
        var openError: Int32?
        /// The error of fdatasync (errno); 0 when it succeeds.
        var syncError: Int32 = 0
        var writes = 0
        var syncs = 0
        /// The time by which the monotonic clock was advanced.
        var elapsed: Duration = .zero
        /// `true` when the monotonic clock also runs by itself.
        var isClockRunning = false
        var wallClock = FixtureJournal.time(0)
        var isClockTrusted = true
        /// Called before each write, on the writer's thread.
        var whenWriting: (@Sendable () -> Void)?
        /// Called after each fdatasync.
        var whenSynced: (@Sendable () -> Void)?
        /// Called after each reading of the monotonic clock.
        var whenClockRead: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now

    func with<Value: Sendable>(_ body: @Sendable (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func advance(_ duration: Duration) {
        state.withLock { state in
            state.elapsed += duration
            let microseconds = Int64(duration / .microseconds(1))
            state.wallClock = Timestamp(
                microsecondsSince1970: state.wallClock.microsecondsSince1970 + microseconds
            )
        }
    }

    var system: JournalSystem {
        var system = JournalSystem.real
        system.open = { path, flags, mode in
            if flags & (O_WRONLY | O_RDWR) != 0, let error = self.with({ $0.openError }) { return -error }
            return JournalSystem.real.open(path, flags, mode)
        }
        system.write = { descriptor, bytes in
            self.with { $0.whenWriting }?()
            let count = bytes.count
            let (room, error) = self.with { state -> (Int, Int32) in
                state.writes += 1
                let room = min(count, state.room ?? count)
                if let left = state.room { state.room = left - room }
                return (room, state.writeError)
            }
            guard room > 0 else { return -Int(error) }
            return JournalSystem.real.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<room]))
        }
        system.sync = { descriptor in
            let error = self.with { state in
                state.syncs += 1
                return state.syncError
            }
            defer { self.with { $0.whenSynced }?() }
            return error == 0 ? JournalSystem.real.sync(descriptor) : error
        }
        system.now = {
            defer { self.with { $0.whenClockRead }?() }
            let (elapsed, isRunning) = self.with { ($0.elapsed, $0.isClockRunning) }
            return (isRunning ? .now : self.start).advanced(by: elapsed)
        }
        return system
    }

    /// Opens a journal on this system.
    func open(
        _ fixture: FixtureJournal,
        _ change: (inout JournalConfiguration) -> Void = { _ in },
        noticed: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) throws -> EventJournal {
        var configuration = JournalConfiguration(directory: fixture.directory, sync: .never)
        change(&configuration)
        return try EventJournal(
            opening: configuration,
            now: { self.with { $0.wallClock } },
            isClockTrusted: { self.with { $0.isClockTrusted } },
            noticed: noticed,
            system: system
        )
    }
}

extension FixtureJournal {
    static func record(
        _ sequence: UInt64,
        at time: Timestamp? = nil,
        padding: Int = 40,
        isUrgent: Bool = false
    ) -> JournalRecord {
        JournalRecord(
            sequence: sequence,
            time: time ?? Self.time(sequence),
            isUrgent: isUrgent,
            line: Array(line(sequence, at: time, padding: padding).utf8)
        )
    }

    static func records(_ numbers: ClosedRange<UInt64>, padding: Int = 40) -> [JournalRecord] {
        numbers.map { record($0, padding: padding) }
    }

    /// The names of all files that belong to segments, in their order.
    var segmentFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter { $0.hasPrefix("events-") }
            .sorted()
    }

    /// The numbers of the lines of all plain segments, in their order; 0 for a line that cannot be read.
    var numbers: [UInt64] {
        var numbers: [UInt64] = []
        for name in segmentFiles where name.hasSuffix(".jsonl") {
            let text = (try? contents(name)) ?? []
            var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
            if lines.last == [] { lines.removeLast() } else { numbers.append(0) }
            numbers += lines.map { ScannedLine($0.span)?.sequence ?? 0 }
        }
        return numbers
    }

    /// The last number in the lease; 0 for a lease without numbers, `nil` for one that cannot be understood.
    var lease: UInt64? {
        if (try? contents("lease")) == JournalLease.text(nil) { return 0 }
        return JournalLease.read(in: JournalDirectory(path: directory, system: .real))?.upperBound
    }

    /// A journal with the same files: what a crash at this moment leaves.
    func crashed() throws -> FixtureJournal {
        let copy = try FixtureJournal()
        for name in segmentFiles + ["lease", "stream"] { try copy.write(name, contents(name)) }
        return copy
    }
}

extension EventJournal {
    /// Waits, beside the test's threads, until the other thread has nothing left to do.
    func settle() async -> Bool { await onThread { self.flush(within: .seconds(30)) } }

    func shut() async -> Bool { await onThread { self.close(within: .seconds(30)) } }
}
