import AgentTestKit
import Glibc
import Testing

@testable import LinuxSupport

/// Signals as a descriptor.
///
/// No other test uses SIGUSR2.
@Suite(.onOwnThread) struct SignalDescriptorTests {
    @Test func `a signal that the process ignores is left out`() throws {
        let signals = try SignalDescriptor(SIGUSR2)
        defer { signal(SIGUSR2, SIG_DFL) }
        signal(SIGUSR2, SIG_IGN)
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(signals.nextNotIgnored() == nil)
        signal(SIGUSR2, SIG_DFL)
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(signals.nextNotIgnored() == SIGUSR2)
        #expect(signals.nextNotIgnored() == nil)
    }
}
