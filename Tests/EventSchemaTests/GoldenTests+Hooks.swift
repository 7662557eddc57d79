import EventEnvelope
import Foundation
import Hooks
import Testing

@testable import EventSchema

/// What is told of hooks.
extension GoldenTests {
    static let refusal = HookRefusal(
        .writable,
        path: "/etc/reachagent/hooks.d/10-log",
        evidence: "mode 0777: its group and everybody can write to it",
        remedy: "chmod go-w /etc/reachagent/hooks.d/10-log"
    )

    static func completion(
        _ hook: String,
        _ kind: HookCompletion.Kind,
        _ outcome: HookCompletion.Outcome,
        _ change: (inout HookCompletion) -> Void = { _ in }
    ) -> HookCompletion {
        var completion = HookCompletion(
            hook: hook,
            kind: kind,
            trigger: .reachabilityChanged,
            sequence: 41,
            outcome: outcome,
            delay: .microseconds(2300),
            duration: .milliseconds(1234)
        )
        change(&completion)
        return completion
    }

    static let failed = completion("vpn", .command, .exited(status: 3)) { completion in
        completion.superseded = 12
        completion.failures = 4
        completion.pause = .seconds(2)
        completion.output = HookOutput(
            text: "wg: \"wg0\"\u{1B}[2J\n\u{7}Unable to access interface: \u{FFFD}\u{202E}\n\n",
            bytes: 100_000_000,
            omittedBytes: 99_995_904
        )
    }

    static let undelivered = completion(
        "chat",
        .webhook,
        .undelivered(code: "http_status", detail: "503; wanted 200-299")
    ) { completion in
        (completion.attempts, completion.httpStatus) = (6, 503)
        completion.duration = .milliseconds(63_000)
        completion.trigger = .probeChanged
    }

    static let hookCompletions: [(name: String, completion: HookCompletion)] = [
        (
            "hook.completed",
            completion("10-log", .folder, .succeeded) { $0.output = HookOutput(text: "logged\n", bytes: 7) }
        ),
        ("hook.completed.exited", failed),
        (
            "hook.completed.signaled",
            completion("wifi.d/20-led", .folder, .signaled(SIGSEGV)) { completion in
                completion.failures = 1
                completion.sequence = nil
            }
        ),
        (
            "hook.completed.timed_out",
            completion("slow", .command, .timedOut) { completion in
                completion.duration = .milliseconds(30_004)
                completion.failures = 1
                completion.superseded = 1
            }
        ),
        (
            "hook.completed.refused",
            completion("10-log", .folder, .refused(refusal)) { completion in
                completion.duration = .zero
                completion.attempts = 0
                completion.failures = 2
            }
        ),
        (
            "hook.completed.not_started",
            completion("vpn", .command, .notStarted(reason: "Resource temporarily unavailable")) { completion in
                completion.duration = .zero
                completion.attempts = 0
                completion.failures = 1
            }
        ),
        ("hook.completed.stopped", completion("vpn", .command, .stopped)),
        ("hook.completed.undelivered", undelivered),
        ("hook.completed.delivered", completion("chat", .webhook, .succeeded) { $0.httpStatus = 204 }),
    ]

    static let hookDrafts = hookCompletions.map { (name: $0.name, draft: EventDraft($0.completion)) }

    static let standings: [HookStanding] = {
        var good = HookStanding(hook: "10-log", kind: .folder)
        (good.runs, good.last) = (132, hookCompletions[0].completion)
        good.lastEnded = date(0)
        var failing = HookStanding(hook: "vpn", kind: .command)
        (failing.runs, failing.failedRuns, failing.superseded) = (9, 4, 12)
        (failing.failures, failing.pause, failing.waiting) = (4, .seconds(2), 1)
        (failing.last, failing.lastEnded) = (failed, date(0))
        var refused = HookStanding(hook: "20-led", kind: .folder)
        (refused.runs, refused.failedRuns, refused.failures) = (1, 1, 1)
        refused.last = completion("20-led", .folder, .refused(refusal)) { $0.duration = .zero }
        refused.lastEnded = date(0)
        var doubtful = HookStanding(hook: "chat", kind: .webhook)
        (doubtful.runs, doubtful.failedRuns, doubtful.failures, doubtful.running) = (2, 1, 1, 1)
        (doubtful.last, doubtful.lastEnded) = (undelivered, date(0))
        return [good, refused, doubtful, failing, HookStanding(hook: "zero", kind: .command)]
    }()

    @Test func `how runs of hooks went is told in words that say what to do`() {
        #expect(
            Self.hookDrafts.map(\.draft.summary) == [
                "hook 10-log succeeded after 1.2 s [reachability.changed 41]",
                "hook vpn failed: exit status 3 after 1.2 s [reachability.changed 41], 12 events before it dropped, "
                    + "4 times in a row, left alone for 2 s; \u{7}Unable to access interface: \u{FFFD}\u{202E}",
                "hook wifi.d/20-led failed: ended by SIGSEGV after 1.2 s [reachability.changed]",
                "hook slow failed: not done in time, and ended after 30 s [reachability.changed 41], "
                    + "1 event before it dropped",
                "hook 10-log refused: /etc/reachagent/hooks.d/10-log: mode 0777: its group and everybody can write to "
                    + "it [hook_writable] [reachability.changed 41], 2 times in a row; "
                    + "chmod go-w /etc/reachagent/hooks.d/10-log",
                "hook vpn not started: Resource temporarily unavailable [reachability.changed 41]",
                "hook vpn ended with the agent after 1.2 s [reachability.changed 41]",
                "hook chat failed: HTTP 503 [http_status] after 6 attempts, 1 min 3 s; 503; wanted 200-299 "
                    + "[probe.changed 41]",
                "hook chat succeeded: HTTP 204 after 1.2 s [reachability.changed 41]",
            ]
        )
    }

    @Test(arguments: [
        (0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (1249, "1.2 s"), (59_999, "59.9 s"), (60_000, "1 min"),
        (200_000, "3 min 20 s"), (-5, "0 ms"), (Int64.max, "106751991167 d 7 h"),
    ])
    func `a time that a hook took is told as people tell it`(_ milliseconds: Int64, _ text: String) {
        #expect(SummaryText.lasting(milliseconds: milliseconds) == text)
    }

    @Test func `of an output the last line that says something is told, and not too much of it`() {
        #expect(SummaryText.lastLine("") == nil)
        #expect(SummaryText.lastLine("\n \t\r\n") == nil)
        #expect(SummaryText.lastLine("one\r\n  two\r\n\r\n") == "two")
        let long = SummaryText.lastLine(String(repeating: "é", count: 5000))
        #expect(long == String(repeating: "é", count: 200) + "...")
        let combined = "e" + String(repeating: "\u{301}", count: 5000)
        #expect(SummaryText.lastLine(combined)?.unicodeScalars.count == 203)
    }
}
