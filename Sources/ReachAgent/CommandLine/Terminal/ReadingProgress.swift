internal import Glibc

/// The share of a journal that was read, on the last line of a terminal, where reading takes a while.
struct ReadingProgress {
    /// The time after which there is something to see.
    private static let delay: Duration = .milliseconds(500)
    /// The time between two changes.
    private static let interval: Duration = .milliseconds(100)

    private let numbers: ClosedRange<UInt64>
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var due = ContinuousClock.now + delay
    private var isShown = false

    /// The progress through the numbers of events, of which many may be missing.
    init(over numbers: ClosedRange<UInt64>) { self.numbers = numbers }

    /// Shows how far reading has come, where it is time.
    mutating func note(_ sequence: UInt64) {
        guard isTerminal, due <= .now, numbers.contains(sequence) else { return }
        due = .now + Self.interval
        isShown = true
        let share = Double(sequence - numbers.lowerBound) / Double(max(1, numbers.upperBound - numbers.lowerBound))
        Self.write("\rreading the journal: \(Int(share * 100)) %")
    }

    /// Removes the line.
    mutating func end() {
        guard isShown else { return }
        isShown = false
        Self.write("\r\u{1B}[K")
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
