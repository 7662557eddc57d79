extension JSONExpectation {
    /// Returns the evidence against the expectation; nil when the body satisfies it.
    func objection(in body: JSONValue) -> String? {
        let value: JSONValue
        do throws(JSONPath.Missing) {
            value = try path.value(in: body)
        } catch {
            return error.evidence
        }
        guard let condition, !condition.holds(for: value) else { return nil }
        let expected = path.isSecret ? "\(condition.value.kind) (not shown)" : condition.value.evidence
        let got = path.isSecret ? "\(value.kind) (not shown)" : value.evidence
        return "expected \(condition.comparison.rawValue) \(expected), got \(got)"
    }

    /// The path for evidence.
    var subject: String { "JSON body, " + Snippet.quoted(name: JSONPath.text(of: path.steps)) }
}

extension JSONExpectation.Condition {
    /// Returns whether a value of the body satisfies the comparison.
    func holds(for body: JSONValue) -> Bool {
        switch (body, value) {
        case (.null, _), (_, .null):
            switch comparison {
            case .equal: body == value
            case .notEqual: body != value
            default: false
            }
        case (.number(let left), .number(let right)): holds(left, right)
        case (.string, .string), (.bool, .bool), (.array, .array), (.object, .object): holds(isEqual: body == value)
        default: false
        }
    }

    private func holds(_ left: JSONNumber, _ right: JSONNumber) -> Bool {
        switch comparison {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    private func holds(isEqual: Bool) -> Bool {
        switch comparison {
        case .equal: isEqual
        case .notEqual: !isEqual
        default: false
        }
    }
}
