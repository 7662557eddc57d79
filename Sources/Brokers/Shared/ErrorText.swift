internal import Glibc

/// The C library's texts for its numbers.
enum ErrorText {
    /// The text of errno(3).
    static func system(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    /// The text of an answer of getaddrinfo(3); to be asked right after it.
    static func resolver(_ status: Int32) -> String {
        if status == EAI_SYSTEM { return system(errno) }
        return gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    }
}
