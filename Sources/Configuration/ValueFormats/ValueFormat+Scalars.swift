internal import ForeignText

extension ValueFormat where Value == Bool {
    /// `true` or `false`.
    static var boolean: ValueFormat {
        ValueFormat(
            kind: "boolean",
            read: { node, errors in
                if case .boolean(let value) = node.value { return value }
                // Comparing a long string would take too long.
                let isQuoted = node.string.map { $0.utf8.count <= 5 && ["true", "false"].contains($0) } == true
                errors.append(.wrongKind(of: node, wanted: "true or false", isQuoted ? "leave out the quotes" : nil))
                return nil
            },
            text: { "\($0)" }
        )
    }
}

extension ValueFormat where Value == Int {
    /// An integer.
    static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(
            kind: "integer",
            read: { node, errors in
                guard case .integer(let value) = node.value else {
                    let isQuoted = node.string.flatMap { Int($0) } != nil
                    errors.append(.wrongKind(of: node, wanted: "an integer", isQuoted ? "leave out the quotes" : nil))
                    return nil
                }
                guard range.contains(value) else {
                    errors.append(
                        ValueError(message: "\(value) is not from \(range.lowerBound) to \(range.upperBound)")
                    )
                    return nil
                }
                return value
            },
            text: { "\($0)" }
        )
    }

    /// A number of bytes: an integer, or a string with a unit.
    static func size(_ range: ClosedRange<Int>) -> ValueFormat {
        let wanted = "a number of bytes, as an integer or a string such as \"64M\""
        return ValueFormat(
            kind: "size",
            read: { node, errors in
                let bytes: Int?
                switch node.value {
                case .integer(let value): bytes = value
                case .string(let string):
                    bytes = Quantity.bytes(string)
                    if bytes == nil {
                        errors.append(
                            ValueError(
                                message:
                                    "'\(string)' is not a valid size; accepted are integers and forms like 512K, 8M and 2G"
                            )
                        )
                    }
                default:
                    errors.append(.wrongKind(of: node, wanted: wanted))
                    return nil
                }
                guard let bytes else { return nil }
                guard range.contains(bytes) else {
                    let shown = [bytes, range.lowerBound, range.upperBound].map(TOMLText.unquotedSize)
                    errors.append(ValueError(message: "\(shown[0]) is not from \(shown[1]) to \(shown[2])"))
                    return nil
                }
                return bytes
            },
            text: TOMLText.size
        )
    }
}

extension ValueFormat where Value == Double {
    /// A percentage, with or without a fraction.
    static var percent: ValueFormat {
        number("percentage", wanted: "a percentage", 0...100) { "\(shown($0)) is not from 0 to 100" }
    }

    /// A share from 0 to 1.
    static var share: ValueFormat {
        number("number", wanted: "a number from 0 to 1", 0...1) { value in
            let percent = (2...100).contains(value) ? "; \(shown(value)) % is \(shown(value / 100))" : ""
            return "\(shown(value)) is not from 0 to 1\(percent)"
        }
    }

    private static func number(
        _ kind: String,
        wanted: String,
        _ range: ClosedRange<Double>,
        otherwise message: @escaping @Sendable (Double) -> String
    ) -> ValueFormat {
        ValueFormat(
            kind: kind,
            read: { node, errors in
                let value: Double
                switch node.value {
                case .integer(let integer): value = Double(integer)
                case .number(let number): value = number
                default:
                    errors.append(.wrongKind(of: node, wanted: wanted))
                    return nil
                }
                guard range.contains(value) else {
                    errors.append(ValueError(message: message(value)))
                    return nil
                }
                return value
            },
            text: shown
        )
    }

    private static func shown(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

extension ValueFormat where Value == Duration {
    /// A duration with a unit.
    static func duration(_ range: ClosedRange<Duration>) -> ValueFormat {
        let strings = durationString(range)
        return ValueFormat(
            kind: strings.kind,
            read: { node, errors in
                guard case .integer(let number) = node.value, number >= 0 else { return strings.read(node, &errors) }
                let unit = "write \"\(number)s\" for seconds, or \"\(number)ms\" for milliseconds"
                errors.append(.wrongKind(of: node, wanted: "a duration in quotes", unit))
                return nil
            },
            text: strings.text
        )
    }

    private static func durationString(_ range: ClosedRange<Duration>) -> ValueFormat {
        .parsed(
            "duration",
            wanted: "a duration in quotes such as \"10s\"",
            maxBytes: maxWordBytes,
            text: { TOMLText.quoted(TOMLText.duration($0)) }
        ) {
            string in
            guard let duration = Quantity.duration(string) else {
                if Int(string) != nil {
                    throw ValueError(message: "'\(string)' has no unit; write \"\(string)s\" for seconds")
                }
                throw ValueError(
                    message:
                        "'\(string)' is not a valid duration; accepted are 0 and forms like 250ms, 1.5s, 5m, 12h and 30d"
                )
            }
            guard range.contains(duration) else {
                let ends = [range.lowerBound, range.upperBound].map(TOMLText.duration)
                throw ValueError(message: "\(string) is not from \(ends[0]) to \(ends[1])")
            }
            return duration
        }
    }
}

extension ValueFormat where Value == String {
    /// A string with a length in bytes within the range.
    static func string(_ length: ClosedRange<Int>) -> ValueFormat {
        .parsed(wanted: "a string", maxBytes: length.upperBound, text: TOMLText.quoted) { string in
            guard string.utf8.count >= length.lowerBound else { throw ValueError(message: "is empty") }
            return string
        }
    }

    /// The path of a file; a relative path is resolved against the directory of the file that contains it, and
    /// `credential:NAME` refers to a credential of the service manager.
    static var path: ValueFormat { path(credentials: { .current }) }

    /// Returns the format for a file path, with credentials in a directory that is looked up on each read.
    static func path(credentials: @escaping @Sendable () -> CredentialDirectory) -> ValueFormat {
        ValueFormat(
            kind: "path",
            read: { node, errors in
                guard case .string = node.value else {
                    errors.append(.wrongKind(of: node, wanted: "a path in quotes"))
                    return nil
                }
                guard let path = string(1...4095).read(node, &errors) else { return nil }
                guard !path.utf8.contains(0) else {
                    errors.append(ValueError(message: "is not a path"))
                    return nil
                }
                do throws(ValueError) {
                    if let credential = try credentials().path(of: path) { return credential }
                } catch {
                    errors.append(error)
                    return nil
                }
                return path.utf8.first == UInt8(ascii: "/") ? path : node.origin.directory + path
            },
            text: TOMLText.quoted
        )
    }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// One word of a fixed set.
    static var choice: ValueFormat { choice(Array(Value.allCases)) }

    /// The words in the reference.
    static var words: String { Value.allCases.map { "`\"\($0.rawValue)\"`" }.joined(separator: ", ") }

    /// Returns the format for one of these words.
    static func choice(_ values: [Value]) -> ValueFormat {
        let quoted = values.map { TOMLText.quoted($0.rawValue) }
        let wanted = "\(quoted.dropLast().joined(separator: ", ")) or \(quoted.last ?? "")"
        return .parsed(wanted: wanted, maxBytes: maxWordBytes, text: { TOMLText.quoted($0.rawValue) }) { string in
            if let value = values.first(where: { $0.rawValue == string }) { return value }
            let words = values.map(\.rawValue)
            let list = "\(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")"
            // The list has the words that are spelled alike.
            let question = KeySuggestion.synonym(of: string, among: words).map { "; did you mean '\($0)'?" } ?? ""
            throw ValueError(message: "'\(string)' is not accepted; accepted are \(list)\(question)")
        }
    }
}
