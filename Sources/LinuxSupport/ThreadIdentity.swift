internal import Glibc

/// A thread's identity while it lives.
package struct ThreadIdentity: Hashable, Sendable {
    private let number: pthread_t

    /// The thread that asks.
    package static var current: ThreadIdentity { ThreadIdentity(number: pthread_self()) }
}
