internal import FuzzKit

@testable import Probes

/// A network's data about its captive portal: the API response (RFC 8908), networkd's state file, and a Location field.
enum FuzzPortal {
    static func run(_ input: [UInt8]) {
        if let answer = try? PortalAnswer(parsing: input) {
            for url in [answer.userPortalURL, answer.venueInfoURL].compactMap(\.self) { requireShown(url) }
            require(answer.userPortalURL?.hasPrefix("https://") != false, "a portal without TLS")
        }
        switch NetworkdPortal.uri(inStateFile: input) {
        case .api(let url): requireShown(url)
        case .userPage(let url): requireShown(url)
        case .unrestricted, nil: break
        }
        let location = String(decoding: input, as: UTF8.self)
        if let url = PortalURL.resolved(location, at: "http://check.test/generate_204") { requireShown(url) }
    }

    private static func requireShown(_ url: String) {
        require(url.utf8.count <= PortalURL.maximumLength, "an address without a bound")
        require(url.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address that is not printable: \(url)")
        require(url.hasPrefix("http://") || url.hasPrefix("https://"), "an address of another scheme: \(url)")
    }
}
