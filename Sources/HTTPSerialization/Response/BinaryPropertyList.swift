internal import ForeignText
internal import FoundationEssentials

/// Parses a binary property list (`bplist00`).
///
/// Its objects refer to each other by number, so a few bytes can represent a loop or billions of values: depth and the
/// number of values are bounded.
struct BinaryPropertyList {
    static let signature = Array("bplist00".utf8)
    /// The maximum nesting depth of arrays and dictionaries.
    static let maximumDepth = 64

    private static let trailerSize = 32

    private let bytes: FormatBytes
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let offsetTable: Int
    private var valuesLeft = WorkBudget.maximumValues
    /// The remaining budget of content bytes for all objects, initially the size of the list.
    private var contentLeft: Int
    /// The scalar values by object number, so that a long string with many references is in memory once.
    private var scalars: [Int: PropertyListValue] = [:]
    /// The keys by object number, and by their bytes: equal ones share storage, so that comparing them is free.
    private var keys: [Int: PropertyListKey] = [:]
    private var knownKeys: Set<PropertyListKey> = []
    private let budget: WorkBudget?

    /// Parses a property list.
    static func parse(_ bytes: [UInt8], budget: WorkBudget? = nil) throws(PropertyListError) -> PropertyListValue {
        let trailer = bytes.count - trailerSize
        var list = try BinaryPropertyList(FormatBytes(bytes: bytes), trailer: trailer, budget: budget)
        let top = try list.number(at: trailer + 16, size: 8)
        return try list.object(top, depth: 0)
    }

    private init(_ bytes: FormatBytes, trailer: Int, budget: WorkBudget?) throws(PropertyListError) {
        guard bytes.has(Self.signature), trailer >= Self.signature.count,
            let offsetSize = bytes.bigEndian(at: trailer + 6, count: 1).map({ Int($0) }), (1...8).contains(offsetSize),
            let referenceSize = bytes.bigEndian(at: trailer + 7, count: 1).map({ Int($0) }),
            (1...8).contains(referenceSize),
            let objectCount = bytes.bigEndian(at: trailer + 8, count: 8).flatMap({ Int(exactly: $0) }),
            let offsetTable = bytes.bigEndian(at: trailer + 24, count: 8).flatMap({ Int(exactly: $0) }),
            objectCount <= bytes.count, bytes.slice(at: offsetTable, count: objectCount * offsetSize) != nil
        else { throw PropertyListError("its trailer points outside of it") }
        self.bytes = bytes
        self.budget = budget
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.objectCount = objectCount
        self.offsetTable = offsetTable
        contentLeft = bytes.count
    }

    private mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        guard depth <= Self.maximumDepth else {
            throw PropertyListError("nested more than \(Self.maximumDepth) deep, or in a loop")
        }
        valuesLeft -= 1
        guard valuesLeft >= 0 else {
            throw PropertyListError("it expands to more than \(WorkBudget.maximumValues) values")
        }
        try spend(1)
        if let known = scalars[index] { return known }
        guard index < objectCount else { throw PropertyListError("it refers to object \(index) of \(objectCount)") }
        let offset = try number(at: offsetTable + index * offsetSize, size: offsetSize)
        guard let marker = bytes.bigEndian(at: offset, count: 1) else {
            throw PropertyListError("object \(index) is outside of it")
        }
        switch marker >> 4 {
        case 0xA:
            let (start, count) = try extent(at: offset, marker: marker)
            var elements: [PropertyListValue] = []
            for position in 0..<count {
                elements.append(try reference(start, position, depth: depth))
            }
            return .array(elements)
        case 0xD: return try dictionary(at: offset, marker: marker, depth: depth)
        default:
            let value = try scalar(at: offset, marker: marker)
            scalars[index] = value
            return value
        }
    }

    private mutating func dictionary(
        at offset: Int,
        marker: UInt64,
        depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
        let (start, count) = try extent(at: offset, marker: marker)
        var members: [PropertyListKey: PropertyListValue] = [:]
        for position in 0..<count {
            let key = try key(try number(at: start + position * referenceSize, size: referenceSize), depth: depth)
            members[key] = try reference(start, count + position, depth: depth)
        }
        return .dictionary(members)
    }

    /// Returns the string that is object `index`; its bytes are hashed on the first reference.
    private mutating func key(_ index: Int, depth: Int) throws(PropertyListError) -> PropertyListKey {
        guard case .string(let text) = try object(index, depth: depth + 1) else {
            throw PropertyListError("a key that is not a string")
        }
        if let known = keys[index] { return known }
        try spend(text.bytes.count)
        let key = knownKeys.insert(PropertyListKey(text)).memberAfterInsert
        keys[index] = key
        return key
    }

    private func spend(_ steps: Int) throws(PropertyListError) {
        if let budget, !budget.allows(steps) { throw PropertyListError("the budget of the check ends") }
    }

    private mutating func reference(
        _ start: Int,
        _ position: Int,
        depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
        try object(try number(at: start + position * referenceSize, size: referenceSize), depth: depth + 1)
    }

    private mutating func scalar(at offset: Int, marker: UInt64) throws(PropertyListError) -> PropertyListValue {
        switch (marker >> 4, marker & 0xF) {
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, let power): return try integer(at: offset + 1, size: 1 << Int(power))
        case (0x2, 2):
            if let bits = bytes.bigEndian(at: offset + 1, count: 4) {
                return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
            }
        case (0x2, 3):
            if let bits = bytes.bigEndian(at: offset + 1, count: 8) { return .real(Double(bitPattern: bits)) }
        case (0x3, 3):
            if let seconds = bytes.bigEndian(at: offset + 1, count: 8).map({ Double(bitPattern: $0) }),
                seconds.magnitude < 1e11
            {
                return .date(Date(timeIntervalSinceReferenceDate: seconds))
            }
        case (0x4, _):
            let (start, count) = try extent(at: offset, marker: marker)
            try take(count)
            if let data = bytes.slice(at: start, count: count) { return .data(Array(data)) }
        case (0x5, _):
            let (start, count) = try extent(at: offset, marker: marker)
            try take(count)
            if let text = bytes.slice(at: start, count: count), text.allSatisfy({ $0 < 0x80 }) {
                return .string(ForeignText(text))
            }
        case (0x6, _):
            let (start, count) = try extent(at: offset, marker: marker)
            try take(count * 2)
            if let text = bytes.slice(at: start, count: count * 2) { return try string(ofUTF16: Array(text)) }
        default: throw PropertyListError("an object of the unknown kind 0x\(String(marker, radix: 16))")
        }
        throw PropertyListError("a broken object of the kind 0x\(String(marker, radix: 16))")
    }

    private func string(ofUTF16 bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw PropertyListError("a string that is not UTF-16")
        }
        return .string(ForeignText(text))
    }

    /// Reads an integer; only those of 8 and 16 bytes are signed.
    private func integer(at offset: Int, size: Int) throws(PropertyListError) -> PropertyListValue {
        let isWide = size == 16
        let upper = isWide ? bytes.bigEndian(at: offset, count: 8) : 0
        guard let upper, let value = bytes.bigEndian(at: isWide ? offset + 8 : offset, count: isWide ? 8 : size) else {
            throw PropertyListError("a broken integer")
        }
        if size == 8 || upper == .max { return .integer(Int64(bitPattern: value)) }
        guard upper == 0 else { throw PropertyListError("an integer of more than 64 bits") }
        return Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    }

    /// Returns the start of an object's content and its number of elements, which never exceeds the number of bytes.
    private func extent(at offset: Int, marker: UInt64) throws(PropertyListError) -> (start: Int, count: Int) {
        guard marker & 0xF == 0xF else { return (offset + 1, Int(marker & 0xF)) }
        guard let kind = bytes.bigEndian(at: offset + 1, count: 1), kind >> 4 == 1, kind & 0xF <= 3 else {
            throw PropertyListError("an object without a length")
        }
        let size = 1 << Int(kind & 0xF)
        return (offset + 2 + size, try number(at: offset + 2, size: size))
    }

    /// Charges bytes of content: objects may overlap, so that a few bytes could be the content of very many.
    private mutating func take(_ count: Int) throws(PropertyListError) {
        try spend(count)
        contentLeft -= count
        guard contentLeft >= 0 else { throw PropertyListError("its objects overlap") }
    }

    /// Reads a count of bytes or objects, which cannot exceed the number of bytes.
    private func number(at offset: Int, size: Int) throws(PropertyListError) -> Int {
        guard let number = bytes.bigEndian(at: offset, count: size), number <= UInt64(bytes.count) else {
            throw PropertyListError("it points outside of itself")
        }
        return Int(number)
    }
}

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
