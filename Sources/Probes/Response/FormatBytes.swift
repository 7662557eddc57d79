/// The bytes of a binary format; every access outside of them is nil.
struct FormatBytes {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    /// The bytes from an offset; nil unless all of them are there.
    func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[offset..<offset + count]
    }

    /// The byte at an offset.
    func byte(at offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

    /// Whether these bytes stand at an offset.
    func has(_ wanted: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        slice(at: offset, count: wanted.count)?.elementsEqual(wanted) ?? false
    }

    /// An unsigned integer of 1 to 8 bytes, the most significant first.
    func bigEndian(at offset: Int, count: Int) -> UInt64? {
        guard (1...8).contains(count) else { return nil }
        return slice(at: offset, count: count)?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// An unsigned integer of 1 to 8 bytes, the least significant first.
    func littleEndian(at offset: Int, count: Int) -> UInt64? {
        guard (1...8).contains(count) else { return nil }
        return slice(at: offset, count: count)?.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
