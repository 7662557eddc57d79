internal import Probes

extension Form where Value == Double {
    /// Bits per second with a unit.
    static var bitRate: Form {
        .parsed(
            "bit rate",
            wanted: "a bit rate in quotes such as \"5Mbit/s\"",
            maxBytes: maxWordBytes,
            text: { TOMLText.quoted(Quantity.text(bitRate: $0)) }
        ) { string in
            if let rate = Quantity.bitRate(string) { return rate }
            let likely = Quantity.likelyBitRate(string).map { "; did you mean \"\($0)\"?" }
            throw ValueError(
                message: "'\(string)' is not a valid bit rate"
                    + (likely ?? "; accepted are forms like 800kbit/s, 1.5Mbit/s and 1Gbit/s")
            )
        }
    }

    /// A share from 0 to 1.
    static var share: Form {
        Form(
            kind: "number",
            read: { node, errors in
                let value: Double
                switch node.value {
                case .integer(let integer): value = Double(integer)
                case .number(let number): value = number
                default:
                    errors.append(.wrongKind(of: node, wanted: "a number from 0 to 1"))
                    return nil
                }
                guard (0...1).contains(value) else {
                    let percent = (2...100).contains(value) ? "; \(shown(value)) % is \(shown(value / 100))" : ""
                    errors.append(ValueError(message: "\(shown(value)) is not from 0 to 1\(percent)"))
                    return nil
                }
                return value
            },
            text: shown
        )
    }

    private static func shown(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

extension TransferPlan {
    /// The defaults of a probe with a transfer, which costs megabytes: rare, and with time for them.
    static let (standardInterval, standardFastInterval) = (Duration.seconds(6 * 3600), Duration.seconds(600))
    /// The default timeout.
    static let standardTimeout = Duration.seconds(120)
}
