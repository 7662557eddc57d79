import Testing

@testable import ReachAgent

/// The checks and reloads that each user may request.
struct UserRequestsTests {
    private let start = ContinuousClock.Instant.now

    @Test(arguments: [(5, 40), (100, 40), (500, 40), (1000, 40)])
    func `a user has a burst at once, and then a few in each second`(milliseconds: Int, accepted: Int) {
        let requests = UserRequests.checks()
        // Over 10 s, or 20 requests that are farther apart than the rate.
        let count = milliseconds < 1000 ? 10_000 / milliseconds : 30
        let answers = (0...count).map { requests.delay(of: 1000, at: start + .milliseconds(milliseconds) * $0) }
        let passed = answers.count { $0 == nil }
        // Sums of tenths are not exact: one more or less.
        #expect(abs(passed - min(accepted, count + 1)) <= 1)
        #expect(answers.compactMap(\.self).allSatisfy { $0 > .zero && $0 <= .milliseconds(500) })
    }

    @Test func `the delay of a rejected request ends when the next one is accepted, and no sooner`() throws {
        let requests = UserRequests.checks()
        for _ in 0..<requests.burst { #expect(requests.delay(of: 1000, at: start) == nil) }
        let delay = try #require(requests.delay(of: 1000, at: start))
        #expect(requests.delay(of: 1000, at: start + delay - .milliseconds(1)) != nil)
        #expect(requests.delay(of: 1000, at: start + delay + .milliseconds(1)) == nil)
    }

    @Test func `one user's requests take nothing from another's, and many users' are forgotten in time`() {
        let requests = UserRequests.checks()
        while requests.delay(of: 1000, at: start) == nil {}
        #expect(requests.delay(of: 0, at: start) == nil)
        for user in 2000..<4000 as Range<UInt32> { _ = requests.delay(of: user, at: start) }
        #expect(requests.delay(of: 5000, at: start) == .seconds(1))
        #expect(requests.delay(of: 5000, at: start + .seconds(60)) == nil)
    }
}
