internal import Glibc

/// The types of socket(2) as the numbers that it takes.
enum SocketType {
    static let datagram = CInt(SOCK_DGRAM.rawValue) | flags
    static let stream = CInt(SOCK_STREAM.rawValue) | flags
    private static let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
}
