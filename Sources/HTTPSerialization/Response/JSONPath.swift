internal import CheckResults
internal import ForeignText

/// The path to one value in a JSON body: `status.items[0]["a name"]`.
///
/// A path may begin with `$`, the whole body. Names with spaces or other special characters are written as JSON strings
/// in brackets.
package struct JSONPath: Sendable, Hashable {
    /// One step of a path.
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The reason a path has no value: a clause for the operator.
    struct Missing: Error, Hashable {
        let evidence: String
    }

    private static let maximumIndexDigits = 9

    let steps: [Step]

    /// Parses a path from the cursor's position, and advances the cursor to its end.
    ///
    /// - Parameter written: The whole expectation, for the error.
    static func read(_ cursor: inout JSONCursor, of written: String) throws(ExpectationError) -> JSONPath {
        var steps: [Step] = []
        let start = cursor.offset
        if cursor.current == UInt8(ascii: "$"), isEndOfName(cursor.byte(after: 1)) {
            cursor.offset += 1
        } else if cursor.current != UInt8(ascii: "[") {
            steps.append(try readName(&cursor, of: written))
        }
        while let byte = cursor.current {
            if byte == UInt8(ascii: ".") {
                cursor.offset += 1
                steps.append(try readName(&cursor, of: written))
            } else if byte == UInt8(ascii: "[") {
                cursor.offset += 1
                steps.append(try readBrackets(&cursor, of: written))
            } else {
                break
            }
        }
        guard cursor.offset > start else {
            throw .invalidPath(written, offset: start, reason: "\(cursor.here) where a path was due")
        }
        return JSONPath(steps: steps)
    }

    /// Returns the value at the path.
    func value(in root: JSONValue) throws(Missing) -> JSONValue {
        var value = root
        for (index, step) in steps.enumerated() {
            let place = index == 0 ? "the body" : Snippet.quoted(name: Self.text(of: steps.prefix(index)))
            switch (step, value) {
            case (.member(let name), .object(let members)):
                guard let member = members[ForeignText(name)] else {
                    throw Missing(evidence: "\(place) has no member \(Snippet.quoted(name: name))")
                }
                value = member
            case (.element(let index), .array(let elements)):
                guard elements.indices.contains(index) else {
                    throw Missing(evidence: "\(place) has no element \(index), it is an array of \(elements.count)")
                }
                value = elements[index]
            case (.member(let name), _):
                throw Missing(evidence: "\(place) is \(value.kind) and has no member \(Snippet.quoted(name: name))")
            case (.element(let index), _):
                throw Missing(evidence: "\(place) is \(value.kind) and has no element \(index)")
            }
        }
        return value
    }

    /// `true` if the value's name marks it as a secret.
    var isSecret: Bool {
        steps.contains { step in if case .member(let name) = step { SecretName.isSecret(name) } else { false } }
    }

    static func text(of steps: some Collection<Step>) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name):
                if name.utf8.contains(where: { isEndOfName($0) }) {
                    text += "[\"\(name)\"]"
                } else {
                    text += (text.isEmpty ? "" : ".") + name
                }
            }
        }
        return text.isEmpty ? "$" : text
    }

    private static func isEndOfName(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return byte <= 0x20 || byte == 0x7F || ".[]=!<>\"".utf8.contains(byte)
    }

    private static func readName(_ cursor: inout JSONCursor, of written: String) throws(ExpectationError) -> Step {
        let start = cursor.offset
        while !isEndOfName(cursor.current) { cursor.offset += 1 }
        guard cursor.offset > start else {
            throw .invalidPath(written, offset: start, reason: "\(cursor.here) where a member's name was due")
        }
        return .member(String(decoding: cursor.bytes[start..<cursor.offset], as: UTF8.self))
    }

    private static func readBrackets(_ cursor: inout JSONCursor, of written: String) throws(ExpectationError) -> Step {
        let start = cursor.offset
        let step: Step
        if cursor.current == UInt8(ascii: "\"") {
            do throws(JSONError) {
                step = .member(String(decoding: try cursor.readString().bytes, as: UTF8.self))
            } catch {
                throw .invalidPath(written, offset: error.offset, reason: error.reason)
            }
        } else {
            while let byte = cursor.current, (0x30...0x39).contains(byte) { cursor.offset += 1 }
            let digits = String(decoding: cursor.bytes[start..<cursor.offset], as: UTF8.self)
            guard digits.utf8.count <= maximumIndexDigits, let index = Int(digits) else {
                throw .invalidPath(written, offset: start, reason: "an index or a quoted name was due")
            }
            step = .element(index)
        }
        guard cursor.skip(UInt8(ascii: "]")) else {
            throw .invalidPath(written, offset: cursor.offset, reason: "\(cursor.here) where ']' was due")
        }
        return step
    }
}
