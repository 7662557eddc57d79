import EventLoopExecutor
import Foundation
import Glibc
import NIOCore
import Testing

@testable import Hooks

@Suite
struct HookProcessEndTests {
    let fixture: HookFixture

    init() throws { fixture = try HookFixture() }

    /// Runs a script that does not end by itself, until its timeout.
    ///
    /// - Parameter output: The number of lines that it has written when it has come as far as the test wants.
    private func timedOut(_ script: HookFile, output lines: Int) async -> HookProcess.End {
        let end = await HookFixture.run(HookFixture.launch(script, timeout: .milliseconds(500)))
        // A busy machine may not come as far in a short time.
        guard end.output.text.split(separator: "\n").count < lines else { return end }
        return await HookFixture.run(HookFixture.launch(script, timeout: .seconds(10)))
    }

    @Test
    func `a timeout ends processes that ignore TERM, including grandchildren`() async throws {
        let script = try fixture.script("trap '' TERM; sh -c 'sleep 1000 & echo $!; wait' & echo $!; wait; wait")
        let end = await timedOut(script, output: 2)
        #expect(end.outcome == .timedOut)
        #expect(end.duration >= .milliseconds(1500))
        let numbers = end.output.text.split(separator: "\n").compactMap { pid_t($0) }
        #expect(numbers.count == 2)
        for number in numbers { #expect(try await HookFixture.goes(number)) }
    }

    @Test
    func `grandchildren whose leader exited at once are ended`() async throws {
        let script = try fixture.script("(trap '' TERM; exec sleep 1000) & echo $!; sleep 1000")
        let end = await timedOut(script, output: 1)
        #expect(end.outcome == .timedOut)
        let number = try #require(pid_t(end.output.text.prefix { $0.isNumber }))
        #expect(try await HookFixture.goes(number))
    }

    @Test
    func `a timeout ends processes in a session of their own`() async throws {
        let script = try fixture.script(
            "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000 & echo $!; wait; wait' & echo $!; wait; wait"
        )
        let end = await timedOut(script, output: 2)
        #expect(end.outcome == .timedOut)
        let numbers = end.output.text.split(separator: "\n").compactMap { pid_t($0) }
        #expect(numbers.count == 2)
        for number in numbers { #expect(try await HookFixture.goes(number)) }
    }

    @Test
    func `a program has time to clean up`() async throws {
        let script = try fixture.script("trap 'echo bye; exit 0' TERM; echo hello; sleep 1000 & wait")
        let end = await timedOut(script, output: 1)
        #expect(end.outcome == .timedOut)
        #expect(end.output.text == "hello\nbye\n")
    }

    @Test
    func `a program that daemonizes has finished, and the process it left behind lives`() async throws {
        let script = try fixture.script("setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo $!")
        let end = await HookFixture.run(HookFixture.launch(script))
        #expect(end.outcome == .succeeded)
        let number = try #require(pid_t(end.output.text.dropLast()))
        #expect(HookFixture.lives(number))
        kill(number, SIGKILL)
    }

    @Test
    func `an output that is held open does not delay the end`() async throws {
        let script = try fixture.script("sleep 1000 & echo $!; head -c 50000 /dev/zero; printf last")
        let end = await HookFixture.run(HookFixture.launch(script, timeout: .seconds(20)))
        #expect(end.outcome == .succeeded)
        #expect(end.output.text.hasSuffix("\0last"))
        let number = try #require(pid_t(end.output.text.prefix { $0.isNumber }))
        #expect(end.output.bytes == 50_000 + 5 + "\(number)".count)
        #expect(HookFixture.lives(number))
        kill(number, SIGKILL)
    }

    @Test
    func `an endless output does not keep a program from finishing`() async throws {
        // The number comes before the first `y`, and both before the sleep: the substitution ends when the shell
        // inside has become `yes`. Written by the program itself, it could be behind more than is kept.
        let script = try fixture.script(
            """
            exec 3>&1
            : "$(sh -c 'echo $$ >&3; exec yes >&3' &)"
            sleep 0.2
            """
        )
        let end = await HookFixture.run(HookFixture.launch(script, timeout: .seconds(20)))
        #expect(end.outcome == .succeeded)
        // Nobody reads the pipe any more.
        let number = try #require(pid_t(end.output.text.split(separator: "\n").first ?? ""))
        #expect(try await HookFixture.goes(number))
    }

    @Test(arguments: [Duration.zero, .milliseconds(500)])
    func `a stopped run is reported as stopped`(after: Duration) async throws {
        let script = try fixture.script("sleep 1000 & echo $!; wait")
        let end = await HookFixture.run(HookFixture.launch(script), stopAfter: after)
        #expect(end.outcome == .stopped)
        if let number = pid_t(end.output.text.dropLast()) { #expect(try await HookFixture.goes(number)) }
    }

    @Test
    func `a run that ended before it was stopped is reported with its exit status`() async throws {
        let end = await withCheckedContinuation { continuation in
            HookFixture.loop.execute {
                let launch = (try? fixture.script("exit 3")).map { HookFixture.launch($0) }
                guard let launch else { return }
                let process = HookProcess.start(launch, on: LoopGate(HookFixture.loop)) { end in
                    continuation.resume(returning: end)
                }
                HookFixture.loop.scheduleTask(in: .seconds(3)) { process.stop() }
            }
        }
        #expect(end.outcome == .exited(status: 3))
    }
}
