/// Why connectivity is not full.
public struct ConnectivityReason: Sendable, Hashable {
    /// The code: of a check (`FindingCode`) or of several together (``ReasonCode``).
    public var code: String
    /// The probe whose check has the code, when it is one.
    public var probe: String?
    /// Where a person logs in, while a portal answers and that is known.
    public var portalURL: String?

    /// A reason.
    public init(code: String, probe: String? = nil, portalURL: String? = nil) {
        self.code = code
        self.probe = probe
        self.portalURL = portalURL
    }
}
