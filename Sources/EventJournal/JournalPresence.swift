internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// The locks that show readers whether an agent has a journal, and whether it records its events.
///
/// They are on the directory itself and take no space: a full, read-only or hanging disk prevents neither a lock nor its
/// release. A reader tests them without taking them, in any namespace, and a copy of the journal has none.
final class JournalPresence: Sendable {
    /// The locked byte while an agent has the journal.
    private static let writer: Int32 = 0
    /// The locked byte while that agent records its events.
    private static let recording: Int32 = 1

    private struct State {
        var directory: OpenFile?
        var isDegraded = false
        var isStalled = false
    }

    private let state = Mutex(State())

    deinit { end() }

    /// Shows the agent on a directory, once it has the journal's lock; does nothing if it is shown there already.
    func show(in directory: JournalDirectory) {
        state.withLock { state in
            if let file = state.directory, let present = file.status(),
                present.isSameFile(as: directory.status(of: "."))
            {
                return
            }
            Self.release(state.directory)
            state.directory = try? directory.open(".", O_RDONLY | O_DIRECTORY)
            if let file = state.directory { ByteLock.take(Self.writer, of: file.descriptor) }
            Self.update(state)
        }
    }

    /// Changes whether events wait in memory after a failed write.
    func note(isDegraded: Bool) {
        state.withLock { state in
            state.isDegraded = isDegraded
            Self.update(state)
        }
    }

    /// Changes whether subscribers receive events that the disk has not taken.
    func note(isStalled: Bool) {
        state.withLock { state in
            state.isStalled = isStalled
            Self.update(state)
        }
    }

    /// Releases the locks.
    func end() {
        state.withLock { state in
            Self.release(state.directory)
            state.directory = nil
        }
    }

    /// Returns the activity of the agent of a directory's journal.
    static func activity(in path: String) -> JournalActivity {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return .none }
        defer { close(descriptor) }
        if ByteLock.isTaken(recording, of: descriptor) { return .recording }
        return ByteLock.isTaken(writer, of: descriptor) ? .degraded : .none
    }

    private static func update(_ state: State) {
        guard let descriptor = state.directory?.descriptor else { return }
        if state.isDegraded || state.isStalled {
            ByteLock.release(recording, of: descriptor)
        } else {
            ByteLock.take(recording, of: descriptor)
        }
    }

    /// Closing is not enough while a child that is about to run a program has a copy of the descriptor.
    private static func release(_ directory: OpenFile?) {
        guard let descriptor = directory?.descriptor else { return }
        ByteLock.release(recording, of: descriptor)
        ByteLock.release(writer, of: descriptor)
    }
}

/// The activity of the agent of a journal.
public enum JournalActivity: Sendable, Hashable {
    /// No agent has the journal.
    case none
    /// An agent has the journal, and cannot record its events at present.
    case degraded
    /// An agent has the journal, and has recorded every event until now.
    case recording
}

extension JournalReader {
    /// The present activity of the journal's agent.
    public var activity: JournalActivity { JournalPresence.activity(in: directory) }

    /// Returns the process ID of the agent that has a journal at present; `nil` if there is none, or it is not known.
    ///
    /// - Parameter directory: The journal's directory.
    public static func writer(of directory: String) -> Int32? {
        guard JournalPresence.activity(in: directory) != .none else { return nil }
        return JournalLock.holder(in: JournalDirectory(path: directory, system: .real))
    }
}
