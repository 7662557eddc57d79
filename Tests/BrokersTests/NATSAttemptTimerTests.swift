import Testing

@testable import Brokers

/// The timeout of an attempt to connect, for each address of a name.
struct NATSAttemptTimerTests {
    private static let start = ContinuousClock.now

    @Test func `an address that does not answer leaves the whole timeout for the next one`() {
        var timer = NATSAttemptTimer(at: Self.start)
        #expect(!timer.wasInterrupted)
        for number in 1...3 {
            let now = Self.start + .seconds(20 * number)
            let ends = timer.interrupt(at: now, isConnected: false)
            #expect(!ends && timer.start == now && timer.wasInterrupted)
        }
    }

    @Test func `a connection whose server says nothing is shut down at the second interruption`() {
        var timer = NATSAttemptTimer(at: Self.start)
        let ends = [(20, true), (22, true), (24, false)].map { second, isConnected in
            timer.interrupt(at: Self.start + .seconds(second), isConnected: isConnected)
        }
        #expect(ends == [false, true, true])
        #expect(timer.start == Self.start, "no more time for the same address")
    }

    @Test func `a silent server after an address that does not answer is shut down too`() {
        var timer = NATSAttemptTimer(at: Self.start)
        let ends = [(20, false), (40, true), (42, true)].map { second, isConnected in
            timer.interrupt(at: Self.start + .seconds(second), isConnected: isConnected)
        }
        #expect(ends == [false, false, true])
    }
}
