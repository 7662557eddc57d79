import Logging
import Testing

@testable import ServiceSupport

/// The rate limit of log messages, at moments that the test chooses.
@Suite struct LogLimiterTests {
    private static let start = ContinuousClock.now

    /// A limiter whose clock is turned by hand.
    private struct Log {
        var limiter: LogLimiter
        var now = LogLimiterTests.start
        var written: [String] = []

        init(_ change: (inout LogLimiter.Limits) -> Void = { _ in }) {
            var limits = LogLimiter.Limits()
            change(&limits)
            limiter = LogLimiter(limits)
        }

        mutating func log(_ text: String, _ level: Logger.Level = .notice, times: Int = 1) {
            for _ in 0..<times {
                written += limiter.take(.init(level: level, text: text), at: now).map { "\($0.level): \($0.text)" }
            }
        }

        mutating func pass(_ seconds: Int) { now = now.advanced(by: .seconds(seconds)) }
        mutating func end() { written += limiter.rest().map { "\($0.level): \($0.text)" } }
    }

    @Test func `the same message passes ten times, and then its suppression is reported`() {
        var log = Log()
        log.log("gone", .warning, times: 51)
        let more = "warning: more messages like this one are suppressed for 5 min and counted"
        #expect(log.written == Array(repeating: "warning: gone", count: 10) + [more])
    }

    @Test func `suppressed messages are reported once, before the next message after the interval`() {
        var log = Log()
        log.log("gone", times: 51)
        log.written = []
        log.pass(299)
        log.log("other")
        log.pass(1)
        log.log("third")
        log.log("gone")
        #expect(
            log.written == [
                "notice: other", "notice: 41 more messages like this were suppressed: gone", "notice: third",
                "notice: gone",
            ]
        )
    }

    @Test func `suppressed messages are reported at the end, and not twice`() {
        var log = Log { $0.alike = 1 }
        log.log("gone", times: 2)
        log.written = []
        log.end()
        log.end()
        #expect(log.written == ["notice: 1 more message like this was suppressed: gone"])
        log.log("gone", times: 2)
        log.end()
        #expect(log.written.last == "notice: 2 more messages like this were suppressed: gone")
    }

    @Test func `two alternating messages are each suppressed`() {
        var log = Log()
        for _ in 0..<100 {
            log.log("web: up → down", .warning)
            log.log("web: down → up")
        }
        log.end()
        #expect(log.written.count == 2 * (10 + 1 + 1))
        #expect(log.written.last == "notice: 90 more messages like this were suppressed: web: down → up")
    }

    @Test(arguments: [
        ("failed (exit 1) in 12 ms", "failed (exit 2) in 1500 ms", true),
        ("took 1.5 s; 3 retries", "took 12 s; 4 retries", true),
        ("rate=12, limit=15", "rate=13, limit=15", true),
        ("to 192.0.2.1:443", "to 192.0.2.2:443", false),
        ("to 192.0.2.1", "to 192.0.2.2", false),
        (
            "cannot sync /j/events-00000000000000000123.index.tmp: EIO",
            "cannot sync /j/events-00000000000000000456.index.tmp: EIO", true
        ),
        (
            "cannot sync /j/events-00000000000000000123.index.tmp: EIO",
            "cannot sync /j/events-00000000000000000123.jsonl: EIO", false
        ),
        ("at 1234567890s", "at 1234567891234s", true),
        ("at 123456789s", "at 123456780s", false),
        ("probe web1: down", "probe web2: down", false),
        ("eth0 is down", "eth1 is down", false),
        ("a  b", "a b", false),
        ("", "1", false),
    ])
    func `only numbers that are words or have ten digits make no difference`(
        first: String,
        second: String,
        areAlike: Bool
    ) {
        #expect((LogLimiter.shape(of: first) == LogLimiter.shape(of: second)) == areAlike)
    }

    @Test func `the same text is another message at another level`() {
        var log = Log { $0.alike = 1 }
        log.log("gone", .notice)
        log.log("gone", .warning)
        #expect(log.written.filter { $0.hasSuffix(": gone") } == ["notice: gone", "warning: gone"])
    }

    @Test func `a flood of different messages is cut, counted by level, and reported while it lasts`() {
        var log = Log {
            $0.burst = 5
            $0.perSecond = 1
        }
        for number in 0..<30 { log.log("host-\(number)", number < 20 ? .warning : .notice) }
        #expect(log.written.count == 6)
        #expect(log.written.last == "warning: too many messages: most further ones are suppressed and counted")
        log.written = []
        for second in 1...60 {
            log.pass(1)
            log.log("later-\(second)")
        }
        // One a second passes; the number of suppressed messages is reported a minute after the flood began.
        #expect(log.written.count == 61)
        #expect(
            log.written.suffix(2) == [
                "warning: 25 messages were suppressed, because there were too many (15 warning, 10 notice)",
                "notice: later-60",
            ]
        )
        log.written = []
        log.end()
        #expect(log.written == [])
    }

    @Test func `errors have room of their own in a flood`() {
        var log = Log { $0.burst = 5 }
        for number in 0..<1000 { log.log("host-\(number)", .warning) }
        log.written = []
        log.log("the disk is full", .error)
        #expect(log.written == ["error: the disk is full"])
        for number in 0..<10 { log.log("disk-\(number)", .critical) }
        log.end()
        #expect(
            log.written.last
                == "critical: 1001 messages were suppressed, because there were too many (6 critical, 995 warning)"
        )
    }

    @Test func `ten thousand targets that fail and recover do not fill the log`() {
        var log = Log()
        // Each of them changes once a minute, for an hour.
        for minute in 0..<60 {
            for target in 0..<10_000 { log.log("probe host-\(target): changed", minute % 2 == 0 ? .warning : .notice) }
            log.pass(60)
        }
        log.end()
        #expect(log.written.count < 500 + 3600 + 100)
        let told = log.written.compactMap { line in
            line.wholeMatch(of: /.*?(\d+) messages? w.* too many .*/).flatMap { Int($0.1) }
        }
        let passed = log.written.filter { $0.hasSuffix(": changed") && !$0.contains("suppressed") }.count
        let alike = log.written.compactMap { line in
            line.wholeMatch(of: /.*?(\d+) more messages? like .*/).flatMap { Int($0.1) }
        }
        // Nothing is lost without a report.
        #expect(passed + told.reduce(0, +) + alike.reduce(0, +) == 600_000)
    }

    @Test(arguments: [Logger.Level.trace, .debug])
    func `trace and debug messages are not limited`(level: Logger.Level) {
        var log = Log { $0.burst = 1 }
        log.log("detail", level, times: 5000)
        #expect(log.written.count == 5000)
    }

    @Test func `a clock that stops or goes back does no harm`() {
        var log = Log { $0.burst = 2 }
        log.log("a", .notice)
        log.pass(-1000)
        log.log("b", .notice)
        log.log("c", .notice)
        #expect(log.written.filter { $0.count == 9 } == ["notice: a", "notice: b"])
    }
}
