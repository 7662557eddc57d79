import AgentTestKit
import Glibc
import LinuxSupport
import Testing

@testable import ReachAgent

/// The lock that keeps two transfers of a machine apart.
@Suite struct TransferLockTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `a lock that is held is busy, and free once it is released or forgotten`() throws {
        guard case .taken(let lock) = TransferLock.take(in: path) else {
            Issue.record("not taken")
            return
        }
        guard case .busy(let holder) = TransferLock.take(in: path) else {
            Issue.record("not busy")
            return
        }
        #expect(holder == getpid())
        lock.release()
        do {
            guard case .taken = TransferLock.take(in: path) else {
                Issue.record("not released")
                return
            }
        }
        guard case .taken = TransferLock.take(in: path) else {
            Issue.record("not forgotten")
            return
        }
    }

    @Test func `the users of the sockets have access to the file, whatever the umask`() throws {
        _ = TransferLock.take(in: path)
        var status = stat()
        #expect(stat("\(path)/transfer.lock", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o660)
    }

    @Test func `a lock in a missing directory is unavailable`() throws {
        guard case .unavailable(let error) = TransferLock.take(in: "/nonexistent/reachagent") else {
            Issue.record("not unavailable")
            return
        }
        #expect(error.errno == ENOENT)
    }
}
