import Glibc
import Hooks
import Testing

@Suite
struct HookDirectoriesTests {
    /// `etc` over `usr`.
    private func layers(_ scratch: ScratchDirectory) throws -> HookDirectories {
        try scratch.directory("etc")
        try scratch.directory("usr")
        return HookDirectories([scratch("etc"), scratch("usr")])
    }

    private func paths(_ hooks: [DirectoryHook], _ scratch: ScratchDirectory) -> [String] {
        hooks.map { String($0.path.dropFirst(scratch.path.count + 1)) }
    }

    private func state(_ name: String, _ entries: [DirectoryEntry], _ scratch: ScratchDirectory) -> DirectoryEntry
        .State?
    {
        let entries = entries.filter { $0.path == scratch(name) }
        #expect(entries.count == 1, "\(name)")
        return entries.first?.state
    }

    @Test
    func `files run in the byte order of their names, whatever their directory`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for name in ["usr/9", "etc/10", "usr/Z", "etc/a", "usr/é", "usr/e\u{301}", "etc/10-b"] {
            try scratch.file(name)
        }
        let hooks = directories.hooks(for: [.every])
        #expect(
            hooks.map { Array($0.name.utf8) } == ["10", "10-b", "9", "Z", "a", "e\u{301}", "é"].map { Array($0.utf8) }
        )
        #expect(hooks.first == DirectoryHook(name: "10", path: scratch("etc/10"), occasion: .every))
    }

    @Test
    func `subdirectories run on their occasions only, between the others by the files' own names`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for occasion in HookOccasion.allCases where occasion != .every {
            try scratch.directory("etc/\(occasion.rawValue)")
        }
        try scratch.directory("usr/wifi.d")
        for name in ["etc/20", "etc/wifi.d/10", "etc/wifi.d/20", "usr/wifi.d/30", "etc/online.d/20", "etc/none.d/20"] {
            try scratch.file(name)
        }
        let hooks = directories.hooks(for: [.every, .wifi, .online])
        #expect(hooks.map(\.name) == ["wifi.d/10", "20", "online.d/20", "wifi.d/20", "wifi.d/30"])
        #expect(hooks.map(\.occasion) == [.wifi, .every, .online, .wifi, .wifi])
        #expect(paths(directories.hooks(for: [.none]), scratch) == ["etc/none.d/20"])
        #expect(directories.hooks(for: [.wwan, .wired, .other, .offline]).isEmpty)
        #expect(directories.hooks(for: []).isEmpty)
    }

    @Test(
        arguments: [
            ("/etc/hooks.d/10", .every, true), ("/usr/hooks.d/10", .every, true), ("//10", .every, true),
            ("/etc/hooks.d/wifi.d/10", .wifi, true), ("/usr/hooks.d/wifi.d/10", .wifi, true),
            ("//wifi.d/10", .wifi, true),
            ("/etc/hooks.d/wifi.d/10", .every, false), ("/etc/hooks.d/10", .wifi, false),
            ("/etc/hooks.d/wifi.d/10", .wired, false), ("/etc/hooks/10", .every, false),
            ("/etc/hooks.d2/10", .every, false), ("/etc/hooks.d/caf\u{E9}/10", .every, false), ("10", .every, false),
        ] as [(String, HookOccasion, Bool)]
    )
    func `directories contain the files directly in them, or in the occasion's subdirectory`(
        path: String,
        occasion: HookOccasion,
        isContained: Bool
    ) {
        let directories = HookDirectories(["/etc/hooks.d", "/usr/hooks.d//", "/", "/etc/hooks.d/cafe\u{301}"])
        #expect(directories.contain(path, for: occasion) == isContained)
    }

    @Test
    func `a file hides those of its name, in subdirectories too, even when it is refused or disabled`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for directory in ["etc/wifi.d", "usr/wifi.d", "etc/directory"] { try scratch.directory(directory) }
        for name in ["same", "empty", "null", "bad", "directory", "wifi.d/same", "lone", "gone"] {
            try scratch.file("usr/\(name)")
        }
        try scratch.file("etc/same")
        try scratch.file("etc/wifi.d/same")
        try scratch.file("etc/empty", "")
        try scratch.link("etc/null", to: "/dev/null")
        try scratch.file("etc/bad", mode: 0o777)
        try scratch.link("etc/gone", to: "nowhere")
        #expect(
            paths(directories.hooks(for: [.every, .wifi]), scratch) == [
                "etc/bad", "usr/directory", "etc/gone", "usr/lone", "etc/same", "etc/wifi.d/same",
            ]
        )
        let entries = directories.entries()
        for name in ["same", "empty", "null", "bad", "gone", "wifi.d/same"] {
            #expect(state("usr/\(name)", entries, scratch) == .masked(by: scratch("etc/\(name)")))
        }
        #expect(state("etc/empty", entries, scratch) == .disabled)
        #expect(state("etc/null", entries, scratch) == .disabled)
        #expect(state("etc/directory", entries, scratch) == .unknownDirectory)
        let reason = entries.first { $0.state == .unknownDirectory }?.reason
        #expect(reason?.contains("none.d, wifi.d, wwan.d, wired.d, other.d, online.d, offline.d and uplink.d") == true)
        #expect(state("usr/lone", entries, scratch) == .runs)
        guard case .refused(let refusal) = state("etc/bad", entries, scratch) else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal.code == .writable)
        #expect(entries.count == 18 - 3)
    }

    @Test(arguments: [
        ".hidden", "10-log~", "10-log.bak", "10-log.orig", "10-log.rej", "10-log.swp", "10-log.swo", "10-log.tmp",
        "10-log.new", "10-log.old", "10-log.disabled", "10-log.rpmsave", "10-log.rpmorig", "10-log.rpmnew",
        "10-log.dpkg-dist", "10-log.dpkg-old", "10-log.ucf-new", "#10-log#", "README", "README.md", "~",
    ])
    func `a left-over file does not run and hides nothing`(name: String) throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        try scratch.directory("etc/offline.d")
        try scratch.file("etc/\(name)")
        try scratch.file("etc/offline.d/\(name)")
        #expect(directories.hooks(for: Set(HookOccasion.allCases)).isEmpty)
        let entries = directories.entries()
        #expect(entries.map(\.state) == [.leftOver, .leftOver])
        #expect(entries.map(\.name) == [name, "offline.d/\(name)"])
    }

    @Test(arguments: [
        "10-log.sh", "10-log.py", "#10-log", "10-log#", "#", "readme", "10.new-log", "10-dpkg-log", "-", "bak",
    ])
    func `a file whose name only resembles a left-over runs`(name: String) throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        try scratch.file("usr/\(name)")
        #expect(paths(directories.hooks(for: [.every]), scratch) == ["usr/\(name)"])
        #expect(directories.entries().map(\.state) == [.runs])
        #expect(directories.entries().map(\.reason) == [nil])
    }

    @Test
    func `names that are not text are skipped with a note`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        let directory = Array("\(scratch.path)/etc/".utf8)
        for name in [[0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("new\nline".utf8), Array("\u{85}".utf8)] {
            let path = (directory + name + [0]).map { CChar(bitPattern: $0) }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
            #expect(descriptor >= 0)
            _ = write(descriptor, "#!/bin/sh\n", 10)
            close(descriptor)
        }
        #expect(directories.hooks(for: [.every]).isEmpty)
        let entries = directories.entries()
        #expect(entries.map(\.state) == Array(repeating: .badName, count: 5))
        #expect(entries.contains { $0.name == "new?line" })
        #expect(entries.allSatisfy { $0.reason != nil })
    }

    @Test
    func `an unknown subdirectory is noted, and so is a directory in a subdirectory`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for directory in ["etc/ethernet.d", "etc/wifi.d", "etc/wifi.d/wifi.d"] {
            try scratch.directory(directory)
            try scratch.file("\(directory)/10")
        }
        #expect(paths(directories.hooks(for: Set(HookOccasion.allCases)), scratch) == ["etc/wifi.d/10"])
        let entries = directories.entries()
        #expect(entries.map(\.name) == ["ethernet.d", "wifi.d/10", "wifi.d/wifi.d"])
        #expect(entries.map(\.state) == [.unknownDirectory, .runs, .unknownDirectory])
    }

    @Test
    func `missing directories are not an error`() {
        let directories = HookDirectories(["/nonexistent/etc", "/nonexistent/usr"])
        #expect(directories.hooks(for: Set(HookOccasion.allCases)).isEmpty)
        #expect(directories.entries().isEmpty)
        #expect(HookDirectories([]).entries().isEmpty)
    }

    @Test(arguments: ["a file", "a named pipe", "a link to nothing", "a link to itself", "/dev/null"])
    func `a path that is not a directory hides later directories, and does not block`(kind: String) throws {
        let scratch = try ScratchDirectory()
        for name in ["etc", "usr/wifi.d"] {
            if name != "etc" { try scratch.directory("usr") }
            switch kind {
            case "a file": try scratch.file(name)
            case "a named pipe": try ScratchDirectory.check("mkfifo", mkfifo(scratch(name), 0o600))
            case "a link to nothing": try scratch.link(name, to: "nowhere")
            case "a link to itself": try scratch.link(name, to: scratch(name))
            default: try scratch.link(name, to: kind)
            }
        }
        try scratch.file("usr/10")
        try scratch.directory("lib")
        try scratch.directory("lib/wifi.d")
        try scratch.file("lib/wifi.d/10")
        try scratch.directory("lib/none.d")
        try scratch.file("lib/none.d/10")
        let directories = HookDirectories([scratch("usr"), scratch("lib")])
        #expect(paths(directories.hooks(for: [.every, .wifi, .none]), scratch) == ["usr/10", "lib/none.d/10"])
        #expect(state("lib/wifi.d/10", directories.entries(), scratch) == .masked(by: scratch("usr/wifi.d")))

        let blind = HookDirectories([scratch("etc"), scratch("usr")])
        #expect(blind.hooks(for: [.every]).isEmpty)
        guard case .refused = state("etc", blind.entries().filter { $0.occasion == .every }, scratch) else {
            Issue.record("the directory itself is not refused")
            return
        }
        #expect(state("usr/10", blind.entries(), scratch) == .masked(by: scratch("etc")))
    }

    @Test
    func `a directory that others can write to is named, and so is each file in it`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        try scratch.file("usr/10")
        try scratch.directory("usr/wifi.d")
        try scratch.directory("etc/wifi.d", mode: 0o777)
        try ScratchDirectory.check("chmod", chmod(scratch("usr"), 0o775))
        let all = directories.entries()
        #expect(all.map(\.path) == [scratch("usr"), scratch("usr/10"), scratch("etc/wifi.d")])
        let entries = all.filter { $0.occasion == .every }
        for entry in entries {
            guard case .refused(let refusal) = entry.state else {
                Issue.record("\(entry.path) is not refused")
                continue
            }
            #expect(refusal.code == .directory)
            #expect(refusal.path == scratch("usr"))
        }
        // It is the run that is refused, so that somebody hears of it.
        #expect(paths(directories.hooks(for: [.every]), scratch) == ["usr/10"])
    }

    @Test
    func `of a huge directory the first files run, and the rest is noted`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for number in 1000..<(1000 + HookDirectories.maximumFiles + 2) { try scratch.file("etc/\(number)") }
        try scratch.file("usr/1257")
        try scratch.file("usr/1300")
        let hooks = directories.hooks(for: [.every])
        #expect(hooks.count == HookDirectories.maximumFiles + 1)
        #expect(hooks.last?.path == scratch("usr/1300"))
        let entries = directories.entries()
        #expect(entries.filter { $0.state == .beyondLimit }.map(\.name) == ["1256", "1257"])
        #expect(state("usr/1257", entries, scratch) == .masked(by: scratch("etc/1257")))
    }

    @Test
    func `a directory with more names than are read says so`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        for number in 0..<4100 { try scratch.link("usr/\(number)", to: "/dev/null") }
        let entries = directories.entries()
        #expect(entries.count == 4097)
        #expect(entries.last?.path == scratch("usr"))
        #expect(entries.last?.state == .beyondLimit)
    }

    @Test
    func `links into the directories and out of them are followed`() throws {
        let scratch = try ScratchDirectory()
        let directories = try layers(scratch)
        try scratch.directory("elsewhere")
        try scratch.file("elsewhere/program")
        try scratch.link("etc/10", to: "../elsewhere/program")
        try scratch.link("etc/wired.d", to: "../elsewhere")
        #expect(paths(directories.hooks(for: [.every, .wired]), scratch) == ["etc/10", "etc/wired.d/program"])
        #expect(directories.entries().map(\.state) == [.runs, .runs])
        let file = try HookFile.open(scratch("etc/wired.d/program"), runAs: nil)
        #expect(file.path == scratch("elsewhere/program"))
    }

    @Test
    func `a trailing slash makes no difference, and a relative directory is rejected`() throws {
        let scratch = try ScratchDirectory()
        try scratch.file("10")
        #expect(HookDirectories([scratch.path + "//"]).hooks(for: [.every]).map(\.path) == [scratch("10")])
        #expect(HookDirectories(["."]).hooks(for: [.every]).isEmpty)
        #expect(HookDirectories(["."]).entries().first?.reason?.contains("is not an absolute path") == true)
    }
}
