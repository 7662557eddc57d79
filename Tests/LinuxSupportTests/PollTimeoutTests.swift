import Testing

@testable import LinuxSupport

@Suite struct PollTimeoutTests {
    @Test(arguments: [Duration.seconds(86_401), .seconds(Int64.max / 1000), .seconds(Int64.max)])
    func `a deadline that poll cannot wait for is waited for in parts of a day`(duration: Duration) {
        #expect(PollTimeout.milliseconds(until: .now + duration) == 86_400_001)
    }

    @Test func `a deadline that has passed needs no wait, and none has no end`() {
        #expect(PollTimeout.milliseconds(until: .now - .seconds(Int64.max)) == 0)
        #expect(PollTimeout.milliseconds(until: .now) == 0)
        #expect(PollTimeout.milliseconds(until: nil) == -1)
    }
}
