import AgentTestKit
import Glibc
import Testing

@testable import Hooks

@Suite
struct HookFileRefusalTests {
    @Test(arguments: HookFileFault.all.filter { !$0.takesRoot })
    func `a faulty file is refused, and the remedy of the refusal fixes it`(fault: HookFileFault) async throws {
        try await check(fault)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: HookFileFault.all.filter(\.takesRoot)
    )
    func `a file of another user is refused, and the remedy of the refusal fixes it`(
        fault: HookFileFault
    ) async throws {
        try await check(fault)
    }

    private func check(_ fault: HookFileFault) async throws {
        let scratch = try ScratchDirectory()
        try fault.make(scratch)
        let culprit = fault.culprit.hasPrefix("/") ? fault.culprit : scratch(fault.culprit)
        // A remedy that needs more than its command is mended by the test.
        let remedy = fault.remedy.replacing("PATH", with: culprit)
        let command = fault.mend == nil ? remedy : remedy.hasPrefix("rm ") ? "rm \(culprit)" : nil
        let refusal = HookRefusal(
            fault.code,
            path: culprit,
            evidence: fault.evidence.replacing("PATH", with: culprit).replacing("HOOK", with: scratch("hook"))
                .replacing("SCRATCH", with: scratch.path),
            remedy: remedy,
            command: command
        )
        #expect(throws: refusal) { try HookFile.open(scratch("hook"), runAs: fault.runAs) }

        if let mend = fault.mend {
            try mend(scratch)
        } else {
            let shell = try await FinishedCommand.run(["-c", refusal.remedy], of: "/bin/sh")
            #expect(shell.status == 0, "\(shell.error)")
        }
        #expect(throws: Never.self) { try HookFile.open(scratch("hook"), runAs: fault.runAs) }
    }
}
