/// The known word that somebody probably meant.
enum KeySuggestion {
    /// The word at an edit distance of at most two, else one that the text begins or is the beginning of.
    static func nearest(to text: String, among words: [String]) -> String? {
        let text = text.lowercased()
        let (length, scalars) = (text.utf8.count, Array(text.unicodeScalars))
        guard (1...64).contains(length) else { return nil }
        // A short word is near to too many others.
        let most = scalars.count <= 4 ? 1 : 2
        let distances = words.map { (word: $0, distance: distance(scalars, Array($0.unicodeScalars))) }
        if let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= most { return best.word }
        guard length >= 3 else { return nil }
        let related = words.filter { $0.hasPrefix(text) || text.hasPrefix($0) && $0.utf8.count >= 3 }
        return related.min { abs($0.utf8.count - length) < abs($1.utf8.count - length) }
    }

    /// The number of letters to insert, to delete, to replace or to exchange with their neighbour.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, scalar) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column] + (scalar == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
