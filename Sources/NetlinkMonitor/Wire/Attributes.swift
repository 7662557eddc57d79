internal import CLibNL

/// The attributes of one message by type; valid only while the bytes are.
///
/// As in the kernel, the last attribute of a type wins. Every accessor checks the size before it reads.
struct Attributes {
    private let messageType: UInt16
    private let table: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    /// `true` if an attribute of a higher type than the table has was skipped.
    private let hasHigherTypes: Bool

    /// Parses `bytes` as a list of attributes and passes the table to `body`.
    ///
    /// Attributes of a higher type than `highest` are skipped, as are unknown ones. Nesting flags are removed.
    static func parse<Result>(
        _ bytes: UnsafeRawBufferPointer,
        highest: Int,
        messageType: UInt16,
        _ body: (Attributes) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        let table = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: highest + 1)
        defer { table.deallocate() }
        table.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        let hasHigherTypes = try fill(table, from: bytes, messageType: messageType)
        return try body(Attributes(messageType: messageType, table: table, hasHigherTypes: hasHigherTypes))
    }

    /// Fills the table, and returns whether an attribute of a higher type was skipped.
    private static func fill(
        _ table: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>,
        from bytes: UnsafeRawBufferPointer,
        messageType: UInt16
    ) throws(MessageError) -> Bool {
        var hasHigherTypes = false
        try forEach(in: bytes, messageType: messageType) { type, value in
            if type < table.count { table[type] = value } else { hasHigherTypes = true }
        }
        return hasHigherTypes
    }

    /// Passes the type and the value of each attribute of a list to `body`, in order.
    private static func forEach(
        in bytes: UnsafeRawBufferPointer,
        messageType: UInt16,
        _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) throws(MessageError) {
        guard let start = bytes.baseAddress else { return }
        let headerSize = MemoryLayout<nlattr>.size
        var offset = 0
        while bytes.count - offset >= headerSize {
            let attribute = start.advanced(by: offset).assumingMemoryBound(to: nlattr.self)
            // libnl compares as unsigned, so the rest must be checked to be large enough for a header first.
            guard nla_ok(attribute, Int32(bytes.count - offset)) != 0 else {
                throw .badAttributeLength(type: messageType, offset: offset)
            }
            let value = UnsafeRawBufferPointer(start: nla_data(attribute), count: Int(nla_len(attribute)))
            body(Int(nla_type(attribute)), value)
            offset += (Int(attribute.pointee.nla_len) + 3) & ~3
        }
    }

    /// Returns the bytes of an attribute; `nil` if it is absent.
    func bytes(_ type: Int) -> UnsafeRawBufferPointer? {
        guard type < table.count, table[type].baseAddress != nil else { return nil }
        return table[type]
    }

    func contains(_ type: Int) -> Bool { bytes(type) != nil }

    /// Returns whether there is an attribute of any type but these.
    func hasTypes(besides types: Set<Int>) -> Bool {
        hasHigherTypes || table.indices.contains { contains($0) && !types.contains($0) }
    }

    func uint32(_ type: Int) throws(MessageError) -> UInt32? {
        guard let bytes = bytes(type) else { return nil }
        guard bytes.count == 4 else { throw .badAttributeValue(type: messageType, attribute: type) }
        return bytes.loadUnaligned(as: UInt32.self)
    }

    func uint16(_ type: Int) throws(MessageError) -> UInt16? {
        guard let bytes = bytes(type) else { return nil }
        guard bytes.count == 2 else { throw .badAttributeValue(type: messageType, attribute: type) }
        return bytes.loadUnaligned(as: UInt16.self)
    }

    func uint8(_ type: Int) throws(MessageError) -> UInt8? {
        guard let bytes = bytes(type) else { return nil }
        guard let value = bytes.first else { throw .badAttributeValue(type: messageType, attribute: type) }
        return value
    }

    /// Returns the text up to the first zero byte; invalid UTF-8 is replaced, because interface names are arbitrary
    /// bytes.
    func text(_ type: Int) -> String? {
        bytes(type).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    func address(_ type: Int) throws(MessageError) -> IPAddress? {
        guard let bytes = bytes(type) else { return nil }
        guard let address = IPAddress(networkBytes: bytes) else {
            throw .badAttributeValue(type: messageType, attribute: type)
        }
        return address
    }

    /// Returns an address, which must be of the family in the message's header.
    func address(_ type: Int, _ family: AddressFamily) throws(MessageError) -> IPAddress? {
        guard let address = try address(type) else { return nil }
        guard address.family == family else { throw .badAttributeValue(type: messageType, attribute: type) }
        return address
    }

    /// Parses the attributes nested in one.
    func nested<Result>(
        _ type: Int,
        highest: Int,
        _ body: (Attributes) throws(MessageError) -> Result
    ) throws(MessageError) -> Result? {
        guard let bytes = bytes(type) else { return nil }
        return try Attributes.parse(bytes, highest: highest, messageType: messageType, body)
    }

    /// Passes each of the attributes nested in one to `body`, also those of a type that occurs repeatedly.
    func forEachNested(
        _ type: Int,
        _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) throws(MessageError) {
        guard let bytes = bytes(type) else { return }
        try Attributes.forEach(in: bytes, messageType: messageType, body)
    }
}
