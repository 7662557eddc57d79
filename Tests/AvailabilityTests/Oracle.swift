import AgentEvents
import Availability

/// One subject's time, second by second, without any cleverness: every event paints all of the future.
struct Oracle {
    struct Cell: Hashable {
        /// `nil` until the next change tells the condition.
        var condition: Condition?
        var segment: Segment?

        static let noData = Cell(condition: .unknown(.noData))
        static let awaiting = Cell(condition: nil)
    }

    private(set) var cells: [Cell]
    private(set) var current = Cell.awaiting
    private var boundary: Int64 = 0

    init(seconds: Int) { cells = [Cell](repeating: .awaiting, count: seconds) }

    mutating func paint(_ start: Int64, _ end: Int64, _ cell: Cell) {
        for second in max(0, start)..<max(0, start, min(end, Int64(cells.count))) { cells[Int(second)] = cell }
    }

    private mutating func replaceAwaiting(before end: Int64, with cell: Cell) {
        for second in 0..<Int(min(end, Int64(cells.count))) where cells[second] == .awaiting { cells[second] = cell }
    }

    mutating func setBack(to second: Int64) {
        paint(second, .max, current)
        boundary = min(boundary, second)
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
        replaceAwaiting(before: start, with: .noData)
        paint(start, end, Cell(condition: .unknown(.suspended)))
        boundary = end
    }

    mutating func change(observed: Int64, published: Int64, from: Cell, to: Cell) {
        boundary = min(max(observed, boundary), published)
        replaceAwaiting(before: boundary, with: from)
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
    }

    // MARK: What a report has to say

    func tally(_ window: Range<Int>) -> [Condition: Int64] {
        var tally: [Condition: Int64] = [:]
        for cell in cells[window] { tally[cell.condition ?? .unknown(.noData), default: 0] += 1_000_000 }
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
        func isOutage(_ second: Int) -> Bool { cells[second].condition?.isOutage ?? false }
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
                let segment = cells[second].segment
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
                if case .unknown(let reason)? = cells[second].condition { ending = reason.rawValue }
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
