import Glibc
import LinuxSupport
import Testing

@testable import Hooks

@Suite
struct HookFileTests {
    @Test
    func `a script is opened with its interpreter and its real path`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("script", "#!/bin/sh -e\nexit 0\n")
        try scratch.directory("links")
        try scratch.link("links/hook", to: "../script")
        let file = try HookFile.open(scratch("links/../links/./hook"), runAs: nil)
        #expect(file.path == scratch("script"))
        #expect(file.isScript)
        #expect(file.interpreter == "/bin/sh")
        // Close-on-exec, and open for nothing but its place.
        #expect(fcntl(file.descriptor, F_GETFD) == FD_CLOEXEC)
        var byte: UInt8 = 0
        #expect(read(file.descriptor, &byte, 1) == -1 && errno == EBADF)
    }

    @Test
    func `a program is found in the fixed path, and is not a script`() throws {
        let file = try HookFile.open("env", runAs: nil)
        #expect(!file.isScript)
        #expect(file.interpreter == nil)
        #expect(HookFile.program("env")?.hasSuffix("/env") == true)
        #expect(HookFile.program("no-such-program-anywhere") == nil)
        #expect(HookFile.program("./env") == "./env")
        #expect(HookFile.program("") == nil)
        #expect(HookFile.program("env\0x") == nil)
    }

    @Test(arguments: [
        ("", "has no name"), ("./hook", "is not an absolute path"), ("/bin/sh\0x", "has a zero byte in its path"),
        ("no-such-program-anywhere", "is in none of the directories \(HookEnvironment.path)"),
        ("/" + String(repeating: "x", count: 300), "there is no such file"),
        (String(repeating: "/x", count: 5000), "there is no such file"), ("/bin/sh/x", "there is no such file"),
    ])
    func `a path without a file is refused`(path: String, evidence: String) {
        let refusal = #expect(throws: HookRefusal.self) { try HookFile.open(path, runAs: nil) }
        #expect(refusal?.code == .missing)
        #expect(refusal?.evidence == evidence)
        #expect(refusal?.path == path)
    }

    @Test
    func `a refused file leaves no descriptor open`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("hook", mode: 0o777)
        try scratch.file("good")
        let path = scratch("hook")
        // Other tests open files at the same time: the numbers must not grow with the repetitions.
        for _ in 0..<1500 {
            #expect(throws: HookRefusal.self) { try HookFile.open(path, runAs: nil) }
            _ = try HookFile.open(scratch("good"), runAs: nil)
        }
        #expect(try HookFile.open(scratch("good"), runAs: nil).descriptor < 1000)
    }

    @Test
    func `a sticky directory of root's is accepted`() throws {
        let scratch = try ScratchDirectory()
        try scratch.directory("sticky", mode: 0o1777)
        try scratch.file("sticky/hook")
        #expect(try HookFile.open(scratch("sticky/hook"), runAs: nil).path == scratch("sticky/hook"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `another user's link in a sticky directory is refused`() throws {
        let scratch = try ScratchDirectory()
        try scratch.directory("sticky", mode: 0o1777)
        try scratch.file("file")
        try scratch.link("sticky/hook", to: "../file")
        try scratch.give("sticky/hook")
        let refusal = #expect(throws: HookRefusal.self) { try HookFile.open(scratch("sticky/hook"), runAs: nil) }
        #expect(refusal?.code == .owner)
        #expect(refusal?.path == scratch("sticky/hook"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `an agent that is not root trusts its own user's files and root's`() throws {
        let scratch = try ScratchDirectory()
        try scratch.directory("home")
        try scratch.file("home/hook")
        try scratch.give("home")
        #expect(throws: Never.self) { try HookFile.open(scratch("home/hook"), runAs: nil, agent: 12345) }
        try scratch.give("home/hook")
        #expect(throws: Never.self) { try HookFile.open(scratch("home/hook"), runAs: nil, agent: 12345) }
        try scratch.give("home/hook", to: 54321)
        let refusal = #expect(throws: HookRefusal.self) {
            try HookFile.open(scratch("home/hook"), runAs: nil, agent: 12345)
        }
        #expect(
            refusal?.evidence == "belongs to UID 54321, neither to root nor to the agent's user (UID 12345)"
        )
        #expect(refusal?.remedy == "chown 12345 \(scratch("home/hook"))")
    }

    @Test(
        arguments: [
            (0o755, true), (0o555, true), (0o750, true), (0o710, false), (0o705, false), (0o700, false), (0o505, false),
        ] as [(mode_t, Bool)]
    )
    func `a member of the file's group has the group's rights and no others`(mode: mode_t, isAccepted: Bool) throws {
        let scratch = try ScratchDirectory()
        try scratch.file("hook", mode: mode)
        let account = HookAccount(uid: 12345, gid: 12345, groups: [12345, getegid()])
        let file = try? HookFile.open(scratch("hook"), runAs: account)
        #expect((file != nil) == isAccepted)
    }

    @Test(.enabled(if: geteuid() != 0, "root can read everything"))
    func `a program that can be executed but not read is accepted`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("program", "\u{7F}ELF", mode: 0o111)
        let file = try HookFile.open(scratch("program"), runAs: nil)
        #expect(file.isScript)
        #expect(file.interpreter == nil)
    }

    @Test
    func `a deleted file is distinguished from one whose name says deleted`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("hook (deleted)")
        #expect(try HookFile.open(scratch("hook (deleted)"), runAs: nil).path == scratch("hook (deleted)"))

        let path = try scratch.file("hook")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try ScratchDirectory.check("unlink", unlink(path))
        let refusal = #expect(throws: HookRefusal.self) {
            try HookFile.open("/proc/self/fd/\(descriptor)", runAs: nil)
        }
        #expect(refusal?.evidence == "was deleted during the check")
    }

    @Test
    func `the descriptor keeps referring to the checked file`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("hook", "#!/bin/sh\nexit 1\n")
        let file = try HookFile.open(scratch("hook"), runAs: nil)
        try scratch.file("other", "#!/bin/sh\nexit 2\n")
        try ScratchDirectory.check("rename", rename(scratch("other"), scratch("hook")))
        let descriptor = open("/proc/self/fd/\(file.descriptor)", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "#!/bin/sh\nexit 1\n")
    }

    @Test(.enabled(if: isNoexec("/dev/shm"), "/dev/shm is not mounted noexec"))
    func `a file system that nothing may be run from is named`() throws {
        var template = Array("/dev/shm/hook-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(descriptor)
            unlink(path)
        }
        try ScratchDirectory.check("write", Int32(clamping: write(descriptor, "#!/bin/sh\n", 10)))
        try ScratchDirectory.check("fchmod", fchmod(descriptor, 0o755))
        let refusal = #expect(throws: HookRefusal.self) { try HookFile.open(path, runAs: nil) }
        #expect(refusal?.code == .notExecutable)
        #expect(refusal?.evidence == "lies on a file system that is mounted noexec")
    }

    @Test
    func `a remedy can be copied whatever the file is named`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("it's here", mode: 0o777)
        let refusal = #expect(throws: HookRefusal.self) { try HookFile.open(scratch("it's here"), runAs: nil) }
        #expect(refusal?.remedy == #"chmod go-w '\#(scratch.path)/it'\''s here'"#)
    }
}

private func isNoexec(_ path: String) -> Bool {
    var fileSystem = statvfs()
    return statvfs(path, &fileSystem) == 0 && fileSystem.f_flag & KernelConstants.mountedNoexec != 0
}
