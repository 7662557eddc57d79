extension Form where Value == Bool {
    /// `true` or `false`.
    static var boolean: Form {
        Form(
            read: { node, errors in
                if case .boolean(let value) = node.value { return value }
                errors.append(.wrongKind(of: node, wanted: "true or false"))
                return nil
            },
            text: { "\($0)" }
        )
    }
}

extension Form where Value == Int {
    /// A whole number.
    static func integer(_ range: ClosedRange<Int>) -> Form {
        Form(
            read: { node, errors in
                guard case .integer(let value) = node.value else {
                    errors.append(.wrongKind(of: node, wanted: "an integer"))
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

    /// A number of bytes: an integer, or a text with a unit.
    static func size(_ range: ClosedRange<Int>) -> Form {
        let wanted = "a number of bytes, as an integer or a text such as \"64M\","
        return Form(
            read: { node, errors in
                let bytes: Int?
                switch node.value {
                case .integer(let value): bytes = value
                case .string(let string):
                    bytes = Quantity.bytes(string)
                    if bytes == nil {
                        errors.append(
                            ValueError(
                                message: "'\(string)' is no size; accepted are integers and forms like 512K, 8M and 2G"
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

extension Form where Value == Double {
    /// A share in percent, whole or not.
    static var percent: Form {
        Form(
            read: { node, errors in
                let value: Double
                switch node.value {
                case .integer(let integer): value = Double(integer)
                case .number(let number): value = number
                default:
                    errors.append(.wrongKind(of: node, wanted: "a number of percent"))
                    return nil
                }
                guard (0...100).contains(value) else {
                    errors.append(ValueError(message: "\(shownPercent(value)) is not from 0 to 100"))
                    return nil
                }
                return value
            },
            text: shownPercent
        )
    }

    private static func shownPercent(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

extension Form where Value == Duration {
    /// A duration with a unit.
    static func duration(_ range: ClosedRange<Duration>) -> Form {
        .parsed(wanted: "a duration in quotes such as \"10s\"", text: { TOMLText.quoted(TOMLText.duration($0)) }) {
            string in
            guard let duration = Quantity.duration(string) else {
                throw ValueError(
                    message: "'\(string)' is no duration; accepted are 0 and forms like 250ms, 1.5s, 5m, 12h and 30d"
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

extension Form where Value == String {
    /// A text of so many bytes.
    static func string(_ length: ClosedRange<Int>) -> Form {
        .parsed(wanted: "a text", text: TOMLText.quoted) { string in
            let count = string.utf8.count
            guard count >= length.lowerBound else { throw ValueError(message: "is empty") }
            guard count <= length.upperBound else {
                throw ValueError(message: "has \(count) bytes; at most \(length.upperBound) are accepted")
            }
            return string
        }
    }

    /// The path of a file; a relative one begins at the folder of the file that names it, and `credential:NAME` is a
    /// secret that the service manager hands over.
    static var path: Form { path(credentials: .current) }

    /// The path of a file, with credentials in a folder.
    static func path(credentials: CredentialFolder) -> Form {
        Form(
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
                    if let credential = try credentials.path(of: path) { return credential }
                } catch {
                    errors.append(error)
                    return nil
                }
                return path.hasPrefix("/") ? path : node.origin.folder + path
            },
            text: TOMLText.quoted
        )
    }
}

extension Form where Value: CaseIterable & RawRepresentable<String> {
    /// One word of a few.
    static var choice: Form { choice(Array(Value.allCases)) }

    /// One word of these.
    static func choice(_ values: [Value]) -> Form {
        let quoted = values.map { TOMLText.quoted($0.rawValue) }
        let wanted = "\(quoted.dropLast().joined(separator: ", ")) or \(quoted.last ?? "")"
        return .parsed(wanted: wanted, text: { TOMLText.quoted($0.rawValue) }) { string in
            if let value = values.first(where: { $0.rawValue == string }) { return value }
            let words = values.map(\.rawValue)
            let list = "\(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")"
            throw ValueError(message: "'\(string)' is not accepted; accepted are \(list)")
        }
    }
}
