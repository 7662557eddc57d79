internal import Probes

extension ValueFormat where Value == ParameterValue {
    private static var maxCount: Int { 128 }
    /// The maximum depth of nested tables.
    private static var maxLevels: Int { 16 }

    /// The parameters of a query or a form: a table, or an array of strings as on the command line.
    static var parameters: ValueFormat {
        let strings = pair.list(0...maxCount)
        return ValueFormat(
            kind: "table or array of strings",
            read: { node, errors in
                switch node.value {
                case .table: return dictionary(node, maxLevels, &errors)
                case .array:
                    guard let list = strings.read(node, &errors) else { return nil }
                    do throws(RequestError) {
                        return try ParameterText.parameters(list, for: .query)
                    } catch {
                        errors.append(ValueError(message: error.description))
                        return nil
                    }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a table or an array of strings"))
                    return nil
                }
            },
            text: { text(of: $0) }
        )
    }

    /// A name with or without a value; the name is bounded as the key of a table is.
    private static var pair: ValueFormat<String> {
        .parsed(wanted: "a string", maxBytes: 65_536, text: TOMLText.quoted) { string in
            let (count, limit) = (string.utf8.prefix { $0 != UInt8(ascii: "=") }.count, TOMLParser.maxKeyBytes)
            guard count <= limit else {
                throw ValueError(message: "has a name of \(count) bytes; at most \(limit) are accepted")
            }
            return string
        }
    }

    /// Reads a string, an array of strings for a repeated name, or a table for a nested one.
    private static func parameter(_ node: Node, _ levels: Int, _ errors: inout [ValueError]) -> ParameterValue? {
        let single = ValueFormat<String>.string(0...65_536)
        switch node.value {
        case .string: return single.read(node, &errors).map { .string($0) }
        case .array: return single.list(1...maxCount).read(node, &errors).map { .repeated($0.map { .string($0) }) }
        case .table: return dictionary(node, levels - 1, &errors)
        default:
            errors.append(.wrongKind(of: node, wanted: "a string, an array of strings or a table"))
            return nil
        }
    }

    private static func dictionary(_ node: Node, _ levels: Int, _ errors: inout [ValueError]) -> ParameterValue? {
        guard levels > 0 else {
            errors.append(ValueError(message: "is nested more than \(maxLevels) levels deep"))
            return nil
        }
        let member = ValueFormat(kind: "parameter", read: { parameter($0, levels, &$1) }, text: { text(of: $0) })
        return member.table(max: maxCount).read(node, &errors).map { .dictionary($0) }
    }

    /// Returns a table if it can express the value; otherwise the strings.
    private static func text(of value: ParameterValue) -> String {
        if let table = table(of: value) { return table }
        let pairs = (try? QueryString.pairs(of: value)) ?? []
        return TOMLText.array(pairs.map { name, value in TOMLText.quoted(value.map { "\(name)=\($0)" } ?? name) })
    }

    private static func table(of value: ParameterValue) -> String? {
        switch value {
        case .string(let text): return TOMLText.quoted(text)
        case .repeated(let values):
            let texts = values.compactMap(table)
            return texts.count == values.count ? TOMLText.array(texts) : nil
        case .dictionary(let members):
            var texts: [String] = []
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let text = table(of: member) else { return nil }
                texts.append("\(TOMLPath([key])) = \(text)")
            }
            return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
        default: return nil
        }
    }
}

extension ValueFormat where Value == String {
    /// A JSON body: a string that is sent unchanged, or a table or an array that is encoded as JSON.
    static var jsonBody: ValueFormat {
        let plain = ValueFormat<String>.string(1...SourceText.maxBytes)
        return ValueFormat(
            kind: "string, table or array",
            read: { node, errors in
                switch node.value {
                case .string: return plain.read(node, &errors)
                case .table, .array:
                    do throws(RequestError) {
                        guard let value = json(node, &errors),
                            case .bytes(let bytes, _) = try ProbeRequest.Body.json(value)
                        else { return nil }
                        return String(decoding: bytes, as: UTF8.self)
                    } catch {
                        errors.append(ValueError(message: error.description))
                        return nil
                    }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a JSON string, a table or an array"))
                    return nil
                }
            },
            text: plain.text
        )
    }

    /// Returns the value as JSON; TOML has no null, which only a JSON string can express.
    private static func json(_ node: Node, _ errors: inout [ValueError]) -> ParameterValue? {
        switch node.value {
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(Int64(number))
        case .number(let number): return .number(number)
        case .boolean(let flag): return .bool(flag)
        case .array(let nodes):
            let values = nodes.compactMap { json($0, &errors) }
            return values.count == nodes.count ? .array(values) : nil
        case .table(let members):
            var values: [String: ParameterValue] = [:]
            for (key, node) in members { values[key.text] = json(node, &errors) }
            guard values.count == members.count else {
                if errors.isEmpty { errors.append(ValueError(message: "two of its members are spelled alike")) }
                return nil
            }
            return .dictionary(values)
        case .date:
            errors.append(.wrongKind(of: node, wanted: "a value that JSON has"))
            return nil
        }
    }
}
