internal import Glibc

/// The descriptors of standard input, output and error.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of those that the process was started without.
    ///
    /// A file or socket that is opened later would otherwise get the number of a closed one, and with it what is meant for
    /// standard output or for the log. It is opened the other way round, so that reading and writing still fail with EBADF:
    /// a closed output remains one.
    ///
    /// - Parameter descriptors: The descriptors, the first of which is read, and the others written.
    package static func open(_ descriptors: ClosedRange<CInt> = STDIN_FILENO...STDERR_FILENO) {
        for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            let null = Glibc.open("/dev/null", descriptor == descriptors.lowerBound ? O_WRONLY : O_RDONLY)
            guard null >= 0, null != descriptor else { continue }
            dup2(null, descriptor)
            close(null)
        }
    }
}
