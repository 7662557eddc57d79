/// The reading and writing of one type of value.
struct ValueFormat<Value: Sendable>: Sendable {
    /// The type in the reference: `duration`, `array of strings`.
    let kind: String
    /// Reads a value; appends errors and returns `nil` if it is not accepted.
    let read: @Sendable (Node, inout [ValueError]) -> Value?
    /// Returns the value in TOML; equal values have equal text, however they were written.
    let text: @Sendable (Value) -> String
}

/// An error in a value.
struct ValueError: Error {
    let message: String
    /// The position, if it differs from that of the key: that of an array element.
    var origin: Origin?
}

extension ValueFormat {
    /// The maximum length of a choice, a duration or a size, in bytes.
    static var maxWordBytes: Int { 256 }

    /// Returns the format for a value in a string, read by `parse`, whose error description is the message.
    ///
    /// The length is bounded before anything is compared: comparing strings of combining marks takes quadratic time.
    static func parsed(
        _ kind: String = "string",
        wanted: String,
        maxBytes: Int = 8192,
        text: @escaping @Sendable (Value) -> String,
        _ parse: @escaping @Sendable (String) throws -> Value
    ) -> ValueFormat {
        ValueFormat(
            kind: kind,
            read: { node, errors in
                guard case .string(let string) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: wanted))
                    return nil
                }
                let count = string.utf8.count
                guard count <= maxBytes else {
                    errors.append(ValueError(message: "has \(count) bytes; at most \(maxBytes) are accepted"))
                    return nil
                }
                do {
                    return try parse(string)
                } catch let error as ValueError {
                    errors.append(error)
                } catch {
                    errors.append(ValueError(message: "\(error)"))
                }
                return nil
            },
            text: text
        )
    }

    /// Returns the format for arrays of such values.
    func list(_ range: ClosedRange<Int>) -> ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            kind: "array of \(plural)",
            read: { node, errors in
                guard case .array(let nodes) = node.value else {
                    let single = node.string.flatMap { $0.utf8.count <= 64 ? "write [\(TOMLText.quoted($0))]" : nil }
                    errors.append(.wrongKind(of: node, wanted: "an array", single))
                    return nil
                }
                guard range.contains(nodes.count) else {
                    errors.append(
                        ValueError(
                            message: nodes.count < range.lowerBound
                                ? "is empty" : "has \(nodes.count) elements; at most \(range.upperBound) are accepted"
                        )
                    )
                    return nil
                }
                var values: [Value] = []
                for node in nodes {
                    var wrong: [ValueError] = []
                    if let value = read(node, &wrong) { values.append(value) }
                    errors += wrong.map { ValueError(message: $0.message, origin: $0.origin ?? node.origin) }
                }
                return values.count == nodes.count ? values : nil
            },
            text: { TOMLText.array($0.map(text)) }
        )
    }

    /// Returns the format for arrays of such values, and for a single string as an array of one.
    func oneOrMore(_ range: ClosedRange<Int>) -> ValueFormat<[Value]> {
        let several = list(range)
        return ValueFormat<[Value]>(
            kind: "\(kind) or array of \(plural)",
            read: { node, errors in
                switch node.value {
                case .array: return several.read(node, &errors)
                case .string: return read(node, &errors).map { [$0] }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a string or an array of strings"))
                    return nil
                }
            },
            text: several.text
        )
    }

    /// The format for the same values of a key without a default.
    var optional: ValueFormat<Value?> {
        ValueFormat<Value?>(kind: kind, read: { read($0, &$1).map(Optional.some) }, text: { $0.map(text) ?? "" })
    }

    private var plural: String { kind.hasSuffix("s") ? "\(kind)es" : "\(kind)s" }

    /// Returns the format for tables of such values; `flaw` returns the error in a key.
    func table(
        max count: Int,
        flaw: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> ValueFormat<[String: Value]> {
        ValueFormat<[String: Value]>(
            kind: "table of \(plural)",
            read: { node, errors in
                guard case .table(let members) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: "a table such as { name = \"value\" }"))
                    return nil
                }
                guard members.count <= count else {
                    errors.append(ValueError(message: "has \(members.count) keys; at most \(count) are accepted"))
                    return nil
                }
                var values: [String: Value?] = [:]
                var isWrong = false
                for (key, node) in members.sorted(by: { Origin.precedes($0.value.origin, $1.value.origin) }) {
                    var wrong: [ValueError] = []
                    if let flaw = flaw(key.text) { wrong.append(ValueError(message: flaw)) }
                    let value = read(node, &wrong)
                    // The file compares keys by their bytes, the dictionary by canonical equivalence.
                    if values.updateValue(value, forKey: key.text) != nil {
                        wrong.append(ValueError(message: "is there in another spelling too"))
                    }
                    if !wrong.isEmpty { isWrong = true }
                    errors += wrong.map {
                        ValueError(
                            message: "\(TOMLText.quoted(key.text)): \($0.message)",
                            origin: $0.origin ?? node.origin
                        )
                    }
                }
                return isWrong ? nil : values.compactMapValues(\.self)
            },
            text: { values in
                let members = values.sorted { $0.key < $1.key }.map { "\(TOMLPath([$0.key])) = \(text($0.value))" }
                return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
            }
        )
    }
}

extension ValueError {
    /// Returns `expected an integer, got a string`, with a correction if one is known.
    static func wrongKind(of node: Node, wanted: String, _ correction: String? = nil) -> ValueError {
        let end = correction.map { "; \($0)" } ?? ""
        return ValueError(message: "expected \(wanted), got \(node.kind)\(end)")
    }
}
