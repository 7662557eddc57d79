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
