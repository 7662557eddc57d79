/// Parses parameters in their textual form, one string each.
///
/// | Text | Parameter |
/// |:--|:--|
/// | `name=value` | a string; a repeated name has several values, in the given order |
/// | `name` | null: in a query or a form the name alone |
/// | `name[]=value` | an element of an array |
/// | `name[member]=value` | a member of a dictionary; may be nested, as `user[mail][]=a` |
/// | `name:=5` | for JSON: any value in JSON |
public enum ParameterText {
    /// The purpose of the parameters.
    public enum Purpose: Sendable, Hashable {
        /// A query or a form: every value is a string or null.
        case query
        /// A JSON object: values may be JSON, and no name is repeated.
        case json
    }

    /// Returns the parameters as a dictionary.
    ///
    /// - Throws: ``RequestError`` when a string has no name, or when strings contradict each other.
    public static func parameters(_ texts: [String], for purpose: Purpose) throws(RequestError) -> ParameterValue {
        var root = Node.dictionary([:])
        for text in texts {
            let (name, value) = try pair(text, for: purpose)
            let path = try steps(of: name)
            root = try root.adding(value, at: path[...], name: name, repeats: purpose == .query)
        }
        return root.value
    }

    /// Returns the name and the value of a parameter; nil for a name alone.
    public static func pair(_ text: String) throws(RequestError) -> (name: String, value: String?) {
        let separator = text.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = String(text[..<(separator ?? text.endIndex)])
        guard !name.isEmpty else { throw .parameter(name: "", reason: "has no name; expected NAME=VALUE or NAME") }
        return (name, separator.map { String(Substring(text.utf8[text.utf8.index(after: $0)...])) })
    }

    private static func pair(_ text: String, for purpose: Purpose) throws(RequestError) -> (String, ParameterValue) {
        let (name, text) = try pair(text)
        guard let text else { return (name, .null) }
        guard purpose == .json, name.hasSuffix(":"), name != ":" else { return (name, .string(text)) }
        let shortName = String(name.dropLast())
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(Array(text.utf8), maximumDepth: ParameterValue.maximumDepth)
        } catch {
            throw .parameter(name: shortName, reason: "is not valid JSON behind ':='")
        }
        return (shortName, try ParameterValue(value, of: shortName))
    }

    private enum Step {
        case member(String)
        case element
    }

    /// Returns the steps of a nested name; brackets that are unclosed or followed by text are part of the name.
    private static func steps(of name: String) throws(RequestError) -> [Step] {
        guard let open = name.firstIndex(of: "["), open != name.startIndex, name.hasSuffix("]") else {
            return [.member(name)]
        }
        let parts = name[open...].dropFirst().dropLast().split(
            separator: "][",
            omittingEmptySubsequences: false
        )
        guard parts.allSatisfy({ !$0.contains("[") && !$0.contains("]") }) else { return [.member(name)] }
        guard parts.count < ParameterValue.maximumDepth else { throw .parametersTooDeep }
        return [.member(String(name[..<open]))] + parts.map { $0.isEmpty ? .element : .member(String($0)) }
    }

    /// Parameters under construction.
    private indirect enum Node {
        case leaf([ParameterValue])
        case array([Node])
        case dictionary([String: Node])

        func adding(
            _ value: ParameterValue,
            at path: ArraySlice<Step>,
            name: String,
            repeats: Bool
        ) throws(RequestError) -> Node {
            guard let step = path.first else {
                guard case .leaf(let values) = self else { throw Self.conflict(name) }
                guard repeats else { throw .parameter(name: name, reason: "is given more than once") }
                return .leaf(values + [value])
            }
            let rest = path.dropFirst()
            switch (step, self) {
            case (.element, .array(let nodes)):
                return .array(nodes + [try Self.made(value, at: rest, name: name)])
            case (.member(let key), .dictionary(var nodes)):
                if let known = nodes[key] {
                    nodes[key] = try known.adding(value, at: rest, name: name, repeats: repeats)
                } else {
                    nodes[key] = try Self.made(value, at: rest, name: name)
                }
                return .dictionary(nodes)
            default: throw Self.conflict(name)
            }
        }

        private static func made(
            _ value: ParameterValue,
            at path: ArraySlice<Step>,
            name: String
        ) throws(RequestError) -> Node {
            switch path.first {
            case nil: .leaf([value])
            case .element: .array([try made(value, at: path.dropFirst(), name: name)])
            case .member(let key): .dictionary([key: try made(value, at: path.dropFirst(), name: name)])
            }
        }

        private static func conflict(_ name: String) -> RequestError {
            .parameter(name: name, reason: "is given as two of a value, an array and a dictionary")
        }

        var value: ParameterValue {
            switch self {
            case .leaf(let values): values.count == 1 ? values[0] : .repeated(values)
            case .array(let nodes): .array(nodes.map(\.value))
            case .dictionary(let nodes): .dictionary(nodes.mapValues(\.value))
            }
        }
    }
}

extension ParameterValue {
    /// Converts a JSON value of the named parameter; a number that is not a 64-bit integer becomes the nearest
    /// floating-point number, unless it is an integer that would change.
    fileprivate init(_ json: JSONValue, of name: String) throws(RequestError) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .string(let text): self = .string(String(decoding: text.bytes, as: UTF8.self))
        case .number(let number):
            if let integer = number.int64 {
                self = .integer(integer)
            } else if let double = number.double, !number.isInteger || JSONNumber("\(double)") == number {
                self = .number(double)
            } else {
                throw .parameter(
                    name: name,
                    reason: "holds a number that cannot be sent exactly; give the whole body with --json-body"
                )
            }
        case .array(let values):
            var elements: [ParameterValue] = []
            for value in values { elements.append(try ParameterValue(value, of: name)) }
            self = .array(elements)
        case .object(let members):
            var dictionary: [String: ParameterValue] = [:]
            for (key, value) in members {
                dictionary[String(decoding: key.bytes, as: UTF8.self)] = try ParameterValue(value, of: name)
            }
            self = .dictionary(dictionary)
        }
    }
}

extension JSONNumber {
    /// `true` for a number that is written with digits only, and maybe a sign.
    fileprivate var isInteger: Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
