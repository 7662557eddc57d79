/// The bytes of a binary format; access out of bounds returns nil.
struct FormatBytes {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    /// Returns the bytes at an offset; nil unless all of them exist.
    func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[offset..<offset + count]
    }

    /// Returns the byte at an offset.
    func byte(at offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

    /// Returns whether the bytes at an offset equal others.
    func has(_ wanted: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        slice(at: offset, count: wanted.count)?.elementsEqual(wanted) ?? false
    }

    /// Returns an unsigned big-endian integer of 1 to 8 bytes.
    func bigEndian(at offset: Int, count: Int) -> UInt64? {
        guard (1...8).contains(count) else { return nil }
        return slice(at: offset, count: count)?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// Returns an unsigned little-endian integer of 1 to 8 bytes.
    func littleEndian(at offset: Int, count: Int) -> UInt64? {
        guard (1...8).contains(count) else { return nil }
        return slice(at: offset, count: count)?.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
