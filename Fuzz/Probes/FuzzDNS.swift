internal import FuzzKit

@testable import Probes

/// Answers of name servers.
enum FuzzDNS {
    static func run(_ input: [UInt8]) {
        guard let message = try? DNSMessage.decode(input) else { return }
        for record in message.answers {
            require(record.name.wireBytes.count <= 255, "a name without a bound")
            require(record.description.utf8.count < 1 << 20, "a record without bounds")
        }
    }
}
