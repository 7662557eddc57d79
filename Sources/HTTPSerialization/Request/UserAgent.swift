internal import Glibc

/// The User-Agent field: `reachagent/1.2.3 (Linux 6.12.4; x86_64)`.
public enum UserAgent {
    /// Returns the field's value for a product.
    ///
    /// - Parameters:
    ///   - product: The name; characters that a token cannot contain are transliterated or left out.
    ///   - version: The version, sanitized in the same way.
    ///   - system: The text in parentheses; sanitized in the same way, except that spaces may stay.
    public static func value(product: String, version: String, system: String = currentSystem) -> String {
        let isToken = { (byte: UInt8) in HTTPToken.isTokenByte(byte) }
        let isComment = { (byte: UInt8) in (0x20..<0x7F).contains(byte) && !"()\\".utf8.contains(byte) }
        let name = filtered(product, isToken)
        let number = filtered(version, isToken)
        let comment = filtered(system, isComment)
        let token = (name.isEmpty ? "unknown" : name) + (number.isEmpty ? "" : "/\(number)")
        return comment.isEmpty ? token : "\(token) (\(comment))"
    }

    /// The kernel's name and release, and the machine, by uname(2).
    public static var currentSystem: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "Linux" }
        return "\(text(&names.sysname)) \(text(&names.release)); \(text(&names.machine))"
    }

    private static func filtered(_ text: String, _ isAllowed: (UInt8) -> Bool) -> String {
        String(decoding: ASCIIText.transliterating(text).utf8.filter(isAllowed).prefix(200), as: UTF8.self)
    }

    private static func text<Characters>(_ characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
