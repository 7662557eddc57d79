internal import Synchronization

/// The readings of earlier settings' directories whose threads have not ended: a system call that hangs cannot be
/// cancelled.
///
/// A value without a thread.
struct AbandonedReadings {
    /// The maximum number of readings; beyond it, the next one waits.
    static let maximum = 8

    private var readings: [UInt64: DirectoryPosition] = [:]

    /// Adds a reading, which ends before its next directory.
    mutating func add(_ number: UInt64, _ position: DirectoryPosition) {
        position.abandon()
        readings[number] = position
    }

    /// Removes a reading that has ended.
    ///
    /// - Returns: `true` if it was abandoned.
    mutating func remove(_ number: UInt64) -> Bool { readings.removeValue(forKey: number) != nil }

    /// Returns whether a reading of these directories must wait, so that no second thread hangs in the same one.
    func delay(_ directories: [String]) -> Bool {
        let occupied = readings.values.compactMap(\.directory)
        return readings.count >= Self.maximum
            || occupied.contains { path in directories.contains { $0.utf8.elementsEqual(path.utf8) } }
    }
}

/// The directory in which a reading is, shared with its thread.
final class DirectoryPosition: Sendable {
    private struct State {
        var directory: String?
        var isAbandoned = false
    }

    private let state = Mutex(State())

    /// The directory that was entered last.
    var directory: String? { state.withLock { $0.directory } }

    /// Enters a directory; `false` if the reading is abandoned and must end.
    func enter(_ directory: String) -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.directory = directory
            return true
        }
    }

    /// Lets the reading enter no other directory.
    func abandon() { state.withLock { $0.isAbandoned = true } }
}
