internal import CheckResults
internal import FuzzKit

@testable import HTTPSerialization

/// Header fields that go out, and language tags from the environment.
enum FuzzHeaders {
    static func run(_ input: [UInt8]) {
        let halves = input.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: halves.first ?? [], as: UTF8.self)
        let value = String(decoding: halves.dropFirst().first ?? [], as: UTF8.self)
        if let fields = try? HeaderFields([HeaderField(name: name, value: value)]) {
            for field in fields.fields {
                let line = Array("\(field.name): \(field.value)".utf8)
                require(!line.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a field breaks the header")
            }
        }
        let languages = AcceptLanguage.languages(environment: ["LANGUAGE": value])
        if let accepted = AcceptLanguage.value(of: languages) {
            require(accepted.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "Accept-Language holds \(accepted)")
        }
    }
}
