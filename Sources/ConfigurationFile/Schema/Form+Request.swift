internal import Probes

extension Form where Value == StatusCodes {
    /// `200-299,304`, or one integer.
    static var statusCodes: Form {
        let texts = Form.parsed(
            wanted: "a text such as \"200-299,304\"",
            text: { TOMLText.quoted($0.description) },
            { try StatusCodes(parsing: $0) }
        )
        return Form(
            read: { node, errors in
                guard case .integer(let code) = node.value else { return texts.read(node, &errors) }
                return texts.read(Node(value: .string("\(code)"), origin: node.origin), &errors)
            },
            text: texts.text
        )
    }
}

extension Form where Value == BodyPattern {
    /// A regular expression (PCRE2).
    static var pattern: Form {
        .parsed(wanted: "a text", text: { TOMLText.quoted($0.text) }) { try BodyPattern(parsing: $0) }
    }
}

extension Form where Value == JSONExpectation {
    /// `status.code=0`.
    static var member: Form {
        .parsed(wanted: "a text", text: { TOMLText.quoted($0.text) }) { try JSONExpectation(parsing: $0) }
    }
}

extension Form where Value == PublicKeyPin {
    /// `sha256//` and Base64.
    static var pin: Form {
        .parsed(wanted: "a text", text: { TOMLText.quoted($0.description) }) { try PublicKeyPin(parsing: $0) }
    }
}

extension Form where Value == ParameterValue {
    /// A text, or an array of texts for a name that is repeated.
    static var parameter: Form {
        let single = Form<String>.string(0...65_536)
        let several = single.list(1...128)
        return Form(
            read: { node, errors in
                switch node.value {
                case .string: return single.read(node, &errors).map { .string($0) }
                case .array: return several.read(node, &errors).map { .set(Set($0.map { .string($0) })) }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a text or an array of texts"))
                    return nil
                }
            },
            text: { value in
                switch value {
                case .string(let text): TOMLText.quoted(text)
                case .set(let values): TOMLText.array(values.compactMap(Self.quoted).sorted())
                default: ""
                }
            }
        )
    }

    private static func quoted(_ value: ParameterValue) -> String? {
        guard case .string(let text) = value else { return nil }
        return TOMLText.quoted(text)
    }
}
