/// How a value is read, and how it is written.
struct Form<Value> {
    /// Reads a value; what is wrong is appended, and nil is returned.
    let read: (Node, inout [ValueError]) -> Value?
    /// The value in TOML, in one form for all ways to say the same.
    let text: (Value) -> String
}

/// What is wrong with a value.
struct ValueError: Error {
    let message: String
    /// Where, when that is not where the key stands: an element of an array.
    var origin: Origin?
}

extension Form {
    /// A value in a text, read by `parse`, whose error's description is the message.
    static func parsed(
        wanted: String,
        text: @escaping (Value) -> String,
        _ parse: @escaping (String) throws -> Value
    ) -> Form {
        Form(
            read: { node, errors in
                guard case .string(let string) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: wanted))
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

    /// Lists of such values.
    func list(_ range: ClosedRange<Int>) -> Form<[Value]> {
        Form<[Value]>(
            read: { node, errors in
                guard case .array(let nodes) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: "an array"))
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

    /// Tables of such values, whose keys are anything that `flaw` finds nothing wrong with.
    func table(
        atMost count: Int,
        flaw: @escaping (String) -> String? = { _ in nil }
    ) -> Form<[String: Value]> {
        Form<[String: Value]>(
            read: { node, errors in
                guard case .table(let members) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: "a table"))
                    return nil
                }
                guard members.count <= count else {
                    errors.append(ValueError(message: "has \(members.count) keys; at most \(count) are accepted"))
                    return nil
                }
                var values: [String: Value] = [:]
                var isWrong = false
                for (key, node) in members.sorted(by: { Origin.precedes($0.value.origin, $1.value.origin) }) {
                    var wrong: [ValueError] = []
                    if let flaw = flaw(key) { wrong.append(ValueError(message: flaw)) }
                    values[key] = read(node, &wrong)
                    if !wrong.isEmpty { isWrong = true }
                    errors += wrong.map {
                        ValueError(message: "\(TOMLText.quoted(key)): \($0.message)", origin: $0.origin ?? node.origin)
                    }
                }
                return isWrong ? nil : values
            },
            text: { values in
                let members = values.sorted { $0.key < $1.key }.map { "\(KeyPath([$0.key])) = \(text($0.value))" }
                return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
            }
        )
    }
}

extension ValueError {
    /// `an integer is wanted, but a text was found`.
    static func wrongKind(of node: Node, wanted: String) -> ValueError {
        ValueError(message: "\(wanted) is wanted, but \(node.kind) was found")
    }
}
