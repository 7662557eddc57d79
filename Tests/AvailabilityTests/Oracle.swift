import AgentEvents
import Availability
import Glibc

/// One subject's time, second by second, without any cleverness: every event paints all of the future.
struct Oracle {
    struct Cell: Hashable {
        /// `nil` until the next change tells the condition.
        var condition: Condition?
        var segment: Segment?

        static let noData = Cell(condition: .unknown(.noData))
        static let awaiting = Cell(condition: nil)
    }

    /// A byte a second, the number of its cell in the palette: memset(3) and memchr(3) do the walking, because ten
    /// thousand timelines of structures take minutes in a program that is not optimized.
    private var seconds: [UInt8]
    private var palette = [Cell.awaiting]
    private static let awaiting: UInt8 = 0
    private(set) var current = Cell.awaiting
    private var boundary: Int64 = 0
    /// The seconds that an earlier run of the agent recorded, which nothing paints again: 1 for each of these.
    private var recorded: [UInt8]
    /// The states that are known for the other seconds up to the end of an earlier run; 0 for nothing.
    private var between: [UInt8]
    /// The first second that was painted since the last run ended.
    private var firstPainted = 0
    /// The seconds at whose beginning the present run says that something answers, also if none of the second is known.
    private var answers: Set<Int> = []
    /// The same of earlier runs, as far as the second before is theirs.
    private var earlierAnswers: Set<Int> = []

    init(seconds: Int) {
        self.seconds = [UInt8](repeating: Self.awaiting, count: seconds)
        recorded = [UInt8](repeating: 0, count: seconds)
        between = recorded
    }

    private mutating func code(of cell: Cell) -> UInt8 {
        if let known = palette.firstIndex(of: cell) { return UInt8(known) }
        palette.append(cell)
        return UInt8(palette.count - 1)
    }

    private func cell(_ second: Int) -> Cell { palette[Int(seconds[second])] }

    mutating func paint(_ start: Int64, _ end: Int64, _ cell: Cell) {
        let (first, last) = (Int(max(0, start)), Int(min(end, Int64(seconds.count))))
        guard first < last else { return }
        let code = code(of: cell)
        firstPainted = min(firstPainted, first)
        var second = first
        while second < last {
            let isFree = recorded[second] == 0
            let end = position(ofRecorded: isFree ? 1 : 0, from: second, to: last)
            if isFree {
                seconds.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    memset(base + second, Int32(code), end - second)
                }
            }
            second = end
        }
    }

    private func position(ofRecorded flag: Int32, from start: Int, to end: Int) -> Int {
        recorded.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, flag, end - start) else { return end }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    private mutating func replaceAwaiting(before end: Int64, with cell: Cell) {
        let end = Int(min(end, Int64(seconds.count)))
        let code = code(of: cell)
        seconds.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var second = 0
            while second < end, let found = memchr(base + second, Int32(Self.awaiting), end - second) {
                second = base.distance(to: UnsafeMutableRawPointer(found))
                bytes[second] = code
                second += 1
            }
        }
    }

    mutating func setBack(to second: Int64) {
        paint(second, .max, current)
        boundary = min(boundary, second)
        answers = answers.filter { $0 < second }
        noteAnswer(current)
    }

    private mutating func noteAnswer(_ cell: Cell) {
        if [.full, .partial].contains(cell.condition) { answers.insert(Int(boundary)) }
    }

    /// True for each cell of the palette about which a run may know more.
    private var isUnrecorded: [Bool] {
        let unrecorded: [Condition] = [.unknown(.noData), .unknown(.agentOff), .unknown(.agentCrashed)]
        return palette.map { $0.condition.map(unrecorded.contains) ?? true }
    }

    /// Ends a run: what is known about the time up to its end stays.
    mutating func endRun(at end: Int64) {
        replaceAwaiting(before: end, with: .noData)
        let isUnrecorded = isUnrecorded
        let end = min(Int(end), seconds.count)
        let own = ownAnswers
        answers = []
        var second = firstPainted
        firstPainted = max(firstPainted, end)
        while second < end {
            if !isUnrecorded[Int(seconds[second])] {
                recorded[second] = 1
            } else if between[second] == 0 {
                between[second] = seconds[second]
            }
            second += 1
        }
        earlierAnswers.formUnion(own.filter { recorded[$0 - 1] == 1 })
    }

    /// The answers at the ends of seconds that no earlier run recorded.
    private var ownAnswers: Set<Int> { answers.filter { $0 > 0 && $0 <= seconds.count && recorded[$0 - 1] == 0 } }

    /// A time about which nothing is known, and after which the state continues.
    mutating func leap(from start: Int64, to end: Int64) {
        replaceAwaiting(before: start, with: .noData)
        paint(start, end, .noData)
        boundary = end
    }

    mutating func interrupt(from start: Int64, to end: Int64, _ reason: Condition.UnknownReason) {
        replaceAwaiting(before: start, with: .noData)
        paint(start, end, Cell(condition: .unknown(reason)))
        current = .awaiting
        paint(end, .max, current)
        boundary = end
    }

    mutating func suspend(from start: Int64, to end: Int64) {
        let start = max(start, boundary)
        paint(start, end, Cell(condition: .unknown(.suspended)))
        boundary = end
    }

    mutating func change(observed: Int64, published: Int64, from: Cell, to: Cell) {
        boundary = min(max(observed, boundary), published)
        replaceAwaiting(before: boundary, with: from)
        if current == .awaiting { noteAnswer(from) }
        noteAnswer(to)
        current = to
        paint(boundary, .max, to)
    }

    /// Puts what was painted last down to a segment, as far as nothing else was painted since.
    mutating func attribute(_ segment: Segment) {
        current.segment = segment
        paint(boundary, .max, current)
    }

    mutating func finish(at second: Int64, _ reason: Condition.UnknownReason) {
        replaceAwaiting(before: .max, with: .noData)
        paint(second, .max, Cell(condition: .unknown(reason)))
        let isUnrecorded = isUnrecorded
        for second in seconds.indices where between[second] > 0 && isUnrecorded[Int(seconds[second])] {
            seconds[second] = between[second]
        }
    }

    // MARK: What a report has to say

    func tally(_ window: Range<Int>) -> [Condition: Int64] {
        var counts = [Int64](repeating: 0, count: palette.count)
        seconds.withUnsafeBytes { bytes in
            var second = window.lowerBound
            while second < window.upperBound {
                counts[Int(bytes[second])] += 1_000_000
                second += 1
            }
        }
        var tally: [Condition: Int64] = [:]
        for (cell, count) in zip(palette, counts) where count > 0 {
            tally[cell.condition ?? .unknown(.noData), default: 0] += count
        }
        return tally
    }

    struct FoundOutage: Hashable {
        var begin: Int
        var end: Int
        var isContinued: Bool
        var ending: String
        var segment: Segment?
    }

    func outages(_ window: Range<Int>) -> [FoundOutage] {
        let outageCodes = palette.map { $0.condition?.isOutage ?? false }
        func isOutage(_ second: Int) -> Bool { outageCodes[Int(seconds[second])] }
        let answers = ownAnswers.union(earlierAnswers)
        var outages: [FoundOutage] = []
        var second = window.lowerBound
        while second < window.upperBound {
            guard isOutage(second) else {
                second += 1
                continue
            }
            let begin = second
            var segments: [(segment: Segment?, seconds: Int)] = []
            while second < window.upperBound, isOutage(second) {
                let segment = cell(second).segment
                if let known = segments.firstIndex(where: { $0.segment == segment }) {
                    segments[known].seconds += 1
                } else {
                    segments.append((segment, 1))
                }
                second += 1
            }
            var ending = "window_end"
            if second < window.upperBound {
                ending = "recovered"
                if case .unknown(let reason)? = cell(second).condition, !answers.contains(second) {
                    ending = reason.rawValue
                }
            }
            let most = segments.map(\.seconds).max() ?? 0
            outages.append(
                FoundOutage(
                    begin: begin,
                    end: second,
                    isContinued: begin > 0 && isOutage(begin - 1),
                    ending: ending,
                    segment: segments.first { $0.seconds == most }?.segment
                )
            )
        }
        return outages
    }
}
