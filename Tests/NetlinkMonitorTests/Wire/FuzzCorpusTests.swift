internal import Foundation
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The seeds that the fuzzer begins with are what the test kit builds, file by file.
///
/// With `REACHAGENT_WRITE_CORPUS=1` in the environment the files are written instead of compared. Other files in the
/// directory are inputs that once were trouble; they are only read.
struct FuzzCorpusTests {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz/Corpus/netlink")

    /// The seeds by name: one of each message, recordings, and some that are broken.
    static func seeds() throws -> [String: NetlinkDatagram] {
        var seeds: [String: NetlinkDatagram] = [:]
        for (number, message) in HostileBytesTests.everyMessage.enumerated() {
            seeds["message-\(number)-type-\(message.type)"] = NetlinkDatagram([message])
        }
        for (name, text) in [
            ("association", Recordings.association), ("removal", Recordings.removal), ("modem", Recordings.modem),
        ] {
            seeds["recorded-\(name)"] = NetlinkDatagram(try MessageBuilder.recorded(text).map { try #require($0) })
        }
        for (kind, type) in [("gre", 7), ("ipip", 3), ("vti", 5), ("vxlan", 2), ("geneve", 2), ("vrf", 1)]
            as [(String, UInt16)]
        {
            let info = NetlinkAttribute.linkInfo(kind, data: [NetlinkAttribute(type, [192, 0, 2, 1])])
            seeds["tunnel-\(kind)"] = NetlinkDatagram([.link(9, "\(kind)1", [.up], attributes: [info, .lower(2)])])
        }
        let stack = (1...6).map {
            MessageBuilder.link($0, "v\($0)", attributes: [.lower($0 % 6 + 1), .linkInfo("vlan")])
        }
        seeds["stack-in-a-circle"] = NetlinkDatagram(stack)
        seeds["dump-with-done"] = NetlinkDatagram([MessageBuilder.link(1, "lo").answering(1), .done()])
        seeds["bridge-port"] = NetlinkDatagram([.bridgePort(Rtnetlink.deleteLink, 3, "eth0")])
        var selective = MessageBuilder.rule(RoutingRule(family: .ipv4, priority: 100, table: 0, action: 7))
        // FRA_DPORT_RANGE, FRA_DSCP, FRA_DPORT_MASK and FRA_DSCP_MASK.
        for (type, value) in [(24, [80, 0, 80, 0]), (25, [8]), (29, [255, 0]), (30, [63])] as [(UInt16, [UInt8])] {
            selective.attributes.append(NetlinkAttribute(type, value))
        }
        seeds["rule-selectors"] = NetlinkDatagram([selective])
        seeds["broken-length"] = NetlinkDatagram([.linkRemoved(3, "eth0")]).claiming(length: 0)
        seeds["broken-attribute"] = NetlinkDatagram([
            .link(3, "eth0", attributes: [NetlinkAttribute(Rtnetlink.Link.master, [1], claimedLength: 2)])
        ])
        return seeds
    }

    @Test("the seeds on disk match those that the test kit builds")
    func files() throws {
        let seeds = try Self.seeds()
        let isWriting = ProcessInfo.processInfo.environment["REACHAGENT_WRITE_CORPUS"] == "1"
        for (name, datagram) in seeds {
            let file = Self.directory.appending(path: name)
            if isWriting { try Data(datagram.bytes).write(to: file) }
            #expect(try [UInt8](Data(contentsOf: file)) == datagram.bytes, "\(name)")
        }
        #expect(seeds.count < 40)
    }

    @Test("no file of the corpus breaks the parser or the view")
    func regressions() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let parsed = ParsedDatagram(NetlinkDatagram(bytes: [UInt8](try Data(contentsOf: file))))
            var view = KernelView()
            for message in parsed.messages {
                _ = view.apply(message)
                let before = view
                _ = view.apply(message)
                #expect(view == before, "\(file.lastPathComponent)")
            }
        }
    }
}
