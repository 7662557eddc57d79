import AgentTestKit
import Foundation
import Testing

@testable import Probes

@Suite
struct NetworkdPortalTests {
    /// A directory that stands for `/`, with the state file of link 3 unless there is none.
    private func withRoot(_ content: String?, _ body: (URL) throws -> Void) throws {
        let root = try TemporaryDirectory()
        let links = root.url.appending(path: "run/systemd/netif/links")
        try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
        try content?.write(to: links.appending(path: "3"), atomically: true, encoding: .utf8)
        try withExtendedLifetime(root) { try body(root.url) }
    }

    private static func state(_ line: String) -> String {
        """
        # This is private data. Do not parse.
        ADMIN_STATE=configured
        OPER_STATE=routable
        NETWORK_FILE=/etc/systemd/network/wlan.network
        DNS=192.0.2.1
        \(line)
        DHCP4_ADDRESS=192.0.2.77

        """
    }

    @Test(arguments: [
        ("CAPTIVE_PORTAL=https://portal.test/api", PortalURI.api("https://portal.test/api")),
        ("CAPTIVE_PORTAL=http://192.0.2.1/login", .userPage("http://192.0.2.1/login")),
        ("CAPTIVE_PORTAL=urn:ietf:params:capport:unrestricted", .unrestricted),
        ("CAPTIVE_PORTAL=https://old.test/\nCAPTIVE_PORTAL=https://new.test/", .api("https://new.test/")),
        ("CAPTIVE_PORTAL=", nil), ("CAPTIVE_PORTAL=ftp://portal.test/", nil), ("CAPTIVE_PORTAL=portal.test", nil),
        ("CAPTIVE_PORTAL=https://portal.test/a b", nil), ("CAPTIVE_PORTAL=https://portal.test/\u{1B}[2J", nil),
        ("CAPTIVE_PORTAL=https://user:secret@portal.test/", nil), ("X_CAPTIVE_PORTAL=https://portal.test/", nil),
        ("CAPTIVE_PORTAL=https://portal.test/" + String(repeating: "x", count: 2048), nil), ("DOMAINS=lab.test", nil),
    ])
    func `the address is read from the state file of the link`(line: String, expected: PortalURI?) throws {
        try withRoot(Self.state(line)) { root in
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path) == expected)
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path + "/") == expected)
            #expect(NetworkdPortal.uri(interfaceIndex: 2, root: root.path) == nil)
        }
    }

    @Test(arguments: [0, -1, Int.min, Int.max])
    func `an impossible link has no portal`(index: Int) throws {
        try withRoot(nil) { #expect(NetworkdPortal.uri(interfaceIndex: index, root: $0.path) == nil) }
    }

    @Test
    func `a state file that is too large or not regular is not read`() throws {
        let line = "CAPTIVE_PORTAL=https://portal.test/api\n"
        let padding = NetworkdPortal.maximumBytes - line.utf8.count
        try withRoot(line + String(repeating: "#", count: padding)) { root in
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path) == .api("https://portal.test/api"))
        }
        try withRoot(line + String(repeating: "#", count: padding + 1)) { root in
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path) == nil)
        }
        try withRoot(nil) { root in
            let path = root.appending(path: "run/systemd/netif/links/3").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path) == nil)
            try FileManager.default.removeItem(atPath: path)
            #expect(mkfifo(path, 0o600) == 0)
            #expect(NetworkdPortal.uri(interfaceIndex: 3, root: root.path) == nil, "and nothing waits for a writer")
        }
    }
}
