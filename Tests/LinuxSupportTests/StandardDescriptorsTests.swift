import Glibc
import Testing

@testable import LinuxSupport

@Suite struct StandardDescriptorsTests {
    /// Three descriptors with numbers that nothing else in this process gets.
    private static let numbers: ClosedRange<CInt> = 900...902

    @Test func `closed descriptors are taken, and neither read nor written, and open ones stay`() throws {
        let file = Glibc.open("/dev/zero", O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        let output = Self.numbers.lowerBound + 1
        try #require(dup2(file, output) == output)
        close(file)
        defer { for number in Self.numbers { close(number) } }
        StandardDescriptors.open(Self.numbers)
        var byte: UInt8 = 0
        for number in Self.numbers where number != output {
            var entry = stat()
            try #require(fstat(number, &entry) == 0)
            #expect(entry.st_rdev == KernelConstants.nullDevice)
        }
        let failures = [
            read(Self.numbers.lowerBound, &byte, 1) < 0 ? errno : 0,
            write(Self.numbers.upperBound, &byte, 1) < 0 ? errno : 0,
        ]
        #expect(failures == [EBADF, EBADF])
        #expect(read(output, &byte, 1) == 1)
    }
}
