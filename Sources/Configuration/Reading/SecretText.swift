internal import Probes

/// Values of the configuration as they may be shown, in TOML.
enum SecretText {
    /// A body in JSON; a placeholder when a member of it is a secret, or when that cannot be told.
    @Sendable static func shown(json text: String) -> String {
        guard let value = try? JSONParser.parse(Array(text.utf8), maximumDepth: 64), !hasSecret(value) else {
            return TOMLText.quoted(SecretName.placeholder)
        }
        return TOMLText.quoted(text)
    }

    /// The fields of a header.
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
