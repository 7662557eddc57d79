import FoundationEssentials
import Glibc
import Testing

@testable import ReachAgent

/// The mappings that may be returned to the kernel: those of files that hold nothing written by this process or the
/// loader.
@Suite struct MappedFileTests {
    private static func smaps(
        _ permissions: String = "r--p",
        path: String = "/usr/bin/reachagent",
        anonymous: String = "Anonymous:             0 kB",
        swap: String = "Swap:                  0 kB"
    ) -> String {
        """
        55a8d13ad000-55a8d13af000 \(permissions) 00000000 fe:00 254163                     \(path)
        Size:                  8 kB
        Rss:                   8 kB
        \(anonymous)
        AnonHugePages:         0 kB
        \(swap)
        SwapPss:               0 kB
        THPeligible:           0
        VmFlags: rd mr mw me\u{20}

        """
    }

    @Test(arguments: [
        (smaps(), true),
        (smaps("r-xp"), true),
        (smaps(path: "/a name/with spaces (deleted)"), true),
        (smaps("rw-p"), false),
        (smaps("r--s"), false),
        // Addresses that the loader filled in before it made the mapping read-only, in memory or swapped out.
        (smaps(anonymous: "Anonymous:             4 kB"), false),
        (smaps(swap: "Swap:                  4 kB"), false),
        // A kernel that does not report it.
        (smaps(anonymous: ""), false),
        (smaps(swap: ""), false),
    ])
    func `only a mapping that is not writable and not written is unwritten`(text: String, isUnwritten: Bool) {
        let mapping = MappedFile(start: 0x55a8_d13a_d000, length: 0x2000, isUnwritten: isUnwritten)
        #expect(MappedFile.all(inSmaps: Array(text.utf8)) == [mapping])
    }

    @Test(arguments: [
        smaps(path: ""), smaps(path: "[heap]"), smaps(path: "[vdso]"),
        smaps().replacing("55a8d13ad000-55a8d13af000", with: "55a8d13af000-55a8d13ad000"),
        smaps().replacing("55a8d13ad000-55a8d13af000", with: "0-1000"),
        smaps().replacing("55a8d13ad000-55a8d13af000", with: "x-1000"),
        smaps().replacing("55a8d13ad000-55a8d13af000", with: "55a8d13ad000"),
        smaps().replacing("VmFlags:", with: "Flags:"),
        "", "\n\n", "VmFlags: rd\n", "Anonymous:\nSwap:\n",
    ])
    func `a mapping without a file, or one that cannot be parsed, is left out`(text: String) {
        #expect(MappedFile.all(inSmaps: Array(text.utf8)) == [])
    }

    @Test func `a written mapping does not affect the next one`() {
        let text = Self.smaps() + Self.smaps(anonymous: "Anonymous:             4 kB") + Self.smaps()
        #expect(MappedFile.all(inSmaps: Array(text.utf8)).map(\.isUnwritten) == [true, false, true])
    }

    @Test func `this process's own code is unwritten, and its data is not`() throws {
        let mappings = MappedFile.all(inSmaps: StartUpCode.smaps())
        #expect(mappings.contains { $0.isUnwritten })
        #expect(mappings.contains { !$0.isUnwritten })
    }

    /// Another thread maps a file to read it, and uses the same addresses as memory a moment later.
    @Test func `what was mapped after the start is left alone`() throws {
        let (early, late) = (try mapOwnProgram(), try mapOwnProgram())
        defer { for mapping in [early, late] { munmap(mapping, 1) } }
        let all = MappedFile.all(inSmaps: StartUpCode.smaps())
        let code = StartUpCode(mapped: all.filter { $0.start == UInt(bitPattern: early) })
        for mapping in [early, late] { #expect(mapping.load(as: UInt8.self) == 0x7F) }
        #expect(try [early, late].map(residentPages) == [true, true])
        code.release()
        #expect(try [early, late].map(residentPages) == [false, true])
    }

    private func mapOwnProgram() throws -> UnsafeMutableRawPointer {
        let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let mapping = mmap(nil, 1, PROT_READ, MAP_PRIVATE, descriptor, 0)
        return try #require(mapping == MAP_FAILED ? nil : mapping)
    }

    /// The resident size that smaps shows for the mapping at an address is not zero.
    private func residentPages(at address: UnsafeMutableRawPointer) throws -> Bool {
        let lines = String(decoding: StartUpCode.smaps(), as: UTF8.self).split(separator: "\n")
        let own = lines.drop { !$0.hasPrefix("\(String(UInt(bitPattern: address), radix: 16))-") }
        let resident = try #require(own.first { $0.hasPrefix("Rss:") })
        return resident.split(separator: " ").dropFirst().first != "0"
    }
}
