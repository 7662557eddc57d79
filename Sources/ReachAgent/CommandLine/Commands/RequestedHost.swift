internal import ForeignText
internal import Probes

/// The DNS name that was requested from a server, as an argument or a member of a question.
struct RequestedHost {
    /// The name for which the certificate must be valid, without a trailing dot.
    let identity: ServerIdentity

    /// The reason a name beyond ASCII is not accepted, as for a probe's URL: certificates have the A-label form.
    struct Flaw: Error, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) throws(Flaw) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            let shown = ForeignText.shown(text)
            throw Flaw(description: "'\(shown)' is not in ASCII: give the A-label form of each label ('xn--…')")
        }
        identity = .name(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
}
