import Testing

@testable import ReachAgent

/// The times at which the resolver's files are read, and the contents that are a change.
@Suite struct ResolverChangesTests {
    private static let first: ResolverChanges.Contents = [Array("nameserver 192.0.2.1\n".utf8), nil]

    private static func contents(_ number: Int) -> ResolverChanges.Contents {
        [Array("nameserver 192.0.2.\(number)\n".utf8), nil]
    }

    @Test(
        arguments: [
            (first, false), (contents(2), true), ([nil, nil], true), ([[], nil], true), ([first[0], []], true),
            ([first[0], first[0]], true), ([nil, first[0]], true),
        ] as [(ResolverChanges.Contents, Bool)]
    )
    func `only bytes that differ are a change, in either file`(_ next: ResolverChanges.Contents, isChange: Bool) {
        var changes = ResolverChanges()
        let start = ContinuousClock.now
        let isFirstChange = changes.take(Self.first, at: start)
        let isNextChange = changes.take(next, at: start + .seconds(5))
        #expect(!isFirstChange && isNextChange == isChange)
    }

    @Test func `the first report is read as soon as it has settled`() {
        var changes = ResolverChanges()
        let start = ContinuousClock.now
        _ = changes.take(Self.first, at: start)
        #expect(changes.readingTime(reported: start) == start + ResolverChanges.settling)
    }

    @Test func `writes that change nothing are read once a second`() {
        var changes = ResolverChanges()
        let start = ContinuousClock.now
        _ = changes.take(Self.first, at: start)
        var now = start
        var readings = 0
        // A thousand writes a second: the next one always waits already.
        while now < start + .seconds(60) {
            now = changes.readingTime(reported: now)
            let isChange = changes.take(Self.first, at: now)
            #expect(!isChange)
            readings += 1
        }
        #expect((60...61).contains(readings))
    }

    @Test func `changes that continue count at longer and longer intervals, until a quiet time`() {
        var changes = ResolverChanges()
        let start = ContinuousClock.now
        _ = changes.take(Self.first, at: start)
        var now = start
        var intervals: [Duration] = []
        for number in 2..<11 {
            let time = changes.readingTime(reported: now)
            intervals.append(time - now)
            let isChange = changes.take(Self.contents(number), at: time)
            #expect(isChange)
            now = time
        }
        #expect(intervals == [.milliseconds(100)] + [1, 2, 4, 8, 16, 32, 32, 32].map { Duration.seconds($0) })
        now += .seconds(65)
        #expect(changes.readingTime(reported: now) == now + ResolverChanges.settling)
        _ = changes.take(Self.first, at: now)
        #expect(changes.readingTime(reported: now) == now + ResolverChanges.shortestPause)
    }
}
