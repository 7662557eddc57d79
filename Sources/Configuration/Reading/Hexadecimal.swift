extension Sequence<UInt8> {
    /// The bytes as two lower-case hexadecimal digits each.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
