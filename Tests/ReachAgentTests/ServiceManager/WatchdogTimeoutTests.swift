import Testing

@testable import ReachAgent

@Suite struct WatchdogTimeoutTests {
    @Test(arguments: [
        ("180000000" as String?, nil as String?, .seconds(180) as Duration?),
        ("180000000", "42", .seconds(180)),
        ("1", nil, .microseconds(1)),
        ("180000000", "43", nil),
        ("180000000", "x", nil),
        ("0", nil, nil),
        ("-5", nil, nil),
        ("", nil, nil),
        ("3min", nil, nil),
        ("99999999999999999999999999", nil, nil),
        (nil, "42", nil),
    ])
    func `the time is that of the environment, if it is meant for this process`(
        microseconds: String?,
        process: String?,
        expected: Duration?
    ) {
        let timeout = WatchdogTimeout(
            in: ["WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process].compactMapValues(\.self),
            of: 42
        )
        #expect(timeout?.duration == expected)
    }

    @Test func `a sign of life is given in half the time`() {
        #expect(WatchdogTimeout(in: ["WATCHDOG_USEC": "3000000"], of: 42)?.interval == .milliseconds(1500))
    }
}
