internal import Probes

extension Form where Value == ParameterValue {
    private static var most: Int { 128 }
    /// How deeply tables may be nested.
    private static var mostLevels: Int { 16 }

    /// The parameters of a query or a form: a table, or an array of texts as on the command line.
    static var parameters: Form {
        let texts = Form<String>.string(0...65_536).list(0...most)
        return Form(
            read: { node, errors in
                switch node.value {
                case .table: return dictionary(node, mostLevels, &errors)
                case .array:
                    guard let list = texts.read(node, &errors) else { return nil }
                    do throws(RequestError) {
                        return try ParameterText.parameters(list, for: .query)
                    } catch {
                        errors.append(ValueError(message: error.description))
                        return nil
                    }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a table or an array of texts"))
                    return nil
                }
            },
            text: { text(of: $0) }
        )
    }

    /// A text, an array of texts for a name that is repeated, or a table for a nested one.
    private static func parameter(_ node: Node, _ levels: Int, _ errors: inout [ValueError]) -> ParameterValue? {
        let single = Form<String>.string(0...65_536)
        switch node.value {
        case .string: return single.read(node, &errors).map { .string($0) }
        case .array: return single.list(1...most).read(node, &errors).map { .repeated($0.map { .string($0) }) }
        case .table: return dictionary(node, levels - 1, &errors)
        default:
            errors.append(.wrongKind(of: node, wanted: "a text, an array of texts or a table"))
            return nil
        }
    }

    private static func dictionary(_ node: Node, _ levels: Int, _ errors: inout [ValueError]) -> ParameterValue? {
        guard levels > 0 else {
            errors.append(ValueError(message: "is nested more than \(mostLevels) levels deep"))
            return nil
        }
        let member = Form(read: { parameter($0, levels, &$1) }, text: { text(of: $0) })
        return member.table(atMost: most).read(node, &errors).map { .dictionary($0) }
    }

    /// A table where one can say it; else the texts that say the same.
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
                texts.append("\(KeyPath([key])) = \(text)")
            }
            return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
        default: return nil
        }
    }
}

extension Form where Value == String {
    /// A body in JSON: a text that is sent as it is, or a table or an array that is written as JSON.
    static var jsonBody: Form {
        let plain = Form<String>.string(1...SourceText.mostBytes)
        return Form(
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
                    errors.append(.wrongKind(of: node, wanted: "a text in JSON, a table or an array"))
                    return nil
                }
            },
            text: plain.text
        )
    }

    /// The value in JSON; TOML has no null, which a text in JSON can say.
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
            let values = members.compactMapValues { json($0, &errors) }
            return values.count == members.count ? .dictionary(values) : nil
        case .date:
            errors.append(.wrongKind(of: node, wanted: "a value that JSON has"))
            return nil
        }
    }
}
