#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The types of socket(2): an enumeration's cases with glibc, numbers with musl.
enum SocketType {
    #if canImport(Glibc)
        static let datagram = CInt(SOCK_DGRAM.rawValue) | flags
        static let stream = CInt(SOCK_STREAM.rawValue) | flags
        private static let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    #else
        static let datagram = SOCK_DGRAM | flags
        static let stream = SOCK_STREAM | flags
        private static let flags = SOCK_NONBLOCK | SOCK_CLOEXEC
    #endif
}
