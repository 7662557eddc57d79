internal import TOMLKit

/// The one place that knows the TOML library.
enum TOMLDocument {
    /// The root table of a text, with the origin of each value.
    ///
    /// TOMLKit tells no positions, so ``KeyLocator`` finds them; and it recurses as deeply as the text is nested and asserts
    /// what it did not check, so the locator reads the text first. TOMLKit frees nothing by itself: the nodes are released here, and a copy of
    /// each text stays behind, which is bounded by the size of the file.
    static func parse(_ source: SourceText, order: Int) throws(ConfigurationErrors) -> Node {
        let locator = KeyLocator(source.bytes)
        if let trouble = locator.trouble {
            throw ConfigurationErrors([
                ConfigurationError(file: source.file, line: trouble.line, message: trouble.message)
            ])
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: String(decoding: source.bytes, as: UTF8.self))
        } catch {
            throw ConfigurationErrors([syntaxError(error, in: source)])
        }
        defer { table.clear() }
        return Copy(file: source.file, order: order).node(table, at: locator.root)
    }

    private static func syntaxError(_ error: any Error, in source: SourceText) -> ConfigurationError {
        guard let error = error as? TOMLParseError else {
            return ConfigurationError(file: source.file, message: "not TOML")
        }
        let begin = error.source.begin
        // What the parser quotes comes from the file; the message must stay one line.
        let text = String(String.UnicodeScalarView(error.description.unicodeScalars.filter { $0.value >= 0x20 }))
        let place = begin.column > 0 ? "not TOML at column \(begin.column)" : "not TOML"
        return ConfigurationError(
            file: source.file,
            line: begin.line > 0 ? begin.line : nil,
            message: "\(place): \(text.prefix(1).lowercased())\(text.dropFirst())"
        )
    }

    /// Copies the library's nodes into values of ours.
    private struct Copy {
        let file: String
        let order: Int

        func node(_ value: any TOMLValueConvertible, at place: KeyLocator.Place?) -> Node {
            let origin = Origin(file: file, order: order, line: place?.line, ordinal: place?.ordinal ?? 0)
            return Node(value: self.value(value, at: place), origin: origin)
        }

        private func value(_ value: any TOMLValueConvertible, at place: KeyLocator.Place?) -> Node.Value {
            switch value.type {
            case .string: return .string(value.string ?? "")
            case .int: return .integer(value.int ?? 0)
            case .double: return .number(value.double ?? 0)
            case .bool: return .boolean(value.bool ?? false)
            case .date, .time, .dateTime: return .date
            case .array:
                guard let array = value.array else { return .array([]) }
                var nodes: [Node] = []
                for index in 0..<array.count {
                    nodes.append(node(array[index], at: place?.elements.dropFirst(index).first))
                }
                return .array(nodes)
            case .table:
                guard let table = value.table else { return .table([:]) }
                var nodes: [String: Node] = [:]
                for key in table.keys {
                    // Not the table's iterator: it traps when a key cannot be found again.
                    guard let member = table[key] else { continue }
                    nodes[key] = node(member, at: place?.members[key])
                }
                return .table(nodes)
            }
        }
    }
}
