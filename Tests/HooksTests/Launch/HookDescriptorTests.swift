import AgentTestKit
import Foundation
import Glibc
import Testing

@testable import Hooks

/// The descriptors of a program on a kernel without close_range(2), which Linux has since 5.9 and marks since 5.11.
@Suite
struct HookDescriptorTests {
    private typealias CloseRange = @convention(c) (CUnsignedInt, CUnsignedInt, CInt) -> CInt

    /// Makes close_range(2) fail on the calling thread, and in what it starts, with an error.
    private static func refuseCloseRange(_ error: CInt) throws {
        try RefusedSystemCall.refuse(RefusedSystemCall.closeRange, with: error)
        // Closes nothing where it is not refused: the range has no descriptor.
        let closeRange = unsafeBitCast(try #require(dlsym(nil, "close_range")), to: CloseRange.self)
        try #require(closeRange(.max, .max, 0) != 0 && errno == error)
    }

    @Test(arguments: [ENOSYS, EINVAL, EPERM])
    func `an inheritable descriptor of any number reaches no program`(error: CInt) async throws {
        let list = try HookFile.open("/bin/ls", runAs: nil)
        let text = try await onThread {
            let inherited = [dup(0), fcntl(0, F_DUPFD, 500)]
            defer { for descriptor in inherited { close(descriptor) } }
            try #require(inherited.allSatisfy { $0 > 2 && fcntl($0, F_GETFD) == 0 })
            let streams = try HookStreams(input: [])
            let started = Result { () throws -> HookLeader in
                defer { streams.closeProgramsEnds() }
                try Self.refuseCloseRange(error)
                return try HookLeader.start(HookFixture.launch(list, ["-l", "/proc/self/fd"]), streams: streams)
            }
            let leader = try started.get()
            leader.wait()
            #expect(leader.reap() == .exited(0))
            return try HookOutputReader(streams.outputReader).finish().text
        }
        // The fourth is the directory that ls itself lists.
        let links = text.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(links.count == 4, "\(text)")
        #expect(links.last?.contains(" 3 -> /proc/") == true)
    }
}
