/// The reason connectivity is not full.
public struct ConnectivityReason: Sendable, Hashable {
    /// The code: of a check (`FindingCode`) or of several combined (``ReasonCode``).
    public var code: String
    /// The probe with this code, if it is a single one.
    public var probe: String?
    /// The login page of a portal, if known.
    public var portalURL: String?

    /// Creates a reason.
    public init(code: String, probe: String? = nil, portalURL: String? = nil) {
        self.code = code
        self.probe = probe
        self.portalURL = portalURL
    }
}
