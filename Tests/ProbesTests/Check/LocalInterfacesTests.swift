import NIOCore
import Synchronization
import Testing

@testable import Probes

/// The interface of a local address, from a scripted address table.
struct LocalInterfacesTests {
    private final class Kernel: Sendable {
        let names = Mutex<[[UInt8]: String]>([:])
        let reads = Mutex(0)

        /// A list that does not expire during the test.
        var interfaces: LocalInterfaces {
            LocalInterfaces(lifetime: .hours(1)) { [self] in
                reads.withLock { $0 += 1 }
                return names.withLock { $0 }
            }
        }
    }

    private let kernel = Kernel()
    private let address: [UInt8] = [192, 0, 2, 2]

    @Test func `an address that was just added has its interface at once`() {
        let interfaces = kernel.interfaces
        #expect(interfaces.name(of: address) == nil)
        #expect(!interfaces.contain(address))
        kernel.names.withLock { $0[address] = "wlan0" }
        #expect(interfaces.name(of: address) == "wlan0")
        #expect(interfaces.contain(address))
    }

    @Test func `an address of two interfaces names neither`() {
        kernel.names.withLock { $0[address] = "" }
        let interfaces = kernel.interfaces
        #expect(interfaces.name(of: address) == nil)
        #expect(interfaces.contain(address))
    }

    @Test func `addresses without an interface do not read the list again and again`() {
        let interfaces = kernel.interfaces
        for _ in 0..<1000 { #expect(interfaces.name(of: address) == nil) }
        #expect(kernel.reads.withLock { $0 } < 20)
    }

    @Test func `known addresses are read once`() {
        kernel.names.withLock { $0[address] = "wlan0" }
        let interfaces = kernel.interfaces
        for _ in 0..<10 { #expect(interfaces.name(of: address) == "wlan0" && interfaces.contain(address)) }
        #expect(kernel.reads.withLock { $0 } == 1)
    }
}
