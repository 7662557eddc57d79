#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A thread's identity while it lives; a number, because the C type is a pointer with some libraries.
struct ThreadIdentity: Hashable, Sendable {
    private let number: UInt

    /// The thread that asks.
    static var current: ThreadIdentity {
        #if canImport(Musl)
            ThreadIdentity(number: UInt(bitPattern: pthread_self()))
        #else
            ThreadIdentity(number: UInt(pthread_self()))
        #endif
    }
}
