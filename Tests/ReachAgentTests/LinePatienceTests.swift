import Dispatch
import Testing

@testable import AgentTestKit

/// The watchdog of the tests that wait for lines: an end that it has made is no end that a test may expect.
struct LinePatienceTests {
    private let source = AsyncStream<String>.makeStream()

    /// Waits for a line, and returns it with the issues.
    private func line(within time: DispatchTimeInterval) async -> (String?, [String]) {
        var issues: [String] = []
        let end = { @Sendable [source] in source.1.finish() }
        let line = await LinePatience.line(from: "x", within: time, end: end, report: { issues.append($0) }) {
            var iterator = source.0.makeAsyncIterator()
            return await iterator.next()
        }
        return (line, issues)
    }

    @Test func `an end that comes only because nothing else did is an issue`() async {
        let (line, issues) = await line(within: .milliseconds(1))
        #expect(line == nil)
        #expect(issues == ["neither a line nor the end came in time from: x"])
    }

    @Test func `a line and an end that come by themselves are none`() async {
        source.1.yield("a")
        source.1.finish()
        for expected in ["a", nil] {
            let (line, issues) = await line(within: .seconds(30))
            #expect(line == expected && issues.isEmpty)
        }
    }
}
