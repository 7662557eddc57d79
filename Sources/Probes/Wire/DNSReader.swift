internal import ForeignText

/// Reads the fields of a DNS message in order, never beyond `end`.
struct DNSReader {
    /// The maximum number of pointers; a name of 255 bytes cannot need more.
    private static let maximumPointers = 127

    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int
    /// Charged for the labels and pointers of all names: a few bytes can stand for a name of more than a hundred.
    private let budget: WorkBudget

    init(_ bytes: [UInt8]) {
        // Twice the steps of a message that consists only of uncompressed labels.
        self.init(bytes, offset: 0, end: bytes.count, budget: WorkBudget(deadline: nil, steps: 1024 + bytes.count))
    }

    private init(_ bytes: [UInt8], offset: Int, end: Int, budget: WorkBudget) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
        self.budget = budget
    }

    var isAtEnd: Bool { offset >= end }

    mutating func byte() throws(DNSDecodingError) -> UInt8 {
        guard offset < end else { throw DNSDecodingError(.truncated, at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func word() throws(DNSDecodingError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func doubleWord() throws(DNSDecodingError) -> UInt32 {
        let high = try word()
        return UInt32(high) << 16 | UInt32(try word())
    }

    mutating func bytes(_ count: Int) throws(DNSDecodingError) -> [UInt8] {
        guard count >= 0, count <= end - offset else { throw DNSDecodingError(.truncated, at: offset) }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func rest() -> [UInt8] {
        defer { offset = max(offset, end) }
        return offset < end ? Array(bytes[offset..<end]) : []
    }

    /// Returns a reader of the next `count` bytes, whose names may still point to everything before them.
    mutating func part(_ count: Int) throws(DNSDecodingError) -> DNSReader {
        guard count >= 0, count <= end - offset else { throw DNSDecodingError(.truncated, at: offset) }
        defer { offset += count }
        return DNSReader(bytes, offset: offset, end: offset + count, budget: budget)
    }

    /// Reads a name, following its compression pointers (RFC 1035, section 4.1.4).
    ///
    /// Each pointer must point before the start of the part of the name that it ends, which rules out loops.
    mutating func name() throws(DNSDecodingError) -> DNSName {
        var name: [UInt8] = []
        var pointers = 0
        var reader = self
        var partStart = offset
        while true {
            let start = reader.offset
            guard budget.allows() else { throw DNSDecodingError(.tooManyLabels, at: start) }
            let first = try reader.byte()
            switch first >> 6 {
            case 0b00 where first == 0:
                if pointers == 0 { offset = reader.offset }
                return DNSName(checked: name + [0])
            case 0b00:
                guard name.count + 2 + Int(first) <= DNSName.maximumBytes else {
                    throw DNSDecodingError(.nameTooLong, at: start)
                }
                name.append(first)
                name += try reader.bytes(Int(first))
            case 0b11:
                let target = Int(first & 0x3f) << 8 | Int(try reader.byte())
                if pointers == 0 { offset = reader.offset }
                pointers += 1
                guard target < partStart else { throw DNSDecodingError(.pointer, at: start) }
                guard pointers <= Self.maximumPointers else { throw DNSDecodingError(.nameTooLong, at: start) }
                partStart = target
                reader = DNSReader(bytes, offset: target, end: bytes.count, budget: budget)
            default: throw DNSDecodingError(.labelKind, at: start)
            }
        }
    }
}
