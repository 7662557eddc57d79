import Testing

@testable import ReachAgent

/// The conditions under which events may expire by the wall clock.
@Suite struct ClockTrustTests {
    @Test(arguments: [
        (false, Duration.zero, false),
        (false, .seconds(86_399), false),
        (false, .seconds(86_400), true),
        (true, .zero, true),
    ]) func `a clock is trusted once it is synchronised, or after a day`(
        isSynchronized: Bool,
        uptime: Duration,
        isTrusted: Bool
    ) {
        #expect(ClockTrust.isTrusted(isSynchronized: isSynchronized, uptime: uptime) == isTrusted)
    }
}
