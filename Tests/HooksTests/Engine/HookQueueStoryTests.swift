import Testing

@testable import Hooks

/// Long random stories: whatever happens in whichever order, nothing is lost without being counted.
@Suite
struct HookQueueStoryTests {
    /// Numbers that are the same for the same seed.
    private struct Story: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    /// A queue with what it should have counted.
    private struct Player {
        var queue: HookQueue<Int>
        let pace: HookPace
        var now = SuspendingClock.Instant.now
        var offered = 0
        var delivered: [Int] = []
        var supersededInRuns = 0

        init(_ pace: HookPace) {
            self.pace = pace
            queue = HookQueue(pace)
        }

        mutating func begin() {
            while let start = queue.next(at: now) {
                delivered.append(start.element)
                supersededInRuns += start.superseded
            }
        }
    }

    private func check(_ player: Player) {
        #expect(player.queue.running <= player.pace.concurrency)
        #expect(player.queue.waiting <= (player.pace.queue == .latest ? 1 : HookPace.maximumWaiting))
        #expect(Int(player.queue.superseded) + player.delivered.count + player.queue.waiting == player.offered)
        #expect(player.queue.wake.map { $0 > player.now } ?? true)
    }

    @Test(arguments: 1...200)
    func `each event is started in order, or counted, or waits; and the newest is never lost`(seed: Int) {
        var story = Story(state: UInt64(seed))
        let pace = HookPace(
            concurrency: Int.random(in: 1...4, using: &story),
            queue: Bool.random(using: &story) ? .latest : .all,
            debounce: [.zero, .milliseconds(30), .seconds(2)].randomElement(using: &story) ?? .zero
        )
        var player = Player(pace)
        for _ in 0..<500 {
            switch Int.random(in: 0..<10, using: &story) {
            case 0..<5:
                player.offered += 1
                player.queue.offer(player.offered, at: player.now)
            case 5..<8 where player.queue.running > 0:
                let ending: HookQueue<Int>.Ending =
                    [.succeeded, .failed, .stopped].randomElement(using: &story) ?? .failed
                player.queue.ended(ending, at: player.now)
            default: player.now = player.now.advanced(by: .milliseconds(Int.random(in: 0...200, using: &story)))
            }
            player.begin()
            check(player)
        }
        // Then nothing comes any more: everything that waits is begun when the queue said it would be.
        for _ in 0..<1000 where !player.queue.isIdle {
            if player.queue.running > 0 {
                player.queue.ended(.failed, at: player.now)
            } else if let wake = player.queue.wake {
                player.now = wake
            }
            player.begin()
            check(player)
        }
        #expect(player.queue.isIdle)
        #expect(player.delivered.last == player.offered)
        #expect(zip(player.delivered, player.delivered.dropFirst()).allSatisfy { $0 < $1 })
        #expect(player.supersededInRuns == Int(player.queue.superseded))
    }
}
