extension UInt8 {
    /// The small letter of a capital one of ASCII; other bytes as they are.
    ///
    /// Names on the wire (of hosts, header fields, codings) are the same whatever the case of their ASCII letters, and only
    /// of these.
    @inlinable package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
