internal import ForeignText

/// Searches for bytes in bytes in linear time (Knuth, Morris and Pratt).
enum ByteSearch {
    /// Returns whether the bytes contain others; no bytes are contained everywhere.
    ///
    /// - Parameter budget: Charged a step for each byte; once it is exceeded nothing is found.
    static func contains(_ wanted: [UInt8], in bytes: [UInt8], budget: WorkBudget? = nil) -> Bool {
        guard let first = wanted.first else { return true }
        guard wanted.count <= bytes.count else { return false }
        // For each number of matched bytes, the number that still match when the next one does not.
        var fallbacks = [0]
        var matched = 0
        for byte in wanted.dropFirst() {
            while matched > 0, wanted[matched] != byte { matched = fallbacks[matched - 1] }
            if wanted[matched] == byte { matched += 1 }
            fallbacks.append(matched)
        }
        matched = 0
        for (index, byte) in bytes.enumerated() {
            if index.isMultiple(of: WorkBudget.slice), let budget, !budget.allows(WorkBudget.slice) { return false }
            while matched > 0, wanted[matched] != byte { matched = fallbacks[matched - 1] }
            if matched == 0 ? byte == first : wanted[matched] == byte { matched += 1 }
            if matched == wanted.count { return true }
        }
        return false
    }
}
