internal import Glibc

/// The share of a journal that was read, on the last line of a terminal, where reading takes a while.
struct ReadingProgress {
    /// The time after which there is something to see.
    private static let delay: Duration = .milliseconds(500)
    /// The time between two changes.
    private static let interval: Duration = .milliseconds(100)

    private let last: UInt64
    /// The number with which reading began, once it is known.
    private var first: UInt64?
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let hasOutput = isatty(STDOUT_FILENO) == 1
    private var due = ContinuousClock.now + delay
    private var isShown = false

    /// The progress through the numbers of events up to the last one, of which many may be missing.
    init(through last: UInt64) { self.last = last }

    /// Shows how far reading has come, where it is time.
    mutating func note(_ sequence: UInt64) {
        let first = first ?? sequence
        self.first = first
        guard isTerminal, due <= .now, first <= sequence, sequence <= last else { return }
        due = .now + Self.interval
        isShown = true
        let share = Double(sequence - first) / Double(max(1, last - first))
        Self.write("\rreading the journal: \(Int(share * 100)) %")
    }

    /// Removes the line before something is printed on the terminal, which shows progress itself.
    mutating func makeRoom() {
        guard hasOutput else { return }
        end()
        due = .now + Self.delay
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
