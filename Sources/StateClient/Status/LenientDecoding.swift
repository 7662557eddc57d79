internal import EventEnvelope

/// An element of a list, or nothing where it is of another form than expected.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

/// The elements of a list that are of the form that is expected; at most a bounded number of them.
private struct LenientList<Element: Decodable>: Decodable {
    /// More than the largest machine has interfaces, and the agent connections.
    static var most: Int { 16_384 }

    private(set) var elements: [Element] = []

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        for _ in 0..<Self.most where !container.isAtEnd {
            if let element = try container.decode(Lenient<Element>.self).value { elements.append(element) }
        }
    }
}

/// Members as an agent of another version may write them: what is missing, or of another form, is `nil` and no error.
extension KeyedDecodingContainer {
    func value<Value: Decodable>(_ key: Key) -> Value? {
        // Making an error is what costs most here, and most members that are not there are simply missing.
        contains(key) ? try? decode(Value.self, forKey: key) : nil
    }

    func list<Element: Decodable>(_ key: Key) -> [Element] {
        (try? decode(LenientList<Element>.self, forKey: key))?.elements ?? []
    }

    func timestamp(_ key: Key) -> Timestamp? {
        guard let text: String = value(key) else { return nil }
        return Timestamp(utc: Array(text.utf8).span)
    }

    func milliseconds(_ key: Key) -> Duration? {
        guard let number: Int64 = value(key) else { return nil }
        return .milliseconds(number)
    }
}
