import CNATS
import Glibc
import Testing

@testable import Brokers

/// OpenSSL at the end of a process, in which threads of the brokers' libraries still use it.
@Suite struct OpenSSLTests {
    private static let usable: Int32 = 7
    private static let freed: Int32 = 8

    @Test func `OpenSSL can be used until the process has ended`() async {
        await #expect(processExitsWith: .exitCode(Self.usable)) {
            // The first function that is registered is the last one called, after that of OpenSSL if there is one.
            atexit { _exit(OPENSSL_init_crypto(0, nil) == 1 ? OpenSSLTests.usable : OpenSSLTests.freed) }
            // The keys of a user, which OpenSSL computes.
            _ = NKey.publicKey(ofSeed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
            exit(EXIT_SUCCESS)
        }
    }
}
