internal import CLinux

/// The columns of single characters, as terminals count them.
package enum CharacterWidth {
    /// 0 for marks on the character before, 2 for East Asian wide ones and most emoji, else 1 (wcwidth(3)).
    ///
    /// A character that the C library does not know takes one, as on most terminals.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        let width = Int(clinux_character_width(scalar.value))
        return width < 0 ? 1 : min(width, 2)
    }
}
