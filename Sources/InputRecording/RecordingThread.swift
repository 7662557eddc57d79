internal import Glibc

/// The thread that writes a recording: it may block on a disk, and disturbs nobody.
enum RecordingThread {
    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Throws: The kernel's number (errno(3)) when there can be no thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws(Refusal) {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                RecordingThread.blockFileSizeSignal()
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            job.toOpaque()
        )
        guard result == 0 else {
            job.release()
            throw Refusal(number: result)
        }
        pthread_detach(thread)
    }

    struct Refusal: Error {
        let number: Int32
    }

    /// A file that outgrows the process's limit (setrlimit(2)) then fails with EFBIG and ends nobody.
    private static func blockFileSizeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
