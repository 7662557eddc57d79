/// Suggests the known word that a misspelled one probably stands for.
package enum KeySuggestion {
    /// The maximum number of words to compare a text with.
    private static let maxWords = 1000

    /// Returns the word of ours for one of other programs, else the word at an edit distance of at most three, else one
    /// that has the text as its prefix or is a prefix of it.
    package static func nearest(to text: String, among words: [String]) -> String? {
        guard (1...64).contains(text.utf8.count) else { return nil }
        let (text, words) = (text.lowercased(), words.prefix(maxWords))
        let (length, scalars) = (text.utf8.count, Array(text.unicodeScalars))
        // Before all others: 'wlan' is one letter from 'wwan', which is a paid link.
        if let word = synonym(of: text, among: Array(words)) { return word }
        // So is 'wlan0' from 'wwan0': the name of an interface is close to those of its own medium only.
        let isInterface = medium(ofInterface: text) != nil
        // A short word is close to too many others.
        let maxDistance = scalars.count <= 4 ? 1 : scalars.count <= 10 ? 2 : 3
        let candidates = isInterface ? words.filter { $0.hasPrefix(text.prefix(2)) }[...] : words
        let distances = candidates.compactMap { word -> (word: String, distance: Int)? in
            let other = Array(word.unicodeScalars)
            // The distance is at least the difference in length.
            guard abs(other.count - scalars.count) <= maxDistance else { return nil }
            return (word, distance(scalars, other))
        }
        if let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= maxDistance {
            return best.word
        }
        guard length >= 3 else { return nil }
        let related = candidates.filter { $0.hasPrefix(text) || text.hasPrefix($0) && $0.utf8.count >= 3 }
        return related.min { abs($0.utf8.count - length) < abs($1.utf8.count - length) }
    }

    /// Returns `; did you mean 'web'?` for an error that names an unknown word; empty if no word is close.
    package static func question(about text: String, among words: [String]) -> String {
        nearest(to: text, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns the word of ours for what NetworkManager, OpenWrt or a logger call so, and for the name of an interface.
    package static func synonym(of text: String, among words: [String]) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let word: String? =
            switch text.lowercased() {
            case "wlan", "wi-fi", "wireless", "802-11-wireless": "wifi"
            case "ethernet", "lan", "eth", "cable", "802-3-ethernet": "wired"
            case "lte", "cellular", "mobile", "modem", "gsm", "3g", "4g", "5g": "wwan"
            case "warn": "warning"
            case "err": "error"
            default: medium(ofInterface: text)
            }
        return word.flatMap { words.contains($0) ? $0 : nil }
    }

    /// Returns the medium of an interface name as the kernel or udev forms it (systemd.net-naming-scheme(7)): `wifi` for
    /// `wlan0`.
    ///
    /// - Parameter name: The name of an interface, or any other text.
    /// - Returns: `nil` for a name of another form, and for other text.
    package static func medium(ofInterface name: String) -> String? {
        let name = name.lowercased()
        let stem = name.prefix { !("0"..."9").contains($0) }
        guard stem.endIndex < name.endIndex else { return nil }
        switch (stem, stem.utf8.count == 3 ? stem.prefix(2) : "") {
        case ("wlan", _), (_, "wl"): return "wifi"
        case ("eth", _), (_, "en"): return "wired"
        case ("wwan", _), (_, "ww"): return "wwan"
        default: return nil
        }
    }

    /// Returns the number of letters to insert, delete, replace or swap with a neighbour.
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
