/// Quotes words for a shell, so that a remedy can be pasted whatever the name of a file.
package enum ShellWord {
    /// Returns the word itself if it has no special character, else in quotes; control characters are escaped
    /// (`$'\x0a'`).
    package static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        guard word.unicodeScalars.contains(where: isControl) else {
            return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        var text = "$'"
        for scalar in word.unicodeScalars {
            if isControl(scalar) {
                // All its bytes: in UTF-8 the control characters from U+0080 on have two.
                for byte in String(scalar).utf8 { text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            } else {
                if scalar == "'" || scalar == #"\"# { text += #"\"# }
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }

    /// Returns whether a character moves the cursor, ends the line or is invisible (general category Cc).
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "/._-+:@%,=".utf8.contains(byte)
        }
    }
}
