import Glibc
import Testing

@testable import LinuxSupport

@Suite struct AccountDatabaseTests {
    @Test func `an entry is found by its name and by its number`() throws {
        let root = try #require(try AccountDatabase.user(named: "root"))
        #expect(root.uid == 0 && root.gid == 0 && root.name == "root" && !root.home.isEmpty)
        #expect(try AccountDatabase.user(number: 0) == root)
        #expect(AccountDatabase.userName(number: 0) == "root")
        #expect(try AccountDatabase.group(named: "root") == 0)
        #expect(AccountDatabase.groupName(number: 0) == "root")
        #expect(AccountDatabase.groups(of: "root", with: 0).contains(0))
    }

    @Test(arguments: ["", "no-such-account", "root\0", "root\0x"])
    func `a name without an entry is none`(_ name: String) throws {
        #expect(try AccountDatabase.user(named: name) == nil)
        #expect(try AccountDatabase.group(named: name) == nil)
    }

    @Test func `a number without an entry has no name`() throws {
        #expect(try AccountDatabase.user(number: 3_987_654_321) == nil)
        #expect(AccountDatabase.userName(number: 3_987_654_321) == nil)
        #expect(AccountDatabase.groupName(number: 3_987_654_321) == nil)
    }

    @Test(arguments: [0, ENOENT, ESRCH, EBADF, EPERM])
    func `an error number that says the same as no entry is none`(_ number: Int32) throws {
        #expect(try AccountDatabase.withGrowingBuffer { _, _ in (number, Int?.none) } == nil)
    }

    @Test(arguments: [EIO, EMFILE, ENOMEM, EAGAIN, ECONNREFUSED])
    func `a lookup that found out nothing is an error`(_ number: Int32) {
        #expect(throws: SystemError(errno: number)) {
            try AccountDatabase.withGrowingBuffer { _, _ in (number, Int?.none) }
        }
    }

    @Test func `a lookup is repeated after a signal, and with larger buffers up to a bound`() throws {
        var results = [EINTR, ERANGE, EINTR, 0]
        var sizes: [Int] = []
        let found = try AccountDatabase.withGrowingBuffer { _, size in
            sizes.append(size)
            return (results.removeFirst(), 7)
        }
        #expect(found == 7)
        #expect(sizes == [4096, 4096, 16384, 16384])
        sizes = []
        #expect(throws: SystemError(errno: ERANGE)) {
            try AccountDatabase.withGrowingBuffer { _, size in
                sizes.append(size)
                return (ERANGE, Int?.none)
            }
        }
        #expect(sizes.last == 4 << 20)
    }
}
