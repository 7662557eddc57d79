internal import Glibc
internal import LinuxSupport
internal import StateClient

/// The transfer lock as `reachagent measure` takes it: concurrent transfers of a machine would distort each other's
/// results.
///
/// It is held for all uplinks, so that their measurements are comparable.
final class MeasureLock {
    /// The maximum time to wait: longer than a transfer of the agent takes by default.
    static let patience: Duration = .seconds(300)
    /// The time between two attempts.
    static let interval: Duration = .milliseconds(200)

    /// The process that holds the lock, where it is known.
    private(set) var holder: Int32?
    private let directory: String
    private var lock: TransferLock?

    /// The lock on the transfers of an agent, which need not run.
    ///
    /// - Parameter socket: The agent's control socket; nil for the usual ones.
    convenience init(socket: String?) {
        self.init(directory: ParentDirectory.of(SocketLocation.control(explicit: socket).path))
    }

    /// The lock in a directory.
    init(directory: String) { self.directory = directory }

    /// The description of the other transfer.
    static func text(_ holder: Int32?) -> String {
        "another transfer of this machine" + (holder.map { " (process \($0))" } ?? "")
    }

    /// Takes the lock if it is free; also returns true if there is no lock to take.
    func take() -> Bool {
        guard lock == nil else { return true }
        switch TransferLock.take(in: directory) {
        case .taken(let lock): self.lock = lock
        case .busy(let holder):
            self.holder = holder
            return false
        case .unavailable(let error):
            // Without the directory there is no agent either.
            guard error.errno != ENOENT, error.errno != ENOTDIR else { return true }
            Terminal.printError("reachagent: transfers of the agent are not noticed: \(directory): \(error)")
        }
        return true
    }
}
