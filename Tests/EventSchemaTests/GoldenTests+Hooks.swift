import AgentEvents
import Foundation
import Testing

@testable import Hooks
@testable import ReachAgent

/// The events about hooks.
extension GoldenTests {
    static let refusal = HookRefusal(
        .writable,
        path: "/etc/reachagent/hooks.d/10-log",
        evidence: "mode 0777: its group and everybody can write to it",
        remedy: "chmod go-w /etc/reachagent/hooks.d/10-log",
        command: "chmod go-w /etc/reachagent/hooks.d/10-log"
    )

    static func completion(
        _ hook: String,
        _ kind: HookKind,
        _ outcome: HookRunEnd.Outcome,
        _ change: (inout HookCompletion) -> Void = { _ in }
    ) -> HookCompletion {
        var completion = HookCompletion(
            hook: hook,
            kind: kind.rawValue,
            trigger: "reachability.changed",
            triggerSequence: 41,
            superseded: 0,
            ending: HookEnding(
                HookRunEnd(outcome: outcome, duration: .milliseconds(1234), attempts: 1),
                of: kind
            ),
            delayMilliseconds: 2,
            failures: 0
        )
        change(&completion)
        return completion
    }

    static let failed = completion("vpn", .command, .exited(status: 3)) { completion in
        completion.superseded = 12
        completion.failures = 4
        completion.pausedMilliseconds = 2000
        completion.output = "wg: \"wg0\"\u{1B}[2J\n\u{7}Unable to access interface: \u{FFFD}\u{202E}\n\n"
        (completion.outputBytes, completion.outputOmittedBytes) = (100_000_000, 99_995_904)
    }

    static let undelivered = completion(
        "chat",
        .webhook,
        .undelivered(code: "http_status", detail: "503; wanted 200-299")
    ) { completion in
        (completion.ending.attempts, completion.ending.httpStatus) = (6, 503)
        completion.ending.durationMilliseconds = 63_000
        completion.trigger = "probe.changed"
    }

    static let hookCompletions: [(name: String, completion: HookCompletion)] = [
        (
            "hook.completed",
            completion("10-log", .file, .succeeded) { ($0.output, $0.outputBytes) = ("logged\n", 7) }
        ),
        ("hook.completed.exited", failed),
        (
            "hook.completed.signaled",
            completion("wifi.d/20-led", .file, .signaled(SIGSEGV)) { completion in
                completion.failures = 1
                completion.triggerSequence = nil
            }
        ),
        (
            "hook.completed.timed_out",
            completion("slow", .command, .timedOut) { completion in
                completion.ending.durationMilliseconds = 30_004
                completion.failures = 1
                completion.superseded = 1
            }
        ),
        (
            "hook.completed.refused",
            completion("10-log", .file, .refused(refusal)) { completion in
                completion.ending.durationMilliseconds = 0
                completion.failures = 2
            }
        ),
        (
            "hook.completed.not_started",
            completion("vpn", .command, .notStarted(reason: "Resource temporarily unavailable")) { completion in
                completion.ending.durationMilliseconds = 0
                completion.failures = 1
            }
        ),
        ("hook.completed.stopped", completion("vpn", .command, .stopped)),
        ("hook.completed.undelivered", undelivered),
        ("hook.completed.delivered", completion("chat", .webhook, .succeeded) { $0.ending.httpStatus = 204 }),
        (
            "hook.completed.not_sent",
            completion("chat", .webhook, .stopped) { completion in
                (completion.ending.attempts, completion.ending.durationMilliseconds) = (0, 0)
                completion.superseded = 3
                completion.delayMilliseconds = 3_600_000
            }
        ),
    ]

    static let hookDrafts = hookCompletions.map { (name: $0.name, draft: EventDraft($0.completion)) }

    static func status(
        _ hook: String,
        _ kind: HookKind = .file,
        runs: UInt64 = 0,
        failures: Int = 0,
        last: HookCompletion? = nil
    ) -> AgentStatus.HookStatus {
        AgentStatus.HookStatus(
            hook: hook,
            kind: kind.rawValue,
            runs: runs,
            failedRuns: UInt64(failures),
            superseded: 0,
            running: 0,
            waiting: 0,
            failures: failures,
            last: last.map { last in
                .init(
                    ending: last.ending,
                    ended: Timestamp(date(0)),
                    trigger: last.trigger,
                    triggerSequence: last.triggerSequence,
                    output: last.output.flatMap(SummaryText.lastLine)
                )
            }
        )
    }

    static let hookStatuses: [AgentStatus.HookStatus] = {
        let good = status("10-log", runs: 132, last: hookCompletions[0].completion)
        var failing = status("vpn", .command, runs: 9, failures: 4, last: failed)
        (failing.superseded, failing.pausedMilliseconds, failing.waiting) = (12, 2000, 1)
        let refusedRun = completion("20-led", .file, .refused(refusal)) { $0.ending.durationMilliseconds = 0 }
        let refused = status("20-led", runs: 1, failures: 1, last: refusedRun)
        var doubtful = status("chat", .webhook, runs: 2, failures: 1, last: undelivered)
        (doubtful.running, doubtful.waitsForNetwork) = (1, true)
        return [good, refused, doubtful, failing, status("zero", .command)]
    }()

    @Test func `hook results are summarized in words that say what to do`() {
        #expect(
            Self.hookDrafts.map(\.draft.summary) == [
                "hook 10-log succeeded after 1.2 s [reachability.changed #41]",
                "hook vpn failed: exit status 3 after 1.2 s [reachability.changed #41], 12 earlier events dropped, "
                    + "4 times in a row, backs off for 2 s; \u{7}Unable to access interface: \u{FFFD}\u{202E}",
                "hook wifi.d/20-led failed: ended by SIGSEGV after 1.2 s [reachability.changed]",
                "hook slow failed: timed out (killed) after 30 s [reachability.changed #41], "
                    + "1 earlier event dropped",
                "hook 10-log refused: /etc/reachagent/hooks.d/10-log: mode 0777: its group and everybody can write to "
                    + "it [hook_writable] [reachability.changed #41], 2 times in a row; "
                    + "chmod go-w /etc/reachagent/hooks.d/10-log",
                "hook vpn not started: Resource temporarily unavailable [reachability.changed #41]",
                "hook vpn ended with the agent after 1.2 s [reachability.changed #41]",
                "hook chat failed: HTTP 503 [http_status] after 6 attempts, 1 min 3 s; 503; wanted 200-299 "
                    + "[probe.changed #41]",
                "hook chat succeeded: HTTP 204 after 1.2 s [reachability.changed #41]",
                "hook chat not sent before the agent stopped [reachability.changed #41], 3 earlier events dropped",
            ]
        )
    }

    @Test(arguments: [
        (0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (1249, "1.2 s"), (59_999, "59.9 s"), (60_000, "1 min"),
        (200_000, "3 min 20 s"), (-5, "0 ms"), (Int64.max, "106751991167 d 7 h"),
    ])
    func `a hook's duration is written for people`(_ milliseconds: Int64, _ text: String) {
        #expect(SummaryText.lasting(milliseconds: milliseconds) == text)
    }

    @Test func `the last non-empty line of an output is shown, up to a limit`() {
        #expect(SummaryText.lastLine("") == nil)
        #expect(SummaryText.lastLine("\n \t\r\n") == nil)
        #expect(SummaryText.lastLine("one\r\n  two\r\n\r\n") == "two")
        let long = SummaryText.lastLine(String(repeating: "é", count: 5000))
        #expect(long == String(repeating: "é", count: 200) + "...")
        let combined = "e" + String(repeating: "\u{301}", count: 5000)
        #expect(SummaryText.lastLine(combined)?.unicodeScalars.count == 203)
    }
}
