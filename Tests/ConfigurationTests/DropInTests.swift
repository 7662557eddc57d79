import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import Configuration

/// The selection and merging of configuration files and drop-ins.
@Suite struct DropInTests {
    /// A tree with the directories of a system: `etc`, `usr` and `home`.
    private func inTree<Result>(
        _ files: [String: String],
        _ body: (String, ConfigurationDirectories) throws -> Result
    ) throws -> Result {
        try Fixtures.inDirectory { root in
            for (path, text) in files {
                let url = URL(filePath: "\(root)/\(path)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                if text == "mask" {
                    try FileManager.default.createSymbolicLink(atPath: url.path(), withDestinationPath: "/dev/null")
                } else {
                    try text.write(to: url, atomically: false, encoding: .utf8)
                }
            }
            return try body(root, ConfigurationDirectories(administrator: "\(root)/etc", vendor: "\(root)/usr"))
        }
    }

    private func probe(_ name: String, _ keys: String = "") -> String {
        "[probe.\(name)]\ntarget = 'https://\(name).test/'\n\(keys)\n"
    }

    private func load(_ path: String, _ directories: ConfigurationDirectories) throws -> ConfigurationFile.Loaded {
        try ConfigurationFile.load(path, directories: directories, notes: Notes(listsEffective: true))
    }

    @Test func `two names of different bytes are two drop-ins, and a hidden one is none`() throws {
        let files = [
            "a.toml": probe("web"), "a.toml.d/1\u{E9}.toml": probe("composed"),
            "a.toml.d/.\u{301}hidden.toml": probe("hidden"),
        ]
        try inTree(files) { root, directories in
            // Equal to the first as a string, so not in one dictionary with it.
            let descriptor = open("\(root)/a.toml.d/1e\u{301}.toml", O_WRONLY | O_CREAT | O_EXCL, 0o644)
            try #require(descriptor >= 0)
            let text = Array(probe("decomposed").utf8)
            #expect(write(descriptor, text, text.count) == text.count)
            close(descriptor)
            let probes = try load("\(root)/a.toml", directories).settings.probes
            #expect(Set(probes.map(\.name)) == ["web", "composed", "decomposed"])
        }
    }

    @Test func `tables are joined, values and arrays are replaced, the last name wins`() throws {
        let files = [
            "a.toml": probe("web", "rise = 5\nfall = 5\nexpiry_days = [9, 8, 7]\nloss = { good = 1, bad = 2 }"),
            "a.toml.d/20-later.toml": "[probe.web]\nfall = 7\nexpiry_days = [1]\nloss.bad = 50\n" + probe("more"),
            "a.toml.d/10-first.toml": "[probe.web]\nfall = 6\n",
            "a.toml.d/30-no.conf": "[probe.web]\nfall = 8\n",
            "a.toml.d/.30-hidden.toml": "[probe.web]\nfall = 9\n",
        ]
        try inTree(files) { root, directories in
            let loaded = try load("\(root)/a.toml", directories)
            let web = try #require(loaded.settings.probes.last)
            #expect(loaded.settings.probes.map(\.name) == ["more", "web"])
            #expect(web.rule.rise == 5)
            #expect(web.rule.fall == 7)
            #expect(web.rule.expiry.days == [1])
            #expect(web.rule.loss?.good == 1)
            #expect(web.rule.loss?.bad == 50)
            #expect(
                loaded.files
                    == ["a.toml", "a.toml.d/10-first.toml", "a.toml.d/20-later.toml"].map { "\(root)/\($0)" }
            )
            #expect(loaded.effective.contains("probe.web.fall = 7    # \(root)/a.toml.d/20-later.toml:2"))
            #expect(loaded.effective.contains("probe.web.rise = 5    # \(root)/a.toml:3"))
        }
    }

    @Test func `the errors of all files are reported together`() throws {
        let files = ["a.toml": "x = 1\n", "a.toml.d/1.toml": "\ny = 1\n", "a.toml.d/2.toml": "\n\nz = 1\n"]
        try inTree(files) { root, _ in
            let expected = ["a.toml:1:1: x", "a.toml.d/1.toml:2:1: y", "a.toml.d/2.toml:3:1: z"].map {
                "\($0): unknown key"
            }
            #expect(Fixtures.errors(at: "\(root)/a.toml", in: root) == expected)
        }
    }

    @Test func `two files that are not valid TOML are both reported`() throws {
        try inTree(["a.toml": "x = [\n", "a.toml.d/1.toml": "y = \"\n"]) { root, _ in
            let errors = Fixtures.errors(at: "\(root)/a.toml", in: root)
            #expect(errors.count == 2)
            #expect(errors.last == "a.toml.d/1.toml:1:6: invalid TOML: a string does not end on its line")
        }
    }

    @Test func `patterns of later files have precedence`() throws {
        let files = [
            "a.toml": "[interfaces.kinds]\n'usb*' = 'wwan'\n'eth*' = 'wired'\n",
            "a.toml.d/1.toml": "[interfaces.kinds]\n'usb0' = 'wired'\n'a*' = 'wifi'\n'eth*' = 'wifi'\n",
        ]
        try inTree(files) { root, directories in
            let kinds = try load("\(root)/a.toml", directories).settings.kindOverrides
            #expect(kinds.map(\.description) == ["usb0=wired", "a*=wifi", "eth*=wifi", "usb*=wwan"])
        }
    }

    @Test func `the administrator's file replaces the vendor's, and masks its drop-ins`() throws {
        let files = [
            "usr/reachagent.toml": probe("vendor"), "etc/reachagent.toml": probe("own"),
            "usr/reachagent.toml.d/10.toml": probe("ten"), "usr/reachagent.toml.d/20.toml": probe("twenty"),
            "usr/reachagent.toml.d/30.toml": probe("thirty"), "etc/reachagent.toml.d/20.toml": probe("mine"),
            "etc/reachagent.toml.d/30.toml": "mask",
        ]
        try inTree(files) { _, directories in
            let path = try #require(directories.standardPath(environment: [:], isRoot: true))
            #expect(try load(path, directories).settings.probes.map(\.name) == ["mine", "own", "ten"])
        }
    }

    @Test func `the vendor's file is used when the administrator has none`() throws {
        try inTree(["usr/reachagent.toml": probe("vendor"), "etc/reachagent.toml.d/1.toml": probe("own")]) {
            root,
            directories in
            let path = try #require(directories.standardPath(environment: [:], isRoot: true))
            #expect(path == "\(root)/usr/reachagent.toml")
            #expect(try load(path, directories).settings.probes.map(\.name) == ["own", "vendor"])
        }
    }

    @Test func `a reload reads the file that a start would, or the one that was named`() throws {
        func path(_ files: [String: String], named: String?, searches: Bool = true) throws -> String? {
            try inTree(files) { root, directories in
                let searched = directories.standardPaths(environment: [:], isRoot: true)
                let path = directories.path(named: named.map { "\(root)/\($0)" }, searched: searches ? searched : [])
                return path.map { $0.replacingOccurrences(of: "\(root)/", with: "") }
            }
        }
        let (own, vendor, dropIn) = ("etc/reachagent.toml", "usr/reachagent.toml", "etc/reachagent.toml.d/1.toml")
        let text = probe("web")
        #expect(try path([dropIn: text], named: nil) == own)
        #expect(try path([dropIn: text], named: own) == own)
        #expect(try path([:], named: own) == nil)
        #expect(try path([:], named: nil) == nil)
        #expect(try path([vendor: text], named: own) == vendor)
        #expect(try path([own: text, vendor: text], named: vendor) == own)
        // A file that was named is never replaced.
        #expect(try path([own: text], named: "a.toml", searches: false) == "a.toml")
        #expect(try path([own: text], named: nil, searches: false) == nil)
    }

    @Test func `a file that cannot be looked for is not taken for a removed one`() throws {
        // A link to itself: neither root nor anybody else can follow it.
        try inTree([:]) { root, directories in
            try FileManager.default.createDirectory(atPath: "\(root)/etc", withIntermediateDirectories: true)
            let own = "\(root)/etc/reachagent.toml"
            try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: own)
            let searched = directories.standardPaths(environment: [:], isRoot: true)
            #expect(directories.path(named: own, searched: searched) == own)
            #expect(throws: ConfigurationErrors.self) { try load(own, directories) }
        }
    }

    @Test func `drop-ins count without a file`() throws {
        try inTree(["etc/reachagent.toml.d/1.toml": probe("own")]) { root, directories in
            let path = try #require(directories.standardPath(environment: [:], isRoot: true))
            #expect(path == "\(root)/etc/reachagent.toml")
            let loaded = try load(path, directories)
            #expect(loaded.settings.probes.map(\.name) == ["own"])
            #expect(loaded.probeFile == "\(root)/etc/reachagent.toml.d/1.toml")
        }
    }

    @Test
    func `a service of any user reads the directory that systemd names, the system's with all its drop-ins`() throws {
        let files = [
            "usr/reachagent.toml": probe("vendor"), "etc/reachagent.toml": probe("own"),
            "usr/reachagent.toml.d/10.toml": probe("ten"), "other/reachagent.toml": probe("other"),
            "home/.config/reachagent/reachagent.toml": probe("home"),
        ]
        try inTree(files) { root, directories in
            func names(_ directory: String) throws -> [String]? {
                let environment = ["CONFIGURATION_DIRECTORY": directory, "HOME": "\(root)/home"]
                return try directories.standardPath(environment: environment, isRoot: false).map { path in
                    try load(path, directories).settings.probes.map(\.name)
                }
            }
            let cases: [(String, [String]?)] = [
                ("\(root)/etc", ["own", "ten"]), ("\(root)/etc:\(root)/other", ["own", "ten"]),
                ("\(root)/other", ["other"]), ("\(root)/none", nil), ("relative", ["home"]), ("", ["home"]),
            ]
            for (directory, expected) in cases {
                let found = try names(directory)
                #expect(found == expected, "\(directory)")
            }
        }
    }

    @Test func `a masked file is an empty one`() throws {
        try inTree(["usr/reachagent.toml": probe("vendor"), "etc/reachagent.toml": "mask"]) { root, directories in
            let path = try #require(directories.standardPath(environment: [:], isRoot: true))
            #expect(path == "\(root)/etc/reachagent.toml")
            #expect(try load(path, directories).settings.probes.isEmpty)
        }
    }

    @Test func `users have a file of their own`() throws {
        try inTree(["home/.config/reachagent/reachagent.toml": "", "xdg/reachagent/reachagent.toml": ""]) {
            root,
            directories in
            func path(_ environment: [String: String]) -> String? {
                directories.standardPath(environment: environment, isRoot: false)
            }
            #expect(path(["HOME": "\(root)/home"]) == "\(root)/home/.config/reachagent/reachagent.toml")
            #expect(
                path(["HOME": "\(root)/home", "XDG_CONFIG_HOME": "\(root)/xdg"])
                    == "\(root)/xdg/reachagent/reachagent.toml"
            )
            #expect(path(["HOME": "\(root)/home", "XDG_CONFIG_HOME": "xdg"])?.contains("/.config/") == true)
            #expect(path(["HOME": "\(root)/nobody"]) == nil)
            #expect(path([:]) == nil)
        }
    }

    @Test func `drop-ins that cannot be listed are an error, with and without a file`() throws {
        // A file cannot be listed, not even by root.
        try inTree(["a.toml": probe("web"), "a.toml.d": "", "etc/reachagent.toml.d": ""]) { root, directories in
            let errors = Fixtures.errors(at: "\(root)/a.toml", in: root)
            #expect(errors == ["a.toml.d: cannot be listed: Not a directory"])
            let path = try #require(directories.standardPath(environment: [:], isRoot: true))
            #expect(throws: ConfigurationErrors.self) { try load(path, directories) }
        }
    }

    @Test func `the searched paths are reported, whether a file exists or not`() throws {
        try inTree([:]) { root, directories in
            func paths(_ environment: [String: String], isRoot: Bool) -> [String] {
                directories.standardPaths(environment: environment, isRoot: isRoot).map {
                    $0.replacing("\(root)/", with: "")
                }
            }
            #expect(paths(["HOME": "/root"], isRoot: true) == ["etc/reachagent.toml", "usr/reachagent.toml"])
            #expect(paths(["HOME": "\(root)/home"], isRoot: false) == ["home/.config/reachagent/reachagent.toml"])
            #expect(paths(["CONFIGURATION_DIRECTORY": "\(root)/x"], isRoot: true) == ["x/reachagent.toml"])
            #expect(paths([:], isRoot: false).isEmpty)
        }
    }

    @Test func `there are at most 64 drop-ins`() throws {
        var files = ["a.toml": ""]
        for number in 0..<65 { files["a.toml.d/\(number).toml"] = "" }
        try inTree(files) { root, _ in
            #expect(
                Fixtures.errors(at: "\(root)/a.toml", in: root)
                    == ["a.toml: has 65 drop-ins; at most 64 are accepted"]
            )
        }
    }
}
