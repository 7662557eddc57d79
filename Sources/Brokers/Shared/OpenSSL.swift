internal import CNATS

/// OpenSSL, which both brokers' libraries use.
enum OpenSSL {
    /// Keeps OpenSSL as it is until the process has ended; must be called before anything else of OpenSSL is used.
    ///
    /// By default it frees its locks in exit(3), while threads of the libraries that nobody can wait for still release
    /// their connections: libnats 3.4.1 has one for each connection that has made a request (OPENSSL_init_crypto(3),
    /// `OPENSSL_INIT_NO_ATEXIT`).
    static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
