import Glibc
import Testing

@testable import LinuxSupport

@Suite struct StandardDescriptorsTests {
    /// In a process of its own: other tests open descriptors of any number meanwhile.
    @Test func `closed descriptors are taken, and neither read nor written, and open ones stay`() async {
        await #expect(processExitsWith: .success) {
            let numbers: ClosedRange<CInt> = 900...902
            let output = numbers.lowerBound + 1
            let file = Glibc.open("/dev/zero", O_RDWR | O_CLOEXEC)
            try #require(file >= 0)
            try #require(dup2(file, output) == output)
            StandardDescriptors.open(numbers)
            var byte: UInt8 = 0
            for number in numbers where number != output {
                var entry = stat()
                try #require(fstat(number, &entry) == 0)
                #expect(entry.st_rdev == KernelConstants.nullDevice)
            }
            let failures = [
                read(numbers.lowerBound, &byte, 1) < 0 ? errno : 0,
                write(numbers.upperBound, &byte, 1) < 0 ? errno : 0,
            ]
            #expect(failures == [EBADF, EBADF])
            #expect(read(output, &byte, 1) == 1)
        }
    }
}
