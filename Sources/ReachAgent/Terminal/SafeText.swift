/// Text from the network as a terminal may show it.
enum SafeText {
    /// The text with everything escaped that could move the cursor, change the terminal, or reverse the reading order.
    ///
    /// - Parameter limit: At most this many characters stay; an ellipsis tells that there were more.
    static func of(_ text: String, limit: Int = 2048) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return result + "..." }
            if isDangerous(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
