extension String {
    /// The columns that a terminal needs for the text; colours need none.
    var displayWidth: Int {
        var width = 0
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}" {
                rest = rest.drop { $0 != "m" }.dropFirst()
            } else if scalar.value >= 0xF0000, rest.starts(with: TerminalText.introducer.unicodeScalars.dropFirst()) {
                rest = rest.drop { $0 != "m" }.dropFirst()
            } else {
                width += scalar.displayWidth
            }
        }
        return width
    }
}

extension Unicode.Scalar {
    /// Ranges of characters that are two columns wide (UAX #11, W and F), in order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// The columns of one character: 0 for marks on the one before, 2 for East Asian wide ones, else 1.
    fileprivate var displayWidth: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}
