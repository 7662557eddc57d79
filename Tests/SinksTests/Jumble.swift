import AgentTestKit

/// Texts of random pieces, the same in every run.
struct Jumble {
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(state: seed) }

    mutating func text(of pieces: [String]) -> String {
        (0..<Int(random.next() % 12)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
    }
}
