import AgentTestKit
import EventLoopExecutor
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Hooks

@Suite
struct HookProcessTests {
    let fixture: HookFixture

    init() throws { fixture = try HookFixture() }

    @Test(arguments: [(0, HookRunEnd.Outcome.succeeded), (7, .exited(status: 7)), (255, .exited(status: 255))])
    func `an exit status is reported`(status: Int, outcome: HookRunEnd.Outcome) async throws {
        let end = await HookFixture.run(HookFixture.launch(try fixture.script("exit \(status)")))
        #expect(end.outcome == outcome)
        #expect(end.output == HookOutput())
    }

    @Test
    func `a signal is reported`() async throws {
        let end = await HookFixture.run(HookFixture.launch(try fixture.script("kill -USR1 $$")))
        #expect(end.outcome == .signaled(SIGUSR1))
    }

    @Test(arguments: [0, 1, 300_000])
    func `standard input is the given one, byte for byte`(count: Int) async throws {
        let input = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let copy = try fixture.file("copy", input)
        let script = try fixture.script("cmp - \"$1\" && cmp /dev/stdin \"$1\" && echo same")
        let end = await HookFixture.run(HookFixture.launch(script, [copy], input: input))
        #expect(end.output.text == "same\n")
        #expect(end.outcome == .succeeded)
    }

    @Test
    func `a program that reads nothing does not block`() async throws {
        let input = [UInt8](repeating: 0x78, count: 1_000_000)
        let end = await HookFixture.run(HookFixture.launch(try fixture.script("exit 0"), input: input))
        #expect(end.outcome == .succeeded)
    }

    @Test
    func `of 100 MB the beginning and the end are kept`() async throws {
        let script = try fixture.script(
            "printf BEGIN; head -c 104857600 /dev/zero | tr '\\0' x; printf 'error ' >&2; printf END"
        )
        let end = await HookFixture.run(HookFixture.launch(script))
        #expect(end.outcome == .succeeded)
        #expect(end.output.bytes == 104_857_600 + 5 + 6 + 3)
        #expect(end.output.omittedBytes == end.output.bytes - HookOutput.maximumBytes)
        #expect(end.output.text.hasPrefix("BEGINxx"))
        #expect(end.output.text.hasSuffix("xxerror END"))
        #expect(end.output.text.utf8.count == HookOutput.maximumBytes + HookOutputBuffer.gap.utf8.count)
    }

    @Test
    func `the environment is the given one, and nothing else`() async throws {
        let environment = ["PATH": HookEnvironment.path, "REACH_TO_VIA": "wifi", "A": "", "B": "one\ntwo=3"]
        let end = await HookFixture.run(
            HookFixture.launch(try HookFile.open("/usr/bin/env", runAs: nil), ["-0"], environment: environment)
        )
        let expected = "A=\0B=one\ntwo=3\0PATH=\(HookEnvironment.path)\0REACH_TO_VIA=wifi\0"
        #expect(end.output.text == expected)
    }

    @Test
    func `the working directory is the configured one`() async throws {
        let script = try fixture.script("pwd -P")
        let here = await HookFixture.run(HookFixture.launch(script, workingDirectory: fixture.directory))
        #expect(here.output.text == fixture.directory + "\n")
    }

    @Test
    func `it leads a session and a process group, without a terminal`() async throws {
        let end = await HookFixture.run(HookFixture.launch(try fixture.script("echo $$; cat /proc/$$/stat")))
        let lines = end.output.text.split(separator: "\n")
        let fields = try #require(lines.last?.split(separator: ")").last).split(separator: " ")
        #expect(fields[2] == lines[0])
        #expect(fields[3] == lines[0])
        #expect(fields[4] == "0")
    }

    @Test
    func `all signals are as they are by default`() async throws {
        let end = await HookFixture.run(
            HookFixture.launch(try HookFile.open("/bin/grep", runAs: nil), ["^Sig[BI]", "/proc/self/status"])
        )
        let masks = end.output.text.split(separator: "\n").compactMap { UInt64($0.dropFirst(8), radix: 16) }
        #expect(masks.count == 2)
        // glibc has two signals of its own, 32 and 33, which posix_spawn(3) leaves ignored and programs set up
        // themselves.
        #expect(masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 })
    }

    @Test
    func `a program has no descriptor but the standard ones`() async throws {
        let inherited = dup(0)
        #expect(inherited > 2)
        defer { close(inherited) }
        let end = await HookFixture.run(
            HookFixture.launch(try HookFile.open("/bin/ls", runAs: nil), ["-l", "/proc/self/fd"])
        )
        // The fourth is the directory that ls itself lists.
        let links = end.output.text.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(links.count == 4)
        #expect(links.last?.contains(" 3 -> /proc/") == true)
    }

    @Test
    func `a script has itself as its fourth descriptor, and no other`() async throws {
        let inherited = dup(0)
        #expect(inherited > 2)
        defer { close(inherited) }
        let script = try fixture.script("echo \"$0 $1\"; ls -l /proc/$$/fd")
        let end = await HookFixture.run(HookFixture.launch(script, ["first"]))
        #expect(end.output.text.hasPrefix("/dev/fd/3 first\n"), "\(end)")
        let links = end.output.text.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(links.contains { $0.hasSuffix(" 3 -> \(script.path)") })
        // The shell has opened it once more, to read it.
        #expect(links.count { $0.hasSuffix(" -> \(script.path)") } == links.count - 3)
    }

    @Test
    func `the checked file runs, even if another takes its place`() async throws {
        let script = try fixture.script("echo checked")
        rename(script.path, script.path + ".old")
        try fixture.file("hook", Data("#!/bin/sh\necho other\n".utf8))
        let end = await HookFixture.run(HookFixture.launch(script))
        #expect(end.output.text == "checked\n")
    }

    @Test(arguments: [nil, "another"])
    func `a program's own name is its path, or the one given`(name: String?) async throws {
        let cat = try HookFile.open("/bin/cat", runAs: nil)
        let end = await HookFixture.run(HookFixture.launch(cat, name: name, ["/proc/self/cmdline"]))
        #expect(end.output.text == "\(name ?? cat.path)\0/proc/self/cmdline\0")
    }

    @Test
    func `an interpreter that is gone is named`() async throws {
        let interpreter = try fixture.file("shell", Data(contentsOf: URL(filePath: "/bin/sh")))
        let script = try fixture.script("exit 0", interpreter: interpreter)
        unlink(interpreter)
        let end = await HookFixture.run(HookFixture.launch(script))
        guard case .refused(let refusal) = end.outcome else {
            Issue.record("\(end.outcome)")
            return
        }
        #expect(refusal.code == .noInterpreter)
        #expect(refusal.description.contains("\(script.path)): \(interpreter) is not there"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `it runs as the configured user, with the groups`() async throws {
        let account = HookAccount(uid: 65534, gid: 65533, groups: [65533, 12])
        let script = try fixture.script(
            "id -u; id -g; id -G; cat /dev/stdin; grep -E '^(Uid|Gid|CapPrm|CapAmb)' /proc/self/status"
        )
        let end = await HookFixture.run(HookFixture.launch(script, account: account, input: Array("in\n".utf8)))
        let expected = """
            65534
            65533
            65533 12
            in
            Uid:\t65534\t65534\t65534\t65534
            Gid:\t65533\t65533\t65533\t65533
            CapPrm:\t0000000000000000
            CapAmb:\t0000000000000000

            """
        #expect(end.output.text == expected)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `the configured user can open the standard streams by their names`() async throws {
        let account = HookAccount(uid: 65534, gid: 65534, groups: [])
        let script = try fixture.script("echo out >/proc/self/fd/1; echo error >/proc/self/fd/2; cat /proc/self/fd/0")
        let end = await HookFixture.run(HookFixture.launch(script, account: account, input: Array("in\n".utf8)))
        #expect(end.outcome == .succeeded)
        #expect(end.output.text == "out\nerror\nin\n")
    }

    @Test
    func `an invalid program and a missing directory are refused with a remedy`() async throws {
        let bytes = [0x7f, 0x45, 0x4c, 0x46] + [UInt8](repeating: 0xff, count: 100)
        let noise = try HookFile.open(fixture.file("noise", Data(bytes)), runAs: nil)
        let cases: [(HookLaunch, HookRefusal.Code)] = [
            (HookFixture.launch(noise), .noInterpreter),
            (HookFixture.launch(try fixture.script("exit 0"), workingDirectory: "/nowhere"), .workingDirectory),
        ]
        for (launch, code) in cases {
            guard case .refused(let refusal) = await HookFixture.run(launch).outcome else {
                Issue.record("\(launch)")
                continue
            }
            #expect(refusal.code == code)
        }
    }

    @Test
    func `a program runs, and its output is read, where the user has no watch of epoll(7) left`() async {
        // In a process of its own: such an event loop cannot be shut down.
        await #expect(processExitsWith: .success) {
            let fixture = try HookFixture()
            let launch = HookFixture.launch(try fixture.script("echo out"))
            let group = try MultiThreadedEventLoopGroup(named: "hooks")
            let loop = group.next()
            try await loop.submit {
                try RefusedSystemCall.refuse(RefusedSystemCall.epollControl, with: ENOSPC)
            }.get()
            let end = await withCheckedContinuation { continuation in
                _ = HookProcess.start(launch, on: LoopGate(loop)) { continuation.resume(returning: $0) }
            }
            #expect(end.outcome == .succeeded, "\(end)")
            #expect(end.output.text == "out\n", "\(end)")
        }
    }

    @Test
    func `300 runs leave nothing behind`() async {
        // In a process of its own: other tests have descriptors and children too.
        await #expect(processExitsWith: .success) {
            let fixture = try HookFixture()
            let script = try fixture.script("exit 0")
            func run() async -> HookRunEnd.Outcome { await HookFixture.run(HookFixture.launch(script)).outcome }
            func descriptors() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").sorted()
            }
            // The first run leaves what all of them use.
            var outcomes: Set<HookRunEnd.Outcome> = [await run()]
            let before = try descriptors()
            for _ in 0..<300 { outcomes.insert(await run()) }
            #expect(outcomes == [.succeeded], "\(outcomes)")
            let after = try descriptors()
            #expect(after.count < before.count + 10, "\(before) before, \(after) after")
            let children = try String(contentsOfFile: "/proc/self/task/\(getpid())/children", encoding: .utf8)
            #expect(children == "", "children \(children)")
        }
    }
}
