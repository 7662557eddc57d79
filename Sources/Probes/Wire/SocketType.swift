internal import Glibc

/// The types of socket(2) as integers.
enum SocketType {
    static let datagram = CInt(SOCK_DGRAM.rawValue) | flags
    private static let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
}
