/// The kernel's answer to a ``RouteQuestion``.
enum RouteAnswer: Equatable {
    /// A route of a type (RTN_UNICAST is 1), and the table that has it; 0 for none.
    case route(type: UInt8, table: UInt32)
    /// An errno value.
    case refused(CInt)

    /// Parses a message and the number of its question; nil for a message that is no answer, or is incomplete.
    static func parse(_ bytes: ArraySlice<UInt8>) -> (number: UInt32, answer: RouteAnswer)? {
        guard bytes.count >= 20 else { return nil }
        let length = Int(bytes.integer(at: 0, UInt32.self))
        guard length >= 20, length <= bytes.count else { return nil }
        let number = bytes.integer(at: 8, UInt32.self)
        switch bytes.integer(at: 4, UInt16.self) {
        // NLMSG_ERROR: a negative errno.
        case 2:
            let error = bytes.integer(at: 16, CInt.self)
            return error < 0 && error > CInt.min ? (number, .refused(-error)) : nil
        // RTM_NEWROUTE: the type is a byte of the route, and the table is the attribute RTA_TABLE.
        case 24:
            guard length >= 28, let table = attribute(15, in: bytes.prefix(length).dropFirst(28)), table.count == 4
            else { return nil }
            return (number, .route(type: bytes.integer(at: 23, UInt8.self), table: table.integer(at: 0, UInt32.self)))
        default: return nil
        }
    }

    private static func attribute(_ type: UInt16, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        while rest.count >= 4 {
            let length = Int(rest.integer(at: 0, UInt16.self))
            guard length >= 4, length <= rest.count else { return nil }
            if rest.integer(at: 2, UInt16.self) == type { return rest.prefix(length).dropFirst(4) }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Returns an integer in the machine's byte order, at an offset from the slice's start; there must be enough bytes.
    fileprivate func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Integer.Type) -> Integer {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Integer.self) }
    }
}
