/// Extended key usages.
enum Purpose {
    static let server = "1.3.6.1.5.5.7.3.1"
    static let any = "2.5.29.37.0"

    private static let names = [
        server: "serverAuth", any: "anyExtendedKeyUsage", "1.3.6.1.5.5.7.3.2": "clientAuth",
        "1.3.6.1.5.5.7.3.3": "codeSigning", "1.3.6.1.5.5.7.3.4": "emailProtection",
        "1.3.6.1.5.5.7.3.8": "timeStamping", "1.3.6.1.5.5.7.3.9": "OCSPSigning",
    ]

    /// Usages in words.
    static func text(_ usages: [String]) -> String { usages.map { names[$0] ?? $0 }.joined(separator: ", ") }
}
