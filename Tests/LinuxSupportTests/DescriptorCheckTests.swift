import CDescriptorCheck
import Glibc
import Testing

/// The check in the program of the tests, for all of them.
@Suite struct DescriptorCheckTests {
    @Test(.enabled(if: reachagent_checks_descriptors(), "ThreadSanitizer has a close(2) of its own"))
    func `a descriptor that is closed twice ends the tests`() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            #expect(close(descriptor) == 0)
            close(descriptor)
        }
    }
}
