/// Transliteration to ASCII.
enum ASCIIText {
    /// Returns the text with Latin letters reduced to those of ASCII, and without all other characters beyond ASCII.
    ///
    /// Unicode's names identify the letter: `LATIN SMALL LETTER U WITH DIAERESIS` becomes `u`, `LATIN CAPITAL LETTER
    /// AE` becomes `AE`. Other scripts are left out, as AFNetworking does with characters that its transliteration
    /// cannot reduce.
    static func transliterating(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += letters(of: scalar)
            }
        }
        return result
    }

    private static func letters(of scalar: Unicode.Scalar) -> String {
        if scalar == "ß" { return "ss" }
        guard let words = scalar.properties.name?.split(separator: " "), words.count >= 4 else { return "" }
        guard words[0] == "LATIN", ["LETTER", "LIGATURE"].contains(words[2]), words[3].utf8.count <= 2 else {
            return ""
        }
        guard words.count == 4 || words[4] == "WITH" else { return "" }
        switch words[1] {
        case "SMALL": return words[3].lowercased()
        case "CAPITAL": return String(words[3])
        default: return ""
        }
    }
}
