import Testing

@testable import ReachAgent

/// The page that is handed out again.
@Suite struct PageCacheTests {
    @Test func `a page is made once for requests in close succession, and again after an event`() {
        let cache = PageCache()
        let start = ContinuousClock.now
        var made: UInt8 = 0
        func page(_ sequence: UInt64, taken: UInt64 = 0, after time: Duration = .zero) -> [UInt8] {
            cache.page(of: PageCache.Version(sequence: sequence, taken: taken), at: start + time) {
                made += 1
                return [made]
            }
        }
        #expect(page(1) == [1])
        #expect(page(1, after: .milliseconds(249)) == [1])
        #expect(page(2, after: .milliseconds(1)) == [2])
        // The history has an event that the status had before.
        #expect(page(2, taken: 1, after: .milliseconds(2)) == [3])
        // What changes without an event.
        #expect(page(2, taken: 1, after: .milliseconds(252)) == [4])
        #expect(made == 4)
    }
}
