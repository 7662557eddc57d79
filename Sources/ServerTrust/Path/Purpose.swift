internal import ForeignText

/// Extended key usages.
enum Purpose {
    static let server: ForeignText = "1.3.6.1.5.5.7.3.1"
    static let any: ForeignText = "2.5.29.37.0"

    private static let names: [ForeignText: String] = [
        server: "serverAuth", any: "anyExtendedKeyUsage", "1.3.6.1.5.5.7.3.2": "clientAuth",
        "1.3.6.1.5.5.7.3.3": "codeSigning", "1.3.6.1.5.5.7.3.4": "emailProtection",
        "1.3.6.1.5.5.7.3.8": "timeStamping", "1.3.6.1.5.5.7.3.9": "OCSPSigning",
    ]

    /// Returns the first usages as text.
    static func text(_ usages: [ForeignText]) -> String {
        let shown = usages.prefix(8).map { names[$0] ?? $0.shown(limit: 64) }.joined(separator: ", ")
        return usages.count > 8 ? "\(shown) and \(usages.count - 8) more" : shown
    }
}
