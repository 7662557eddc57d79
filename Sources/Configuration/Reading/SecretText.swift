internal import Probes

/// Configuration values in displayable form, in TOML.
enum SecretText {
    /// Returns a JSON body; a placeholder if a member of it is a secret, or if the body cannot be parsed.
    @Sendable static func shown(json text: String) -> String {
        guard let value = try? JSONParser.parse(Array(text.utf8), maximumDepth: 64), !hasSecret(value) else {
            return TOMLText.quoted(SecretName.placeholder)
        }
        return TOMLText.quoted(text)
    }

    /// Returns the fields of a header, with placeholders for secrets.
    @Sendable static func shown(fields: [String: String]) -> String {
        ValueFormat<[String: String]>.headerFields.text(
            Dictionary(uniqueKeysWithValues: fields.map { ($0, SecretName.isSecret($0) ? SecretName.placeholder : $1) })
        )
    }

    private static func hasSecret(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members): members.contains { SecretName.isSecret("\($0.key)") || hasSecret($0.value) }
        case .array(let values): values.contains(where: hasSecret)
        default: false
        }
    }
}
