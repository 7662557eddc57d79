/// The system's number for what a call was refused for (errno(3)).
package struct SystemError: Error, Sendable, Hashable {
    /// The number.
    package let errno: Int32

    /// An error with a number.
    package init(errno: Int32) { self.errno = errno }
}
