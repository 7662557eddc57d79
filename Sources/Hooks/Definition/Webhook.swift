public import Probes

/// A request to send.
public struct Webhook: Sendable {
    /// The default method of a webhook.
    public static let standardMethod = "POST"

    /// The request, the security policy, and the connection options.
    ///
    /// Ignored are its body and its parameters, which ``body`` replaces, its timeouts, which the hook's replaces, and
    /// its redirects, which are never followed.
    public var probe: Probe
    /// The template of the body with `${REACH_…}`; nil for the event itself.
    public var body: WebhookBody?
    /// The file with the secret that signs requests; nil for none.
    ///
    /// It is read for each run, so the secret can be replaced at any time.
    public var secretFile: String?
    /// The maximum number of retries of a failed request.
    public var retries: Int

    /// Creates a webhook; by default a request is sent at most six times.
    public init(probe: Probe, body: WebhookBody? = nil, secretFile: String? = nil, retries: Int = 5) {
        self.probe = probe
        self.body = body
        self.secretFile = secretFile
        self.retries = retries
    }
}
