internal import FuzzKit

@testable import Probes

/// URLs and targets as a configuration, a command line or a Location header may hold them.
enum FuzzURLs {
    private static let base = try? HTTPURL(parsing: "https://host.test/a/b?c")

    static func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        if let url = try? HTTPURL(parsing: text) { check(url) }
        if let url = try? base?.resolving(reference: text) { check(url) }
        if let target = try? ProbeTarget(parsing: text) {
            require((try? ProbeTarget(parsing: target.description)) == target, "\(target) does not parse as itself")
        }
    }

    private static func check(_ url: HTTPURL) {
        require((try? HTTPURL(parsing: url.description)) == url, "\(url) does not parse as itself")
        let bytes = Array(url.description.utf8)
        require(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(url) holds what no request line may")
        require(url.path.hasPrefix("/"), "\(url) has no path")
    }
}
