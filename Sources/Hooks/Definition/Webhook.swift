public import Probes

/// A request to send.
public struct Webhook: Sendable {
    /// The method that a webhook has unless somebody wants another one.
    public static let standardMethod = "POST"

    /// The request, the security policy, and how the server is reached.
    ///
    /// Not used are its body and its parameters, for which ``body`` stands, its limits of time, for which the hook's stands,
    /// and its redirects, which are never followed.
    public var probe: Probe
    /// The body's text with `${REACH_…}` in it; nil for the event itself.
    public var body: WebhookBody?
    /// The file with the secret that requests are signed with; nil for none.
    ///
    /// It is read for each run, so another secret can be put there at any time.
    public var secretFile: String?
    /// How many times more a request is sent that came to nothing.
    public var retries: Int

    /// A request that is sent at most six times.
    public init(probe: Probe, body: WebhookBody? = nil, secretFile: String? = nil, retries: Int = 5) {
        self.probe = probe
        self.body = body
        self.secretFile = secretFile
        self.retries = retries
    }
}
