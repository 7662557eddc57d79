/// The text of a webhook's body, with places where what an event says is put in.
///
/// `${REACH_TO_VIA}` is replaced by the value of that variable of ``HookEnvironment``, with everything escaped that a JSON
/// string must not contain (RFC 8259, section 7); `$$` is a dollar.
public struct WebhookBody: Sendable, Hashable {
    /// Why a text is no body.
    public enum Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        /// A place is not closed, or names no variable that hooks have.
        case unknownVariable(String)
        /// There is something else than `{` or `$` after a dollar.
        case strayDollar

        /// What is wrong, in a few words.
        public var description: String {
            switch self {
            case .unknownVariable(let name): "there is no variable '\(name)'"
            case .strayDollar: "a dollar stands alone: write $$ for one"
            }
        }
    }

    /// The text as it was written.
    public let text: String

    /// Reads a text.
    public init(parsing text: String) throws(Mistake) {
        self.text = text
    }
}
